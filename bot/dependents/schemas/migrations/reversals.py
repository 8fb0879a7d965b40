"""What Rails turns round within the way forward: the `down` of a `reversible`, and the steps of a `revert`. Pure."""

import re

_BOUND = re.compile(r"(?<![\w.:@$])reversible[ \t]*+(?:do|\{)\s*+\|[ \t]*+(?P<name>\w{1,40})[ \t]*+\|")
_REVERT = re.compile(r"(?<![\w.:@$])revert\b")
_OWN = re.compile(
    r"\bdef\s++(?:self\.)?(?:reversible|revert)\b|\bdefine_method\b|\balias(?:_method)?\b|^[ \t]*+(?:include|extend|prepend)\b",
    re.MULTILINE,
)
# A block that ends where its brackets, or its indentation, say so.
_BODY = r"(?:\{(?P<inner>[^{}\n]{0,1000})\}|(?P<edge>do|\{)[ \t]*+\n(?P<lines>(?:(?P=indent)[ \t]++\S[^\n]*+\n|[ \t]*+\n)*+)(?P=indent)(?P<close>end|\})[ \t]*+$)"
_REVERT_BLOCK = re.compile(rf"^(?P<indent>[ \t]*+)revert[ \t]*+{_BODY}", re.MULTILINE)
_UNREAD = re.compile(r"[%#/\\`]|<<|\?[{}\"']")  # where words and brackets may be none
_UNKNOWN = re.compile(r"\b(?:reversible|revert|up_only|execute)\b|\.(?:up|down)\b")
_TEXT = re.compile(r"\"[^\"\n]{0,1000}\"|'[^'\n]{0,1000}'")
_OPENS = re.compile(
    r"[{(\[]|(?<![\w.:@$])do\b(?!:)|^[ \t]*+(?:def|if|unless|case|begin|class|module|while|until|for)\b"
)
_CLOSES = re.compile(r"[})\]]|(?<![\w.:@$])end\b(?!:)")
_STEP = re.compile(
    r"(?:add|remove|rename)_\w++|(?:create|drop)_(?:join_)?table\b|change_table\b|\w{1,20}\.\w++|end\b|\}|$"
)
_VERB = re.compile(
    r"\b(?:(?P<verb>add|remove)(?=_(?:columns?|references?|belongs_to|timestamps)\b)|(?P<table>create|drop)(?=_(?:join_)?table\b))"
)
_OTHER = {"add": "remove", "remove": "add", "create": "drop", "drop": "create"}
_RENAME = re.compile(
    r"\b(?P<call>rename_(?:column[ (]\s*+[:\"']\w{1,99}[\"']?,|table\b)[ (]?\s*+)(?P<old>[:\"']\w{1,99}[\"']?)(?P<comma>\s*+,\s*+)(?P<new>[:\"']\w{1,99}[\"']?)"
)
_TABLE_STEP = re.compile(
    r"^([ \t]*+\w{1,20})\.(?:(?P<remove>remove)|string|text|integer|bigint|float|decimal|numeric|boolean|date|datetime|timestamp|time|binary|json|jsonb|uuid|column)(?=[ (]\s*+[:\"'])",
    re.MULTILINE,
)


def forward_steps(text: str) -> str:
    """A migration of Rails as it goes forward: without what its way back does, and with what a `revert` does in truth; lines stay where they are.

    Only what is certain is turned: the rest stays, and each step that may be one of a way back brings nothing back for certain.
    """
    if ("reversible" not in text and "revert" not in text) or _OWN.search(text):
        return text
    return _REVERT_BLOCK.sub(_reverted, text) if _REVERT.search(text) else _without_down(text)


def turns(text: str) -> bool:
    """Whether a text has a `revert`: what is written there as the way back is carried out."""
    return _REVERT.search(text) is not None


def _without_down(text: str) -> str:
    """A text without the blocks that a name of `reversible` alone is given for the way back."""
    for name in {match["name"] for match in _BOUND.finditer(text)}:
        uses = len(re.findall(rf"\|[^|\n]{{0,99}}\b{name}\b[^|\n]{{0,99}}\||\b{name}[ \t]*+=(?!=)", text))
        if uses != sum(match["name"] == name for match in _BOUND.finditer(text)):
            continue
        on_lines = re.compile(rf"^(?P<indent>[ \t]*+){name}\.down[ \t]*+{_BODY}", re.MULTILINE)
        within = re.compile(rf"(?<![\w.:@$]){name}\.down[ \t]*+\{{(?P<lines>[^{{}}\n]{{0,1000}})\}}")
        for pattern in (on_lines, within):
            text = pattern.sub(_blank, text)
    return text


def _blank(match: re.Match[str]) -> str:
    body = match.groupdict().get("inner") or match["lines"] or ""
    return "\n" * match[0].count("\n") if _is_whole(body) else match[0]


def _is_whole(body: str) -> bool:
    """Whether each block that a text closes is one that it opens, and the other way round."""
    code = _TEXT.sub("", body)
    depth = 0
    for line in code.split("\n"):
        depth += len(_OPENS.findall(line)) - len(_CLOSES.findall(line))
        if depth < 0:
            return False
    return not depth and not _UNREAD.search(body) and not {'"', "'"} & set(code)


def _reverted(match: re.Match[str]) -> str:
    """A block of `revert` as the steps that it carries out, if all of them are known; as it is otherwise."""
    body = match["inner"] if match["inner"] is not None else match["lines"]
    if not _is_whole(body) or _UNKNOWN.search(body) or not all(_STEP.match(line.lstrip()) for line in body.split("\n")):
        return match[0]
    if (match["edge"] == "do") != (match["close"] == "end"):
        return match[0]
    body = _RENAME.sub(r"\g<call>\g<new>\g<comma>\g<old>", _VERB.sub(lambda one: _OTHER[one[0]], body))
    if "change_table" in body and "_table " not in body.replace("change_table ", ""):
        body = _TABLE_STEP.sub(lambda one: f"{one[1]}.{'column' if one['remove'] else 'remove'}", body)
    if match["inner"] is not None:
        return f"{match['indent']}{body.strip()}"
    return f"{match['indent']}begin\n{body}{match['indent']}end"
