"""Settings of a judge, and the loading of the judge that they name."""

from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.ev2r.entailment_judge import EntailmentJudge
from src.ev2r.judge import EvidenceJudge
from src.ev2r.model_judge import NEW_TOKENS, ModelJudge
from src.ev2r.prompts import folder_prompts, own_prompts
from src.ev2r.texts import Inputs
from src.llm import Options, get_llm, parse_spec
from src.llm.at_once import requests_at_once
from src.llm.flags import SCALE, EngineOptions, llm_flag, refuse_batch
from src.models.encoder import load_encoder
from src.models.entailment import load_entailment
from src.settings import Flag, refuse_unread
from src.stance.reader import READER

BY_ENTAILMENT = "entailment"
PROMPT_TOKENS = 1_500  # of a request, about


class JudgingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a judge of evidence."""

    judge: Annotated[
        str,
        llm_flag(f"{BY_ENTAILMENT}, the small models; {BY_ENTAILMENT}:FOLDER, another entailment model", "--judge", ""),
    ] = BY_ENTAILMENT
    inputs: Annotated[Inputs, Flag("official scorer whose gold answers the judge is shown")] = Inputs.HUGGING_FACE
    prompts: Annotated[
        Path | None,
        Flag("folder of other prompts, such as the official ones; the judge must answer in the official form"),
    ] = None
    question_baseline: Annotated[
        bool, Flag("a language model judges the claim as question, too: one more request a claim")
    ] = False
    proxy: Annotated[
        str | None,
        Flag("score the gold labels by this verdict model on the predicted evidence, too: a name as for --verdict"),
    ] = None
    engine: EngineOptions = Options()

    @property
    def judges_baseline(self) -> bool:
        """Return True if the claim as question is judged, too; the entailment model always judges it."""
        return self.question_baseline or self.judge.partition(":")[0] == BY_ENTAILMENT


def load_judge(settings: JudgingSettings) -> EvidenceJudge:
    """Load the judge that the settings name.

    Raises InputError for an unknown judge or bad prompts, MissingExtra when a package is missing.
    """
    name, _, folder = settings.judge.partition(":")
    if name == BY_ENTAILMENT:
        unread = ["prompts", "question_baseline", "context", *SCALE]
        refuse_unread(settings, unread, f"changes nothing with --judge {settings.judge}; name a language model")
        path = Path(folder) if folder else READER
        model = load_entailment(path, settings.engine.dtype, settings.engine.device)
        return EntailmentJudge(model, load_encoder())
    refuse_batch(settings.engine, "a judge")
    try:
        parse_spec(settings.judge)
    except InputError as error:
        raise InputError(f"{error}; {BY_ENTAILMENT}") from None
    prompts = own_prompts() if settings.prompts is None else folder_prompts(settings.prompts, settings.inputs)
    at_once = requests_at_once(settings.judge, settings.engine, PROMPT_TOKENS + NEW_TOKENS) // 2
    return ModelJudge(get_llm(settings.judge, settings.engine), prompts, max(1, at_once))
