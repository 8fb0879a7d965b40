"""Code of a repository, run where it reaches nothing. One value in (`Run`), one out (`Outcome`); `execute` knows the sandboxes.

The room knows nothing of reviews, models or journals: `bot/review/reproducing.py` decides what is run, and what it proves.
"""
