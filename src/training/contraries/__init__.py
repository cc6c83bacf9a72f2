"""Written pairs of contrary claims with four pages of the same form: for one, for the other, for neither, for both.

    records.py   two claims and their pages
    read.py      the files of a folder, and which pairs are held out

A page that supports one claim refutes the other, so a model must read both. `src/training/as_met/contraries.py` makes
claims with passages of these pairs.
"""
