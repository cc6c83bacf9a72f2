"""Faithfulness checks without a language model: each looks at one sentence beside what the claim rests on."""
