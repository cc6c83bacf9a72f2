"""Encoders that are fine-tuned on a few claims: the baselines which programs are compared with."""
