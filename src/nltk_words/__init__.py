"""What NLTK does to a text, at several times its speed and the same to the letter; `src/text.py` is the way in."""
