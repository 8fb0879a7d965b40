"""The texts of a GitHub Actions runner: expressions, escaped orders, files of outputs."""

import re
from collections.abc import Mapping

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def resolved(text: str, known: Mapping[str, str]) -> str:
    """A text with its expressions resolved: names, and `a || b`. What is not there is an empty text."""

    def value(found: re.Match[str]) -> str:
        return next((known[name] for name in found[1].split(" || ") if known.get(name)), "")

    return _EXPRESSION.sub(value, str(text))


def plain(text: str) -> str:
    """What an order says, without its escapes."""
    for escaped, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escaped, sign)
    return text


def outputs(text: str) -> dict[str, str]:
    """The outputs that a step has written, in both of the forms that the runner takes."""
    found, rows = {}, iter(text.splitlines())
    for row in rows:
        name, sign, rest = row.partition("<<" if "<<" in row.partition("=")[0] else "=")
        assert sign
        if sign == "=":
            found[name] = rest
            continue
        value = []
        for line in rows:
            if line == rest:
                break
            value.append(line)
        found[name] = "\n".join(value)
    return found
