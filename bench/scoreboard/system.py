"""Our rows: the pipeline's steps over given evidence in a work folder, each left alone where its output stands.

    out/bench/scoreboard/<evidence>_<first>_<end>/sentences.json
        /<questions and models>/questions.json, evidence_top_<n>.json, predictions_top_<n>.json

Candidates are reranked where some claim has more than `top_n`; else all of them are evidence, in their order.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.scoreboard import sentences as first_sentences
from bench.scoreboard.published import ALL, AVERITEC, GOLD, HERO, OFFICIAL, OWN, peer_pairs
from bench.scoreboard.questions import VARIANTS, asked_by_peer, asked_by_template, gold_evidence, unread
from bench.scoreboard.record import Kind, StepRecord
from bench.scoreboard.scored import Gold, Scored, scored
from bench.scoreboard.steps import (
    QUESTIONS,
    RERANKING,
    VERDICTS,
    Models,
    question_flags,
    rerank_flags,
    run_step,
    verdict_flags,
)
from src.atomic_file import write_whole
from src.errors import InputError
from src.records import CandidateQuestions, Evidence, QAPair
from src.reranking.top_file import read_ranked
from src.store import encode_lines, read_by_claim

TEMPLATE, TRAINED, PROMPT, PUBLISHED, PEER = ASKERS = ("template", "trained", "prompt", "published", "peer")
EVIDENCE = (HERO, OFFICIAL, GOLD, OWN, ALL)
TOP_N = {HERO: (10,), OFFICIAL: (3,), OWN: (3, 10), ALL: (3, 10)}


class Setup(msgspec.Struct, frozen=True):
    """One measurement: which evidence, who writes the questions, how many pairs (None: those of `TOP_N`), which
    models.
    """

    evidence: str
    questions: str = TRAINED
    top_n: int | None = None
    models: Models = Models()
    ablation: bool = False


class Bench:
    """The claims to be scored, the folder of their files, and where work is kept."""

    def __init__(self, gold: Gold, work: Path, *, averitec: Path = AVERITEC, overwrite: bool = False) -> None:
        self._gold = gold
        self._claims = gold.claims
        self._range = f"{gold.claims[0].claim_id}_{gold.claims[-1].claim_id + 1}"
        self._work = work
        self._averitec = averitec
        self._more = ["--overwrite"] if overwrite else []

    def measure(self, setup: Setup) -> list[Scored]:
        """Run the steps whose outputs are missing, then return the scores. Raises InputError, StoreError,
        OutputError.
        """
        if setup.evidence == GOLD:
            return self._on_gold(setup)
        if setup.questions == PEER and setup.evidence not in (HERO, OFFICIAL):
            raise InputError("--questions peer: only the evidence of hero and official has published questions")
        base = self._work / f"{setup.evidence}_{self._range}"
        begun = first_sentences.sentences(
            setup.evidence, self._claims, base / "sentences.json", averitec=self._averitec, more=self._more
        )
        folder = base / _folder(setup)
        candidates, written = self._questions(setup, base / "sentences.json", folder / "questions.json")
        rows = []
        for top_n in (setup.top_n,) if setup.top_n else TOP_N[setup.evidence]:
            evidence = folder / f"evidence_top_{top_n}.json"
            chosen = self._evidence(setup, candidates, folder / "questions.json", evidence, top_n)
            rows += self._judged(setup, _name(setup, top_n, written), evidence, begun | written | chosen)
        return rows

    def _questions(
        self, setup: Setup, sentences: Path, output: Path
    ) -> tuple[list[CandidateQuestions], dict[str, StepRecord]]:
        made: dict[str, StepRecord] = {}
        if setup.questions == TEMPLATE:
            write_whole(output, encode_lines(asked_by_template(read_ranked(sentences))))
        elif setup.questions == PEER:
            pairs = peer_pairs(setup.evidence, self._averitec)
            write_whole(output, encode_lines(asked_by_peer(read_ranked(sentences), pairs)))
        else:
            flags = {"-i": sentences, "-o": output, "--reference_corpus": self._averitec / "train.json"}
            more = question_flags(setup.models, setup.questions)
            made["questions"] = run_step(QUESTIONS, output, flags, [*more, *self._more])
        return read_by_claim(output, CandidateQuestions), made

    def _evidence(
        self, setup: Setup, candidates: Sequence[CandidateQuestions], source: Path, output: Path, top_n: int
    ) -> dict[str, StepRecord]:
        if any(len(one.bm25_qau) > top_n for one in candidates):
            flags: dict[str, Path | str] = {"-i": source, "-o": output, "--top_n": str(top_n)}
            return {"reranking": run_step(RERANKING, output, flags, [*rerank_flags(setup.models), *self._more])}
        write_whole(output, encode_lines([_all_of(one) for one in candidates]))
        return {}

    def _on_gold(self, setup: Setup) -> list[Scored]:
        folder = self._work / f"{GOLD}_{self._range}" / _folder(setup)
        write_whole(folder / "evidence.json", encode_lines([gold_evidence(claim) for claim in self._claims]))
        return self._judged(setup, _name(setup, None, {}), folder / "evidence.json", {})

    def _judged(self, setup: Setup, name: str, evidence: Path, steps: dict[str, StepRecord]) -> list[Scored]:
        """The verdicts on this evidence; with `ablation`, also on the same answers with other questions."""
        rows = [self._row(setup, name, "", evidence, steps)]
        claims = read_by_claim(evidence, Evidence)
        for variant, changed in VARIANTS.items() if setup.ablation else ():
            path = evidence.with_name(f"{variant.replace(' ', '_')}_{evidence.name}")
            write_whole(path, encode_lines(list(map(changed, claims))))
            rows.append(self._row(setup, name, variant, path, {}))
        if setup.models.claim_only:
            path = evidence.with_name(f"claim_only_{evidence.name}")
            write_whole(path, encode_lines(list(map(unread, claims))))
            judge = Setup(setup.evidence, models=Models(veracity=setup.models.claim_only))
            rows.append(self._row(judge, name, "trained on the claim alone", path, {}))
        for row in rows[1:]:
            row.beside(rows[0])
        return rows

    def _row(self, setup: Setup, name: str, variant: str, evidence: Path, steps: dict[str, StepRecord]) -> Scored:
        """The row's name says so where the step found no trained model and a language model judged instead."""
        output = evidence.with_name(evidence.name.replace("evidence", "predictions"))
        flags = {"-i": evidence, "-o": output}
        verdicts = run_step(VERDICTS, output, flags, [*verdict_flags(setup.models), *self._more])
        steps = steps | {"verdicts": verdicts}
        untrained = setup.models.veracity is None and "llm" in verdicts.settings
        name = f"{name}{', untrained verdict' if untrained else ''}{f'; {variant}' if variant else ''}"
        kind: Kind = "ablation" if variant else "ours"
        return scored(setup.evidence, name, kind, self._gold, output, steps=steps, covers=setup.evidence != GOLD)


def _name(setup: Setup, top_n: int | None, written: dict[str, StepRecord]) -> str:
    """`written` says which recipe wrote the questions: without an adapter the step asks by examples."""
    asker = setup.questions
    if asker == TRAINED and "questions" in written and written["questions"].settings.get("recipe") != TRAINED:
        asker = PROMPT
    parts = [] if setup.evidence == GOLD else [f"{asker} questions"]
    parts += [f"top {top_n}"] if top_n and (setup.top_n or len(TOP_N[setup.evidence]) > 1) else []
    return ", ".join(["ours", *parts, *([setup.models.name] if setup.models.name else [])])


def _folder(setup: Setup) -> str:
    """One for each way of asking and each choice of models, since a step refuses to replace what others made."""
    name = setup.models.name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8] if name else "default"
    return f"{setup.questions}_{digest}"


def _all_of(one: CandidateQuestions) -> Evidence:
    return Evidence(one.claim_id, one.claim, [QAPair(pair.question, pair.answer, pair.url) for pair in one.bm25_qau])
