from pathlib import Path

import msgspec
import pytest

from src.errors import InputError, ModelError
from src.llm import Request, get_llm
from src.llm.protocol import PartialError, Reply
from src.llm.scripted_backend import ScriptedModel, ScriptLine


def test_outputs_are_taken_in_order_for_each_role(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(
        '{"role": "judge", "output": "True"}\n{"role": "writer", "output": "One. Two."}\n'
        '{"role": "judge", "output": "False"}\n'
    )
    model = get_llm(f"scripted:{path}")
    requests = [Request("p", role="judge"), Request("p", role="judge"), Request("p", role="writer", stop=(".",))]
    assert [reply.text for reply in model.complete(requests)] == ["True", "False", "One"]
    assert model.info.sha256 is not None
    with pytest.raises(ModelError, match=r"no more output for role 'judge' \(2 used\)"):
        model.complete([Request("p", role="judge")])


def test_who_has_no_output_takes_no_other_down() -> None:
    model = ScriptedModel([ScriptLine("a", "x"), ScriptLine("b", [0.1]), ScriptLine("b", "y")])
    with pytest.raises(PartialError, match=r"no more output for role 'c' \(0 used\)") as caught:
        model.complete([Request("p", role=role) for role in "cabab"])
    assert [one.text if isinstance(one, Reply) else str(one) for one in caught.value.replies] == [
        "scripted: no more output for role 'c' (0 used)", "x",
        "scripted: role 'b' was asked for text, the script has scores",
        "scripted: no more output for role 'a' (1 used)", "y",
    ]  # fmt: skip


def test_choices_take_a_name_or_scores() -> None:
    model = ScriptedModel([ScriptLine("v", " no "), ScriptLine("v", [-0.5, -1.5])])
    request = Request("p", role="v", choices=("yes", "no"))
    named, scored = model.complete([request, request])
    assert (named.text, named.scores[1], named.stopped) == ("no", 0.0, "choices")
    assert named.scores[0] < -20
    assert (scored.text, scored.scores) == ("yes", (-0.5, -1.5))
    again = ScriptedModel([ScriptLine("v", " no ")])
    assert again.complete([msgspec.structs.replace(request, first_tokens=True)]) == [named]


@pytest.mark.parametrize(
    ("output", "choices", "message"),
    [
        ("perhaps", ("yes", "no"), "none of the choices yes, no"),
        ([0.1], ("yes", "no"), "1 scores for 2"),
        ([0.1], (), "has scores"),
    ],
)
def test_output_that_does_not_fit_is_an_error(
    output: str | list[float], choices: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        ScriptedModel([ScriptLine("model", output)]).complete([Request("p", choices=choices)])


def test_bad_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text('{"role": "a", "output": "x"}\n{"role": "a", "text": "x"}\n')
    with pytest.raises(InputError, match=r"script.jsonl, line 2"):
        get_llm(f"scripted:{path}")
