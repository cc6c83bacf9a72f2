"""Bytes of a page in, its sentences out: HTML, PDF, plain text, each in a worker process that may be killed."""
