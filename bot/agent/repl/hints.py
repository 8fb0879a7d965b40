"""From an error to one hint, where its own words and the instructions do not say what to write instead. Pure, driven by a table."""

import builtins
import re
from collections.abc import Iterable
from difflib import get_close_matches

_NETWORK = "There is no network: everything about the change is in pr, units, files, read() and search()."
_PARALLEL = "llm_batch(prompts) and ask_batch(requests) already run in parallel."
_CODE = "Nothing can be executed: read code with read(path, start, end), search(pattern) and callers(name), or ask(paths, question)."
SUBSTITUTES = {
    **dict.fromkeys(("urllib", "requests", "socket"), _NETWORK),
    **dict.fromkeys(("concurrent", "threading", "multiprocessing"), _PARALLEL),
    **dict.fromkeys(("ast", "subprocess", "git"), _CODE),
}
AVAILABLE = "Available: json re math collections itertools functools datetime hashlib csv textwrap difflib."
_NAMES = "SHOW_VARS() lists your names."
ABSENT = {
    **dict.fromkeys(("globals", "locals", "vars", "dir"), _NAMES),
    "input": "Nobody answers here; decide yourself.",
    "codebase": "The changed files and their dependents are in `files`; everything else: read(path, start, end), search(pattern).",
    "context": "The change is in pr, units, files and diff(path).",
    "FINAL_VAR": "set_answer(name) takes the value of any variable.",
}

# (what the error says, what to do). `{0}` is the first group of the pattern.
TABLE: tuple[tuple[str, str], ...] = (
    (
        r"'list' object is not an iterator",
        ("Generator expressions are lists here, so next() does not take them. Write: found = [x for x in xs if ok(x)]; "
        "first = found[0] if found else None"),
    ),
    (r"'del' statement", "No `del` here. Write d.pop(key) for a dict, xs.pop(i) or xs = xs[2:] for a list."),
    (r"callable replacement", "re.sub takes no function here. Loop over re.finditer(pattern, text) and join the pieces."),
    (r"backtracking count exceeded", "Too much text for one pattern. Select the lines first: [line for line in text.split('\\n') if 'word' in line]"),
    (r"f-string", "Build the inner text first: part = d['k']; text = f'... {{part}} ...'. To ask about files, ask(paths, question) needs no f-string."),
    (r"missing closing quote|unterminated", "A quote is not closed. Put long text in a triple-quoted string, or build it from a list: '\\n'.join([...])."),
    (r"must be separated by newlines", "A quote ends too early there. Put text that holds quotes into a triple-quoted string, or use the other kind of quote."),
    (r"unexpected EOF", "A bracket or a triple quote is not closed. Send the block again, whole; less at once if it is long."),
    (r"PermissionError|FileNotFoundError|is not supported in this environment|OSError", ("There are no files, no environment and no "
     "network here. Use read(path, start, end), files[path], search(pattern) and tree.")),
    (r"feed time limit", "The block computed for too long. Select with search() and readers() first; waiting for workers is not counted."),
    (r"memory limit", "The block took too much memory. Work on slices, not on copies of everything."),
    (r"suspension limit", "Too many calls of given functions in one run. Ask in batches: llm_batch(prompts), ask_batch(requests)."),
    (r"'function' object is not (?:iterable|subscriptable)|object of type 'function'", "That is a function: call it, as in findings() or coverage()."),
    (r"TypeError: (\w+)\(\) (?:missing|got an unexpected|takes)", "The arguments of {0} do not fit: see its line in the instructions."),
    (r"KeyError: '?[^'\n]*[/.]", "`files` holds the changed files and their dependents only; read(path, start, end) opens any file of the tree."),
)  # fmt: skip

_MISSING_NAME = re.compile(r"NameError: name '(\w+)' is not defined")
_MISSING_MODULE = re.compile(r"No module named '(\w+)")
_MISSING_METHOD = re.compile(r"(?:type object '(\w+)'|'(\w+)' object) has no attribute '(?!maketrans)([a-z]\w*)'")


def hint(error: str, names: Iterable[str] = ()) -> str:
    """One sentence of help for an error text, "" where its own words are the best help. `names`: what is defined in the REPL."""
    if match := _MISSING_MODULE.search(error):
        return f"There is no module {match[1]} here. {SUBSTITUTES.get(match[1], AVAILABLE)}"
    if match := _MISSING_NAME.search(error):
        if match[1] in ABSENT:
            return f"There is no {match[1]} here. {ABSENT[match[1]]}"
        near = get_close_matches(match[1], list(names), 1, 0.6)
        return (
            f"Did you mean {near[0]}?"
            if near
            else f"{match[1]} was never assigned, or its block failed before it; {_NAMES}"
        )
    if match := _MISSING_METHOD.search(error):
        kind, name = match[1] or match[2], match[3]
        if hasattr(getattr(builtins, kind, None), name):
            return f"Methods are not values here: write key=lambda k: d.{name}(k), or [x.{name}() for x in xs], not the bare .{name}"
        if kind == "dict":
            return f"It is a dict: write x[{name!r}]."
    advice = next(((text, match) for pattern, text in TABLE if (match := re.search(pattern, error))), None)
    return advice[0].format(*advice[1].groups()) if advice else ""
