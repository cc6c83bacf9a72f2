"""Server that checks claims for users of this machine: a form, a queue, one worker thread, a history, an API."""
