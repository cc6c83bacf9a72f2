"""How a claim is taken apart by the grammar of its sentences: what planner puts together.

Read in this order: parsing, phrases, plans, subjects, verbs, misreadings, clauses with joins and boundaries, modifiers,
relative_clauses, adverbs, pronouns, distribution, lists, bridges, mentions, writer, coverage, statements.
"""
