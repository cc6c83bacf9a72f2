"""Decoding: our own loop for many rows at once, transformers' `generate` for the rest, and scores of choices.

Read in this order: generation, ragged_decoding, batch_slots, ragged_cache, tiled_attention, stopping, rows (limits,
stop strings, samples for `generate`), early_stop (beams that may end early), ngram_ban, label_scores, padding.
"""
