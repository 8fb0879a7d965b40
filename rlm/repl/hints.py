"""From an error to one hint, where its own words and the instructions do not say what to write instead. Pure, driven by a table."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

_NETWORK = "There is no network: everything about the change is in pr, units, files, read() and search()."
_PARALLEL = "llm_batch(prompts) and ask_batch(requests) already run in parallel."
_CODE = "Nothing can be executed: read code with read(path, start, end), search(pattern) and callers(name), or ask(paths, question)."
SUBSTITUTES = {
    **dict.fromkeys(("urllib", "requests", "socket"), _NETWORK),
    "multiprocessing": _PARALLEL,
    **dict.fromkeys(("subprocess", "git"), _CODE),
}
AVAILABLE = "The standard library is there, as far as it needs no files, network or processes; other packages are not."
_NAMES = "SHOW_VARS() lists your names."
ABSENT = {
    "codebase": "The changed files and their dependents are in `files`; everything else: read(path, start, end), search(pattern).",
    "context": "The change is in pr, units, files and diff(path).",
    "FINAL_VAR": "set_answer(name) takes the value of any variable.",
}

# (what the error says, what to do). `{0}` is the first group of the pattern.
TABLE: tuple[tuple[str, str], ...] = (
    (r"f-string", "Build the inner text first: part = d['k']; text = f'... {{part}} ...'. To ask about files, ask(paths, question) needs no f-string."),
    (r"unterminated", "A quote is not closed. Put long text in a triple-quoted string, or build it from a list: '\\n'.join([...])."),
    (r"was never closed|unexpected EOF", "A bracket is not closed. Send the block again, whole; less at once if it is long."),
    (r"'return' outside function", "A block is no function: print what you want to see, or finish with set_answer('...')."),
    (r"EOFError", "Nobody answers here; decide yourself."),
    (r"can't start new thread|BlockingIOError", _PARALLEL),
    (r"PermissionError|FileNotFoundError|Operation not permitted|KeyError: '(?:HOME|PATH|USER)'", ("There are no files, no environment, no processes "
     "and no network here. Use read(path, start, end), files[path], search(pattern) and tree.")),
    (r"time limit", "The block computed for too long. Select with search() and readers() first; waiting for workers is not counted."),
    (r"MemoryError", "The block took too much memory. Work on slices, not on copies of everything."),
    (r"call limit", "Too many calls of given functions in one run. Ask in batches: llm_batch(prompts), ask_batch(requests)."),
    (r"'function' object is not (?:iterable|subscriptable)|object of type 'function'", "That is a function: call it, as in findings() or coverage()."),
    (r"TypeError: (\w+)\(\) (?:missing|got an unexpected|takes)", "The arguments of {0} do not fit: see its line in the instructions."),
    (r"KeyError: '?[^'\n]*[/.]", "`files` holds the changed files and their dependents only; read(path, start, end) opens any file of the tree."),
)  # fmt: skip

_MISSING_NAME = re.compile(r"NameError: name '(\w+)' is not defined")
_MISSING_MODULE = re.compile(r"No module named '(\w+)")
_OF_A_DICT = re.compile(r"'dict' object has no attribute '([a-z]\w*)'")


_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_SPOKEN_OF = re.compile(r"(?<![.\w])([A-Za-z_]\w*)\(|`(\w+)`|(\w+)\[path\]")


def hint(error: str, names: Iterable[str] = ()) -> str:
    """One sentence of help for an error text, "" where its own words are the best help. `names`: what is defined in the REPL.

    A sentence that speaks of what is not there is left out: not every root has a change, or workers.
    """
    known = tuple(names)
    told = (sentence for sentence in _SENTENCE_END.split(_hint(error, known)) if _names(sentence) <= set(known))
    return " ".join(told)


def _names(sentence: str) -> set[str]:
    """The names of the REPL that a sentence speaks of."""
    spoken = {name for match in _SPOKEN_OF.findall(sentence) for name in match if name}
    return spoken | {"pr"} if "the change is" in sentence.lower() or "about the change" in sentence else spoken


def _hint(error: str, names: Sequence[str]) -> str:
    if match := _MISSING_MODULE.search(error):
        return f"There is no module {match[1]} here. {SUBSTITUTES.get(match[1], AVAILABLE)}"
    if match := _MISSING_NAME.search(error):
        if match[1] in ABSENT:
            return f"There is no {match[1]} here. {ABSENT[match[1]]}"
        near = get_close_matches(match[1], names, 1, 0.6)
        return (
            f"Did you mean {near[0]}?"
            if near
            else f"{match[1]} was never assigned, or its block failed before it; {_NAMES}"
        )
    if match := _OF_A_DICT.search(error):
        return f"It is a dict: write x[{match[1]!r}]."
    advice = next(((text, match) for pattern, text in TABLE if (match := re.search(pattern, error))), None)
    return advice[0].format(*advice[1].groups()) if advice else ""
