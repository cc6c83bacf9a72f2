"""Published scores of ProgramFC: tables 1 to 3 of the paper, and the list in its repository's README.

Pan et al., "Fact-Checking Complex Claims with Program-Guided Reasoning", ACL 2023. All are over the whole of HOVER's
and FEVEROUS-S's dev parts; table 2 is over 100 wrongly predicted claims of each number of hops. Macro-F1 and shares are
in per cent.

Limitations: figures 4 and 5 are drawings without numbers, and are not included.
"""

import msgspec

COLUMNS = ("2 hops", "3 hops", "4 hops", "FEVEROUS-S")


class Published(msgspec.Struct, frozen=True):
    """A row of a published table: the system, and its macro-F1 for each of COLUMNS, in per cent."""

    system: str
    macro_f1: tuple[float, float, float, float]


GOLD = (
    Published("BERT-FC", (53.40, 50.90, 50.86, 74.71)),
    Published("LisT5", (56.15, 53.76, 51.67, 77.88)),
    Published("RoBERTa-NLI", (74.62, 62.23, 57.98, 88.28)),
    Published("DeBERTaV3-NLI", (77.22, 65.98, 60.49, 91.98)),
    Published("MULTIVERS", (68.86, 59.87, 55.67, 86.03)),
    Published("Codex", (70.63, 66.46, 63.49, 89.77)),
    Published("FLAN-T5", (73.69, 65.66, 58.08, 90.81)),
    Published("ProgramFC, 1 program", (74.10, 66.13, 65.69, 91.77)),
    Published("ProgramFC, 5 programs", (75.65, 68.48, 66.75, 92.69)),
    Published("ProgramFC, 1 program, README", (75.03, 67.22, 65.03, 92.32)),
)
OPEN_BOOK = (
    Published("BERT-FC", (50.68, 49.86, 48.57, 51.67)),
    Published("LisT5", (52.56, 51.89, 50.46, 54.15)),
    Published("RoBERTa-NLI", (63.62, 53.99, 52.40, 57.80)),
    Published("DeBERTaV3-NLI", (68.72, 60.76, 56.00, 58.81)),
    Published("MULTIVERS", (60.17, 52.55, 51.86, 56.61)),
    Published("Codex", (65.07, 56.63, 57.27, 62.58)),
    Published("FLAN-T5", (69.02, 60.23, 55.42, 63.73)),
    Published("ProgramFC, 1 program", (69.36, 60.63, 59.16, 67.80)),
    Published("ProgramFC, 5 programs", (70.30, 63.43, 57.74, 68.06)),
    Published("ProgramFC, 1 program, README", (70.55, 60.38, 56.81, 67.16)),
)
CLOSED_BOOK = (
    Published("InstructGPT, direct", (56.51, 51.75, 49.68, 60.13)),
    Published("InstructGPT, zero-shot chain of thought", (50.30, 52.30, 51.58, 54.78)),
    Published("InstructGPT, chain of thought", (57.20, 53.66, 51.83, 61.05)),
    Published("InstructGPT, self-ask", (51.54, 51.47, 52.45, 56.82)),
    Published("Codex", (55.57, 53.42, 45.59, 57.85)),
    Published("FLAN-T5", (48.27, 52.11, 51.13, 55.16)),
    Published("ProgramFC", (54.27, 54.18, 52.88, 59.66)),
    Published("ProgramFC, 1 program, README", (53.70, 51.55, 52.67, 59.01)),
)
SETTINGS = {"gold evidence": GOLD, "open book": OPEN_BOOK, "closed book": CLOSED_BOOK}

JUDGED = 100  # wrong claims of each number of hops in table 2
ERRORS = {  # table 2: per cent of the wrong claims of 2, 3 and 4 hops, judged by people
    "syntax": (0, 0, 0),
    "token": (8, 20, 18),
    "structure": (19, 13, 57),
    "subtask": (2, 5, 2),
    "execution": (71, 62, 23),
}
