"""Which evidence decides, on verdicts that are made up."""

from collections.abc import Callable, Sequence

from src.check.decisive import LeftOut, decisive_evidence
from src.check.records import Decisive, VerdictWithout
from src.records import Level, Verdict

YES, NO = Verdict.SUPPORTED, Verdict.REFUTED


class Judge:
    """Refuted with a probability that falls by each piece's weight, Supported below a half."""

    def __init__(self, *weights: float) -> None:
        self.weights, self.judged = weights, 0

    def __call__(self, sets: Sequence[LeftOut]) -> list[VerdictWithout]:
        self.judged += len(sets)
        return [self.one(left_out) for left_out in sets]

    def one(self, left_out: LeftOut) -> VerdictWithout:
        chance = 0.9 - sum(self.weights[number - 1] for number in left_out)
        return VerdictWithout(left_out, NO if chance >= 0.5 else YES, round(chance, 3))


def decided(judge: Judge) -> Decisive:
    return decisive_evidence(len(judge.weights), NO, judge)


def test_the_piece_that_turns_the_verdict_by_most() -> None:
    decisive = decided(Judge(0.0, 0.5, 0.6))
    assert decisive.smallest == VerdictWithout((3,), YES, 0.3)
    assert [one.verdict for one in decisive.alone] == [NO, YES, YES]


def test_pieces_that_turn_it_together_are_found_one_after_the_other() -> None:
    assert decided(Judge(0.3, 0.0, 0.25, 0.1)).smallest == VerdictWithout((1, 3), YES, 0.35)


def test_a_verdict_that_becomes_undecided_turns() -> None:
    def weakened(sets: Sequence[LeftOut]) -> list[VerdictWithout]:
        """Undecided without piece 2, only leaning without the others."""
        levels = [Level.UNDECIDED if 2 in left_out else Level.LEANING for left_out in sets]
        return [VerdictWithout(left_out, NO, 0.5, level) for left_out, level in zip(sets, levels, strict=True)]

    assert decisive_evidence(3, NO, weakened).smallest == VerdictWithout((2,), NO, 0.5, Level.UNDECIDED)


def test_nothing_decides_where_only_the_loss_of_all_turns_it() -> None:
    judge = Judge(0.15, 0.15, 0.15)
    decisive = decided(judge)
    assert judge.one((1, 2, 3)).verdict is YES
    assert decisive.smallest is None
    assert len(decisive.alone) == 3


def test_one_piece_alone_decides_nothing() -> None:
    decisive = decided(Judge(0.9))
    assert (len(decisive.alone), decisive.smallest) == (1, None)


def test_no_evidence_asks_nothing() -> None:
    judge = Judge()
    assert decided(judge) == Decisive()
    assert judge.judged == 0


def test_the_number_of_judgments_is_as_documented() -> None:
    judge = Judge(*[0.0] * 5)
    decided(judge)
    assert judge.judged == 5 + 4 + 3 + 2


def only_1_and_2_turn(sets: Sequence[LeftOut]) -> list[VerdictWithout]:
    """Pieces 1 and 2 turn the verdict together; the loss of piece 3 lowers its probability most."""
    return [
        VerdictWithout(one, YES if {1, 2} <= set(one) else NO, 0.4 if {1, 2} <= set(one) else 0.9 - 0.1 * (3 in one))
        for one in sets
    ]


def test_the_smallest_set_is_found_where_every_set_is_judged() -> None:
    decisive = decisive_evidence(4, NO, only_1_and_2_turn, every_set=True)
    assert decisive.smallest == VerdictWithout((1, 2), YES, 0.4)


def test_otherwise_the_search_is_greedy() -> None:
    decisive = decisive_evidence(4, NO, only_1_and_2_turn).smallest
    assert decisive is not None
    assert set(decisive.evidence_ids) == {1, 2, 3}


def test_without_probabilities_the_first_is_left_out_first() -> None:
    def by_logic(sets: Sequence[LeftOut]) -> list[VerdictWithout]:
        return [VerdictWithout(left_out, YES if {1, 3} <= set(left_out) else NO) for left_out in sets]

    judging: Callable[[Sequence[LeftOut]], list[VerdictWithout]] = by_logic
    assert decisive_evidence(3, NO, judging).smallest == VerdictWithout((1, 3), YES)


def test_for_a_page_every_set_is_judged_once() -> None:
    judge = Judge(0.3, 0.0, 0.25, 0.1)
    decisive = decisive_evidence(4, NO, judge, every_set=True)
    assert [len(one.evidence_ids) for one in decisive.together] == [2] * 6 + [3] * 4 + [4]
    assert {one.evidence_ids: one.verdict for one in decisive.together}[1, 3] is YES
    assert judge.judged == 2**4 - 1
    assert decisive.smallest == decided(Judge(0.3, 0.0, 0.25, 0.1)).smallest


def test_of_many_pieces_and_of_one_there_are_no_sets() -> None:
    for pieces in (1, 7):
        assert decisive_evidence(pieces, NO, Judge(*[0.01] * pieces), every_set=True).together == ()


def test_an_undecided_claim_has_sets_but_no_verdict_to_turn() -> None:
    decisive = decisive_evidence(2, NO, Judge(0.5, 0.6), every_set=True, is_decided=False)
    assert (len(decisive.alone), len(decisive.together), decisive.smallest) == (2, 1, None)
