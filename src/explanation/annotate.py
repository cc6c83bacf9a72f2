"""Step: serve a page on which people rate explanations sentence by sentence, and print how far they agree.
Serves the page on this machine until it is stopped; the first line on stdout is its address. Annotators enter a name.
In each sentence they tick which of the nine types of errors it has; the evidence is shown beside it. Methods are not
named, and their order is drawn for each annotator. Each rating is appended to the output as it is saved. `--agreement`
prints the ticked errors and the kappas; so does Ctrl-C. `--sample` draws a study: claims to rate, claims that test
whether an annotator understands the task (qualification rounds), and claims mixed among the others that test whether he
works with care (controls). The study's author rates the rounds and controls (`--author`); these ratings are the key.
Annotators who pass the rounds get a seat, which is a share of the claims. They rate these claims and the controls.
`--agreement` with `--study` and `--key` prints the paper's Table 3. It counts only annotators who agree with the key on
the controls.

    python -m src.explanation.annotate -i zero_shot=a.json madr=b.json -o ratings.jsonl
    python -m src.explanation.annotate --agreement ratings.jsonl
    python -m src.explanation.annotate -i zero_shot=a.json madr=b.json --sample 20 --seed 1 --study study.json
    python -m src.explanation.annotate --study study.json --author -o key.jsonl
    python -m src.explanation.annotate --study study.json --key key.jsonl -o ratings.jsonl
    python -m src.explanation.annotate --agreement ratings.jsonl --study study.json --key key.jsonl
"""

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.annotating.answers_file import read_whole
from src.atomic_file import write_whole
from src.errors import InputError
from src.evaluation.tables import as_markdown, as_text
from src.explanation.annotation.ratings import RatingsFile, read_ticked
from src.explanation.annotation.screening import AuthorCourse, DrawnCourse, read_key, weak_rounds
from src.explanation.annotation.service import PAGE, RatingService, SentRating
from src.explanation.annotation.settings import AnnotateSettings
from src.explanation.annotation.study import Course, drawn, read_study, study, texts
from src.explanation.annotation.summary import summary, summary_lines
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.methods import Explanations, joined, left_out, named_files
from src.explanation.scoring.people import people
from src.explanation.scoring.tables import people_sections
from src.runner.claim_range import in_range
from src.runner.console import how_many, say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output
from src.runner.result_files import check_results, check_table
from src.runner.step import step

STEP = "src.explanation.annotate"
Shared = Sequence[Sequence[ExplainedClaim]]


@step(AnnotateSettings)
def main(settings: AnnotateSettings) -> int:
    settings.check()
    of_study = settings.of_study
    if settings.agreement is not None and of_study.study is not None and of_study.key is not None:
        _print_people(settings, settings.agreement, of_study.study, of_study.key)
    elif settings.agreement is not None:
        _print_agreement(settings.agreement)
    elif of_study.study is None:
        _serve_files(settings)
    elif of_study.plan.sample is not None:
        _draw(settings, of_study.study)
    else:
        _serve_study(settings, of_study.study)
    return 0


def _print_agreement(path: Path) -> None:
    ratings = read_ticked(read_whole(path), path, {})
    if not ratings:
        raise InputError("holds no ratings", path=path)
    say("\n".join(summary_lines(summary(ratings))))


def _print_people(settings: AnnotateSettings, rated: Path, drawn_file: Path, key_file: Path) -> None:
    began = time.perf_counter()
    of_study = settings.of_study
    inputs = {"agreement": rated, "study": drawn_file, "key": key_file}
    check_results(of_study, inputs, STEP)
    chosen = read_study(drawn_file)
    key = read_key(key_file, chosen)
    ratings = read_ticked(read_whole(rated), rated, chosen.texts())
    result = people(chosen, key, ratings, settings.seed)
    tables = people_sections(result)
    document = as_markdown(tables)
    if of_study.markdown is not None:
        check_table(of_study.markdown, document)
    say("\n".join(as_text(tables)))
    if of_study.json is not None:
        made = fingerprint(STEP, settings, inputs, result.claims)
        manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
        write_output(of_study.json, [msgspec.json.format(msgspec.json.encode(result)) + b"\n"], [], manifest)
    if of_study.markdown is not None:
        write_whole(of_study.markdown, document.encode())


def _draw(settings: AnnotateSettings, output: Path) -> None:
    began = time.perf_counter()
    methods, names, _, shared = _explanations(settings)
    inputs = {f"explanations {one.name}": one.path for one in methods}
    check_output(output, inputs, "study")
    if output.exists():
        raise InputError("is there already, and may have been rated; name another file", path=output)
    result = drawn(names, study(names, shared, settings.seed).claims, settings.of_study.plan, settings.seed)
    made = fingerprint(STEP, settings, inputs, [one.tasks[0].shown.claim_id for one in result.claims])
    manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
    write_output(output, [msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n"], [], manifest)
    counts = f"{how_many(len(result.claims), 'claim')} with {how_many(len(result.real), 'explanation')}"
    say(f"annotate: drawn with seed {settings.seed}: {counts}, {len(result.keyed)} more for the key -> {output}")


def _serve_study(settings: AnnotateSettings, path: Path) -> None:
    chosen, key_file, output = read_study(path), settings.of_study.key, settings.output_file
    inputs = {"study": path} | ({} if key_file is None else {"key": key_file})
    check_output(output, inputs)
    key = None if key_file is None else read_key(key_file, chosen)
    for line in weak_rounds(chosen, key) if key is not None else []:
        say_error(f"{key_file}: {line}")
    with RatingsFile(output, chosen.texts()) as file:
        counts = f"{how_many(len(chosen.claims), 'claim')} of {path}"
        course = AuthorCourse(chosen) if key is None else DrawnCourse(chosen, key, list(file.answers.values()))
        _serve(settings, file, course, f"annotate: {counts} -> {output}")


def _serve_files(settings: AnnotateSettings) -> None:
    methods, names, everyone, shared = _explanations(settings)
    output = settings.output_file
    check_output(output, {f"explanations {one.name}": one.path for one in methods})
    with RatingsFile(output, texts(names, everyone)) as file:
        chosen = study(names, shared, settings.seed)
        counts = f"{how_many(sum(map(len, chosen.claims)), 'explanation')} of {how_many(len(shared[0]), 'claim')}"
        _serve(settings, file, chosen, f"annotate: {counts} -> {output}")


def _explanations(settings: AnnotateSettings) -> tuple[list[Explanations], list[str], Shared, Shared]:
    """Return the methods' files, the names of the methods, the explanations of all claims that every method explains,
    and of those claims within `--start` and `--end`.
    """
    methods = [Explanations(one) for one in named_files(settings.explanations or (), None)]
    everyone = joined(methods)
    for line in (*left_out(methods), *upstream_failures([one.path for one in methods])):
        say_error(line)
    shared = [in_range(claims, settings.range.start, settings.range.end) for claims in everyone]
    return methods, [one.name for one in methods], everyone, shared


def _serve(settings: AnnotateSettings, file: RatingsFile, course: Course, message: str) -> None:
    from src.annotating.app import app  # starlette
    from src.serving.run import serve  # uvicorn

    if file.torn:
        say_error(f"{settings.output_file}: half a line at its end was removed")
    try:
        application = app(RatingService(course, file), SentRating, PAGE)
        serve(application, settings.host, settings.port, message, "rate, under any name")
    except KeyboardInterrupt:
        if file.answers:
            say("\n".join(summary_lines(summary(list(file.answers.values())))))
        raise


if __name__ == "__main__":
    raise SystemExit(main())
