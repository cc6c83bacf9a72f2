"""Language of a claim; a claim that the models of its check do not read is refused before pages are read."""

from src.check.call_model import is_large
from src.check.pages import ENGLISH_ENCODER
from src.check.records import CheckRequest
from src.errors import RefusedClaimError
from src.language import other_language


def language_note(request: CheckRequest, llm: str) -> str:
    """Return a note on a claim that is not in English; "" for English.

    `llm`: spec of the language model that would answer in one call; a large one reads other languages.

    Raises RefusedClaimError if the models of this check read English only, InputError if `llm` is needed and unknown.
    """
    language = other_language(request.claim)
    if language and not is_large(request, llm):
        raise RefusedClaimError(
            f"the claim seems to be in {language}, and these models read English: translate it, or let a large model "
            "that reads it answer in one call"
        )
    return f"the claim seems to be in {language}; {ENGLISH_ENCODER}" if language else ""
