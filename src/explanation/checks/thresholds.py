"""Probability thresholds of findings: one setting for reports, revisions and all results."""

import msgspec

NEVER = 1.01


class Thresholds(msgspec.Struct, frozen=True):
    """Smallest probabilities of findings: one for each type, and one for each lexical check (`words_…`).

    They are chosen on claims of AVeriTeC's train split that the tagger was not trained on, at three quarters of the
    shares of `bench/check_thresholds.py`. For a lexical check, the probability is 1 minus the probability that its
    words are faithful. `words_overgeneralisation` is set by hand: a threshold that is chosen on words which the tagger
    was trained on does not fit other words.
    """

    intrinsic_entity: float = 0.81
    extrinsic_entity: float = 0.31
    intrinsic_event: float = 0.89
    extrinsic_event: float = 0.98
    intrinsic_noun_phrase: float = 0.95
    extrinsic_noun_phrase: float = 0.65
    reasoning_coherence: float = 0.91
    overgeneralisation: float = 0.89
    irrelevant_evidence: float = 0.99
    words_entity: float = 0.93
    words_number: float = 0.95
    words_overgeneralisation: float = 0.5
    words_reasoning_coherence: float = 0.21
    words_irrelevant_evidence: float = NEVER


THRESHOLDS = Thresholds()
ALL_STAND = Thresholds(*[0.0] * len(Thresholds.__struct_fields__))  # without a tagger all lexical findings are kept
