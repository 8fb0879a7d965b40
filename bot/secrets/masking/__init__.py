"""Replace secrets: with a placeholder for a model, with their first characters for a reader.

Two doors use it, and nothing else: `bot/checkout/shown.py`, through which a model is shown code, and `bot/review/written.py`, through
which anything is written out.
"""
