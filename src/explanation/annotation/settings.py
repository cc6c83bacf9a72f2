"""Settings of `annotate`, and their valid combinations."""

from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.explanation.annotation.study import Plan
from src.runner.claim_range import ClaimRange, Claims
from src.settings import Flag, Group, Natural, Seed, flag_names, refuse_unread

OF_PAGE = ("output_file", "host", "port")
OF_DRAWING = tuple(flag_names(Plan))
OF_EXPLANATIONS = ("explanations", "start", "end")
OF_TABLE = ("json", "markdown")


class StudySettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a drawn study."""

    study: Annotated[Path | None, Flag("the study: written with --sample, else read", metavar="FILE")] = None
    plan: Annotated[Plan, Group()] = Plan()
    author: Annotated[bool, Flag("rate as the study's author: the output is the key")] = False
    key: Annotated[Path | None, Flag("the author's ratings", metavar="FILE")] = None
    json: Annotated[Path | None, Flag("with --agreement: write the tables here too, as JSON", metavar="FILE")] = None
    markdown: Annotated[
        Path | None, Flag("with --agreement: write the tables here too, as Markdown (.md)", metavar="FILE")
    ] = None


class AnnotateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `annotate`."""

    explanations: Annotated[
        tuple[str, ...] | None,
        Flag("what generate_explanations or refine_explanations wrote", "-i", metavar="[NAME=]FILE"),
    ] = None
    agreement: Annotated[Path | None, Flag("print what the ratings of this file say", metavar="FILE")] = None
    output_file: Annotated[Path, Flag("ratings, gone on with where some are", "-o")] = Path(
        "data_store/dev_ratings.jsonl"
    )
    host: Annotated[str, Flag("the address to serve on")] = "127.0.0.1"
    port: Annotated[Natural, Flag("0: any that is free")] = 8010
    seed: Annotated[Seed, Flag("of what is drawn, and of the order of a claim's methods")] = 0
    range: Claims = ClaimRange()
    of_study: Annotated[StudySettings, Group("a study that is drawn")] = StudySettings()

    def check(self) -> None:
        """Raise InputError if settings contradict each other or would have no effect."""
        of = self.of_study
        if self.agreement is not None:
            self._check_agreement()
        elif self.explanations is not None:
            refuse_unread(self, ("author", "key", *OF_TABLE), "changes nothing with -i")
            if of.plan.sample is None:
                refuse_unread(self, OF_DRAWING, "changes nothing without --sample")
            else:
                self._check_drawing()
            if (of.plan.sample is None) is not (of.study is None):
                raise InputError("--sample and --study go together with -i: the study that is drawn is written there")
        elif of.study is not None:
            unread = ("seed", *OF_DRAWING, *OF_EXPLANATIONS)
            refuse_unread(self, unread, "changes nothing with --study, without -i")
            refuse_unread(self, OF_TABLE, "changes nothing without --agreement")
            if of.author is (of.key is not None):
                raise InputError("--study is rated by its author (--author), or by annotators (--key FILE): name one")
        else:
            raise InputError("name what is rated (-i or --study), or ratings (--agreement)")

    def _check_drawing(self) -> None:
        plan = self.of_study.plan
        refuse_unread(self, OF_PAGE, "changes nothing with --sample: no page is served")
        if plan.rounds == 0:
            refuse_unread(self, ["pass_at"], "changes nothing with --rounds 0: there is no round to pass")
        if plan.controls == 0:
            refuse_unread(self, ["exclude_below"], "changes nothing with --controls 0: no control is rated")

    def _check_agreement(self) -> None:
        unread = (*OF_PAGE, "author", *OF_DRAWING, *OF_EXPLANATIONS)
        refuse_unread(self, unread, "changes nothing with --agreement: no page is served")
        if (self.of_study.study is None) is not (self.of_study.key is None):
            raise InputError("--study and --key go together with --agreement")
        if self.of_study.study is None:
            refuse_unread(self, ("seed", *OF_TABLE), "changes nothing with --agreement without --study")
