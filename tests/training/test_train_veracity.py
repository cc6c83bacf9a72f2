"""The step that trains a verdict model: its examples, its output folder, and refused settings."""

import csv
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from torch.nn.functional import kl_div

from src.evaluation.averitec import gold_pairs
from src.models.entailment import LABELS, TASK, Entailment, load_reading
from src.models.evidence_rows import CLAIM_ONLY, LAYOUT, PUBLISHED_TEXT, Input
from src.models.prompted_classifier import VERDICT_PROMPT
from src.models.trained import read_trained
from src.models.veracity import JointVerdict, load_runs, load_trained_verdict
from src.prediction import veracity_prediction
from src.records import VERDICTS, Answer, AnswerType, Claim, Evidence, Prediction, QAPair, Question, Verdict
from src.store import encode_lines, read_by_claim
from src.training import train_entailment
from src.training.split import is_held_out
from src.training.train_veracity import main
from src.training.verdicts.examples import (
    Noise,
    VerdictExample,
    class_weights,
    joint_examples,
    published_examples,
)
from src.training.verdicts.scores import SCORED, held_out_scenarios
from src.training.verdicts.task import RECIPES
from tests.models.adapters import make_base, make_trained
from tests.tiny_models import make_causal
from tests.training.small_claims import claims, write_claims
from tests.training.small_pack import write_pack
from tests.training.small_scenarios import write_scenarios

pytestmark = pytest.mark.long

