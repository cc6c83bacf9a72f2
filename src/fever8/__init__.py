"""Submission folders of FEVER-8: made from a strategy of this project, and checked against the rules of the task.

Read in this order: rules, system, system_models, strategies, packing; then trial, memory, checks, report.
"""
