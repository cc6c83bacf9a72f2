"""A claim with two sources, and an answer about it."""

from src.one_call.sources import ClaimSources, Source

EELS = Source("Eels swim up the Varn every spring. In 2019 some 4,000 were counted.", "https://www.rivers.example/eels")
OTTERS = Source('The council said: "There are no otters in Hexley." It was wrong.', "https://news.example/otters")
CLAIM = ClaimSources(7, "No eels swim in the Varn.", "Ilse Tarrant", "3 May 2020", (EELS, OTTERS))

PAIR = {
    "source": 1,
    "quote": "Eels swim up the Varn every spring.",
    "question": "Do eels swim in the Varn?",
    "answer": "Yes, every spring.",
}
OTHER = {
    "source": 2,
    "quote": "There are no otters in Hexley.",
    "question": "Are there otters in Hexley?",
    "answer": "The council denied it.",
}
AGREEMENT = {"supported": 1, "refuted": 5, "not_enough_evidence": 2, "conflicting_evidence_or_cherrypicking": 1}
ANSWER = {
    "questions": [PAIR, OTHER],
    "justification": [{"sentence": "Eels swim in the Varn.", "sources": [1]}],
    "agreement": AGREEMENT,
}
