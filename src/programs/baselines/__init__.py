"""What programs are compared with: the same model, asked about a claim as a whole, without any evidence."""
