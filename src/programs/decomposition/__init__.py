"""Rule-based decomposition of claims by the grammar of their sentences; `planner` combines its modules.

Read in this order: parsing, phrases, plans, statements, relative_clauses, modifiers, lists, pronouns, mentions,
clauses, bridges, groups, planner.
"""
