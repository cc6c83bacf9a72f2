"""Stance of each piece of evidence toward a claim, and the verdict that follows from all of them."""
