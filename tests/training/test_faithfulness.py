"""Training of a tagger: the words of an inserted error are marked, word pieces get their tags, and the step."""

import json
from functools import cache
from pathlib import Path

import pytest

from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Kind
from src.explanation.synthetic_errors.scene import Scene, elsewhere, scenes
from src.models.evidence_rows import RowMaker
from src.models.faithfulness import LABELS, load_tagger
from src.models.trained import read_trained
from src.records import QAPair, Verdict
from src.spacy_pipelines import FROM_PYPI, load
from src.training.faithfulness import (
    JUSTIFICATIONS,
    MEAN,
    ONE_OF_EACH,
    Drawn,
    TaggedSentence,
    _tags,
    final_scores,
    held_out_scores,
    tagged,
)
from src.training.train_faithfulness import main
from tests.models.adapters import make_base
from tests.training.small_claims import write_claims

pytestmark = pytest.mark.long

MILL = ExplainedClaim(
    0, "Carl Berg built the old mill of Lund in 1950.", Verdict.REFUTED,
    [
        QAPair("Who built it?", "The mill was built by Sarah Miller in 1912 for 3,000 crowns, after 7 years of work."),
        QAPair("Who is Carl Berg?", "Carl Berg is a rich painter. He and Anna Lind visited Oslo in 1950 with 40 boys."),
    ],
    claim_date="1-2-1960", speaker="Olga",
    explanation="The mill was built by Sarah Miller in 1912. It cost 3,000 crowns. The painter did not build the mill.",
)  # fmt: skip
LAKE = ExplainedClaim(
    1, "Greta Holm swam across the lake.", Verdict.SUPPORTED,
    [QAPair("Did she?", "The fishermen of three villages watched Greta Holm from their boats until late evening.")],
    explanation="The fishermen watched her.",
)  # fmt: skip


@cache
def stage() -> list[Scene]:
    return list(scenes([MILL, LAKE], load(FROM_PYPI, [])))


def examples(seed: int = 0, drawn: Drawn = JUSTIFICATIONS) -> list[TaggedSentence]:
    return tagged(stage(), elsewhere(stage()), seed, drawn)


def test_every_kind_is_there_where_all_is_measured() -> None:
    made = examples(drawn=ONE_OF_EACH)
    assert {one.kind for one in made} == {None, *IN_A_SENTENCE}
    assert [one.sentence for one in made if one.kind is None] == [text for one in stage() for text in one.sentences]


def test_the_marked_words_are_the_error() -> None:
    made = examples(drawn=ONE_OF_EACH)
    assert made
    for one in made:
        assert LABELS[one.label] == (one.kind.type.value if one.kind else "none")
        marked = one.sentence[one.start : one.end]
        assert marked == marked.strip()
        assert bool(marked) == (one.kind is not None)
    swapped = {one.sentence: one.sentence[one.start : one.end] for one in examples(drawn=ONE_OF_EACH)
               if one.kind is Kind.INTRINSIC_NUMBER}  # fmt: skip
    for sentence, marked in swapped.items():
        assert marked in ("1950", "40", "7", "3,000", "1912")
        assert sentence not in stage()[0].sentences


def test_a_sentence_is_held_against_claim_speaker_verdict_and_evidence() -> None:
    first = examples(drawn=ONE_OF_EACH)[0]
    assert not isinstance(first.text, str)
    assert first.text[0] == first.sentence
    assert list(first.text[1])[:2] == [
        ("claim Olga 1-2-1960", MILL.claim),
        ("verdict", "so the claim is refuted"),
    ]


def test_scores_are_recall_at_few_false_alarms() -> None:
    import numpy as np

    made = examples(drawn=ONE_OF_EACH)
    right = {id(one.text): one.label for one in made}

    def knows(inputs: object) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        assert isinstance(inputs, list)
        return np.array([[float(label == right[id(one)]) for label in range(len(LABELS))] for one in inputs])

    def blind(inputs: object) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
        assert isinstance(inputs, list)
        return np.zeros((len(inputs), len(LABELS)))

    assert held_out_scores(knows, made)[MEAN] == pytest.approx(1.0)
    assert held_out_scores(blind, made)[MEAN] == 0
    assert final_scores(blind, made).baselines == {MEAN: 0.02}


BASE = Path("pretrained_models/all-mpnet-base-v2")


def tags(sentence: str, word: str, length: int = 64) -> list[tuple[str, int]]:
    maker = RowMaker(BASE, length)
    start = sentence.index(word)
    example = TaggedSentence((sentence, [("claim", "Eels swim.")]), sentence, 3, start, start + len(word))
    (row,) = maker.rows([example.text])
    (offsets,) = maker.offsets([sentence])
    labels = _tags(example, row, maker)
    assert len(labels) == row.second - 2
    return [(sentence[first:last], tag) for (first, last), tag in zip(offsets, labels, strict=False)]


def test_only_the_error_is_tagged() -> None:
    pieces = tags("The mill burnt in 1950.", "1950")
    assert "".join(piece for piece, tag in pieces if tag == 3) == "1950"
    assert {tag for _, tag in pieces} == {0, 3}


def test_what_does_not_fit_has_no_tag() -> None:
    sentence = f"{'The mill burnt and ' * 20}fell in 1950."
    pieces = tags(sentence, "1950")
    assert len(pieces) < 40
    assert {tag for _, tag in pieces} == {0}


SMALL = ["--steps", "4", "--every", "2", "--batch", "4", "--rank", "2", "--alpha", "4", "--max_length", "96", "--quiet"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


def train(folder: Path, base: Path, *more: str) -> int:
    path = write_claims(folder)
    held = json.loads(path.read_text())
    for number, one in enumerate(held):
        one["justification"] = f"The town closed {number + 30} schools. It was a long winter."
    path.write_text(json.dumps(held))
    files = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl"), "--leave_out", "none"]
    return main([*files, "--train", str(path), "--base", f"hf:{base}", *SMALL, *more])


def test_what_it_leaves(tmp_path: Path, base: Path) -> None:
    assert train(tmp_path, base) == 0
    trained = read_trained(tmp_path / "made", "faithfulness")
    assert trained.labels == LABELS
    assert {"mean recall", "extrinsic number", "overgeneralisation"} <= set(trained.scores)
    sentence = "The town closed 30 schools."
    tags = load_tagger(tmp_path / "made").tag([(sentence, [("claim", "It closed schools.")]), ("No.", [])])
    assert [sentence[word.start : word.end] for word in tags[0]][-1] == "."
    assert all(sum(word.probabilities) == pytest.approx(1, abs=1e-3) for word in tags[0])
    assert tags[1][-1].end == len("No.")


def test_it_begins_with_a_trained_adapter(tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert train(tmp_path, base) == 0
    begun = tmp_path / "made"
    begun.rename(tmp_path / "begun")
    assert train(tmp_path, base, "--begin_with", str(tmp_path / "begun"), "--learning_rate", "1e-9") == 0
    assert "adapter_model.safetensors" in read_trained(begun, "faithfulness").data
    inputs = [("The town closed 30 schools.", [("claim", "It closed schools.")])]
    (first,), (second,) = (load_tagger(folder).tag(inputs) for folder in (tmp_path / "begun", begun))
    assert [one.probabilities for one in second] == [pytest.approx(one.probabilities, abs=1e-3) for one in first]
    assert train(tmp_path, base, "--begin_with", str(tmp_path / "begun"), "--rank", "3", "--overwrite") == 2
    assert "its adapters have another rank" in capsys.readouterr().err
