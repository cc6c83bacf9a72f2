"""Language of a text, by py3langid; the models of this project read English.

Nigerian Pidgin counts as English, since py3langid takes many English sentences about Nigeria for it. None of the claims
of AVeriTeC's train and dev, which are English, is taken for another language.

Limitations: names alone, and mixed texts, go unnoticed. Of related languages the wrong one may be named.
"""

from functools import cache
from typing import Any

AS_ENGLISH = ("en", "pcm")
MOST_ENGLISH, LEAST_OTHER = 0.02, 0.25  # probabilities of English, and of the likeliest other language
LEAST_NAMED = 0.5  # probability of a language that is named
NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek",
    "es": "Spanish", "fa": "Persian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak",
    "sr": "Serbian", "sv": "Swedish", "sw": "Swahili", "ta": "Tamil", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip


def other_language(text: str) -> str:
    """Return the language of a text that is surely not English: its name, its code, or "another language"; else "".

    The first call loads a model of 5 MB, in half a second.
    """
    chances: dict[str, float] = dict(_identifier().rank(text))
    english = sum(chances[code] for code in AS_ENGLISH)
    code = max(chances, key=chances.__getitem__)
    if english > MOST_ENGLISH or chances[code] < LEAST_OTHER:
        return ""
    return NAMES.get(code, code) if chances[code] >= LEAST_NAMED else "another language"


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
