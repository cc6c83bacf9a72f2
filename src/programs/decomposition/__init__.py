"""How a claim is taken apart by the grammar of its sentences: what planner puts together.

Read in this order: titles, parsing, phrases, plans, pieces, subjects, verbs, misreadings, repairs, clauses with joins
and boundaries, modifiers, relative_clauses, adverbs, pronouns, distribution, lists, roles, bridges, mentions,
writer, coverage, damage, statements.
"""
