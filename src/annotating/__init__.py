"""Pages on which people answer about one text after another: server, page, names, and the file of their answers.

What is asked stands above: `src/explanation/annotation` for errors in explanations, `src/programs/annotation` for
classes of wrong predictions.
"""
