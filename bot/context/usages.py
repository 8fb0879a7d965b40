"""Which unchanged lines decide about a change: those that read or define what its changed lines name. Pure.

The score of a line is the sum of what its names are worth, times how telling its place is. A name is worth more where it is
gone or written by the change, where few files hold it, and where the repository itself gives it a meaning: `setdefault` is
everywhere and nobody's. What a line has shown is worth less on the next one, so that the room is not spent on one name.
"""

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest

from bot.context import identifiers, meaning
from bot.text.filetypes import family
from bot.text.lines import defines, is_comment, says
from bot.text.paths import decides_nothing, is_code, is_product
from bot.values import Unit

COMMON_FILES = 200  # a name in more files than this says nothing
FOREIGN = 0.15  # of a name that the repository neither defines nor writes
FADE = 0.7  # what a name is worth after each line that showed it
KNOWN_FILE = 0.8  # of a line for each one that its file has shown: another file tells more
LEAST = 0.03  # score of a line that is worth its tokens
MAX_CANDIDATES, MAX_LINES = 1_500, 24  # lines that are compared with each other, and picked, for one prompt
PER_FILE = 4
PER_TEXT = 2  # lines that read the same
BESIDE = 2  # lines before and after one of a template, a statement or a script, where blocks are not indented
APART = 4  # lines between two picks of one file
REACHES_IN, DEFINES, SAME_FILE, SAME_FOLDER, OTHER_LANGUAGE, IN_CONDITION, IDLE = 2.0, 1.2, 1.2, 1.1, 1.6, 1.3, 0.15

OTHER = re.compile(
    r"\.(html?|hbs|handlebars|mustache|jinja2?|j2|tmpl|gohtml|erb|haml|vue|svelte|twig|jelly|ya?ml|toml|properties|sql|graphql|proto|xml"
    r"|sh|tf|hcl|cfg|ini|env|prisma)$|(^|/)(Dockerfile|Makefile)",
    re.IGNORECASE,
)
DECIDES = re.compile(r"\b(?:if|elif|elsif|unless|when|while|case|match|assert)\b|&&|\|\||[=!]==?|\s\?\s")
_WRITES = r"\bNAME[\"'\])]*\s*(?::[^=:]{0,40})?=(?![=>~])|[\"']?\bNAME[\"']?\s*:(?!:)"
_REACHES_IN = r"[\w\])](?<!\bself)(?<!\bthis)(?<!\bcls)\.NAME\b"
_SIGNED = re.compile(r"[@#]\d+$")
Row = identifiers.Row
Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Pick:
    """One line to show, and the names for which it was chosen, the most telling first."""

    path: str
    line: int
    names: tuple[str, ...]
    defines: bool  # the lines after it tell more than those before
    title: str = ""  # why it is shown, if the names do not say it
    with_head: bool = False  # the first line of the function around it is shown too
    beside: int = 0  # lines before and after it that are shown too, whatever they hold

    @property
    def reason(self) -> str:
        """Why it is shown, in words that are true of the line."""
        return self.title or f"{'defines' if self.defines else 'names'} {', '.join(self.names[:3])}"


def together(units: Sequence[Unit]) -> dict[str, float]:
    """The names of the units' changed lines and of the definitions that they change, with their weights."""
    code = _code(units)
    return {**dict.fromkeys(_namesakes(code), identifiers.IDENTIFIER), **identifiers.names(code)}


def _code(units: Iterable[Unit]) -> list[Unit]:
    """Without tests and texts: nobody reads what they name."""
    return [unit for unit in units if is_product(unit.path)]


def _namesakes(units: Iterable[Unit]) -> Iterator[str]:
    """The names of the changed definitions: what else has such a name may have to change with them."""
    for unit in units:
        name = _SIGNED.sub("", unit.name).rpartition(".")[2]
        if identifiers.telling(name) and not identifiers.plain(name) and re.fullmatch(r"[\w$]+", name):
            yield name


def distinct(name: str) -> float:
    """How telling a name looks: long and compound ones first."""
    parts = len(re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name))
    return min(2.0, 0.5 * parts) + min(1.0, len(name) / 20)


def pick(rows: Mapping[str, Sequence[Row]], units: Sequence[Unit], shown_lines: Collection[Place]) -> list[Pick]:
    """The best lines for these units, greedily.

    `rows`: name -> the lines that hold it; `shown_lines`: lines in the prompt already.
    """
    code = _code(units)
    weights = together(code)
    # Who only mentions a changed definition is a call site: those are found by reading code, and shown before.
    called = {*_namesakes(code)} - identifiers.names(code).keys()
    rows = {**rows, **{name: [row for row in rows.get(name, ()) if defines(row[2], name, row[0])] for name in called}}
    changed_texts = [row.text for unit in units for row in unit.changed_rows]
    own = {text for line in changed_texts for text in (*identifiers.literals(line), *identifiers.assigned_names(line))}
    surroundings = _Surroundings(code)
    worth = {
        name: value for name, weight in weights.items() if (value := weight * _value(name, rows.get(name, ()), own))
    }
    lines: dict[Place, tuple[str, list[str]]] = {}
    for name in sorted(worth, key=lambda name: (-worth[name], name)):
        for path, line, text in rows[name]:
            if (path, line) not in shown_lines and surroundings.tell(name, path, text):
                lines.setdefault((path, line), (text, []))[1].append(name)
    factors = {key: surroundings.factor(key[0], *lines[key]) for key in lines}
    return list(_greedily(lines, factors, worth))


