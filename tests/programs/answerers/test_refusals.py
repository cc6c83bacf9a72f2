"""What only says that there is no answer, and what sounds like it."""

import pytest

from src.programs.answerers.by_language_model import is_refusal

REFUSALS = """unknown
Unknown.
None
N/A
Unanswerable
not given
Not Given
Not mentioned in the passages.
Not explicitly stated in the text
Not enough information
Not known from the evidence
Insufficient evidence
Unknown from the text.
No answer
No information is given.
No information about the director
No Information Available
No evidence was found
No details are provided
NO INFORMATION IS GIVEN
I don't know.
I do not know, the text is silent.
I cannot answer this question.
I can't tell from the passages.
I cannot determine that. Ann may have done it.
I don't know. Ann may have done it.
It is unclear who built the mill.
It's impossible to say.
This is unknown.
Cannot be determined
Cannot be answered from the text
There is no information about this.
There is no mention of Ann.
There's no specific information in the text
There is not enough evidence
There is no director named in the passage.
There is no way to know.
It is not mentioned in the text.
The answer isn't given.
The name of the river is not stated.
The director of the film is not explicitly mentioned
The evidence does not say.
The provided text does not mention a river.
These passages do not directly name him
Is not known
It does not say""".splitlines()

ANSWERS = """I Don't Want to Miss a Thing
This Is Not America
The Sky Is Not Blue
There Is No Greater Love
Not Given Lightly
Not given lightly
I Don't Know How to Go
I Can't Tell You Why
It Is Not Known to Anyone
It's not far
The sky is not blue
There is no greater love
Unknown Ways
The Unknown
None of Them Sang
No Doubt
No Answer Came
No
It
The mill is not old. No information is given.
Nothing
Not a Mill
Cannot Be Sung
It Does Not Matter
Ann, who is not known
The Not Given""".splitlines()


@pytest.mark.parametrize("text", [*REFUSALS, "I don\u2019t know who directed it"])
def test_a_whole_refusal_is_no_answer(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_what_begins_or_sounds_like_a_refusal_is_an_answer(text: str) -> None:
    assert not is_refusal(text)
