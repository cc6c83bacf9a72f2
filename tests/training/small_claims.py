"""Made-up training claims with gold questions of all types, as many as a test asks for."""

from pathlib import Path

from src.records import Answer, AnswerType, Claim, Question, Verdict
from src.store import encode_list

VERBS = ("sold", "rented", "painted", "lost", "mended", "drowned", "praised")
THINGS = (
    "trams",
    "boats",
    "its clock",
    "four lamps",
    "a theatre",
    "wells",
    "the ferry",
    "ovens",
    "a mill",
    "horses",
    "ice",
)
TOWNS = ("Oster", "Vell", "Marn", "Kyde", "Lorn", "Pask", "Ruhl", "Tamm")


def claims(most: int = 40) -> list[Claim]:
    """Return `most` claims, the same in every call. Some of the first 40 are held out."""
    return [_claim(number) for number in range(most)]


def write_claims(folder: Path, most: int = 40) -> Path:
    path = folder / "train.json"
    path.write_bytes(encode_list(claims(most)))
    return path


def _claim(number: int) -> Claim:
    town, year = TOWNS[number % len(TOWNS)], 1990 + number
    explained = Answer(
        "Yes", AnswerType.BOOLEAN, boolean_explanation=f"The council of {town} raised the tax on {number + 2} bridges."
    )
    return Claim(
        f"The town of {town} closed {number + 3} schools in {year}.",
        claim_id=number,
        label=list(Verdict)[number % 4],
        questions=[
            Question(
                f"How many schools did {town} close in {year}",
                [
                    Answer(f"In {year} the town closed {number + 3} of its schools", AnswerType.EXTRACTIVE),
                    Answer(f"{town} {VERBS[number % 7]} {THINGS[number % 11]}.", AnswerType.ABSTRACTIVE),
                ],
            ),
            Question(f"Was a tax raised in {town}?", [explained]),
            Question("Who wrote it?", [Answer("No answer could be found.", AnswerType.UNANSWERABLE)]),
        ],
    )
