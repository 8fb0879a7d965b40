"""What is planted: a defect with its place and its proof, and the code base that holds it."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# Class of a planted defect -> the categories under which a reviewer may rightly report it; the first is the usual one.
CLASSES: Mapping[str, tuple[str, ...]] = {
    "off-by-one": ("logic", "crash", "data-loss"),
    "inverted-condition": ("logic", "crash", "security", "data-loss"),
    "wrong-operator": ("logic",),
    "missing-check": ("crash", "logic"),
    "dropped-await": ("concurrency", "logic", "data-loss", "crash"),
    "dropped-close": ("resource", "concurrency"),
    "swapped-arguments": ("logic", "contract", "broken-caller", "crash"),
    "wrong-default": ("contract", "logic", "broken-caller"),
    "wrong-key": ("contract", "broken-caller", "logic", "crash", "data-loss"),
    "forgotten-caller": ("broken-caller", "contract", "crash"),
}

FORGOTTEN, OLDER = "forgotten-caller", "older"  # of defects.txt: a function with a new name; no defect, an older name

# Class -> what is wrong, and when it shows.
WHY: Mapping[str, tuple[str, str]] = {
    "off-by-one": ("`{before}` became `{text}`: equal values go the other way", "{function}() where both sides are equal"),
    "inverted-condition": ("`{before}` became `{text}`: the two ways are exchanged", "any call of {function}() that reaches the condition"),
    "wrong-operator": ("`{before}` became `{text}`", "{function}() with values for which the two operators differ"),
    "missing-check": ("the check of what may be nothing or an error is gone: `{text}` is reached without it", "{function}() where there is none"),
    "dropped-await": ("what {other} does asynchronously is no longer awaited: `{text}` goes on without it", "any call of {function}() that reaches the line"),
    "dropped-close": ("`{before}` is gone: what {function}() took is never given back", "every call of {function}()"),
    "swapped-arguments": ("`{before}` became `{text}`: the parameters stand in the other order", "any call of {function}() where the two differ"),
    "wrong-default": ("`{before}` became `{text}`, and {other} relies on the default", "any call of {function}() that leaves the argument out"),
    "wrong-key": ("`{before}` became `{text}`, but {other} still has the key by its old name", "any call of {function}()"),
    FORGOTTEN: ("{function}() has another name now, and {other} still calls it by its old one", "any use of {other}"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the head, by number and text."""

    path: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Label:
    """One planted defect. `head` is the first line of the function around it, `proof` what must be read beside it to be sure."""

    path: str
    line: int
    kind: str  # a key of CLASSES
    text: str  # the line as it stands, stripped
    function: str
    head: Line
    why: str
    trigger: str
    proof: tuple[Line, ...] = ()

    @property
    def scope(self) -> str:
        """Where the evidence lies, in the words of the cases."""
        if not self.proof:
            return "same-hunk"
        return "cross-file" if any(line.path != self.path for line in self.proof) else "same-file"


@dataclass(frozen=True, slots=True)
class CodeBase:
    """A code base with planted defects, as a pull request: `base` before it, `files` after it."""

    name: str
    files: Mapping[str, str]
    base: Mapping[str, str]
    labels: tuple[Label, ...]
    title: str = "A change"
    body: str = ""

    @property
    def diff(self) -> str:
        """The change as a patch."""
        return _patch(self.base, self.files)


def _patch(base: Mapping[str, str], head: Mapping[str, str]) -> str:
    """The change from one tree to the other, as a unified diff."""
    return "".join(row for path in sorted({*base, *head}) for row in _rows(path, base.get(path), head.get(path)))


def _rows(path: str, old: str | None, new: str | None) -> Iterable[str]:
    if old == new:
        return
    yield f"diff --git a/{path} b/{path}\n"
    names = (f"a/{path}" if old is not None else "/dev/null", f"b/{path}" if new is not None else "/dev/null")
    for row in difflib.unified_diff((old or "").splitlines(True), (new or "").splitlines(True), *names):  # noqa: FBT003
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
