"""Choose the unchanged lines that decide whether a change is right.

They read or define names in the changed lines. A line's score is the sum of its names' values, times a factor
for its location. A name is worth more if the change removes or assigns it, and if few files contain it. After
a line is chosen, its names are worth less, so that the room is not spent on one name. Pure functions.
"""

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, nlargest

from bot.file_kinds import irrelevant_kind
from bot.review.context import definitions, identifiers, meaning
from bot.review.context.definitions import CalledName
from bot.values import Unit
from deeprepo.impact.filetypes import family
from deeprepo.impact.text.lines import defines, is_comment, says
from deeprepo.impact.text.paths import is_code, is_product, is_test

COMMON_FILES = 200  # a name in more files than this is ignored
LINES_PER_FILE = 8  # lines with a name that are usual in a file that is about it
FADE = 0.7  # factor on a name's value after each chosen line with it
KNOWN_FILE = 0.8  # factor per line already chosen in the same file, to prefer other files
MIN_SCORE = 0.2  # minimum score of a line worth its tokens
MAX_CANDIDATES = 1_500  # lines scored per prompt
MAX_LINES = 40  # lines chosen per prompt
PER_FILE = 4
PER_TEXT = 2  # lines with the same text
A_COPY = 30  # characters; a statement or template of this length is shown once
PER_NAME = 6  # lines that contain one name and no other name from the change
MAX_ASIDE = 3  # lines in tests, and in files that decide nothing
TOLD = 1.5  # minimum distinctiveness of a name in a comment of another language
# Lines around such a comment, and in templates, statements and scripts, where blocks are not indented.
BESIDE = 2
APART = 4  # lines between two picks in one file

REACHES_IN, DEFINES, SAME_FILE, SAME_FOLDER, OTHER_LANGUAGE, IN_CONDITION = 2.0, 1.2, 1.2, 1.1, 1.6, 1.3
# Kinds of files that never decide anything about each other.
NO_REASON = frozenset({"prose", "output", "checksums", "vendored"})
IN_TEST, IN_IDLE = 0.3, 0.15  # IN_IDLE: a kind of file that usually decides nothing, but is relevant here

OTHER = re.compile(
    r"\.(html?|hbs|handlebars|mustache|jinja2?|j2|tmpl|gohtml|erb|haml|vue|svelte|twig|jelly|ya?ml|toml|properties|sql|graphql|proto|xml"
    r"|sh|tf|hcl|cfg|ini|env|prisma)$|(^|/)(Dockerfile|Makefile)",
    re.IGNORECASE,
)
DECIDES = re.compile(r"\b(?:if|elif|elsif|unless|when|while|case|match|assert)\b|&&|\|\||[=!]==?|\s\?\s")
_REACHES_IN = r"[\w\])](?<!\bself)(?<!\bthis)(?<!\bcls)\.NAME\b"
# If a class changes its shape, stored objects of it are read by code that need not name the class.
_SHAPE = re.compile(r"[ \t]*+(?:(?:export|public|final|abstract|pub|data|sealed)[ \t]++)*+(?:class|struct|record)\s")
PERSISTENCE = frozenset(
    {"pickle.load", "pickle.loads", "shelve.open", "marshal.loads", "joblib.load", "ObjectInputStream", "unserialize"}
)
Row = identifiers.Row
NO_IMPORTS: Mapping[str, Collection[str]] = {}


@dataclass(frozen=True, slots=True)
class Pick:
    """A line to show, and the names for which it was chosen, the most distinctive first."""

    path: str
    line: int
    names: tuple[str, ...]
    defines: bool  # the lines after it are more relevant than those before
    title: str = ""  # why it is shown, if the names don't explain it

    @property
    def reason(self) -> str:
        """Why the line is shown."""
        return self.title or f"{'defines' if self.defines else 'names'} {', '.join(self.names[:3])}"

    with_head: bool = False  # also show the first line of the function around it
    beside: int = 0  # also show this many lines before and after it


def together(units: Sequence[Unit]) -> dict[str, float]:
    """Return the names in changed lines, and those in which callers store results, with weights."""
    code = _code(units)
    weights = identifiers.names(code)
    if any(_SHAPE.match(diff_row.text) for unit in code for diff_row in unit.changed_rows):
        weights.update(dict.fromkeys(PERSISTENCE, identifiers.STRING))
    for name in _result_names(code):
        weights[name] = max(weights.get(name, 0.0), identifiers.IDENTIFIER)
    return {**dict.fromkeys(_namesakes(code), identifiers.IDENTIFIER), **weights}


