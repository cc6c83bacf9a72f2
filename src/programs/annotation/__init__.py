"""Annotation of wrong predictions with the classes of ProgramFC's Table 2."""
