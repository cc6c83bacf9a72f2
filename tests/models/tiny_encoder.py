"""A tiny sentence encoder around a tiny BERT, saved where sentence-transformers loads it."""

from pathlib import Path


def make_sentence_encoder(folder: Path, bert: Path) -> Path:
    """Mean pooling over the word vectors, as all-MiniLM-L6-v2 does."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    words = Transformer(str(bert), max_seq_length=256)
    SentenceTransformer(modules=[words, Pooling(32, "mean")], device="cpu").save_pretrained(str(folder / "encoder"))
    return folder / "encoder"
