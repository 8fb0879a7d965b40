"""The calls of make and of package scripts in a text for a shell, with the folder that each runs in. Linear in the text."""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.dependents.declarations.reading import Certainty, beside

_HEREDOC = re.compile(r"<<-?[ \t]*+[\"']?([A-Za-z_]\w*+)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*+=")
# Words before the program that a command runs.
_BEFORE = frozenset({
    "sudo", "time", "exec", "env", "command", "then", "do", "else", "if", "while", "until", "!", "nice", "xvfb-run", "cross-env", "dotenv", "-",
})  # fmt: skip
_MAKES, _MANAGERS = frozenset({"make", "gmake"}), frozenset({"yarn", "pnpm", "bun"})
_MAKE_VALUES = frozenset({"-f", "--file", "--makefile", "-I", "-o", "-W", "-l", "--include-dir"})
# Programs that run commands which they are given as texts.
_RUNS_TEXTS = frozenset(
    {"concurrently", "conc", "nodemon", "onchange", "cross-env-shell", "sh", "bash", "npx", "start-server-and-test"}
)
_RUNNERS, _WORKSPACE_RUNNERS = (
    frozenset({"run-s", "run-p", "npm-run-all", "npm-run-all2"}),
    frozenset({"turbo", "lerna"}),
)
# The programs that run targets and scripts by their names, for patterns.
TOOLS = "|".join(
    sorted({*_MAKES, *_MANAGERS, "npm", *_RUNNERS, *_WORKSPACE_RUNNERS, "concurrently"}, key=len, reverse=True)
)
DEEPEST = 3  # texts of commands in texts
# The scripts that npm runs without `run`, by each of their names.
_LIFECYCLE = {"test": "test", "t": "test", "tst": "test", "start": "start", "stop": "stop", "restart": "restart"}
# The commands of yarn, pnpm and bun themselves: any other word is the name of a script.
_BUILT_IN = frozenset(
    ["add", "audit", "bin", "cache", "check", "completion", "config", "constraints", "create", "dedupe", "deploy", "dlx", "exec", "explain", "fetch", "fund", "help", "import", "info", "init", "install", "i", "ci", "ls", "list", "link", "login", "logout", "node", "npm", "outdated", "owner", "pack", "patch", "plugin", "policies", "prune", "publish", "rebuild", "remove", "rm", "search", "self-update", "set", "store", "uninstall", "unlink", "unplug", "up", "update", "upgrade", "upgrade-interactive", "version", "versions", "view", "why", "workspace", "workspaces", "global", "env", "root", "recursive", "licenses", "x", "pm", "repl", "build-info"]
)  # fmt: skip
_NO_SCRIPT = frozenset({"--if-present", "--help", "--version", "-v"})
_EVERY_OPTIONS = frozenset({"-w", "-ws", "--filter", "-F", "-r", "--recursive"})
_FOLDER_OPTIONS = ("--prefix", "-C", "--dir", "--cwd")
NAME = re.compile(r"[A-Za-z0-9_][\w:.-]*+")
EVERY = "*"  # a package of the tree, whichever


class ShellCommand(NamedTuple):
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


