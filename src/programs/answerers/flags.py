"""Flags that select the answerer of the steps and its evidence, and their evaluation."""

from argparse import SUPPRESS, ArgumentParser, BooleanOptionalAction, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from src.claims.gold import read_gold_passages
from src.errors import InputError
from src.knowledge_store import KnowledgeStore
from src.llm import get_llm
from src.llm.flags import SCALE, add_model_flags, model_file, options_from
from src.programs.answerers.by_language_model import LanguageModelAnswers
from src.programs.answerers.by_small_models import (
    GOLD_MARGIN,
    GOLD_THRESHOLD,
    MARGIN,
    THRESHOLD,
    SmallModelAnswers,
)
from src.programs.answerers.corpus_search import add_retriever_flag, search_of
from src.programs.answerers.evidence import (
    CorpusEvidence,
    EvidenceSource,
    GoldEvidence,
    Nowhere,
    OneStep,
    StoreEvidence,
)
from src.programs.answerers.forms import LONGEST_EVIDENCE, Forms, Prompts
from src.programs.functions import Answering
from src.runner.arguments import positive, refuse_unread
from src.runner.numbers import difference_of_shares, share

if TYPE_CHECKING:
    from src.models.entailment import Entailment

SOURCES = ("gold", "corpus", "knowledge_store_dir")
OF_MODELS = ("llm", "entailment", "gold", "corpus", "knowledge_store_dir", "index_dir", "retriever", "step_top_k",
             "read_top_k", "one_step", "threshold", "unsure", "margin", "alone", "prompts", "chat",
             "max_evidence_length",
             "whole_claim")  # fmt: skip
ANSWERING = {"setting", *OF_MODELS} - {"index_dir", "whole_claim"}  # what answers depend on
OF_ENTAILMENT = ("margin", "alone")
OF_LANGUAGE_MODELS = ("unsure", "prompts", "chat", "max_evidence_length", *SCALE)
OPEN = ("corpus", "knowledge_store_dir", "index_dir", "retriever", "step_top_k", "read_top_k", "one_step")


class Answerer(msgspec.Struct, frozen=True):
    """An answerer, with the description of its model for the manifest."""

    answering: Answering
    model: Any
    deterministic: bool


def add_answering_flags(flags: ArgumentParser) -> None:
    add = flags.add_argument_group("answering by models").add_argument
    add("--setting", choices=["gold", "open", "closed"], help="what models answer from: gold evidence, what is "
        "retrieved for each step, what they know")  # fmt: skip
    add("--entailment", type=Path, help="folder of an entailment model, which answers in place of a language model")
    add("--gold", type=Path, help="claims with their gold evidence, for --setting gold")
    add("--corpus", type=Path, help="titled paragraphs, for --setting open")
    add("-k", "--knowledge_store_dir", type=Path, help="the claims' knowledge store, for --setting open")
    add("--index_dir", type=Path, help="where indexes are kept (default: beside the corpus; none of a store)")
    add_retriever_flag(add)
    add("--step_top_k", type=positive, default=10, help="passages for each step")
    add("--read_top_k", type=positive, help="of these what a model reads (default: all)")
    add("--one_step", action="store_true", help="retrieve once a claim, with the claim, and not for each step")
    add(
        "--threshold",
        type=share,
        help="probability from which a fact is true; of an entailment model also that from "
        f"which it is false (default: {THRESHOLD}; of an entailment model with gold evidence {GOLD_THRESHOLD})",
    )
    add("--unsure", type=share, default=0.0, help="a language model's probability so near the threshold is unknown")
    add(
        "--margin",
        type=difference_of_shares,
        help="how far an entailment model must favour true over false, or false over true; with -1 the threshold of "
        f"true decides alone (default: {MARGIN}; with gold evidence {GOLD_MARGIN})",
    )
    add("--alone", action="store_true", help="let an entailment model also read each passage alone: a step whose "
        "sources contradict each other is then conflicting; slower")  # fmt: skip
    add("--prompts", choices=[*Prompts], help="how a language model is asked: as the paper prints it, and what the "
        "model writes is its verdict; as the released code words it; in a chat (default: code for encoder-decoders, "
        "else chat)")  # fmt: skip
    add("--chat", action=BooleanOptionalAction, help=SUPPRESS)  # before --prompts: chat, or code
    add("--max_evidence_length", type=positive, default=LONGEST_EVIDENCE, help="words of evidence in a prompt")
    add_model_flags(flags)


