"""From an error to one specific hint: what the REPL's dialect lacks, and the line to write instead. Pure, driven by a table.

The order is that of real transcripts: `next(<generator expression>)` was the most frequent failure of all.
"""

import builtins
import re
from collections.abc import Iterable
from difflib import get_close_matches

_NO_MODULE = "There is no module {0} here. "
SUBSTITUTES = {
    "ast": "Find definitions with re, or ask: search(r'def name'), callers('name'), ask([path], question).",
    "heapq": "Use sorted(xs, key=lambda x: ...)[:n].",
    "operator": "Use a lambda: key=lambda row: row['n'].",
    "io": "Collect lines in a list and use '\\n'.join(lines).",
    "enum": "Use plain constants or a dict.",
    "pprint": "Use print(json.dumps(x, indent=1)).",
    "traceback": "Use print(repr(error)) in the except clause.",
    "logging": "Use print().",
    "tokenize": "Use re.findall(r'\\w+', text).",
    "urllib": "There is no network; split the text with str methods.",
    "requests": "There is no network: everything about the change is in pr, units, files, read() and search().",
    "socket": "There is no network: everything about the change is in pr, units, files, read() and search().",
    "subprocess": "Nothing can be executed: read code with read(path, start, end), search(pattern) and ask(paths, question).",
    "concurrent": "llm_batch(prompts) and ask_batch(requests) already run in parallel.",
    "threading": "llm_batch(prompts) and ask_batch(requests) already run in parallel.",
    "multiprocessing": "llm_batch(prompts) and ask_batch(requests) already run in parallel.",
    "contextlib": "Use try/finally.",
    "abc": "Use plain functions.",
    "yaml": "Read the lines yourself with re.",
    "glob": "`tree` is the list of all paths; fnmatch.filter(tree, '*.py') selects.",
    "git": "The change is in units and diff(path).",
}

# (what the error says, what to do). `{0}` is the first group of the pattern.
TABLE: tuple[tuple[str, str], ...] = (
    (
        r"'list' object is not an iterator",
        ("Generator expressions are lists here, so next() does not take them. Write: found = [x for x in xs if ok(x)]; "
        "first = found[0] if found else None"),
    ),
    (r"'del' statement", "No `del` here. Write d.pop(key) for a dict, xs.pop(i) or xs = xs[2:] for a list."),
    (r"yield expressions", "No `yield` here. Collect into a list and return it: out = []; out.append(x); return out"),
    (
        r"class inheritance",
        "Classes cannot inherit here. Use a plain class, a dict or constants; for an error of your own raise ValueError('...').",
    ),
    (r"method decorators|'property' instances", "No @property, @staticmethod or @classmethod here. Write plain functions."),
    (r"Wildcard imports", "Name what you import: from collections import Counter"),
    (r"async for loops|async with", "No async loops here; every given function is called plainly: llm_batch([...])"),
    (r"attribute 'maketrans'", "No str.maketrans here. Chain replace(): text.replace('a', 'x').replace('b', 'y')"),
    (r"callable replacement", "re.sub takes no function here. Loop over re.finditer(pattern, text) and join the pieces."),
    (r"backtracking count exceeded", "Too much text for one pattern. Select the lines first: [line for line in text.split('\\n') if 'word' in line]"),
    (r"module 're' has no attribute '(\w+)'", "re.{0} is missing. Write the pattern on one line without comments; (?i) and the like work."),
    (r"'JSONEncoder|JSONEncoder.*'default'", "json.dumps has no `default` here. Convert first: sorted(a_set), str(x)."),
    (r"JSONDecodeError' object has no attribute", "The error has no .msg here; use str(error)."),
    (r"cannot import name 'OrderedDict'", "A plain dict keeps its order: use {{}}."),
    (r"cannot import name '(?:asdict|astuple|replace)' from 'dataclasses'", "Write the dict yourself, or use dicts from the start."),
    (r"dataclass\(\) does not yet support", "dataclass takes no such option here: sort with key=lambda x: x.field."),
    (r"cannot import name '(\w+)' from '([\w.]+)'", "{1} has no {0} here; write it in a line or two of your own."),
    (r"module '(\w+)' has no attribute '(\w+)'", "{0} has only a part of its names here, without {1}; write it with str methods."),
    (r"has no attribute '__(\w+)__'", "No double-underscore attributes here. Keep the name beside the function: [('name', f)]."),
    (r"object of type '\w+' has no len|'\w+' object is not subscriptable", ("Is it None or a number? print(repr(x)) shows it; "
     "a class of yours gets no __len__ or __getitem__ here: use a dict or list.")),
    (r"unknown encoding", "Only utf-8 is known here."),
    (r"f-string", "Build the inner text first: part = d['k']; text = f'... {{part}} ...'. To ask about files, ask(paths, question) needs no f-string."),
    (r"missing closing quote|unterminated", "A quote is not closed. Put long text in a triple-quoted string, or build it from a list: '\\n'.join([...])."),
    (r"must be separated by newlines", "A quote ends too early there. Put text that holds quotes into a triple-quoted string, or use the other kind of quote."),
    (r"unexpected EOF", "A bracket or a triple quote is not closed. Send the block again, whole; less at once if it is long."),
    (r"PermissionError|FileNotFoundError|is not supported in this environment|OSError", ("There are no files, no environment and no "
     "network here. Use read(path, start, end), files[path], search(pattern) and tree.")),
    (r"feed time limit", "The block computed for too long. Select with search() and readers() first; waiting for workers is not counted."),
    (r"memory limit", "The block took too much memory. Work on slices, not on copies of everything."),
    (r"suspension limit", "Too many calls of given functions in one run. Ask in batches: llm_batch(prompts), ask_batch(requests)."),
    (r"maximum recursion depth", "The recursion is too deep; use a loop with a list as a stack."),
    (r"'function' object is not (?:iterable|subscriptable)|object of type 'function'", "That is a function: call it, as in findings() or coverage()."),
    (r"TypeError: (\w+)\(\) (?:missing|got an unexpected|takes)", "The arguments of {0} do not fit: see its line in the instructions."),
    (r"SyntaxError", "Nothing of the block ran. Look at the caret; long text with quotes goes into a triple-quoted string, and ask(paths, question) needs none."),
    (r"cannot be interpreted as an integer|list indices must be", "Convert with int(...) first; ask() and callers() give dicts: row['line']."),
)  # fmt: skip

