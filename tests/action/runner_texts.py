"""Process text as a GitHub Actions runner does: expressions, escaped commands, output files."""

import re
from collections.abc import Mapping

_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def resolved(text: str, known: Mapping[str, str]) -> str:
    """Resolve a text's expressions, which are names or `a || b`. Unknown names become empty."""

    def value(found: re.Match[str]) -> str:
        return next((known[name] for name in found[1].split(" || ") if known.get(name)), "")

    return _EXPRESSION.sub(value, str(text))


def plain(text: str) -> str:
    """Undo the escapes in a workflow command's text."""
    for escaped, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escaped, sign)
    return text


def outputs(text: str) -> dict[str, str]:
    """Return the outputs that a step wrote, in either form that the runner accepts."""
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
