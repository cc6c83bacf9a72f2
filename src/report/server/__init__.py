"""Server that checks claims for people on this machine: a form, a queue, one worker, a history, an API."""
