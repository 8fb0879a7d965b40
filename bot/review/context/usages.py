"""Which unchanged lines decide about a change: those that read or define what its changed lines name. Pure.

The score of a line is the sum of what its names are worth, times how telling its place is. A name is worth more where it is
gone or written by the change, and where few files hold it. What a line has shown is worth less on the next one, so that the room
is not spent on one name.
"""

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, nlargest

from bot.review.context import definitions, identifiers, meaning
from bot.review.context.definitions import CalledName
from bot.values import Unit
from deeprepo.impact.filetypes import family
from deeprepo.impact.text.lines import defines, is_comment, says
from deeprepo.impact.text.paths import decides_nothing, is_code, is_product, is_test

COMMON_FILES = 200  # a name in more files than this says nothing
FADE = 0.7  # what a name is worth after each line that showed it
KNOWN_FILE = 0.8  # of a line for each one that its file has shown: another file tells more
MIN_SCORE = 0.03  # score of a line that is worth its tokens
MAX_CANDIDATES = 1_500  # lines whose place is looked at for one prompt
MAX_LINES = 40  # picked for one prompt
PER_FILE = 4
PER_TEXT = 2  # lines that read the same
A_COPY = 30  # characters of a statement or a template that is shown once
PER_NAME = 6  # lines that hold one name and no other of the change
MAX_ASIDE = 3  # lines of tests, and of files that decide nothing
TOLD = 1.5  # how telling a name is that a comment of another language may name
BESIDE = (
    2  # lines before and after such a comment, and in templates, statements and scripts, where blocks are not indented
)
APART = 4  # lines between two picks of one file

REACHES_IN, DEFINES, SAME_FILE, SAME_FOLDER, OTHER_LANGUAGE, IN_CONDITION = 2.0, 1.2, 1.2, 1.1, 1.6, 1.3
# Kinds of files that say nothing about each other either.
NO_REASON = frozenset({"prose", "output", "checksums", "vendored"})
IN_TEST, IN_IDLE = 0.3, 0.15  # IN_IDLE: a kind of file that decides nothing, with a reason to be there

OTHER = re.compile(
    r"\.(html?|hbs|handlebars|mustache|jinja2?|j2|tmpl|gohtml|erb|haml|vue|svelte|twig|jelly|ya?ml|toml|properties|sql|graphql|proto|xml"
    r"|sh|tf|hcl|cfg|ini|env|prisma)$|(^|/)(Dockerfile|Makefile)",
    re.IGNORECASE,
)
DECIDES = re.compile(r"\b(?:if|elif|elsif|unless|when|while|case|match|assert)\b|&&|\|\||[=!]==?|\s\?\s")
_REACHES_IN = r"[\w\])](?<!\bself)(?<!\bthis)(?<!\bcls)\.NAME\b"
# Where the shape of a class changes, what was stored by its name or its fields is read by code that need not name it.
_SHAPE = re.compile(r"[ \t]*+(?:(?:export|public|final|abstract|pub|data|sealed)[ \t]++)*+(?:class|struct|record)\s")
PERSISTENCE = frozenset(
    {"pickle.load", "pickle.loads", "shelve.open", "marshal.loads", "joblib.load", "ObjectInputStream", "unserialize"}
)
Row = identifiers.Row
NO_IMPORTS: Mapping[str, Collection[str]] = {}


@dataclass(frozen=True, slots=True)
class Pick:
    """One line to show, and the names for which it was chosen, the most telling first."""

    path: str
    line: int
    names: tuple[str, ...]
    defines: bool  # the lines after it tell more than those before
    title: str = ""  # why it is shown, if the names do not say it

    @property
    def reason(self) -> str:
        """Why it is shown, in words that are true of the line."""
        return self.title or f"{'defines' if self.defines else 'names'} {', '.join(self.names[:3])}"

    with_head: bool = False  # the first line of the function around it is shown too
    beside: int = 0  # lines before and after it that are shown too, whatever they hold


def together(units: Sequence[Unit]) -> dict[str, float]:
    """Return the names of the units' changed lines, and what their callers store results in, with their weights."""
    code = _code(units)
    weights = identifiers.names(code)
    if any(_SHAPE.match(diff_row.text) for unit in code for diff_row in unit.changed_rows):
        weights.update(dict.fromkeys(PERSISTENCE, identifiers.STRING))
    for name in _result_names(code):
        weights[name] = max(weights.get(name, 0.0), identifiers.IDENTIFIER)
    return {**dict.fromkeys(_namesakes(code), identifiers.IDENTIFIER), **weights}


