"""Encoders fine-tuned on a few claims: the baselines that programs are compared with."""
