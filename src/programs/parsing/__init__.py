"""From the text of a program, however a language model wrote it, to the program: repairs are told, nothing is run."""