def _code(units: Iterable[Unit]) -> list[Unit]:
    """Without tests and texts: nobody reads what they name."""
    return [unit for unit in units if is_product(unit.path)]


def _result_names(units: Iterable[Unit]) -> frozenset[str]:
    """The keys and attributes in which callers of what changed keep the result. One word means too much: `handed_on` follows it."""
    calls = (
        reference
        for unit in units
        for reference in unit.references
        if reference.call and reference.sure and not reference.test
    )
    names = (name for reference in calls for name in identifiers.stored_keys(reference.text, reference.name))
    return frozenset(name for name in names if not identifiers.single(name))


def _namesakes(units: Iterable[Unit]) -> Iterator[str]:
    """The names of the changed definitions: what else has such a name may have to change with them."""
    for unit in units:
        name = re.sub(r"[@#]\d+$", "", unit.name).rpartition(".")[2]
        if identifiers.telling(name) and not identifiers.plain(name) and re.fullmatch(r"[\w$]+", name):
            yield name


def owners(units: Iterable[Unit]) -> frozenset[str]:
    """Return the types whose members the changed definitions of these units are."""
    return frozenset(owner for unit in _code(units) if (owner := _owner(unit)) and re.fullmatch(r"\w+", owner))


def _owner(unit: Unit) -> str:
    return re.sub(r"[@#]\d+$", "", unit.name).rpartition(".")[0].rpartition(".")[2]


def _of_other_types(
    rows: Mapping[str, Sequence[Row]], units: Sequence[Unit], namesakes: Collection[str]
) -> dict[str, list[Row]]:
    """The definitions that are called as changed ones are. Of a member only those in files that know its type, or are called alike."""
    definitions_by_name: dict[str, list[Row]] = {}
    file_names = {posixpath.basename(unit.path) for unit in units}
    for name in namesakes:
        types = {_owner(unit) for unit in units if name in _namesakes([unit])}
        known_in = {path for owner in types if owner for path, _, _ in rows.get(owner, ())}
        rows_of_name = [hit for hit in rows.get(name, ()) if defines(hit[2], name, hit[0])]
        is_member = "" not in types and bool(known_in)
        definitions_by_name[name] = [
            hit
            for hit in rows_of_name
            if not is_test(hit[0]) and (not is_member or hit[0] in known_in or posixpath.basename(hit[0]) in file_names)
        ]
    return definitions_by_name


def distinct(name: str) -> float:
    """Return how telling a name looks: long and compound ones first."""
    parts = len(re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name))
    return min(2.0, 0.5 * parts) + min(1.0, len(name) / 20)


def pick(
    rows: Mapping[str, Sequence[Row]],
    units: Sequence[Unit],
    shown_lines: Collection[tuple[str, int]],
    changed_paths: Iterable[str] = (),
    imports: Mapping[str, Collection[str]] = NO_IMPORTS,
) -> list[Pick]:
    """Return the best lines for these units, greedily.

    `rows`: name -> the lines that hold it; `shown_lines`: lines in the prompt already; `changed_paths`: the paths of the whole change;
    `imports`: path of a changed file -> the words of its import lines.
    """
    weights = together(units)
    # Who only mentions a changed definition is a call site: those are found by reading code, and shown before.
    code = _code(units)
    others = {*_namesakes(code)} - identifiers.names(code).keys()
    rows = {**rows, **_of_other_types(rows, code, others)}
    local_names = meaning.local_names(code)
    worth = {
        name: w
        for name in weights
        if name not in local_names and (w := weights[name] * _rarity(rows.get(name, ()))) > 0
    }
    companions = {path for name in worth if not identifiers.single(name) for path, _, _ in rows.get(name, ())}
    ours = _RelatedLines(
        code,
        companions,
        {decides_nothing(path) for path in (*changed_paths, *(unit.path for unit in units))},
        imports,
    )
    lines: dict[tuple[str, int], tuple[str, list[str]]] = {}
    for name in worth:
        for path, line, text in rows[name]:
            if (path, line) not in shown_lines and ours.is_related(name, path, text):
                lines.setdefault((path, line), (text, []))[1].append(name)
    if len(lines) > MAX_CANDIDATES:
        rough = {key: _rough(key[0]) * sum(worth[name] for name in names) for key, (_, names) in lines.items()}
        lines = {key: lines[key] for key in nlargest(MAX_CANDIDATES, lines, key=lambda key: (rough[key], key))}
    near = _nearness({path for path, _ in lines}, {unit.path for unit in units})
    factors = {key: near[key[0]] * _factor(key[0], text, names) for key, (text, names) in lines.items()}
    return list(_greedily(lines, factors, worth))


