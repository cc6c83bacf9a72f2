"""Fields of a model's record that describe the machine it ran on, not the model.

Caches, unfinished runs and parts of a run stay valid when these fields differ.
"""

OF_THE_MACHINE = ("threads",)
