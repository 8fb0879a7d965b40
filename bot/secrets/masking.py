"""Hide secrets: models get placeholders, and people see only the first characters.

A placeholder is a word, and a secret has the same placeholder in every prompt. Text of a model is never restored:
its quotes, patterns and paths are compared with the masked tree. Only an answer about the caller's own texts is
restored for the caller. Fields that are not free text, such as paths, names and states, are declared as
`Exact[str]` and stay unchanged.

Only two modules use this one: `bot/checkout/views.py`, which shows code to models, and `bot/review/written.py`,
which handles all output.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from enum import Enum
from functools import partial
from itertools import takewhile
from operator import is_
from typing import Any, TypeVar

from bot.secrets import patterns
from bot.secrets.detect import secrets
from bot.values import ChangedFile, Finding, PlacedFinding
from bot.values.finding import MASK, PLACEHOLDER
from deeprepo.impact import structs
from deeprepo.impact.kept import Kept
from deeprepo.rlm.values import EXACT, Message, Prompt

SHOWN_CHARS = 4  # characters by which the author recognizes a secret; only shown if it is three times as long
MIN_SECRET = 6  # characters
FEW = 100  # up to this number of beginnings and ends of secrets, each is searched for separately
DISTINCTIVE_CHARS = 12  # characters from a secret's start or end that are enough to recognize it
CACHE_BYTES = 32 << 20  # of masked files
LONG = 16  # characters; a secret with at least this length is also masked inside a longer word

_WORD = re.compile(r"[^\s\"'`,;:=@<>()\[\]{}]{6,}")  # at least MIN_SECRET characters
_BREAK = re.compile(r"\\[nrt]")  # as written in a string literal

Value = TypeVar("Value")
LINES = re.compile(r"[\d:,-]*+")  # after a path
DIGITS = 5  # hexadecimal digits in a placeholder; too few to verify a guess of the secret
NOTE = (
    "\n\n[A word such as MASKED_SECRET_0a1b2 stands for a secret of the repository. "
    "Quote such lines as they are shown here, and write no placeholder into code.]"
)


def mask_findings(value: Value, findings: Iterable[Finding]) -> Value:
    """Return the value with all secrets masked that these findings quote."""
    quotes = {
        (path, line)
        for finding in findings
        if finding.category == "secret"
        for path, quote in ((finding.path, finding.quote), *((item.path, item.quote) for item in finding.evidence))
        for line in _BREAK.sub("\n", quote).split("\n")
    }
    return mask_values(value, {value for path, line in quotes for value in _values(path, line)})


def paths(value: Value, names: Iterable[str]) -> Value:
    """Return the value with all tokens masked that these file names contain, also in `Exact` fields."""
    tokens = tokens_of("\n".join(names))
    if not tokens:
        return value
    masked: Value = map_texts(value, partial(_Index(tokens).replaced, stand_in=mask), with_exact=True)
    return masked


def tokens_of(text: str) -> frozenset[str]:
    """Return the tokens with a known form in a text."""
    lines = text.split("\n")
    hits = (hit for number in patterns.promising_lines(lines) for hit in patterns.hits(lines[number], quotes=True))
    return frozenset(hit.value for hit in hits if hit.exact and hit.rule != patterns.KEY)


def mask_values(value: Value, secrets: Collection[str]) -> Value:
    """Return the value with these secrets masked in all its texts."""
    masked: Value = map_texts(value, partial(_Index(secrets).replaced, stand_in=mask)) if secrets else value
    return masked


def is_exempt(item: "Field[Any]") -> bool:
    """Return whether a field is not free text and therefore never masked."""
    return EXACT in getattr(item.type, "__metadata__", ())


def mask(secret: str) -> str:
    """Return a secret's first characters if it is long enough, followed by the mask."""
    return f"{secret[:SHOWN_CHARS]}{MASK}" if len(secret) >= 3 * SHOWN_CHARS else MASK


def distinctive_parts(secret: str) -> tuple[str, ...]:
    """Return the start, and the end of a long secret. Where it is masked in a text, one of them occurs."""
    return (secret[:DISTINCTIVE_CHARS], *([secret[-DISTINCTIVE_CHARS:]] if len(secret) >= LONG else ()))


def _extent(secret: str, text: str) -> int:
    """Return how much of a text to mask that begins like a secret and is not longer.

    What follows up to a space or quote is masked even if it differs from the secret. Otherwise, the mask would
    tell the author of the text how much of it is right.
    """
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(secret, text, strict=False)))
    return max(same, len(re.split(r"[\s\"'`]", text, maxsplit=1)[0]))


