"""Annotation tool: server, page, annotators' names, and the file of their answers.

The tasks are in higher layers: `src/explanation/annotation` for errors in explanations, `src/programs/annotation` for
classes of wrong predictions.
"""
