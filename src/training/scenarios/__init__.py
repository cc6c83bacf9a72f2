"""Written scenarios: a claim with pages that support it, refute it, leave it open, repeat it or make it half true.

    records.py   a scenario and its pages
    read.py      the files of a folder, and which scenarios are held out
    windows.py   passages of a page: around the decisive sentences, and elsewhere

The label of a claim depends on which of its pages are shown; `src/training/as_met/scenarios.py` chooses them.
"""
