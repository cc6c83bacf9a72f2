"""Our models and published systems on the same evidence, scored alike; `python -m bench.scoreboard --help`."""
