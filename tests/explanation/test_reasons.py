"""Justifications from decisive sentences, by an entailment model of words: "yes" entails, "no" contradicts."""

from collections.abc import Sequence

import msgspec
import pytest

from src.explanation.reasons import reasoned, with_subjects
from src.explanation.records import ExplainedClaim
from src.explanation.text import AS_READ, without_hedge
from src.models.entailment import Entailed, Premise
from src.records import Level, QAPair, Verdict
from src.stance.reader import StanceReader
from tests.stance.scripted import INFO, reader

CLAIM = "The eel of Ansel swims to the sea."
YES = "It is a fish of the river. Yes, it swims there every year. It is long."
NO = "The warden counted them. No, it stays in the river all year."
ALL = "does not settle it; the verdict rests on the evidence as a whole"
OTHER = "Trout are fish, too. They like cold water."


def claim(label: Verdict, *answers: str, level: Level | None = None) -> ExplainedClaim:
    pairs = [QAPair("Where does it swim?", answer, f"https://{n}.example/") for n, answer in enumerate(answers)]
    return ExplainedClaim(0, CLAIM, label, pairs, level=level)


def justified(label: Verdict, *answers: str, level: Level | None = None) -> tuple[str, tuple[tuple[int, ...], ...]]:
    justification = reasoned(claim(label, *answers, level=level), reader()[0])
    return justification.text, justification.cites


def test_the_decisive_sentence_is_quoted_with_its_number() -> None:
    text, cites = justified(Verdict.REFUTED, OTHER, NO)
    assert text == "No, it stays in the river all year; so the claim is refuted."
    assert cites == ((2,),)


def test_evidence_in_the_other_direction_is_no_reason() -> None:
    text, cites = justified(Verdict.SUPPORTED, NO)
    assert "so the claim is" not in text
    assert text.endswith(f"; {AS_READ}, this speaks against the claim but {ALL}.")
    assert cites == ((1,),)


def test_an_undecided_claim_has_no_so() -> None:
    text, _ = justified(Verdict.REFUTED, NO, level=Level.UNDECIDED)
    ending = "as a small model reads it, this speaks against the claim but does not settle it."
    assert text == f"No, it stays in the river all year; {ending}"


class _Together:
    """An entailment model that is sure where it reads both figures."""

    info = INFO

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        return [self._one(" ".join(text for _, text in one.passages)) for one in premises]

    def _one(self, text: str) -> Entailed:
        chance = 0.95 if "forty" in text and "ninety" in text else 0.05
        return Entailed(0.02, chance, 0.98 - chance)


FIGURES = "There were forty eels in May. In June there were ninety. The garden of the warden has many roses."


def test_what_only_two_sentences_say_together_is_quoted_together() -> None:
    justification = reasoned(claim(Verdict.REFUTED, FIGURES), StanceReader(_Together()))  # type: ignore[arg-type]
    assert justification.text == "There were forty eels in May. In June there were ninety; so the claim is refuted."
    assert justification.cites == ((1,), (1,))


def test_a_piece_that_decides_as_a_whole_gives_no_reason_that_is_not_quoted() -> None:
    apart = FIGURES.replace("In June", f"{'The river is long and cold and full of stones. ' * 2}In June")
    justification = reasoned(claim(Verdict.REFUTED, apart), StanceReader(_Together()))  # type: ignore[arg-type]
    assert "so the claim is" not in justification.text


def test_two_reasons_of_two_pieces() -> None:
    text, cites = justified(Verdict.SUPPORTED, YES, "Yes, the eel was seen at sea.")
    assert text.endswith("; so the claim is supported.")
    assert sorted(cites) == [(1,), (2,)]


def test_both_sides_are_quoted_if_they_conflict() -> None:
    text, cites = justified(Verdict.CONFLICTING, NO, YES)
    assert text.startswith("For the claim: Yes, it swims there every year. Against it: No, it stays")
    assert text.endswith("; so the evidence is conflicting, or the claim picks only a part of it.")
    assert cites == ((2,), (1,))


def test_one_side_alone_is_no_conflict() -> None:
    text, _ = justified(Verdict.CONFLICTING, YES)
    assert text.endswith(f"; {AS_READ}, this speaks for the claim but {ALL}.")


def test_what_only_repeats_the_claim_is_no_reason() -> None:
    text, cites = justified(Verdict.SUPPORTED, "Share this: yes, the eel of Ansel swims to the sea!")
    assert "eel" not in text
    assert cites == ((),)


