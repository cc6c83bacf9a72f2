"""From the web to the knowledge store: addresses, pages, their text, and the sentences cut from it."""