_MISSING_NAME = re.compile(r"NameError: name '(\w+)' is not defined")
_MISSING_MODULE = re.compile(r"No module named '(\w+)")
_MISSING_METHOD = re.compile(r"(?:type object '(\w+)'|'(\w+)' object) has no attribute '(\w+)'")
_MISSING_KEY = re.compile(r"KeyError: '?(.+?)'?$", re.MULTILINE)
ABSENT = {
    "globals": "SHOW_VARS() lists your names.",
    "locals": "SHOW_VARS() lists your names.",
    "vars": "SHOW_VARS() lists your names.",
    "dir": "SHOW_VARS() lists your names.",
    "input": "Nobody answers here; decide yourself.",
    "codebase": "The changed files and their dependents are in `files`; everything else: read(path, start, end), search(pattern).",
    "file_tree": "`tree` is the list of all paths.",
    "metadata": "`pr` describes the change.",
    "context": "The change is in pr, units, files and diff(path).",
    "bytearray": "Use bytes or a list.",
    "FINAL_VAR": "set_answer(name) takes the value of any variable.",
    "super": "Classes cannot inherit here.",
}


def hint(error: str, names: Iterable[str] = ()) -> str:
    """One sentence of help for an error text, "" where its own words are the best help. `names`: what is defined in the REPL."""
    for find in (_module, _name, _method):
        near_name = find(error, names)
        if near_name:
            return near_name
    for pattern, advice in TABLE:
        match = re.search(pattern, error)
        if match:
            return advice.format(*match.groups())
    return _key(error, names)


def _module(error: str, _: Iterable[str]) -> str:
    match = _MISSING_MODULE.search(error)
    if not match:
        return ""
    substitute = SUBSTITUTES.get(
        match[1], "Available: json re math collections itertools functools datetime hashlib csv textwrap difflib."
    )
    return _NO_MODULE.format(match[1]) + substitute


def _name(error: str, names: Iterable[str]) -> str:
    match = _MISSING_NAME.search(error)
    if not match:
        return ""
    if match[1] in ABSENT:
        return f"There is no {match[1]} here. {ABSENT[match[1]]}"
    near = get_close_matches(match[1], list(names), 1, 0.6)
    return (
        f"Did you mean {near[0]}?"
        if near
        else f"{match[1]} was never assigned, or its block failed before it; SHOW_VARS() lists your names."
    )


def _method(error: str, _: Iterable[str]) -> str:
    """An attribute that Python has and Monty has not: a method used as a value. And a key of a dict written as an attribute."""
    match = _MISSING_METHOD.search(error)
    if not match or match[3] == "maketrans" or match[3].startswith("__"):
        return ""
    kind, name = match[1] or match[2], match[3]
    if hasattr(getattr(builtins, kind, None), name):
        return f"Methods are not values here: write key=lambda k: d.{name}(k), or [x.{name}() for x in xs], not the bare .{name}"
    return f"It is a dict: write x[{name!r}]." if kind == "dict" else ""


def _key(error: str, _: Iterable[str]) -> str:
    match = _MISSING_KEY.search(error)
    if not match:
        return ""
    if "/" in match[1] or "." in match[1]:
        return "`files` holds the changed files and their dependents only; read(path, start, end) opens any file of the tree."
    return "Use d.get(key) where a key may be absent; list(d) shows the keys."
