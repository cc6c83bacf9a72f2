"""How tokens become answers: our own loop for many rows at once, transformers' `generate` for the rest, choices scored.

Read in this order: generation, ragged_decoding, seats, ragged_cache, tiled_attention, stopping, rows (limits, stop
strings, samples for `generate`), settled (beams that may end early), ngram_ban, label_scores, padding.
"""