def check_answering_flags(args: Namespace, flags: ArgumentParser) -> None:
    """Check the flags, and fill in the defaults that depend on the setting; manifests then contain them.

    Raises InputError when flags do not go together.
    """
    if args.setting is None:
        refuse_unread(args, flags, OF_MODELS, "goes with a --setting: gold, open or closed")
        return
    _check(args, flags)
    of_gold = args.setting == "gold" and args.entailment is not None
    if args.threshold is None:
        args.threshold = GOLD_THRESHOLD if of_gold else THRESHOLD
    if args.margin is None and args.entailment is not None:
        args.margin = GOLD_MARGIN if of_gold else MARGIN


def _check(args: Namespace, flags: ArgumentParser) -> None:
    if (args.llm is None) == (args.entailment is None):
        raise InputError(f"--setting {args.setting}: either --llm or --entailment answers")
    wanted = {"gold": ("gold",), "open": ("corpus", "knowledge_store_dir"), "closed": ()}[args.setting]
    given = [name for name in SOURCES if getattr(args, name) is not None]
    if len(given) != bool(wanted) or not set(given) <= set(wanted):
        need = " or ".join(f"--{name}" for name in wanted) or "no evidence"
        got = " and ".join(f"--{name}" for name in given) or "none"
        raise InputError(f"--setting {args.setting} takes {need}; given: {got}")
    mine, why = (OF_LANGUAGE_MODELS, "--llm") if args.llm is None else (OF_ENTAILMENT, "--entailment")
    refuse_unread(args, flags, mine, f"goes with {why}")
    if args.setting != "open":
        refuse_unread(args, flags, OPEN, "goes with --setting open")
    if args.retriever != "bm25" and args.corpus is None:
        raise InputError(f"--retriever {args.retriever} goes with --corpus")
    if args.prompts is not None and args.chat is not None:
        raise InputError("--chat is the old name of --prompts chat, --no-chat of --prompts code; give --prompts alone")
    if args.prompts == Prompts.PUBLISHED:
        refuse_unread(args, flags, ("threshold", "unsure"), "changes nothing with --prompts published: the model "
                      "writes true or false")  # fmt: skip
    if args.setting == "closed" and args.entailment is not None:
        raise InputError("an entailment model knows nothing by itself: --setting closed goes with --llm")


def answering_inputs(args: Namespace) -> dict[str, Path]:
    """Return the files that answers depend on."""
    named = {name: getattr(args, name) for name in (*SOURCES, "entailment")}
    return {name: path for name, path in named.items() if path is not None} | model_file(args.llm)


def answerer_from(args: Namespace, claims: Mapping[int, str]) -> Answerer:
    """Load the answerer that the flags select; `claims` are the claims' texts by claim_id.

    Raises InputError when a file cannot be read, and MissingExtra when a library is not installed.
    """
    source = _source(args, claims)
    if args.entailment is not None:
        from src.models.entailment import load_entailment

        entailment = load_entailment(args.entailment, args.dtype, args.device)
        return Answerer(small_answers(args, entailment, source), entailment.info, entailment.info.deterministic)
    model = get_llm(args.llm, options_from(args))
    forms = Forms(_prompts(args, seq2seq=model.info.seq2seq), args.max_evidence_length)
    shared = args.setting == "gold" or args.one_step  # also for whole claims: they then share cached answers
    answers = LanguageModelAnswers(
        model, source, forms, args.threshold, args.unsure, args.read_top_k, shared=shared
    )  # fmt: skip
    return Answerer(answers, model.info, model.info.deterministic)


def _prompts(args: Namespace, *, seq2seq: bool) -> Prompts:
    if args.prompts is not None:
        return Prompts(args.prompts)
    chat = not seq2seq if args.chat is None else args.chat
    return Prompts.CHAT if chat else Prompts.CODE


def small_answers(args: Namespace, entailment: "Entailment", source: EvidenceSource) -> SmallModelAnswers:
    """Return the answerer with the thresholds that `check_answering_flags` filled in."""
    return SmallModelAnswers(entailment, source, args.threshold, args.margin, args.read_top_k, alone=args.alone)


def _source(args: Namespace, claims: Mapping[int, str]) -> EvidenceSource:
    if args.setting == "closed":
        return Nowhere()
    if args.setting == "gold":
        return GoldEvidence(read_gold_passages(args.gold, claims))
    found: EvidenceSource
    if args.corpus is not None:
        found = CorpusEvidence(search_of(args), args.step_top_k)
    else:
        store = KnowledgeStore(args.knowledge_store_dir)
        store.refuse_without(claims)
        found = StoreEvidence(store, args.step_top_k, args.index_dir)
    return OneStep(found, claims) if args.one_step else found
