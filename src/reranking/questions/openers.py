"""Words that an English question begins with."""

WH_WORDS = frozenset({"how", "what", "when", "where", "which", "who", "whom", "whose", "why"})
DO = frozenset({"do", "does", "did"})
BE = frozenset({"is", "are", "was", "were", "am"})
HAVE = frozenset({"has", "have", "had"})
MODALS = frozenset({"can", "could", "may", "might", "must", "shall", "should", "will", "would"})
NEGATED = frozenset({"isn", "aren", "wasn", "weren", "don", "doesn", "didn", "hasn", "haven", "won", "wouldn"})
LEADING = frozenset(  # before the wh-word or in a phrase before it: `In which year`, `According to`
    {
        *("about", "according", "after", "although", "amongst", "approximately", "as", "at", "before", "besides"),
        *("between", "by", "during", "following", "for", "from", "given", "if", "in", "of", "on", "other", "out"),
        *("over", "per", "prior", "since", "so", "than", "the", "to", "under", "until", "using", "with", "within"),
    }
)
AUXILIARIES = DO | BE | HAVE | MODALS
OPENERS = WH_WORDS | AUXILIARIES | NEGATED | LEADING
