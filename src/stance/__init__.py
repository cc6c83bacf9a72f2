"""What each piece of evidence does to a claim, and the verdict that follows from all of them."""
