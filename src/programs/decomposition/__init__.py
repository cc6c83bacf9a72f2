"""Rule-based decomposition of claims by the grammar of their sentences; `planner` combines its modules.

Read in this order: titles, parsing, phrases, plans, pieces, subjects, verbs, misreadings, repairs, clauses with joins
and boundaries, modifiers, relative_clauses, adverbs, pronouns, distribution, lists, roles, bridges, mentions,
writer, coverage, damage, statements.
"""
