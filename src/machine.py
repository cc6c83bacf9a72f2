"""What a model's record tells of the machine that it ran on, and not of the model.

Caches, unfinished runs and parts of a run are the same with any of it.
"""

OF_THE_MACHINE = ("threads",)
