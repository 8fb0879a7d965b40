"""Handle code that takes too long to read: the language gives a reason, and the review continues and reports it."""


class Unreadable(Exception):  # noqa: N818 - it says what the code is
    """Code that takes too long to read; the message says why."""


TOO_DEEP = "its code is nested more deeply than people write"
TOO_LONG = "its code takes too long to parse or to search, or is nested more deeply than people write"