class _Surroundings:
    """What tells whether a line is about what these units change."""

    def __init__(self, units: Sequence[Unit]) -> None:
        changed_texts = [row.text for unit in units for row in unit.changed_rows]
        self.paths = {unit.path for unit in units}
        self.folders = {posixpath.dirname(path) for path in self.paths}
        self.families = {family(path) for path in self.paths}
        self.written = {name for text in changed_texts for name in identifiers.assigned_names(text)}
        self.said = {name for text in changed_texts for name in identifiers.literals(text)}
        self.decided = meaning.decided_names(units) | {*_namesakes(units)}

    def tell(self, name: str, path: str, text: str) -> bool:
        """Whether a line uses what changed in meaning, or settles what the change only mentions."""
        if not is_product(path) or identifiers.IMPORT.match(text) or is_comment(text, path):
            return False
        if decides_nothing(path):
            return name in self.decided and not re.fullmatch(r"[\w$]+", name)
        near = posixpath.dirname(path) in self.folders
        if name not in self.decided:
            return self._settles(name, path, text, near=near)
        # One word means something else elsewhere, unless both are keys beside each other, or a template's.
        if identifiers.single(name) and (name in self.said or not near):
            is_template = bool(OTHER.search(path)) and name in self.said
            return (near or is_template) and name in identifiers.string_names(text)
        return path in self.paths or meaning.means(name, text) or bool(OTHER.search(path))

    def _settles(self, name: str, path: str, text: str, *, near: bool) -> bool:
        """Whether a line defines what the change only mentions."""
        # What one language calls a variable may be a key for another; what it calls is defined in the same language.
        other_language = family(path) not in self.families
        if name in self.written and not identifiers.plain(name) and other_language:
            return True
        is_near = near or not identifiers.single(name)
        return is_near and not (other_language and is_code(path)) and meaning.settles(name, path, text)

    def factor(self, path: str, text: str, names: Collection[str]) -> float:
        """How telling a line and its place are."""
        near = SAME_FILE if path in self.paths else SAME_FOLDER if posixpath.dirname(path) in self.folders else 1.0
        near *= OTHER_LANGUAGE if OTHER.search(path) and family(path) not in self.families else 1.0
        near *= IDLE if decides_nothing(path) else 1.0
        if any(name.startswith("_") and says(_REACHES_IN, name, text) for name in names):
            return near * REACHES_IN
        if any(defines(text, name, path) for name in names):
            return near * DEFINES
        return near * (IN_CONDITION if DECIDES.search(text) else 1.0)


def _greedily(
    lines: Mapping[Place, tuple[str, list[str]]], factors: Mapping[Place, float], worth: Mapping[str, float]
) -> Iterator[Pick]:
    """The best line, then the best of the others, and so on."""
    # By kind of file, because a template shows what code does not.
    fading: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    lines_by_path: dict[str, list[int]] = defaultdict(list)
    texts = Counter[str]()

    def score(place: Place) -> float:
        kind = posixpath.splitext(place[0])[1]
        worths = sum(worth[name] * fading[name, kind] for name in lines[place][1])
        return factors[place] * KNOWN_FILE ** len(lines_by_path[place[0]]) * worths

    left = set(nlargest(MAX_CANDIDATES, lines, key=lambda place: (score(place), place)))
    for _ in range(MAX_LINES):
        best = max(left, key=lambda place: (score(place), place), default=None)
        if best is None or score(best) < LEAST:
            return
        (path, line), (text, names) = best, lines[best]
        yield _pick(path, line, text, names)
        lines_by_path[path].append(line)
        texts[text.strip()] += 1
        for name in names:
            fading[name, posixpath.splitext(path)[1]] *= FADE
        is_full = len(lines_by_path[path]) >= PER_FILE
        left -= {one for one in left if one[0] == path and (is_full or abs(one[1] - line) <= APART)}
        if texts[text.strip()] >= PER_TEXT:
            left -= {one for one in left if lines[one][0].strip() == text.strip()}


def _pick(path: str, line: int, text: str, names: Sequence[str]) -> Pick:
    """The pick of a line, under the names for which its label is true."""
    if of := tuple(name for name in names if meaning.settles(name, path, text)):
        return Pick(path, line, of, defines=True)
    return Pick(path, line, tuple(names), defines=False, beside=BESIDE if OTHER.search(path) else 0)


def _value(name: str, rows: Sequence[Row], own: Collection[str]) -> float:
    """How much a name tells: rare before common, the repository's own before a library's."""
    files = len({path for path, _, _ in rows})
    if not files or files > COMMON_FILES:
        return 0.0
    is_ours = (
        name in own
        or not re.fullmatch(r"[\w$]+", name)
        or any(defines(text, name, path) or says(_WRITES, name, text) for path, _, text in rows)
    )
    return (1.0 if is_ours else FOREIGN) / math.sqrt(files)


def whole_names(names: Iterable[str]) -> str:
    """A Perl pattern for these names as whole words; `link-packages` does not occur in `no-link-packages`."""
    either = "|".join(
        rf"(?<!-){re.escape(name)}(?!-\w)" if "-" in name else re.escape(name)
        for name in sorted(names, key=len, reverse=True)
    )
    return rf"(?<![\w$])(?:{either})(?![\w$])"


def by_name(rows: Iterable[Row], names: Sequence[str]) -> dict[str, list[Row]]:
    """The rows under each of the names that is in them as a whole word."""
    look = re.compile(whole_names(names))
    wanted_names = set(names)
    rows_by_name: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        hits = set(look.findall(row[2]))
        hits |= {word for word in identifiers.words(row[2]) if word in wanted_names}
        for name in hits:
            rows_by_name[name].append(row)
    return rows_by_name