def commands(text: str, folder: str | None) -> Iterator[ShellCommand]:
    """Give the commands of a text that begins in a folder, line by line; a line whose quotes do not end on it is left out."""
    here, outer, marker = folder, list[str | None](), ""
    for number, line in _lines(text):
        if marker:
            marker = "" if line.strip() == marker else marker
            continue
        heredoc = _HEREDOC.search(line)
        marker = heredoc[1] if heredoc else ""
        lexer = shlex.shlex(line, posix=True, punctuation_chars="();&|")
        lexer.whitespace_split = True
        words: list[str | None] = []
        try:
            tokens = [*lexer, ";"]
        except ValueError:
            continue
        for token in tokens:
            if not set(token) <= set("();&|"):
                words.append(None if "$" in token or "`" in token or "*" in token else token)
                continue
            if words:
                yield ShellCommand(words, number, here)
                here, words = _moved(words, here), []
            if token.endswith("("):
                outer.append(here)
            elif token.startswith(")") and outer:
                here = outer.pop()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text, each with its number from 0; one that ends with a backslash goes on."""
    waiting, start = "", 0
    for number, line in enumerate(text.split("\n")):
        start = start if waiting else number
        waiting += line.rstrip("\r")
        if waiting.endswith("\\"):
            waiting = waiting[:-1]
            continue
        yield start, waiting
        waiting = ""
    if waiting:
        yield start, waiting


def _moved(words: Sequence[str | None], here: str | None) -> str | None:
    """The folder behind a command, None if nobody can tell it."""
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
        if len(words) > 1 and words[0] in _MANAGERS and words[1] in _RUNS_TEXTS:
            words.pop(0)
        if words and words[0] is not None and command.folder is not None:
            yield from _calls_of(words[0], words[1:], command.folder, command.line, depth)


def _calls_of(tool: str, rest: Sequence[str | None], folder: str, line: int, depth: int) -> Iterator[ScriptCall]:
    """What one command asks for."""
    if tool in _MAKES:
        yield from _targets(rest, folder, line)
    elif tool == "npm" or tool in _MANAGERS:
        yield from _scripts(tool, rest, folder, line)
    elif tool in _RUNNERS:
        names = [one for one in rest if one is not None and NAME.fullmatch(one)]
        yield from (ScriptCall("script", folder, one, line, "removed") for one in names)
    elif tool in _WORKSPACE_RUNNERS and rest[:1] == ["run"]:
        names = [one for one in rest[1:2] if one is not None and NAME.fullmatch(one)]
        yield from (ScriptCall("script", EVERY, one, line, "hint") for one in names)
    elif tool in _RUNS_TEXTS and depth < DEEPEST:
        for word in rest:
            if word is not None and word.startswith("npm:") and NAME.fullmatch(word[4:]):
                yield ScriptCall("script", folder, word[4:], line, "removed")
            elif word is not None and " " in word:
                yield from (one._replace(line=line) for one in calls(word, folder, depth + 1))


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
    own = words[: words.index("--")] if "--" in words else words
    if None in own or not _NO_SCRIPT.isdisjoint(own):
        return
    plain = [one for one in own if one is not None]
    is_every = any(one in _EVERY_OPTIONS or one.startswith(("--workspace", "--filter=")) for one in plain)
    place, names = _folder_and_names(tool, plain, folder)
    if tool == "yarn" and names[:1] == ["workspace"]:
        is_every, names = True, names[2:]
    is_run = names[:1] in (["run"], ["run-script"], ["rum"])
    names = names[1:] if is_run else names
    if not names or place is None or names[0] == "workspaces":
        return
    name = names[0]
    if not is_run:
        name = _LIFECYCLE.get(name, "") if tool == "npm" else "" if name in _BUILT_IN else name
    certainty: Certainty = "removed" if tool == "npm" else "hint"
    if is_run and tool in ("npm", "pnpm"):
        certainty = "sure"
    if name and NAME.fullmatch(name) and not (tool == "bun" and "." in name):
        yield ScriptCall("script", EVERY if is_every else place, name, line, "hint" if is_every else certainty)


def _folder_and_names(tool: str, words: Sequence[str], folder: str) -> tuple[str | None, list[str]]:
    """The folder that the options name, None if it is out of sight, and the words that are no options."""
    place: str | None = folder
    names: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _FOLDER_OPTIONS or word.startswith(tuple(f"{one}=" for one in _FOLDER_OPTIONS)):
            value = word.partition("=")[2] or next(rest, "/")
            place = beside(place, value) if place is not None and not value.startswith(("/", "~")) else None
        elif word in ("--filter", "-F", "--workspace") or (tool == "npm" and word == "-w"):
            next(rest, None)
        elif not word.startswith("-"):
            names.append(word)
    return place, names
