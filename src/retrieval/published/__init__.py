"""The published AVeriTeC files: their catalogue, their download, and their places on disk."""
