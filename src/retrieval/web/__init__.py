"""Downloads from the web: bounded, polite and safe.

Whatever a server does, `Fetcher.fetch` raises nothing: the result has the reason of the failure.
"""
