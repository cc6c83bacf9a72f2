"""Parser of programs as language models write them: reports repairs, executes nothing."""
