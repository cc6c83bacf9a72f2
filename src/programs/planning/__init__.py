"""How a claim is taken apart by the grammar of its sentences: what src.programs.planner puts together.

Read in this order: phrases, clauses, verbs, modifiers, relative_clauses, pronouns, lists, bridges, discourse, coverage.
"""