def test_not_enough_evidence_quotes_the_nearest_piece() -> None:
    text, cites = justified(Verdict.NOT_ENOUGH_EVIDENCE, OTHER)
    assert text.startswith("Trout are fish, too; so what the claim says could not be established")
    assert cites == ((1,),)


def test_no_evidence() -> None:
    text, cites = justified(Verdict.NOT_ENOUGH_EVIDENCE)
    assert text.startswith("Nothing that was found bears on it, so what the claim says")
    assert cites == ((),)


def test_nothing_found_settles_no_undecided_claim() -> None:
    text, _ = justified(Verdict.NOT_ENOUGH_EVIDENCE, level=Level.UNDECIDED)
    assert text == "Nothing that was found bears on it, which leaves the claim open."


def test_an_undecided_conflict_is_not_settled() -> None:
    text, _ = justified(Verdict.CONFLICTING, NO, YES, level=Level.UNDECIDED)
    assert text.endswith("; as a small model reads it, this does not settle the claim.")


def test_not_enough_evidence_is_not_concluded_from_a_sentence_that_decides() -> None:
    text, _ = justified(Verdict.NOT_ENOUGH_EVIDENCE, YES)
    ending = f"{AS_READ}, this speaks for the claim but {ALL}."
    assert text == f"Yes, it swims there every year; {ending}"
    undecided, _ = justified(Verdict.NOT_ENOUGH_EVIDENCE, OTHER, level=Level.UNDECIDED)
    assert undecided.endswith("this does not settle the claim: it speaks neither for it nor against it.")


def test_an_undecided_claim_has_both_sides_whatever_is_likeliest() -> None:
    for label in Verdict:
        text, cites = justified(label, YES, NO, level=Level.UNDECIDED)
        assert text.startswith("For the claim: Yes, it swims there")
        assert "Against it: No, it stays in the river" in text
        assert text.endswith("this does not settle the claim.")
        assert cites == ((1,), (2,))


def test_a_verdict_that_no_passage_proves_rests_on_the_whole_evidence() -> None:
    text, _ = justified(Verdict.REFUTED, OTHER)
    assert text.endswith("this does not settle the claim; the verdict rests on the evidence as a whole.")


def test_an_equally_strong_quotation_of_the_other_side_comes_first() -> None:
    text, cites = justified(Verdict.SUPPORTED, YES, NO)
    assert text == (
        "Against the claim: No, it stays in the river all year. "
        "For it: Yes, it swims there every year; so the claim is supported."
    )
    assert cites == ((2,), (1,))
    refuted, _ = justified(Verdict.REFUTED, YES, NO)
    assert refuted.startswith("For the claim: Yes, it swims there")
    assert refuted.endswith("; so the claim is refuted.")


class _Surer(_Together):
    """An entailment model that is surer of what contradicts."""

    def _one(self, text: str) -> Entailed:
        if "No" in text:
            return Entailed(0.01, 0.97, 0.02)
        return Entailed(0.92, 0.01, 0.07) if "Yes" in text else Entailed(0.0, 0.0, 1.0)


def test_the_claim_is_not_so_where_the_other_side_is_surer() -> None:
    justification = reasoned(claim(Verdict.SUPPORTED, YES, NO), StanceReader(_Surer()))  # type: ignore[arg-type]
    assert justification.text.startswith("Against the claim: No, it stays in the river all year. For it: Yes, it swims")
    assert justification.text.endswith("this does not settle the claim; the verdict rests on the evidence as a whole.")


def test_a_sentence_that_only_repeats_the_claim_is_not_quoted() -> None:
    news = "Share this: yes, the eel of Ansel swims to the sea! Yes, the eel of Ansel was tracked to the sea in May."
    text, _ = justified(Verdict.SUPPORTED, news)
    assert text == "Yes, the eel of Ansel was tracked to the sea in May; so the claim is supported."


class _Tracked(_Together):
    """An entailment model that believes a tracked eel only after a sentence that says where it swims."""

    def _one(self, text: str) -> Entailed:
        chance = (0.95 if "Share" in text else 0.6) if "tracked" in text else 0.05
        return Entailed(chance, 0.02, 0.98 - chance)


def test_a_proof_is_not_quoted_with_a_repetition_before_it() -> None:
    news = "Share this: the eel of Ansel swims to the sea! The eel of Ansel was tracked to the sea in May."
    justification = reasoned(claim(Verdict.SUPPORTED, news), StanceReader(_Tracked()))  # type: ignore[arg-type]
    assert (
        justification.text
        == f"The eel of Ansel was tracked to the sea in May; {AS_READ}, this speaks for the claim but {ALL}."
    )


