"""Ev2R: a judge compares predicted evidence with gold evidence, fact by fact."""