class _Index:
    """Finds secrets in texts. With many secrets, the time depends only on the text.

    A short secret only counts as a whole word. The start or end of a long secret also counts, because the
    rest may have been cut off.
    """

    def __init__(self, secrets: Collection[str]) -> None:
        self._size = min((MIN_SECRET, *map(len, secrets)))  # characters of a key
        self._starting, self._ending = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
        for secret in secrets:
            self._starting[secret[: self._size]].append(secret)
            if len(secret) >= LONG:
                self._ending[secret[-self._size :]].append(secret)
        self._keys = self._starting.keys() | self._ending.keys()

    def replaced(self, text: str, stand_in: Callable[[str], str]) -> str:
        """Return the text with each secret replaced by what `stand_in` returns for it. Overlapping ones count as one."""
        pieces, end = [], 0
        for start, stop in _joined(sorted(self._places(text))):
            pieces += [text[end:start], stand_in(text[start:stop])]
            end = stop
        return "".join([*pieces, text[end:]]) if pieces else text

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        for at in self._hits(text):
            key = text[at : at + self._size]
            for secret in self._starting.get(key, ()):
                if len(secret) < LONG:
                    if text.startswith(secret, at) and _is_word(secret, text, at):
                        yield at, at + len(secret)
                elif text.startswith(secret[:DISTINCTIVE_CHARS], at):
                    yield at, at + _extent(secret, text[at : at + len(secret)])
            for secret in self._ending.get(key, ()):
                end = at + self._size
                if text.endswith(secret[-DISTINCTIVE_CHARS:], 0, end):
                    yield end - _extent(secret[::-1], text[max(0, end - len(secret)) : end][::-1]), end

    def _hits(self, text: str) -> Iterable[int]:
        """Return where a secret may begin, or its last characters."""
        if len(self._keys) > FEW:
            return [at for at in range(len(text) - self._size + 1) if text[at : at + self._size] in self._keys]
        return (at for key in self._keys if key in text for at in _occurrences(key, text))


