"""The calls of make and of package scripts in a text for a shell, with the folder that each runs in. Linear in the text."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.dependents.declarations.reading import Certainty, beside

_WORD = re.compile(
    r"(?P<space>(?:[ \t\r]|\\\n)++)|(?P<newline>\n)|(?P<heredoc><<-?[ \t]*+[\"']?(?P<marker>[A-Za-z_]\w*+)[\"']?)"
    r"|(?P<operator>&&|\|\||;;|[;|&()])|(?P<single>'[^']*+')|(?P<double>\"(?:[^\"\\]|\\.)*+\")"
    r"|(?P<expression>\$\{\{(?:[^}]|\}(?!\}))*+(?:\}\})?)|(?P<computed>\$\((?:[^()\n])*+\)|\$\{[^}\n]*+\}?|[$`*?\[\]{}])|(?P<escape>\\.)|(?P<plain>[^\s&;|()'\"$`*?\[\]{}\\<]++|<)",
    re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*+=")
_BEFORE = frozenset(
    {
        "sudo",
        "time",
        "exec",
        "env",
        "command",
        "then",
        "do",
        "else",
        "if",
        "while",
        "until",
        "!",
        "nice",
        "xvfb-run",
        "cross-env",
        "dotenv",
        "-",
    }
)
_MAKES, _LOOSE = frozenset({"make", "gmake"}), frozenset({"yarn", "pnpm", "bun"})
_MAKE_VALUES = frozenset({"-f", "--file", "--makefile", "-I", "-o", "-W", "-l", "--include-dir"})
_RUNS_TEXTS = frozenset(
    {"concurrently", "conc", "nodemon", "onchange", "cross-env-shell", "sh", "bash", "npx", "start-server-and-test"}
)
DEEPEST = 3  # texts of commands in texts
_LIFE = {"test": "test", "t": "test", "tst": "test", "start": "start", "stop": "stop", "restart": "restart"}
_BUILT_IN = frozenset(
    ["add", "audit", "bin", "cache", "check", "completion", "config", "constraints", "create", "dedupe", "deploy", "dlx", "exec", "explain", "fetch", "fund", "help", "import", "info", "init", "install", "i", "ci", "ls", "list", "link", "login", "logout", "node", "npm", "outdated", "owner", "pack", "patch", "plugin", "policies", "prune", "publish", "rebuild", "remove", "rm", "search", "self-update", "set", "store", "uninstall", "unlink", "unplug", "up", "update", "upgrade", "upgrade-interactive", "version", "versions", "view", "why", "workspace", "workspaces", "global", "env", "root", "recursive", "licenses", "x", "pm", "repl", "build-info"]
)  # fmt: skip
NAME = re.compile(r"[A-Za-z0-9_][\w:.-]*+")
EVERY = "*"  # a package of the tree, whichever


class Command(NamedTuple):
    """One command. A word that the shell computes is None; a folder that nobody can tell, too."""

    words: Sequence[str | None]
    line: int  # from 0
    folder: str | None


class ScriptCall(NamedTuple):
    """A name that a command asks make or a package for."""

    kind: str  # "target" or "script"
    folder: str  # that make or the package is looked for in; `EVERY`
    name: str
    line: int
    certainty: Certainty


def commands(text: str, folder: str | None) -> Iterator[Command]:
    """Give the commands of a text that begins in a folder."""
    words: list[str | None] = []
    word: str | None = ""
    is_word = False
    line = start = at = 0
    here, outer, markers = folder, list[str | None](), list[str]()
    while at < len(text):
        match = _WORD.match(text, at)
        if match is None:
            return  # a quote without an end: what follows is in it
        at, kind = match.end(), match.lastgroup
        kind = "heredoc" if match["marker"] else kind
        if kind in ("space", "newline", "operator", "heredoc"):
            if is_word:
                words.append(word)
            word, is_word = "", False
        elif kind == "plain" and match[0].startswith("#") and not is_word:
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        else:
            start = line if not words and not is_word else start
            is_word = True
            if kind in ("expression", "computed") or (kind == "double" and re.search(r"[$`]", match[0])):
                word = None
            elif word is not None:
                word += match[0][1:-1] if kind in ("single", "double") else match[0][kind == "escape" :]
        if kind == "heredoc":
            markers.append(match["marker"])
        if kind in ("newline", "operator"):
            if words:
                yield Command(words, start, here)
                here = _moved(words, here)
                words = []
            if match[0] == "(":
                outer.append(here)
            elif match[0] == ")" and outer:
                here = outer.pop()
        line += match[0].count("\n")
        while kind == "newline" and markers:
            marker = markers.pop(0)
            while at < len(text):
                end = text.find("\n", at)
                end = len(text) if end < 0 else end
                body, at = text[at:end].strip(), end + 1
                line += 1
                if body == marker:
                    break
    if is_word:
        words.append(word)
    if words:
        yield Command(words, start, here)


def _moved(words: Sequence[str | None], here: str | None) -> str | None:
    if words[0] in ("pushd", "popd") or (words[0] is None and len(words) == 1):
        return None
    if words[0] != "cd" or here is None:
        return here
    place = words[1] if len(words) > 1 else None
    return None if place is None or place.startswith(("/", "-", "~")) else beside(here, place)


def calls(text: str, folder: str | None, depth: int = 0) -> Iterator[ScriptCall]:
    """Give what the commands ask make and packages for. A command whose folder nobody can tell is left out."""
    for command in commands(text, folder):
        words = list(command.words)
        while words and words[0] is not None and (words[0] in _BEFORE or _ASSIGNMENT.match(words[0])):
            words.pop(0)
        if not words or words[0] is None or command.folder is None:
            continue
        tool, rest = words[0], words[1:]
        if tool in _LOOSE and rest and rest[0] in _RUNS_TEXTS:
            tool, rest = rest[0], rest[1:]
        if tool in _MAKES:
            yield from _targets(rest, command.folder, command.line)
        elif tool == "npm" or tool in _LOOSE:
            yield from _scripts(tool, rest, command.folder, command.line)
        elif tool in ("run-s", "run-p", "npm-run-all", "npm-run-all2"):
            names = [one for one in rest if one is not None and NAME.fullmatch(one)]
            yield from (ScriptCall("script", command.folder, one, command.line, "removed") for one in names)
        elif tool in _RUNS_TEXTS and depth < DEEPEST:
            for word in rest:
                if word is not None and word.startswith("npm:") and NAME.fullmatch(word[4:]):
                    yield ScriptCall("script", command.folder, word[4:], command.line, "removed")
                elif word is not None and " " in word:
                    inner = calls(word, command.folder, depth + 1)
                    yield from (one._replace(line=command.line) for one in inner)
        elif tool in ("turbo", "lerna") and rest[:1] == ["run"]:
            names = [one for one in rest[1:2] if one is not None and NAME.fullmatch(one)]
            yield from (ScriptCall("script", EVERY, one, command.line, "hint") for one in names)


def _targets(words: Sequence[str | None], folder: str, line: int) -> Iterator[ScriptCall]:
    names: list[str] = []
    place: str | None = folder
    rest = iter(words)
    for word in rest:
        if word is None:
            continue
        if word in ("-C", "--directory") or word.startswith(("--directory=", "-C")):
            value = next(rest, None) if word in ("-C", "--directory") else word.partition("=")[2] or word[2:]
            place = (
                beside(place, value)
                if value is not None and place is not None and not value.startswith(("/", "~"))
                else None
            )
        elif word in _MAKE_VALUES or word.startswith(("-f", "--file=", "--makefile=")):
            return  # another file
        elif not word.startswith(("-", ">", "<", "#")) and "=" not in word and not word.isdigit():
            if not NAME.fullmatch(word):
                break
            names.append(word)
        elif word.startswith((">", "<")):
            break
    for name in names if place is not None else ():
        yield ScriptCall("target", place or "", name, line, "removed")


def _scripts(tool: str, words: Sequence[str | None], folder: str, line: int) -> Iterator[ScriptCall]:
    """The script that one command of a package manager runs."""
    place: str | None = folder
    certainty: Certainty = "sure" if tool in ("npm", "pnpm") else "hint"
    is_run = False
    own = words[: words.index("--")] if "--" in words else words
    if tool in ("npm", "pnpm") and any(one in ("-w", "-ws") or (one or "").startswith("--workspace") for one in own):
        place, certainty = EVERY, "hint"
    rest = iter(words)
    for word in rest:
        if word is None or word in ("--if-present", "--help", "--version", "-v"):
            return
        if word in ("--prefix", "-C", "--dir", "--cwd") or word.startswith(("--prefix=", "--dir=", "--cwd=")):
            value = word.partition("=")[2] or next(rest, None)
            place = (
                beside(place, value)
                if value is not None and place not in (None, EVERY) and not value.startswith(("/", "~"))
                else None
            )
            if place is None:
                return
        elif word in ("-w", "--workspace", "--filter", "-F") or (tool != "npm" and word == "workspace"):
            next(rest, None)
            place, certainty = EVERY, "hint"
        elif word.startswith(("--workspace", "--filter=", "-ws")) or word in ("-r", "--recursive", "recursive"):
            place, certainty = EVERY, "hint"
        elif word == "workspaces" and tool == "yarn":
            return
        elif word.startswith("-"):
            continue
        elif not is_run and word in ("run", "run-script", "rum"):
            is_run = True
        else:
            name = word if is_run or (tool != "npm" and word not in _BUILT_IN) else _LIFE.get(word, "")
            if name and NAME.fullmatch(name) and "--if-present" not in words and not (tool == "bun" and "." in name):
                loose: Certainty = certainty if is_run and place != EVERY else "hint"
                if not is_run and tool == "npm":
                    loose = "removed"
                yield ScriptCall("script", place or "", name, line, loose)
            return
