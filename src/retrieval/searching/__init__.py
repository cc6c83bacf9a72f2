"""From a claim to URLs: what is asked, of whom, and the file that is written."""
