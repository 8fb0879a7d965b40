"""Separate specific names from those that are so common that they prove nothing."""

import re

TWO_WORDS = re.compile(r"[a-z0-9]_[a-z0-9]|[a-z0-9][A-Z]|[A-Z0-9]_[A-Z0-9]")
BUILT_IN = frozenset(
    name
    for kind in (str, bytearray, list, dict, set, tuple, int, float)
    for name in dir(kind)
    if not name.startswith("__")
)
OTHERS = frozenset(
    """
    add addAll apply at call catch charAt clone close compareTo concat contains containsKey delete each empty entries entry equals
    every exec expect filter finally find findIndex first flatMap flush forEach from get getOrDefault has hasNext hasOwnProperty
    hash hashCode includes indexOf insert into isEmpty is_empty iter last lastIndexOf len length map match next none of open padEnd
    padStart peek poll print push put putAll read readline reduce removeAll replaceAll reset reverse run search seek send set shift
    size slice some sort sorted splice split start stop stream substring test then toArray toJSON toList toLowerCase toString
    toUpperCase to_a to_json to_list to_s to_string to_sym trim unshift unwrap update valueOf wait write
    """.split()  # noqa: SIM905 - a list of words reads better than a hundred quoted ones
)
METHODS = BUILT_IN | OTHERS


def is_specific(name: str) -> bool:
    """Return whether a name has several words: `load_settings` or `setWasTracked`, not `resolve` or `__len__`."""
    return not name.startswith("__") and bool(TWO_WORDS.search(name))
