"""Hide secrets: models get placeholders, and people see only the first characters.

Only two modules use this package: `bot/checkout/views.py`, which shows code to models, and
`bot/review/written.py`, which handles all output.
"""
