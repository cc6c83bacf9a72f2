"""Questions a second, beside the published loop; `python -m bench.questions --help`."""
