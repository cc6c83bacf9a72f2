"""Question used when no question of the model is sound: what the page says about the claim."""

from src.canonical_url import site
from src.reranking.questions.soundness import fault

LONGEST_QUOTE = 250  # characters of a claim that is quoted; a longer one is not quoted


def template_question(claim: str, passage: str, url: str = "") -> str:
    """Return `What does SITE say about the claim "CLAIM"?`, or a shorter form if that is not sound.

    The claim keeps its case and loses its final punctuation; double quotes in it become single ones. Raises
    MissingExtra when the parser is missing.
    """
    source = site(url) if url else "this source"
    forms = [f"What does {source} say about the claim?"]
    if quoted := _quotable(claim):
        forms.insert(0, f'What does {source} say about the claim "{quoted}"?')
    sound = (form for form in forms if fault(form, claim, passage, url) is None)
    return next(sound, "What does this source say about the claim?")


def _quotable(claim: str) -> str:
    text = " ".join(claim.split()).rstrip(" .?!")
    for mark in '"“”„«»':
        text = text.replace(mark, "'")
    return text if len(text) <= LONGEST_QUOTE else ""