def test_a_repetition_is_quoted_with_its_correction() -> None:
    text, _ = justified(Verdict.REFUTED, "Share this: the eel of Ansel swims to the sea! No, wrong.")
    assert text == "Share this: the eel of Ansel swims to the sea! No, wrong; so the claim is refuted."


def test_a_verdict_without_a_sentence_to_quote_is_not_called_open() -> None:
    post = "Share this: yes, the eel of Ansel swims to the sea!"
    for label in (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.CONFLICTING):
        text, cites = justified(label, post, level=Level.FIRM)
        assert text.endswith(
            "does not settle the claim in any one sentence; the verdict rests on the evidence as a whole."
        )
        assert cites == ((),)
    text, _ = justified(Verdict.SUPPORTED, post, level=Level.UNDECIDED)
    assert text == "Nothing that was found bears on it, which leaves the claim open."


class _Hidden(_Together):
    """An entailment model that is surest of a sentence whose piece is on no side."""

    def _one(self, text: str) -> Entailed:
        if text == "No, it stays in the river.":
            return Entailed(0.01, 0.97, 0.02)
        return Entailed(0.92, 0.01, 0.07) if "Yes" in text else Entailed(0.3, 0.45, 0.25)


def test_a_surer_quotation_of_the_other_side_is_always_quoted() -> None:
    other = "The warden saw many. No, it stays in the river. They are long and thin."
    justification = reasoned(claim(Verdict.SUPPORTED, YES, other), StanceReader(_Hidden()))  # type: ignore[arg-type]
    assert justification.text.startswith("Against the claim: No, it stays in the river. For it: Yes, it swims")
    assert justification.text.endswith(f"this {ALL.replace('it;', 'the claim;')}.")


def test_the_words_of_the_speaker_are_not_quoted_as_proof() -> None:
    said = "Yes, the eel of Ansel swims to the sea, said Jo Marl. The council voted on it: yes, the eel swims to sea."
    one = msgspec.structs.replace(claim(Verdict.SUPPORTED, said), speaker="Jo Marl")
    assert "said Jo Marl" not in reasoned(one, reader()[0]).text


def test_a_long_sentence_is_read_as_it_is_quoted() -> None:
    far = f"The eel {'and the trout ' * 40}were seen, and no, it stays in the river."
    text, _ = justified(Verdict.REFUTED, far)
    assert "so the claim is" not in text
    assert " …; as a small model reads it" in text


def test_a_row_of_a_table_is_quoted_only_if_no_sentence_says_the_same() -> None:
    row = "| Eels of Ansel | No, in the river |"
    text, _ = justified(Verdict.REFUTED, f"{row}. {NO}")
    assert text == "No, it stays in the river all year; so the claim is refuted."
    assert row in justified(Verdict.REFUTED, row)[0]


def test_a_bare_answer_is_quoted_with_its_question() -> None:
    text, _ = justified(Verdict.REFUTED, "No.")
    assert text == "Where does it swim? No; so the claim is refuted."


def test_a_short_answer_that_is_a_sentence_is_quoted_without_its_question() -> None:
    text, _ = justified(Verdict.REFUTED, "No, it stays there.")
    assert text == "No, it stays there; so the claim is refuted."


def test_the_hedge_of_a_justification_is_no_statement_about_the_evidence() -> None:
    endings = [justified(label, YES, OTHER, level=level)[0] for label in Verdict for level in (None, Level.UNDECIDED)]
    for text in endings:
        assert AS_READ not in without_hedge(text)
    assert without_hedge(f"Yes, it swims; {AS_READ}, this speaks for it; the verdict rests.") == "Yes, it swims."
    assert without_hedge("Yes, it swims; so the claim is supported.") == "Yes, it swims; so the claim is supported."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[2] says so. [1] does not.", "Evidence 2 [2] says so. Evidence 1 [1] does not."),
        ("Piece [2] says so.", "Evidence 2 [2] says so."),
        ("In [12], the mayor denies it.", "In evidence 12 [12], the mayor denies it."),
        ("It rose [2] and fell [3]. It rained. [4]", "It rose [2] and fell [3]. It rained. [4]"),
        ("It rained. [4] It rose.", "It rained. [4] It rose."),
    ],
)
def test_a_number_that_is_the_subject_has_a_word_for_it(text: str, expected: str) -> None:
    assert with_subjects(text) == expected
