"""Tables with titles as text and as Markdown."""

from src.evaluation.sections import Section, as_markdown, as_text

TABLE = Section("Eels", [["name", "n"], ["a|b", "12"], ["", "3"]], ["as counted"])


def test_sections_as_text() -> None:
    assert as_text([TABLE, Section("Nothing", notes=["no rows"])]) == [
        "Eels", "name  n", "a|b   12", "      3", "as counted", "", "Nothing", "no rows",
    ]  # fmt: skip


def test_sections_as_markdown() -> None:
    table = "| name | n |\n| --- | --- |\n| a\\|b | 12 |\n|   | 3 |"
    assert as_markdown([TABLE]) == f"**Eels**\n\n{table}\n\nas counted\n"
