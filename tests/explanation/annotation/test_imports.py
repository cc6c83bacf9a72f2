"""The package of ratings stands below that of scores, which reads its file."""

from pathlib import Path

from src.explanation import annotation


def test_what_people_tick_knows_no_score() -> None:
    files = list(Path(annotation.__file__).parent.glob("*.py"))
    assert len(files) > 5
    assert [path.name for path in files if "src.explanation.scoring" in path.read_text("utf-8")] == []
