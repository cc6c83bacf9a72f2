"""Page readers: from bytes (HTML, PDF, plain text) to sentences, in worker processes that may be killed."""