WEIGHTS = "adapter_model.safetensors"
SMALL = ["--steps", "4", "--every", "2", "--batch", "4", "--rank", "2", "--alpha", "4", "--max_length", "96", "--quiet"]
TOWN = Claim(
    "The town of Oster closed 3 schools.",
    claim_id=0,
    label=Verdict.SUPPORTED,
    questions=[
        Question(
            "How many schools closed ",
            [Answer(" It closed 3.", AnswerType.EXTRACTIVE), Answer("Three did.", AnswerType.ABSTRACTIVE)],
        ),
        Question("Was it a tax?", [Answer("Yes.", AnswerType.BOOLEAN, boolean_explanation="The Council raised it.")]),
        Question("Who wrote it?", [Answer("No answer could be found.", AnswerType.UNANSWERABLE)]),
    ],
)
FOUR = [
    ("How many schools closed", "It closed 3."),
    ("How many schools closed", "Three did."),
    ("Was it a tax?", "Yes. The Council raised it."),
    ("Who wrote it?", "No answer could be found."),
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


def _train(folder: Path, base: Path, *more: str) -> int:
    with (folder / "retrieved.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "claim", "evi"])
        for claim in claims():
            rows.writerow([claim.claim_id, claim.claim, "What of it?\t\t\nThe town has many schools.\t\t\n\n" * 3])
    files = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl")]
    files += ["--retrieved", str(folder / "retrieved.csv"), "--train", str(write_claims(folder)), "--leave_out", "none"]
    return main([*files, "--base", f"hf:{base}", *SMALL, *more])


def _pairs(example: VerdictExample) -> list[tuple[str, str]]:
    assert not isinstance(example.text, str)
    return list(example.text[1])


def _plain_verdicts(folder: Path, claims: Sequence[Evidence]) -> list[Verdict]:
    """Return the most probable verdicts, without the biases of the decision."""
    model = load_trained_verdict(folder)
    if not isinstance(model, JointVerdict):
        return [judgment.verdict for judgment in model.judge(claims)]
    pairs = [[(pair.question, pair.answer) for pair in claim.evidence] for claim in claims]
    inputs = [(claim.claim, [] if model.is_blind else own) for claim, own in zip(claims, pairs, strict=True)]
    return [VERDICTS[place] for place in model.log_probabilities(inputs).argmax(-1).tolist()]


def test_gold_evidence() -> None:
    assert gold_pairs(TOWN) == FOUR
    assert gold_pairs(Claim("A claim.", questions=[Question("Why? ")])) == [("Why?", "No answer could be found.")]


def test_mixtures_keep_some_gold_and_add_what_is_foreign() -> None:
    few = [TOWN, *claims(8)[1:]]
    foreign = {pair for claim in few[1:] for pair in gold_pairs(claim)}
    noise = Noise(mixtures=30, retrieved=0, keep=0.5, lose=0.2, foreign=4, honest=1.0, blank=0.0)
    of_first = [example for example in joint_examples(few, {}, noise, 0) if example.text[0] == few[0].claim]
    assert len(of_first) == 31
    assert sorted(_pairs(of_first[0])) == sorted(FOUR)
    for example in of_first[1:]:
        own = set(_pairs(example)) & set(FOUR)
        added = set(_pairs(example)) - set(FOUR)
        assert added <= foreign
        assert len(added) <= 4
        if own - foreign:
            assert example.label is Verdict.SUPPORTED
        if not own:
            assert example.label is Verdict.NOT_ENOUGH_EVIDENCE
    assert any(not set(_pairs(example)) & set(FOUR) for example in of_first[1:])
    assert len({str(_pairs(example)) for example in of_first}) > 20


def test_examples_follow_from_seed_and_claim_alone() -> None:
    retrieved = {place: [(f"Q{n}?", f"Sentence {n}.") for n in range(12)] for place in range(8)}
    noise = Noise(mixtures=1, retrieved=3)
    whole = joint_examples(claims(8), retrieved, noise, 0)
    assert whole == joint_examples(claims(8), retrieved, noise, 0)
    assert whole != joint_examples(claims(8), retrieved, noise, 1)
    of_first = [example for example in whole if example.text[0] == claims(1)[0].claim][2:]
    assert len(_pairs(of_first[0])) == 10
    assert all(len(_pairs(example)) <= 10 and example.label is VERDICTS[0] for example in of_first)


def test_the_published_examples_are_single_answers() -> None:
    texts = [
        "How many schools closed It closed 3.",
        "How many schools closed Three did.",
        "Was it a tax? Yes., because the council raised it.",
        "Who wrote it? No answer could be found.",
    ]
    examples = published_examples([TOWN])
    assert [example.text for example in examples] == [f"[CLAIM] {TOWN.claim} [QUESTION] {text}" for text in texts]
    assert [example.label for example in examples] == [Verdict.SUPPORTED] * 3 + [Verdict.NOT_ENOUGH_EVIDENCE]
    assert published_examples([msgspec.structs.replace(TOWN, label=Verdict.CONFLICTING)]) == []


def test_rare_classes_count_more() -> None:
    examples = [VerdictExample("x", Verdict.REFUTED)] * 9 + [VerdictExample("y", Verdict.SUPPORTED)]
    assert class_weights(examples, 0.0) == [1.0] * 10
    weights = class_weights(examples, 0.5)
    assert sum(weights) == pytest.approx(10)
    assert weights[-1] == pytest.approx(3 * weights[0])


@pytest.mark.parametrize(
    ("flags", "layout", "counted"),
    [
        ([], LAYOUT, "gold log-loss"),
        (["--hide_evidence", "--rank", "0"], CLAIM_ONLY, "retrieved ECE"),
        (["--recipe", "published"], PUBLISHED_TEXT, "gold F1 Not"),
    ],
)
def test_it_leaves_a_folder_that_judges(
    flags: list[str], layout: str, counted: str, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _train(tmp_path, base, *flags) == 0
    made = tmp_path / "made"
    trained = read_trained(made, "veracity")
    assert (trained.layout, trained.labels, trained.max_length) == (layout, tuple(VERDICTS), 96)
    assert {"gold accuracy", "gold macro-F1", "retrieved accuracy", "worth", counted} <= trained.scores.keys()
    assert any(name.startswith("always ") and name.endswith(": gold macro-F1") for name in trained.baselines)
    held_out = [claim for claim in claims() if is_held_out(claim.claim)]
    evidence = [Evidence(c.claim_id, c.claim, [QAPair(*pair) for pair in gold_pairs(c)]) for c in held_out]
    verdicts = _plain_verdicts(made, evidence)
    right = sum(verdict is claim.label for verdict, claim in zip(verdicts, held_out, strict=True))
    assert right / len(held_out) == pytest.approx(trained.scores["gold accuracy"], abs=1.01 / len(held_out))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.json").write_bytes(encode_lines(evidence))
    assert veracity_prediction.main(["-i", "in.json", "-o", "out.json", "-ckpt", "made", "--quiet"]) == 0
    assert len(read_by_claim(tmp_path / "out.json", Prediction)) == len(held_out)


def test_it_learns_from_claims_as_met_and_begins_with_an_entailment_model(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = write_pack(tmp_path / "pack")
    files = ["--train", str(write_claims(tmp_path)), "--leave_out", "none", "--results", str(tmp_path / "r.jsonl")]
    begun = tmp_path / "begun"
    assert train_entailment.main(["-o", str(begun), *files, "--base", f"hf:{base}", *SMALL]) == 0
    met = ["--as_met", "2", "--pack", str(pack), "--pack_share", "0.01", "--contrast", "0.002"]
    nothing = ["--learning_rate", "1e-9", "--begin_with", str(begun)]
    assert _train(tmp_path, base, *met, *nothing) == 0
    trained = read_trained(tmp_path / "made", "veracity")
    assert {
        "AVeriTeC as met accuracy",
        "pack as met log-loss",
        "contrast accuracy",
        "gold ECE",
    } <= trained.scores.keys()
    assert {"adapter_model.safetensors", "fm2.jsonl.gz"} <= trained.data.keys()
    before, after = (load_file(folder / "adapter_model.safetensors") for folder in (begun, tmp_path / "made"))
    assert all(torch.equal(after[name][: len(held)], held) for name, held in before.items())
    assert any(len(after[name]) == len(VERDICTS) for name in before)
    assert _train(tmp_path, base, *met, *nothing, "--rank", "3", "--overwrite") == 2
    assert "its adapters have another rank" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--recipe", "published", "--hide_evidence"], "--hide_evidence goes with --recipe joint"),
        (["--recipe", "published", "--balance", "0"], "--balance goes with --recipe joint"),
        (["--hide_evidence", "--mixtures", "2"], "--mixtures changes nothing with --hide_evidence"),
        (["--recipe", "published", "--as_met", "2"], "--as_met goes with --recipe joint"),
        (["--hide_evidence", "--as_met", "2"], "--as_met changes nothing with --hide_evidence"),
        (["--pack_share", "0.2"], "--pack_share goes with --pack"),
        (["--contrast", "0.2"], "--contrast goes with --pack"),
        (["--teacher_share", "0.2"], "--teacher_share goes with --teacher"),
        (["--recipe", "published", "--teacher", "away"], "--teacher goes with --recipe joint"),
        (["--teacher", "away"], "away"),
        (["--pack", "away"], "away/mnli.jsonl.gz: not found"),
        (["--retrieved", "away.csv"], "away.csv"),
        (["--base", "nothing"], "no model nothing"),
        (["--max_length", "600"], "has 512 positions"),
    ],
)
def test_what_is_refused(
    flags: list[str], message: str, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, base, *flags) == 2
    assert message in capsys.readouterr().err


def test_defaults_are_those_of_the_chosen_recipe() -> None:
    for name, recipe in RECIPES.items():
        plain = main.parse(["-o", "made", "--recipe", name]).chosen_recipe()
        assert msgspec.structs.replace(plain, options={}) == recipe
        changed = main.parse(["-o", "made", "--rank", "3", "--recipe", name, "--targets", "q,k"]).chosen_recipe()
        assert changed == msgspec.structs.replace(plain, rank=3, targets=("q", "k"))


def test_scenarios_are_learned_and_scored(tmp_path: Path, base: Path) -> None:
    folder = write_scenarios(tmp_path / "scenarios")
    assert _train(tmp_path, base, "--scenarios", str(folder)) == 0
    trained = read_trained(tmp_path / "made")
    assert {"scenarios as met accuracy", "scenarios alone accuracy"} <= set(trained.scores)
    assert "shops.jsonl" in trained.data


def test_held_out_scenarios_are_scored_with_every_label() -> None:
    parts = held_out_scenarios(Path("data_store/scenarios"))
    assert [part.name for part in parts] == ["scenarios as met", "scenarios alone"]
    for part in parts:
        assert len(part.labels) == SCORED
        assert min(Counter(part.labels).values()) > 5
        assert len(set(part.labels)) == len(VERDICTS)


def test_what_is_saved_lies_between_start_and_end(tmp_path: Path, base: Path) -> None:
    assert _train(tmp_path, base) == 0
    start = tmp_path / "start"
    (tmp_path / "made").rename(start)
    made: list[dict[str, torch.Tensor]] = [load_file(start / WEIGHTS)]
    for share in ("0", "0.5", "1"):
        assert _train(tmp_path, base, "--begin_with", str(start), "--keep_start", share, "--overwrite") == 0
        made.append(load_file(tmp_path / "made" / WEIGHTS))
    begun, ended, half, whole = made
    assert any(not torch.equal(begun[name], ended[name]) for name in begun)
    for name in begun:
        assert torch.equal(begun[name], whole[name])
        assert torch.allclose(half[name], (begun[name] + ended[name]) / 2, atol=1e-2, rtol=1e-2)


def test_of_a_teacher_it_learns_more_the_more_that_counts(tmp_path: Path, base: Path) -> None:
    make_trained(tmp_path / "teacher", base, "veracity", max_length=96)
    teacher = load_runs(tmp_path / "teacher")[0]
    inputs: list[Input] = [(claim.claim, gold_pairs(claim)) for claim in claims()]
    of_teacher = teacher.logits(inputs).softmax(-1)
    far = []
    for share in ("0", "1"):
        taught = ["--teacher", str(tmp_path / "teacher"), "--teacher_share", share, "--learning_rate", "0.02"]
        assert _train(tmp_path, base, *taught, "--steps", "20", "--overwrite") == 0
        student = load_runs(tmp_path / "made")[0].logits(inputs).log_softmax(-1)
        far.append(kl_div(student, of_teacher, reduction="batchmean").item())
    assert far[1] < 0.8 * far[0]
    trained = read_trained(tmp_path / "made", "veracity")
    assert "teacher_share" in str(trained.recipe)
    assert trained.data[WEIGHTS] == sha256((tmp_path / "teacher" / WEIGHTS).read_bytes()).hexdigest()


def test_keeping_a_start_needs_a_verdict_model_to_begin_with(
    tmp_path: Path, base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, base, "--keep_start", "0.5") == 2
    assert "--keep_start" in capsys.readouterr().err
    make_trained(tmp_path / "entailment", base, TASK, labels=LABELS)
    assert _train(tmp_path, base, "--begin_with", str(tmp_path / "entailment"), "--keep_start", "0.5") == 2
    assert "has no verdict model" in capsys.readouterr().err


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_causal(tmp_path_factory.mktemp("writer") / "tiny", words=VERDICT_PROMPT.answers)


def test_a_language_model_learns_to_give_the_verdict_in_one_word(tmp_path: Path, writer: Path) -> None:
    assert _train(tmp_path, writer, "--targets", "q_proj,down_proj", "--max_length", "128") == 0
    trained = read_trained(tmp_path / "made", "veracity")
    assert (trained.layout, trained.labels) == (VERDICT_PROMPT.name, tuple(VERDICTS))
    reading = load_reading(tmp_path / "made", "float32", "cpu")
    assert reading.logits([("It rained.", [("", "It was wet."), ("", "Trams ran.")])]).shape == (1, len(VERDICTS))
    assert sum(Entailment(reading).score("It was wet.", "It rained.")) == pytest.approx(1, abs=1e-3)
    evidence = Evidence(0, "It rained.", [QAPair("Was it wet?", "It was.", "")])
    (judged,) = load_trained_verdict(tmp_path / "made", "float32", "cpu").judge([evidence])
    assert sum((judged.probabilities or {}).values()) == pytest.approx(1, abs=1e-2)


@pytest.mark.parametrize("how", [["--recipe", "published"], ["--hide_evidence"]])
def test_a_language_model_learns_by_the_joint_recipe_alone(
    tmp_path: Path, writer: Path, how: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, writer, *how) == 2
    assert "need an encoder" in capsys.readouterr().err