def _joined(places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in places:
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _occurrences(part: str, text: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _is_word(secret: str, text: str, at: int) -> bool:
    """Return whether a secret that begins or ends with a letter or digit is no part of a longer word."""
    around = (secret[0], text[at - 1 : at]), (secret[-1], text[at + len(secret) : at + len(secret) + 1])
    return not any(own.isalnum() and (beside.isalnum() or beside == "_") for own, beside in around)


def texts(value: object) -> list[str]:
    """Return all texts inside a value that may contain a secret."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    map_texts(value, note)
    return found


def _values(path: str, line: str) -> set[str]:
    """Return the secrets in a line that a finding quotes.

    If the secrets check finds none in this line, all words with a digit or a mask count.
    """
    quotes = patterns.has_quotes(path)
    for text in filter(None, (line, patterns.joined("password =", line))):  # a value may have its name above it
        known_values = {hit.value for hit in patterns.hits(text, quotes=quotes) if hit.rule != patterns.KEY}
        if known_values:
            return known_values
    return {word for word in _WORD.findall(line) if any(map(str.isdigit, word)) or MASK in word}


def map_texts(value: Any, change: Callable[[str], str], *, with_exact: bool = False) -> Any:  # noqa: ANN401, PLR0911 - any value, and one of the same type; one return for each form
    """Return the value with `change` applied to all texts in containers, dataclasses and structs.

    `Exact` fields are only included with `with_exact`.
    """
    again = partial(map_texts, change=change, with_exact=with_exact)
    if isinstance(value, str) and not isinstance(value, Enum):
        return change(value)
    if isinstance(value, tuple):
        items = tuple(again(item) for item in value)
        return value if all(map(is_, items, value)) else items
    if isinstance(value, list):
        return [again(item) for item in value]
    if isinstance(value, Mapping):
        return {name: again(item) for name, item in value.items()}
    if isinstance(value, structs.Struct):  # none of their fields is exempt
        held = {name: (getattr(value, name), again(getattr(value, name))) for name in value.__struct_fields__}
        new = {name: now for name, (before, now) in held.items() if now is not before}
        return structs.replace(value, **new) if new else value  # type: ignore[type-var]  # its own fields
    if is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in fields(value) if item.init and (with_exact or not is_exempt(item))]
        parts = {name: (getattr(value, name), again(getattr(value, name))) for name in names}
        changed = {name: now for name, (before, now) in parts.items() if now is not before}
        return _without_commit(value, replace(value, **changed)) if changed else value
    return value


def _without_commit(before: Any, after: Any) -> Any:  # noqa: ANN401
    """Return the masked value `after`. If it is a finding whose fix now contains a mask, drop the fix.

    A finding with a masked path is no longer shown on lines, because the path doesn't exist.
    """
    if (
        isinstance(before, PlacedFinding)
        and before.finding is not after.finding
        and before.finding.path != after.finding.path
    ):
        return replace(after, place="outside", spot=None, replacement=None)
    if isinstance(before, PlacedFinding) and before.replacement != after.replacement:
        return replace(after, replacement=None, refused="secret")
    return after


class Masks:
    """The secrets that one review has found."""

    def __init__(self) -> None:
        self._placeholders: dict[str, str] = {}
        self._secrets: dict[str, str] = {}
        self._values: dict[str, bool] = {}  # each secret, and whether it is certain
        self._paths: tuple[Collection[str], ...] = ()
        self._index: tuple[int, _Index] | None = None  # of so many values
        self._blobs: Kept[tuple[str, int], bytes] = Kept(CACHE_BYTES)  # masked files by object ID and number of values

    def __repr__(self) -> str:
        """Return the number of secrets, without any of them."""
        return f"Masks({len(self._values)})"

    def exclude_paths(self, *sides: Collection[str]) -> None:
        """Never treat these paths as secrets, so that `api_key: src/oauth2/api_key.rs:85` stays readable."""
        self._paths = sides

    def learn(self, text: str, path: str = "") -> None:
        """Add the secrets in a text."""
        for value, sure in secrets(text, path):
            if not self._is_place(value):
                self._values[value] = self._values.get(value, False) or sure

    def _is_place(self, value: str) -> bool:
        """Return whether a value is a known path, with or without line numbers.

        `deploy:PASSWORD` is not, even if there is a file called `deploy`.
        """
        path, _, lines = value.partition(":")
        return LINES.fullmatch(lines) is not None and any(path in side for side in self._paths)

    def learn_values(self, values: Iterable[str]) -> None:
        """Add values that are known to be secrets."""
        self._values |= dict.fromkeys(values, True)

    def learn_change(self, files: Iterable[ChangedFile]) -> None:
        """Add the secrets on both sides of a change."""
        for file in files:
            if file.skip:
                continue
            rows = [line for hunk in file.hunks for line in hunk.lines]
            for kinds in (" +", " -"):
                self.learn("\n".join(line.text for line in rows if line.kind in kinds), file.path)

    def learn_files(self, *sides: Mapping[str, str]) -> None:
        """Add the secrets in whole files, because an excerpt may not show what marks a value as secret."""
        for texts_of_side in sides:
            for path, text in texts_of_side.items():
                self.learn(text, path)

    def hide(self, value: Value) -> Value:
        """Return the value with each secret in its texts replaced by a placeholder."""
        for text in texts(value):
            self.learn(text)
        return self._hide(value)

    def hide_known(self, text: str) -> str:
        """Return the text with each known secret replaced by a placeholder."""
        return self._text(text) if self._values else text

    def hide_blob(self, oid: str, blob: bytes) -> bytes:
        """Return a file's content with each known secret replaced by a placeholder."""
        key = oid, len(self._values)
        hidden = self._blobs.get(key)
        if hidden is None:
            text = self.hide_known(blob.decode("utf-8", "surrogateescape"))
            hidden = text.encode("utf-8", "surrogateescape")
            self._blobs.put(key, hidden, len(hidden))
        return hidden

    def distinctive_parts(self) -> frozenset[str]:
        """Return parts of the known secrets. A text that contains none of them is never masked."""
        return frozenset(part for secret in self._values for part in distinctive_parts(secret))

    def prompts(self, prompts: Iterable[Prompt]) -> list[Prompt]:
        """Return the prompts with placeholders.

        First, all of them are searched, because a secret that is found in one may also occur in another.
        """
        requests = list(prompts)
        for one in requests:
            for message in one.messages:
                self.learn(message.text)
                for call in message.calls:
                    for text in texts([call.unparsed_arguments, dict(call.arguments)]):
                        self.learn(text)
        # A prompt may contain a placeholder from a record, whose secret is unknown.
        return [replace(request, messages=tuple(map(self._message, request.messages))) for request in requests]

    def show(self, value: Value) -> Value:
        """Return the value with each placeholder replaced by its secret."""
        real: Value = map_texts(value, lambda text: PLACEHOLDER.sub(lambda at: self._secrets.get(at[0], at[0]), text))
        return real

    def cover(self, value: Value, *, guesses: bool = False) -> Value:
        """Return the value for output, with each secret cut to its first characters.

        With `guesses`, values that are not certain to be secrets are also masked.
        """
        return mask_values(value, {text for text, sure in self._values.items() if sure or guesses})

    def _message(self, message: Message) -> Message:
        text = self._text(message.text)
        calls = tuple(
            replace(
                call, arguments=self._hide(dict(call.arguments)), unparsed_arguments=self._text(call.unparsed_arguments)
            )
            for call in message.calls
        )
        has_note = message.role in {"user", "tool"} and PLACEHOLDER.search(text) and not text.endswith(NOTE)
        return replace(message, text=text + NOTE if has_note else text, calls=calls)

    def _hide(self, value: Value) -> Value:
        return map_texts(value, self._text) if self._values else value

    def _text(self, text: str) -> str:
        if self._index is None or self._index[0] < len(self._values):
            self._index = len(self._values), _Index(self._values)
        return self._index[1].replaced(text, self._placeholder)

    def _placeholder(self, secret: str) -> str:
        if secret not in self._placeholders:
            name, further = (first := f"MASKED_SECRET_{digest(secret)}"), 1
            while name in self._secrets:
                further += 1
                name = f"{first}_{further}"
            self._placeholders[secret], self._secrets[name] = name, secret
        return self._placeholders[secret]


def digest(secret: str) -> str:
    """Return the digits of a placeholder, which are too few to identify the secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
