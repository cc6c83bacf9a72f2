"""Construction of replies, shared by all backends: cut at the first stop string, with the reason why it ended."""

from collections.abc import Sequence

from src.llm.protocol import ChoiceMethod, Reply, Request, Stopped


def first_stop(text: str, stop: Sequence[str]) -> int:
    """Return the position of the earliest stop string, or -1 if none occurs."""
    places = [place for place in map(text.find, filter(None, stop)) if place >= 0]
    return min(places, default=-1)


def text_reply(request: Request, text: str, prompt_tokens: int, new_tokens: int, stopped: Stopped) -> Reply:
    """Return the reply for a generated text, or for the part that is read. White space only counts as empty."""
    if request.reading is not None:
        text = request.reading.of(text)
    place = first_stop(text, request.stop)
    if place >= 0:
        text, stopped = text[:place], "stop"
    if not text.strip():
        text, stopped = "", "empty"
    return Reply(text, prompt_tokens, new_tokens, stopped)


def choice_reply(
    request: Request, scores: Sequence[float], method: ChoiceMethod, prompt_tokens: int, new_tokens: int = 0
) -> Reply:
    """Return the reply for a scored closed set; of equal scores the first choice wins."""
    best = max(range(len(scores)), key=lambda place: (scores[place], -place))
    return Reply(request.choices[best], prompt_tokens, new_tokens, "choices", tuple(scores), method)
