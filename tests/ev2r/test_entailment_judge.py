"""The small models as judge, with an encoder of words and scripted probabilities of entailment."""

from collections.abc import Sequence

from src.errors import ModelError
from src.ev2r.entailment_judge import EntailmentJudge, facts
from src.ev2r.judge import judgments
from src.ev2r.records import FactVerdict, Judged, Status
from src.ev2r.texts import ClaimTexts, Pair
from src.llm.protocol import ModelInfo
from src.models.entailment import Entailed, Premise
from tests.word_encoder import WordEncoder

YES, OPEN, NO = FactVerdict.SUPPORTED, FactVerdict.NOT_ENOUGH, FactVerdict.CONTRADICTED
CLAIM = ClaimTexts(
    0,
    "Dogs bark.",
    [Pair("How many dogs bark?", "Two thirds of all dogs bark at night."), Pair("Do fish sing?", "No.")],
    [
        Pair("How many dogs bark?", "About sixty percent of the dogs are loud at night."),
        Pair("Do cats meow?", "Every single one of the cats meows."),
    ],
)


class Reader:
    """Entailment model whose answer depends on a word of the hypothesis."""

    info = ModelInfo("reader", "torch", "reader", sha256="abc")

    def __init__(self, fails: str = "") -> None:
        self.read: list[Premise] = []
        self.fails = fails

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        if self.fails and any(self.fails in one.hypothesis for one in premises):
            raise ModelError("not a number")
        self.read += premises
        return [_entailed(one.hypothesis) for one in premises]


def _entailed(hypothesis: str) -> Entailed:
    if "sixty" in hypothesis:
        return Entailed(0.45, 0.2, 0.35)
    return Entailed(0.1, 0.6, 0.3) if "meows" in hypothesis else Entailed(0.1, 0.1, 0.8)


class Encoder(WordEncoder):
    info = ModelInfo("words", "none", "words")


def judge(reader: Reader) -> EntailmentJudge:
    return EntailmentJudge(reader, Encoder())  # type: ignore[arg-type]


def verdicts(judged: Judged | None) -> tuple[list[FactVerdict], list[FactVerdict]]:
    assert judged is not None
    return [one.verdict for one in judged.predicted], [one.verdict for one in judged.reference]


def test_facts_are_sentences_and_short_ones_get_their_question() -> None:
    pairs = [Pair("Do fish sing?", "No. Nobody has ever heard a fish that sings."), Pair("Who?", "")]
    assert facts(pairs) == ["Do fish sing? No.", "Nobody has ever heard a fish that sings.", "Who?"]
    assert facts([*pairs, *pairs]) == facts(pairs)


def test_both_directions_of_questions_and_evidence() -> None:
    reader = Reader()
    (judgment,) = judge(reader).judge([CLAIM])
    assert judgment.status is Status.SCORED
    assert verdicts(judgment.questions) == ([YES, OPEN], [YES, OPEN])
    assert verdicts(judgment.evidence) == ([OPEN, OPEN], [YES, NO])
    assert all(len(one.passages) == 1 for one in reader.read)


def test_a_repeated_fact_is_supported_whatever_the_model_says() -> None:
    same = CLAIM._replace(predicted=[Pair("Do cats meow?", "It is known: every single one of the cats MEOWS!")])
    (judgment,) = judge(Reader()).judge([same])
    assert verdicts(judgment.evidence)[1] == [YES, YES]


def test_only_questions_are_read_for_the_baseline() -> None:
    reader = Reader()
    (judgment,) = judge(reader).judge([CLAIM], only_questions=True)
    assert judgment.evidence is None
    assert judgment.questions is not None
    assert reader.read == []


def test_joined_evidence_has_no_questions() -> None:
    joined = CLAIM._replace(predicted=[Pair("", "Two thirds of all dogs bark at night.")], has_questions=False)
    (judgment,) = judge(Reader()).judge([joined])
    assert judgment.questions is None
    assert judgment.evidence is not None


def test_one_claim_that_fails_takes_no_other_with_it_and_no_evidence_is_judged_by_rule() -> None:
    claims = [CLAIM, CLAIM._replace(claim_id=1, predicted=[Pair("Who?", "The broken one of all dogs in town.")]),
              CLAIM._replace(claim_id=2, predicted=[])]  # fmt: skip
    first, failed, empty = judgments(judge(Reader(fails="broken")), claims)
    assert (first.status, failed.status, failed.reason) == (Status.SCORED, Status.CALL_FAILED, "not a number")
    assert verdicts(empty.questions) == ([], [OPEN, OPEN])
    assert verdicts(empty.evidence) == ([], [OPEN, OPEN])
