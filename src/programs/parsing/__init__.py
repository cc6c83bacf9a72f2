"""Parser of programs as language models write them. It reports repairs and executes nothing."""
