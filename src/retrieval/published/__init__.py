"""The published AVeriTeC files: where each is, how it is downloaded, where it is put."""