class _RelatedLines:
    """Finds the lines that are related to what these units change in meaning."""

    def __init__(
        self,
        units: Sequence[Unit],
        companions: Collection[str],
        kinds: Collection[str],
        imports: Mapping[str, Collection[str]],
    ) -> None:
        self.kinds = {*kinds} - NO_REASON
        self.companions = companions  # files that hold another, compound name of the change
        self.paths = {unit.path for unit in units}
        self.folders = {posixpath.dirname(path) for path in self.paths}
        self.suffixes = {family(path) for path in self.paths}
        self.written = {
            name
            for unit in units
            for diff_row in unit.changed_rows
            for name in identifiers.assigned_names(diff_row.text)
        }
        self.said = {
            text for unit in units for diff_row in unit.changed_rows for text in identifiers.literals(diff_row.text)
        }
        self.decided = meaning.decided_names(units) | {*_namesakes(units)} | PERSISTENCE | _result_names(units)
        self.imports = imports
        self.calls: dict[str, list[CalledName]] = defaultdict(list)
        for call in definitions.called_names(units):
            self.calls[call.name].append(call)
        self._idle: dict[str, bool] = {}

    def is_related(self, name: str, path: str, text: str) -> bool:
        """Return whether a line uses what changed in meaning, or settles what the change only mentions."""
        if path not in self._idle:
            self._idle[path] = (kind := decides_nothing(path)) != "" and kind not in self.kinds
        if identifiers.IMPORT.match(text):
            return False
        if is_comment(text, path):
            return self._in_comment(name, path)
        if self._idle[path]:
            return name in self.decided and not re.fullmatch(r"[\w$]+", name)
        near = posixpath.dirname(path) in self.folders
        if name not in self.decided:
            return self._settles(name, path, text, near=near)
        # One word means something else elsewhere, unless both are keys beside each other, or a template's.
        if identifiers.single(name) and (name in self.said or not near):
            is_template = bool(OTHER.search(path)) and not is_test(path)  # the pages of tests have every word
            return (near or (is_template and name in self.said)) and name in identifiers.string_names(text)
        return not self._is_another(name, path) and (
            path in self.paths or meaning.means(name, text) or bool(OTHER.search(path))
        )

    def _settles(self, name: str, path: str, text: str, *, near: bool) -> bool:
        """Whether a line defines what the change only mentions. What it calls on somebody else's object is defined there."""
        calls = self.calls.get(name, ())
        if calls and all(definitions.is_of_another(call, path, self.imports.get(call.path, ())) for call in calls):
            return False
        # What one language calls a variable may be a key for another; what it calls is defined in the same language.
        other_language = family(path) not in self.suffixes
        if name in self.written and not identifiers.plain(name) and other_language:
            return True
        near |= not identifiers.single(name)
        is_near = near and is_product(path) and not (other_language and is_code(path))
        return is_near and meaning.settles(name, path, text)

    def _is_another(self, name: str, path: str) -> bool:
        """Whether a word is known to be another thing there: the file knows nothing else of the change."""
        return identifiers.single(name) and bool(self.companions) and path not in {*self.paths, *self.companions}

    def _in_comment(self, name: str, path: str) -> bool:
        """Whether a comment tells of the name: a script that names a constant of the program was written for it."""
        foreign = not self._idle[path] and family(path) not in self.suffixes
        return foreign and name in self.decided and distinct(name) >= TOLD


