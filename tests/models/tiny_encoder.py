"""A tiny sentence encoder on a tiny BERT, in the format of sentence-transformers."""

from pathlib import Path


def make_sentence_encoder(folder: Path, bert: Path) -> Path:
    """Write an encoder with mean pooling over the token vectors, as in all-MiniLM-L6-v2."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    words = Transformer(str(bert), max_seq_length=256)
    SentenceTransformer(modules=[words, Pooling(32, "mean")], device="cpu").save_pretrained(str(folder / "encoder"))
    return folder / "encoder"
