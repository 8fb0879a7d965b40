"""The words of an import statement: which names it takes from a module and what they are called here."""

import re

from bot.languages.lexical import line_until

# `import`/`export ... from "x"`, and everything that loads "x" by a call: require, import(), the mocks of test runners.
STATEMENT = re.compile(
    rb"""\b(?:import|export)\b(?P<clause>(?:(?!\b(?:import|export)\b)[^'"`;()=])*?)\bfrom\s*+["'](?P<from>[^"'\n]++)["']"""
    rb"""|(?:\b(?:const|let|var|import)\s++(?P<left>\{[^{}]*+\}|[\w$]++)\s*+(?::[^=\n]{1,300}+)?=\s*+(?:await\s++)?)?"""
    rb"""\b(?:import|require|importActual|importOriginal|mock|unmock|doMock|requireActual|resolve)"""
    rb"""\s*+(?:<[^>()]{0,300}+>++)?\s*+\(?\s*+(?:/\*.{0,300}?\*/\s*+)?["'`](?P<load>[^"'`\n]++)["'`](?:\s*+\)\s*+\.\s*+(?P<part>[\w$]++))?""",
    re.DOTALL,
)
LOAD = re.compile(rb"(?:^|[^\w$.])import\s*+\(")
TAKEN = re.compile(rb"(?:=>|\breturn\b|\byield\b|[(\[,:=?|&])\Z")  # before a call whose value somebody takes
# What a callback takes of the module that it is given: `.then((m) => m.default)`, `.then(({ default: Button }) => ...)`.
CALLBACK = re.compile(
    rb"\s*+\(\s*+(?:async\b\s*+)?(?:function\b\s*+)?(?:\(\s*+)?(?:(?P<name>[\w$]++)|\{[^{}]{0,300}?\bdefault\b)"
)
MEMBER = re.compile(rb"\A\s*+\)+\s*+\.\s*+([\w$]++)")  # `(await import("./Button")).default`
NEAR = 300  # characters of a callback
Pair = tuple[str, str]  # (name in the module, name here; "" where it gets none)


def is_in_comment(source: bytes, at: int) -> bool:
    """Whether a statement begins inside a comment: examples import nothing. The types that JSDoc names are real imports."""
    line = line_until(source, at).strip()
    return line.startswith((b"*", b"//", b"/*")) and not line.endswith(
        (b"@", b"{", b"<", b"(", b"|", b",", b"&", b"?", b"!")
    )


def names_of(match: re.Match[bytes]) -> list[Pair]:
    """What a statement takes: ("*", "ns") is the whole module as `ns`, ("*", "") hands everything on, [] takes nothing."""
    if match["from"]:
        clause = match["clause"].decode("utf-8", "replace").strip()
        return _clause(re.sub(r"^(type|typeof)\b(?!\s*,|\s*$)", "", clause).strip())
    left, part = (match["left"] or b"").decode("utf-8", "replace"), (match["part"] or b"").decode()
    if part and part not in ("then", "default"):
        return [(part, "" if left.startswith("{") else left)]
    if loads_default(match):
        return [("default", "")]
    if left.startswith("{"):
        return _braces(left[1:-1], ":")
    return [("*", left)] if left else []


def loads_default(match: re.Match[bytes]) -> bool:
    """Whether a statement loads a module by a call and takes its default, or hands the module to what will: `lazy(() => import("./x"))`."""
    if not match["load"] or not LOAD.search(match[0]):
        return False
    source, part = match.string, match["part"]
    if part == b"then":
        return _callback_takes_default(source, match.end())
    if part is not None or match["left"]:
        return part == b"default" and not match["left"]
    member = MEMBER.match(source[match.end() : match.end() + NEAR])
    if member is not None:
        return member[1] == b"default"
    before = source[max(0, match.start() - NEAR) : match.start()].rstrip()
    return TAKEN.search(before.removesuffix(b"await").rstrip()) is not None


def _callback_takes_default(source: bytes, at: int) -> bool:
    text = source[at : at + NEAR].partition(b"import")[0]
    callback = CALLBACK.match(text)
    if callback is None or callback["name"] is None:
        return callback is not None
    return re.search(rb"(?<![\w$.])" + re.escape(callback["name"]) + rb"\s*+\??\.\s*+default\b", text) is not None


def _clause(clause: str) -> list[Pair]:
    pairs: list[Pair] = []
    braces = re.search(r"\{([^{}]*+)\}", clause)
    if braces:
        pairs += _braces(braces[1], r"\bas\b")
        clause = clause[: braces.start()]
    for part in (item.strip() for item in clause.split(",")):
        star = re.fullmatch(r"\*\s*(?:as\s+([\w$]+))?", part)
        if star:
            pairs.append(("*", star[1] or ""))
        elif re.fullmatch(r"[\w$]+", part):
            pairs.append(("default", part))
    return pairs


def _braces(inside: str, rename_word: str) -> list[Pair]:
    pairs = []
    for item in re.sub(r"//[^\n]*+|/\*(?:.*?\*/|.*)", "", inside, flags=re.DOTALL).split(","):
        words = [
            word.strip() for word in re.split(rename_word, re.sub(r"^\s*type\s+(?=[\w$])", "", item.partition("=")[0]))
        ]
        if words[0] and not words[0].startswith("..."):
            pairs.append((words[0], words[-1]))
    return pairs


def aliases_of(pairs: list[Pair]) -> tuple[Pair, ...]:
    """The pairs in which the two names differ. A whole module that is handed on, unnamed, has none."""
    return tuple((name, here) for name, here in pairs if here and name != here)
