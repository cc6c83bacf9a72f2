"""Training of verdict models: examples, scores, and the fit of temperature and biases on held-out claims."""
