"""The real tables give the published sample."""

from pathlib import Path

from src.explanation.politihop import published_sample


def test_the_published_sample_has_445_claims(shared_data: Path) -> None:
    found = published_sample(shared_data / "madr" / "politihop_test.tsv.gz")
    assert len(found) == 445
    assert all(one.source for one in found)
    assert {one.label for one in found} == {"false", "half-true", "true"}
