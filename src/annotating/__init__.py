"""Annotation tool: HTTP server, page, names of annotators, and the file of their answers.

What is annotated is defined in higher layers: `src/explanation/annotation` for errors in explanations,
`src/programs/annotation` for classes of wrong predictions.
"""