def _code(units: Iterable[Unit]) -> list[Unit]:
    """Return the regions without tests and texts, since no code reads what those name."""
    return [unit for unit in units if is_product(unit.path)]


def _result_names(units: Iterable[Unit]) -> frozenset[str]:
    """Return the keys and attributes in which callers of changed code store the result.

    Single words are ambiguous, so `handed_on` follows those.
    """
    calls = (
        reference
        for unit in units
        for reference in unit.references
        if reference.call and reference.is_bound and not reference.test
    )
    names = (name for reference in calls for name in identifiers.stored_keys(reference.text, reference.name))
    return frozenset(name for name in names if not identifiers.single(name))


def _namesakes(units: Iterable[Unit]) -> Iterator[str]:
    """Yield the names of changed definitions, since their namesakes may have to change too."""
    for unit in units:
        name = re.sub(r"[@#]\d+$", "", unit.name).rpartition(".")[2]
        if identifiers.telling(name) and not identifiers.plain(name) and re.fullmatch(r"[\w$]+", name):
            yield name


def owners(units: Iterable[Unit]) -> frozenset[str]:
    """Return the types whose members these regions change."""
    return frozenset(owner for unit in _code(units) if (owner := _owner(unit)) and re.fullmatch(r"\w+", owner))


def _owner(unit: Unit) -> str:
    return re.sub(r"[@#]\d+$", "", unit.name).rpartition(".")[0].rpartition(".")[2]


def _of_other_types(
    rows: Mapping[str, Sequence[Row]], units: Sequence[Unit], namesakes: Collection[str]
) -> dict[str, list[Row]]:
    """Return the other definitions with the names of changed ones.

    For a member, only files that mention its type or have the same file name count.
    """
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
    """Return how distinctive a name looks. Long and compound names score highest."""
    parts = len(re.findall(r"[A-Z]?[a-z]+|[A-Z]+|\d+", name))
    return min(2.0, 0.5 * parts) + min(1.0, len(name) / 20)


def pick(
    rows: Mapping[str, Sequence[Row]],
    units: Sequence[Unit],
    shown_lines: Collection[tuple[str, int]],
    changed_paths: Iterable[str] = (),
    imports: Mapping[str, Collection[str]] = NO_IMPORTS,
) -> list[Pick]:
    """Return the best lines for these regions, chosen greedily.

    - `rows`: name -> lines that contain it
    - `shown_lines`: lines already in the prompt
    - `changed_paths`: the paths of the whole change
    - `imports`: path of a changed file -> words in its import lines
    """
    weights = together(units)
    # A line that only mentions a changed definition is a call site. Those are found by static analysis and
    # shown earlier.
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
        {irrelevant_kind(path) for path in (*changed_paths, *(unit.path for unit in units))},
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
    return list(_best_lines_first(lines, factors, worth))


class _RelatedLines:
    """Decides whether a line is related to what these regions change in meaning."""

    def __init__(
        self,
        units: Sequence[Unit],
        companions: Collection[str],
        kinds: Collection[str],
        imports: Mapping[str, Collection[str]],
    ) -> None:
        self.kinds = {*kinds} - NO_REASON
        self.companions = companions  # files that contain another, compound name from the change
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
        """Return whether a line uses what changed in meaning, or defines what is only mentioned."""
        if path not in self._idle:
            self._idle[path] = (kind := irrelevant_kind(path)) != "" and kind not in self.kinds
        if identifiers.IMPORT.match(text):
            return False
        if is_comment(text, path):
            return self._in_comment(name, path)
        if self._idle[path]:
            return name in self.decided and not re.fullmatch(r"[\w$]+", name)
        near = posixpath.dirname(path) in self.folders
        if name not in self.decided:
            return self._settles(name, path, text, near=near)
        # Elsewhere, a single word has another meaning, unless both are keys in the same folder or in a
        # template.
        if identifiers.single(name) and (name in self.said or not near):
            is_template = bool(OTHER.search(path)) and not is_test(path)  # test pages contain every word
            return (near or (is_template and name in self.said)) and name in identifiers.string_names(text)
        return not self._is_another(name, path) and (
            path in self.paths or meaning.means(name, text) or bool(OTHER.search(path))
        )

    def _settles(self, name: str, path: str, text: str, *, near: bool) -> bool:
        """Return whether a line defines what the change only mentions.

        Methods called on another object must be defined in that object's file.
        """
        calls = self.calls.get(name, ())
        if calls and all(definitions.is_of_another(call, path, self.imports.get(call.path, ())) for call in calls):
            return False
        # One language's variable may be another language's key, but a called name is defined in the same
        # language.
        other_language = family(path) not in self.suffixes
        if name in self.written and not identifiers.plain(name) and other_language:
            return True
        near |= not identifiers.single(name)
        is_near = near and is_product(path) and not (other_language and is_code(path))
        return is_near and meaning.settles(name, path, text)

    def _is_another(self, name: str, path: str) -> bool:
        """Return whether a word has another meaning in a file without other names from the change."""
        return identifiers.single(name) and bool(self.companions) and path not in {*self.paths, *self.companions}

    def _in_comment(self, name: str, path: str) -> bool:
        """Return whether a comment in another language refers to the name.

        A script that names a program's constant was written for it.
        """
        foreign = not self._idle[path] and family(path) not in self.suffixes
        return foreign and name in self.decided and distinct(name) >= TOLD


