"""Programs as models write them, broken at random: the same for the same seed."""

import random
from collections.abc import Iterator

WHOLE = (
    'answer_1 = Question("Who wrote the novel?")\nfact_1 = Verify("{answer_1} was born in Oslo.")\n'
    'fact_2 = Verify("The novel was filmed.")\nlabel = Predict(fact_1 and not fact_2)\n',
    '```python\n# The claim is that it is so.\ndef program():\n    fact_1 = Verify("The "Sea" is deep.")\n'
    "    fact_2 = Verify('It's blue.')\n    label = Predict(fact_1 or (fact_2 and fact_1))\n```\nDone.",
    'fact_1 = Verify(f\\"{answer_1} is old.)\nlabel = predict(fact_1)',
    'fact_1 = Verify("A."); fact_2 = Verify("B."); label = Predict(not (fact_1 and fact_2))',
    'label = Predict(Verify("A.") and Question("B?"))',
    'label = Predict(__import__("os").system("id") or eval("1") or open("x"))',
)
PIECES = ('"', "'", "\\", "(", ")", "{", "}", "=", ";", "#", "\n", " ", "not ", " and ", " or ", "label", "Predict(",
          "Verify(", "Question(", "fact_1", "answer_1", "{answer_1}", "```", "return ", "def program():", "\x00",
          "\u201d", "eval(", "lambda: ", "\ud800", "\U0001f600", "9" * 40, "True", "==", "{" * 40,
          "{answer_1.strip()}", "{answer_1 + 1}", '"' * 40, "(" * 40, "\\" * 40, "\n" * 9, ",;", "\ufeff", "**", "</s>",
          " if ", "else: ", "return the ")  # fmt: skip


def mutants(count: int, seed: int) -> Iterator[str]:
    draw = random.Random(seed)
    for _ in range(count):
        text = draw.choice(WHOLE)
        for _ in range(draw.randint(1, 12)):
            place, end = sorted(draw.randint(0, len(text)) for _ in range(2))
            end = min(end, place + draw.randint(0, 30))
            text = draw.choice(
                [
                    text[:place] + draw.choice(PIECES) + text[place:],
                    text[:place] + text[end:],
                    text[:end] + text[place:end] + text[end:],
                    text[:place] + text[place:end][::-1] + text[end:],
                ]
            )
        yield text