def _greedily(
    lines: Mapping[tuple[str, int], tuple[str, list[str]]],
    factors: Mapping[tuple[str, int], float],
    worth: Mapping[str, float],
) -> Iterator[Pick]:
    """The best line, then the best of the others, and so on. Scores only sink, so that a stale one is looked at again on top."""
    # By kind of file, because a template shows what code does not.
    fading: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    lines_by_path: dict[str, list[int]] = defaultdict(list)
    alone, aside, texts = Counter[str](), Counter[str](), Counter[str]()

    def score(key: tuple[str, int]) -> float:
        kind = posixpath.splitext(key[0])[1]
        worths = sum(worth[name] * fading[name, kind] for name in lines[key][1])
        return factors[key] * KNOWN_FILE ** len(lines_by_path[key[0]]) * worths

    heap = [(-score(key), key) for key in lines]
    heapify(heap)
    while heap and sum(map(len, lines_by_path.values())) < MAX_LINES:
        _, key = heappop(heap)
        path, line = key
        if len(lines_by_path[path]) >= PER_FILE or any(abs(line - other) <= APART for other in lines_by_path[path]):
            continue
        now = score(key)
        if heap and now < -heap[0][0]:
            heappush(heap, (-now, key))
            continue
        if now < MIN_SCORE:
            return
        text, names = lines[key]
        kind = "test" if is_test(path) else "idle" if decides_nothing(path) else ""
        texts[text.strip()] += PER_TEXT if len(text.strip()) >= A_COPY and OTHER.search(path) else 1
        if (len(names) == 1 and alone[names[0]] >= PER_NAME) or (kind and aside[kind] >= MAX_ASIDE):
            continue
        if texts[text.strip()] > PER_TEXT:
            continue
        alone.update(names if len(names) == 1 else ())
        aside[kind] += 1
        lines_by_path[path].append(line)
        for name in names:
            fading[name, posixpath.splitext(path)[1]] *= FADE
        yield _pick(path, line, text, sorted(names, key=lambda name: -worth[name]))


def _pick(path: str, line: int, text: str, names: Sequence[str]) -> Pick:
    """The pick of a line, under the names for which its label is true."""
    if of := tuple(name for name in names if meaning.settles(name, path, text)):
        return Pick(path, line, of, defines=True)
    beside = BESIDE if is_comment(text, path) or OTHER.search(path) else 0
    return Pick(path, line, tuple(names), defines=False, beside=beside)


def _rarity(rows: Sequence[Row]) -> float:
    """How much a name tells by the number of files that hold it."""
    files = len({path for path, _, _ in rows})
    return 1 / math.sqrt(files) if 0 < files <= COMMON_FILES else 0.0


def _rough(path: str) -> float:
    """How telling a path is, at a glance."""
    return IN_TEST if is_test(path) else OTHER_LANGUAGE if OTHER.search(path) else 1.0


def _nearness(paths: Iterable[str], changed_paths: Collection[str]) -> dict[str, float]:
    """How telling each file is: of which kind it is, and how far from what changed."""
    suffixes, folders = (
        {posixpath.splitext(path)[1] for path in changed_paths},
        {posixpath.dirname(path) for path in changed_paths},
    )

    def of(path: str) -> float:
        factor = IN_IDLE if decides_nothing(path) else IN_TEST if is_test(path) else 1.0
        factor *= OTHER_LANGUAGE if OTHER.search(path) and posixpath.splitext(path)[1] not in suffixes else 1.0
        near = SAME_FILE if path in changed_paths else SAME_FOLDER if posixpath.dirname(path) in folders else 1.0
        return factor * near

    return {path: of(path) for path in paths}


def _factor(path: str, text: str, names: Collection[str]) -> float:
    """How telling a line is."""
    if any(name.startswith("_") and says(_REACHES_IN, name, text) for name in names):
        return REACHES_IN
    if any(defines(text, name, path) for name in names):
        return DEFINES
    return IN_CONDITION if DECIDES.search(text) else 1.0


def whole_names(names: Iterable[str]) -> str:
    """Return a Perl pattern for these names as whole words; `link-packages` does not occur in `no-link-packages`."""
    either = "|".join(
        rf"(?<!-){re.escape(name)}(?!-\w)" if "-" in name else re.escape(name)
        for name in sorted(names, key=len, reverse=True)
    )
    return rf"(?<![\w$])(?:{either})(?![\w$])"


def by_name(rows: Iterable[Row], names: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows under each of the names that is in them as a whole word."""
    look = re.compile(whole_names(names))
    wanted_names = set(names)
    rows_by_name: dict[str, list[Row]] = defaultdict(list)
    for hit in rows:
        hits = set(look.findall(hit[2]))
        hits |= {word for word in identifiers.words(hit[2]) if word in wanted_names}
        for name in hits:
            rows_by_name[name].append(hit)
    return rows_by_name
