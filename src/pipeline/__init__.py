"""The stages from a claim to its verdict and explanation, as plain functions.

The stages are search, collect, rank, ask, select, judge, explain, refine, submit, validate and score. Each is a module
with a settings record. Most have a function that starts the stage (loads its models), and one that describes its work
over a file of claims as a Job. The steps of the command line and the whole pipeline (`python -m src.pipeline`) call
them. A check of one claim (`src.check`) has no files: it calls `collect_pages`, and the functions in lower layers that
do the work of the other stages.
"""
