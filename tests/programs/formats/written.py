"""Claims in which whatever has a meaning to a format stands in every text."""

from src.programs.drawing import DrawnClaim, drawn
from src.programs.records import ClaimTrace, Diagnostic, DiagnosticKind, Function, ProgramTrace, StepEvidence, StepTrace
from src.records import Value

NASTY = """<script>"x\\"; ]) } end subgraph a --> b %%{init: {}}%% // /* #35; &amp; `Höje` \\n"""


def hostile(text: str = NASTY) -> list[DrawnClaim]:
    """Two claims; the first has two programs of two steps, of which one decides, the second none."""
    step = StepTrace(
        "fact_1", Function.VERIFY, 1, text, "true", [StepEvidence(text, "https://x.example/?a&b", 1.0)], True
    )
    asked = StepTrace("answer_1", Function.QUESTION, 2, text, None)
    said = [Diagnostic(DiagnosticKind.IGNORED_LINE, 3, text)]
    program = ProgramTrace(Value.TRUE, [step, asked], said, "fact_1")
    traces = [
        ClaimTrace(0, text, Value.TRUE, 1.0, 0, [program] * 2),
        ClaimTrace(1, "B.", Value.UNKNOWN, 0.0, 0, []),
    ]
    return list(map(drawn, traces))
