"""Find calls of make and package scripts in shell text, with the folder that each runs in."""

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence

from deeprepo.impact.declarations.reading import DataReading, Paths, Scope, beside

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in make's search order
_MAKES, _MANAGERS = ("make", "gmake"), ("npm", "yarn", "pnpm", "bun")
_RUNNERS = ("run-s", "run-p", "npm-run-all", "npm-run-all2")
_TOOL = re.compile(rf"(?<![\w./-])(?:{'|'.join((*_MAKES, *_MANAGERS, *_RUNNERS))})\s")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*+=")
_NAME = re.compile(r"[A-Za-z0-9_][\w:.-]*+")
# Words that may precede the program in a command.
_BEFORE = frozenset(
    ["sudo", "time", "exec", "env", "then", "do", "else", "if", "while", "until", "!", "cross-env", "dotenv", "-"]
)
_OTHER_FILE = ("-f", "--file", "--makefile")
_PLACE = ("-C", "--directory", "--prefix", "--dir", "--cwd")  # options that set the folder
_ELSEWHERE = ("-w", "--workspace", "--filter", "-F", "-r", "--recursive", "workspace", "--if-present")
# npm commands that run a script of the same name; in other managers any word may be a script.
_LIFECYCLE = ("test", "start", "stop", "restart")

# Programs that run commands given as strings.
_RUNS_TEXTS = ("concurrently", "conc", "nodemon", "cross-env-shell", "sh", "bash", "npx", "start-server-and-test")


def add_calls(reading: DataReading, text: str, folder: str | None, line: int, paths: Paths) -> None:
    """Add the make targets and package scripts that a text calls. `line`: its first line."""
    if not _TOOL.search(text):
        return
    for number, here, (tool, *rest) in _commands(text, folder):
        if tool in _RUNS_TEXTS or (tool in _MANAGERS and rest and rest[0] in _RUNS_TEXTS):
            for word in rest:
                add_calls(reading, word if " " in word else "", here, line + number, paths)
        elif tool in _MAKES:
            _targets(reading, rest, here, line + number, paths)
        elif tool in _MANAGERS:
            _script(reading, tool, rest, here, line + number, paths)
        for name in rest if tool in _RUNNERS else ():
            _use(reading, name, here, line + number, paths)


def _commands(text: str, folder: str | None) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the commands with a known folder and 0-based line. Lines with unclosed quotes are skipped."""
    for number, line in enumerate(text.split("\n")):
        lexer = shlex.shlex(line, posix=True, punctuation_chars="();&|")
        lexer.whitespace_split = True
        outer, words = list[str | None](), list[str]()
        try:
            tokens = [*lexer, ";"]
        except ValueError:
            continue
        for token in tokens:
            if not set(token) <= set("();&|"):
                words.append(token)
                continue
            while words and (words[0] in _BEFORE or _ASSIGNMENT.match(words[0])):
                words.pop(0)
            if words and words[0] in ("cd", "pushd", "popd"):
                place = words[1] if words[0] == "cd" and len(words) > 1 else "$"
                folder = None if folder is None or place[:1] in "/-~" or "$" in place else beside(folder, place)
            elif words and folder is not None:
                yield number, folder, words
            words = []
            if token.endswith("("):
                outer.append(folder)
            elif token.startswith(")") and outer:
                folder = outer.pop()


def _placed(words: Sequence[str], folder: str) -> tuple[str | None, list[str]]:
    """Return the folder from the options, None if unknown, and the words that are not options."""
    place: str | None = folder
    names: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _PLACE or word.startswith(tuple(f"{one}=" for one in _PLACE)):
            value = word.partition("=")[2] or next(rest, "/")
            place = None if place is None or value[:1] in "/~" or "$" in value else beside(place, value)
        elif word[:1] in "><#":
            break
        elif not word.startswith("-") and "=" not in word and not word.isdigit():
            names.append(word)
    return place, names


def _targets(reading: DataReading, words: Sequence[str], folder: str, line: int, paths: Paths) -> None:
    place, names = _placed(words, folder)
    home = next((path for name in MAKEFILES if (path := posixpath.join(place or "", name)) in paths), None)
    if place is None or home is None or any(word.startswith(_OTHER_FILE) for word in words):
        return
    for name in names:
        if _NAME.fullmatch(name) and posixpath.join(place, name) not in paths:
            reading.use(Scope("target", home), name, line)


def _script(reading: DataReading, tool: str, words: Sequence[str], folder: str, line: int, paths: Paths) -> None:
    """Add the script that a package manager's command runs."""
    own = words[: words.index("--")] if "--" in words else words
    place, names = _placed(own, folder)
    is_run = names[:1] in (["run"], ["run-script"])
    name = next(iter(names[is_run:]), "")
    # Without `run`, the name may be that of a program or a built-in command.
    is_hint = tool not in (("npm", "pnpm") if is_run else ("npm",))
    is_script = is_run or tool != "npm" or name in _LIFECYCLE
    if place is not None and is_script and not any(word.partition("=")[0] in _ELSEWHERE for word in own):
        _use(reading, name, place, line, paths, is_hint=is_hint)


def _use(reading: DataReading, name: str, folder: str, line: int, paths: Paths, *, is_hint: bool = False) -> None:
    home = paths.above(folder, ("package.json",))
    if home is not None and _NAME.fullmatch(name):
        reading.use(Scope("script", home), name, line, is_hint=is_hint)
