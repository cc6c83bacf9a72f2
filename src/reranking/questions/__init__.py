"""The question that each sentence answers: examples, prompt, the published recipe, the writer."""