def _best_lines_first(
    lines: Mapping[tuple[str, int], tuple[str, list[str]]],
    factors: Mapping[tuple[str, int], float],
    worth: Mapping[str, float],
) -> Iterator[Pick]:
    """Yield the best line, then the best remaining line, and so on.

    Scores only decrease, so an outdated top score is computed again.
    """
    # Per kind of file, because a template shows what code does not.
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
        kind = "test" if is_test(path) else "idle" if irrelevant_kind(path) else ""
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
    """Return the pick for a line, with the names for which its label is correct."""
    if of := tuple(name for name in names if meaning.settles(name, path, text)):
        return Pick(path, line, of, defines=True)
    beside = BESIDE if is_comment(text, path) or OTHER.search(path) else 0
    return Pick(path, line, tuple(names), defines=False, beside=beside)


def _rarity(rows: Sequence[Row]) -> float:
    """Return the value of a name by the number of files that contain it.

    A name in very many lines of a few files is as common as one in many files, such as a key of a schema.
    """
    files = len({path for path, _, _ in rows})
    return 1 / math.sqrt(max(files, len(rows) / LINES_PER_FILE)) if 0 < files <= COMMON_FILES else 0.0


def _rough(path: str) -> float:
    """Return a rough factor for a path."""
    return IN_TEST if is_test(path) else OTHER_LANGUAGE if OTHER.search(path) else 1.0


def _nearness(paths: Iterable[str], changed_paths: Collection[str]) -> dict[str, float]:
    """Return the factor for each file, by its kind and its distance to the change."""
    suffixes, folders = (
        {posixpath.splitext(path)[1] for path in changed_paths},
        {posixpath.dirname(path) for path in changed_paths},
    )

    def of(path: str) -> float:
        factor = IN_IDLE if irrelevant_kind(path) else IN_TEST if is_test(path) else 1.0
        factor *= OTHER_LANGUAGE if OTHER.search(path) and posixpath.splitext(path)[1] not in suffixes else 1.0
        near = SAME_FILE if path in changed_paths else SAME_FOLDER if posixpath.dirname(path) in folders else 1.0
        return factor * near

    return {path: of(path) for path in paths}


def _factor(path: str, text: str, names: Collection[str]) -> float:
    """Return the factor for a line."""
    if any(name.startswith("_") and says(_REACHES_IN, name, text) for name in names):
        return REACHES_IN
    if any(defines(text, name, path) for name in names):
        return DEFINES
    return IN_CONDITION if DECIDES.search(text) else 1.0


def whole_names(names: Iterable[str]) -> str:
    """Return a Perl pattern for these names as whole words.

    `link-packages` does not match in `no-link-packages`.
    """
    either = "|".join(
        rf"(?<!-){re.escape(name)}(?!-\w)" if "-" in name else re.escape(name)
        for name in sorted(names, key=len, reverse=True)
    )
    return rf"(?<![\w$])(?:{either})(?![\w$])"


def by_name(rows: Iterable[Row], names: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows by each of these names that they contain as a whole word."""
    look = re.compile(whole_names(names))
    wanted_names = set(names)
    rows_by_name: dict[str, list[Row]] = defaultdict(list)
    for hit in rows:
        hits = set(look.findall(hit[2]))
        hits |= {word for word in identifiers.words(hit[2]) if word in wanted_names}
        for name in hits:
            rows_by_name[name].append(hit)
    return rows_by_name
