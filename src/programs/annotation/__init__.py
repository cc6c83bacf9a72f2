"""People put wrong predictions into the classes of ProgramFC's Table 2: what is drawn and shown, and their file."""
