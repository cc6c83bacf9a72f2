"""Fact-checking by programs (ProgramFC): programs are generated from claims and executed to verdicts."""
