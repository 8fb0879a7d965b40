"""Replace secrets: by placeholders for models, by their first characters for people.

Only two modules use it: `bot/checkout/shown.py`, which shows code to models, and `bot/review/written.py`,
which handles all output.
"""
