"""The models that judge: the reranker, verdict models, and the published checkpoints that they are read from."""
