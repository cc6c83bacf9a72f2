"""Names of the fields in a model's description that concern the machine it ran on, not the model.

Caches, unfinished runs and shards stay valid when only these fields differ.
"""

OF_THE_MACHINE = ("threads",)
