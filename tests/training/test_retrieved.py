"""Reader of retrieved evidence: the published file is read, and files of other claims are refused."""

import gzip
from pathlib import Path

import pytest

from src.errors import InputError
from src.records import Claim
from src.store import read_claims
from src.training.retrieved import read_retrieved

CLAIMS = [Claim("The old bridge fell.", claim_id=70), Claim("Nobody paid, it seems.", claim_id=71)]
TEXT = (
    "id,claim,evi,label,split\n"
    '1,"Nobody  paid, it seems.",'
    '"Who paid?\t\t\nThe city did.\t\t\n\nWhen?\t\t\nIn May, ""at last"".\t\t\n\n",Refuted,x\n'
    "0,The old bridge fell.,,Supported,x\n"
)


def test_pairs_by_claim_id(tmp_path: Path) -> None:
    path = tmp_path / "some.csv.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert read_retrieved(path, CLAIMS) == {
        71: [("Who paid?", "The city did."), ("When?", 'In May, "at last".')],
        70: [],
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\n0,The old bridge fell.", '\n1,"Nobody paid, it seems."', "line 9, field id: claim 1 is in the file twice"),
        ("\n0,", "\n7,", "line 9, field id: '7' is not the index of one of the 2 claims"),
        ("bridge fell", "bridge stood", "line 9, field claim: is not claim 0"),
        ("evi", "evidence", "line 1, field evi: no such column"),
        ("When?\t\t\n", "When? ", "line 7, field evi: a question without its answer"),
    ],
)
def test_what_is_refused(old: str, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text(TEXT.replace(old, new), encoding="utf-8", newline="")
    with pytest.raises(InputError, match=message):
        read_retrieved(path, CLAIMS)


def test_published_file(shared_data: Path) -> None:
    claims = read_claims(shared_data / "averitec/train.json")
    retrieved = read_retrieved(shared_data / "averitec/peers/eibakke_baseline_train1000.csv.gz", claims)
    assert list(retrieved) == list(range(1000))
    assert {len(pairs) for pairs in retrieved.values()} == {10}
