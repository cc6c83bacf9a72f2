"""Claims checked for whoever asks on this machine: a form, a queue, one worker, a history, an API."""
