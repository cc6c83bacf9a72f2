"""What programs are compared with: a model that is asked about a claim as a whole."""
