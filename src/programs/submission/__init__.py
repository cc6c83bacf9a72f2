"""From a trace to a prediction: its steps as question-answer pairs, and the verdict in either form."""
