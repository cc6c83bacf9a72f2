"""What retrieval finds, on pools that flatter nobody; `python -m bench.retrieval --help`."""
