"""The stages from a claim to its verdict and explanation, as plain functions.

The stages are search, collect, rank, ask, select, judge, explain and refine. Each is a module with a settings record, a
function that starts the stage (loads its models), and a function that describes its work over a file of claims as a
Job. The steps of the command line, a check of one claim and the whole pipeline (`python -m src.pipeline`) call these
functions.
"""
