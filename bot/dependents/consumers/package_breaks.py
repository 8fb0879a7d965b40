"""What breaks in the code of a consumer that takes a package: both trees are joined, and its uses compared as within one repository."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.checkout import Checkout
from bot.dependents.consumers import words
from bot.dependents.consumers.offered_change import OfferedChange, is_aside
from bot.dependents.consumers.overlay import MountedTree, OverlayTree, mount_of
from bot.dependents.consumers.schema_uses import breaks_of
from bot.ports import Analyzer
from bot.values import (
    ChangedFile,
    Dependents,
    DiffRow,
    Evidence,
    Excerpt,
    Finding,
    Reference,
    Source,
    less_severe,
)
from bot.values.consumer import Clone, ConsumerImpact, ConsumerReport, label
from bot.values.finding import BREAKS, MAY_BREAK
from impact.filetypes import has_common_name
from impact.packages import Package, Requirement
from impact.ports import Language, Linking, Tree
from impact.text.lines import file_lines
from impact.uses.budget import SearchLimits
from impact.uses.find import find
from impact.uses.packages import form, holding
from impact.uses.sites import MODULE

EXCERPTS = 40  # uses of a consumer that models are shown
AROUND = 3  # lines around each
LONG_LINE = 300  # characters of one
PLACES = 12  # lines of one consumer that a finding quotes
LIMITS = SearchLimits(sites=200, seconds=6.0)
PRIVATE = re.compile(r"_(?!_)|#")  # the beginning of a name that is nobody else's contract
INSIDE = ("unit", "folder", "file")  # visibilities that end where the repository does
OFFERS = re.compile(r"^\s*(?:export\b|pub\b|from\b|import\b|use\b|require\b|__all__\b|autoload\b|module\.exports)")


async def package_breaks(
    change: OfferedChange,
    consumer: Clone,
    tree: Checkout,
    languages: Mapping[str, Language],
    contracts: Analyzer,
    report: ConsumerReport,
) -> ConsumerImpact:
    """What breaks in the code that takes a package of the product."""
    takes = report.takes
    asked = {name: languages[name] for name in dict.fromkeys(row.language for row in takes)}
    files = [file for file in change.files if _hits(change, file, asked)]
    if not files:
        return ConsumerImpact((report,))
    joined = _joined(change, consumer, tree, asked, takes)
    found = await find(joined, files, asked, LIMITS)
    users = await _of_consumer(joined, found, change)
    judged = await contracts.check(joined, files, users)
    theirs = [one for one in judged.findings if joined.inside(one.path) is not None]
    findings = []
    for one in theirs:
        at = await _anchor(joined, users, one)
        package = holding(change.packages, at.path)
        taken_as = next((row for row in takes if package is not None and row.name == package.name), takes[0])
        findings.append(_finding(at, one, consumer, taken_as, joined))
    uses = _uses(users)
    partly = [*tree.stopped_searches, *found.missed_uses]
    report = replace(
        report,
        state="unread" if partly else "checked",
        reason=f"it was looked at in part: {words.sentence(partly[0])}" if partly else "",
        uses=len({(row.path, row.line) for row in uses}),
    )
    shown = () if consumer.settings else await _excerpts(joined, consumer, uses)
    return ConsumerImpact((report,), tuple(findings), excerpts=shown)


async def _excerpts(
    overlay: OverlayTree, consumer: Clone, rows: Sequence[Reference]
) -> tuple[tuple[str, Excerpt], ...]:
    """The lines around the first uses, marked with their repository. Clones that only the settings name are shown to no model."""
    chosen = sorted(rows, key=lambda row: (row.test, row.form == "import", row.path, row.line))[:EXCERPTS]
    texts = dict(await overlay.read_many([row.path for row in chosen]))
    found = []
    for row in chosen:
        lines = file_lines(texts.get(row.path, b""))
        first, last = max(1, row.line - AROUND), min(len(lines), row.line + AROUND)
        numbered = tuple(DiffRow("", lines[at - 1].rstrip("\r")[:LONG_LINE], at) for at in range(first, last + 1))
        path = label(consumer.name, overlay.inside(row.path) or row.path)
        title = f"uses {row.name}, in the repository {consumer.name}, which uses this one"
        found.append((row.symbol, Excerpt(path, first, last, numbered, title=title)))
    return tuple(found)


def _hits(change: OfferedChange, file: ChangedFile, languages: Mapping[str, Language]) -> bool:
    """Whether a changed file can matter to users of these languages: a contract changed in it, or what it hands on."""
    paths = {path for path in (file.path, file.old_path) if path}
    suffixes = tuple(suffix for language in languages.values() for suffix in language.SUFFIXES)
    contracts = [one for item in change.dependents.symbols if item.contract for one in (item.before, item.after)]
    return any(path.endswith(suffixes) for path in paths) and (
        file.status in ("deleted", "renamed")
        or any(one is not None and one.path in paths for one in contracts)
        or any(line.kind != " " and OFFERS.match(line.text) for hunk in file.hunks for line in hunk.lines)
    )


def _joined(
    change: OfferedChange,
    consumer: Clone,
    tree: Tree,
    languages: Mapping[str, Language],
    takes: Sequence[Requirement],
) -> OverlayTree:
    """Both trees as one, in which the imports of the consumer mean the packages of the product."""
    mount = mount_of(consumer.name)
    packages = [package for package in change.packages if package.language in languages]
    suffixes = tuple(suffix for language in languages.values() for suffix in language.SUFFIXES)
    configs = form(tuple(name for language in languages.values() for name in language.CONFIGS) or ("",))
    links: dict[str, bytes] = {}
    for name, language in languages.items():
        if isinstance(language.packaging, Linking):
            paths = [mount + row.path for row in takes if row.language == name]
            folders = sorted({posixpath.dirname(path) for path in paths})
            links |= language.packaging.links([one for one in packages if one.language == name], folders)

    def is_offered(path: str) -> bool:
        if any(package.holds(path) for package in packages):
            return not is_aside(path, packages)
        return not path.endswith(suffixes) or configs.match(f"/{path}") is not None  # which says where modules are

    def handing(path: str) -> bool:
        return path in change.handing or has_common_name(path)

    return OverlayTree(change.tree, MountedTree(tree, mount), is_offered=is_offered, handing=handing, links=links)


async def _of_consumer(overlay: OverlayTree, impact: Dependents, change: OfferedChange) -> Dependents:
    """What is affected, as far as it is the consumer's and public in the product."""
    direct = {(row.path, row.target) for row in impact.files if row.via is None}
    items = impact.by_key()
    tied_paths = {row.path for row in impact.files if overlay.inside(row.path) is not None}
    references = []
    for row in impact.references:
        home = row.symbol.rpartition(":")[0]
        if overlay.inside(row.path) is None or overlay.inside(home) is not None:
            continue
        before = item.before if (item := items.get(row.symbol)) is not None else None
        is_hidden = before is not None and before.visibility in INSIDE
        if is_hidden or _is_private(home, row, change, direct=(row.path, home) in direct):
            continue
        if (
            not row.sure and row.path not in tied_paths
        ):  # a name alone tells nothing where nothing of the package is imported
            row = replace(row, tie="name", fate="unknown")  # noqa: PLW2901
        references.append(row)
    heirs = tuple(
        (key, own)
        for key, own in impact.heirs
        if overlay.inside(own.path) is not None and not PRIVATE.match(re.split("[:.]", key)[-1])
    )
    return replace(impact, references=tuple(references), heirs=heirs)


def _is_private(home: str, row: Reference, change: OfferedChange, *, direct: bool) -> bool:
    """Whether a use is of something that its owner does not offer: by its name, or by the file that is imported for it."""
    name = row.symbol.rpartition(":")[2]
    is_module = name == MODULE  # an import, whatever the file is called
    if not is_module and any(PRIVATE.match(one.rpartition(".")[2]) for one in (name, row.name)):
        return True
    package = holding(change.packages, home)
    return package is not None and (direct or is_module) and _is_inner_file(package, home)


def _is_inner_file(package: Package, path: str) -> bool:
    """Whether nobody outside is meant to import a file."""
    if package.entries is not None and path not in package.entries:
        return True
    root = max((root for root in package.roots if path.startswith(root)), key=len, default="")
    parts = posixpath.splitext(path[len(root) :].strip("/"))[0].split("/")
    return any(part == "internal" or PRIVATE.match(part) for part in parts)


def _uses(users: Dependents) -> list[Reference]:
    """The lines of the consumer that certainly use something whose contract changed."""
    changed = users.by_key()
    rows = [row for row in users.references if row.sure or row.missing or row.likely]
    return [row for row in rows if row.missing or row.likely or ((item := changed.get(row.symbol)) and item.contract)]


async def _anchor(overlay: OverlayTree, users: Dependents, finding: Finding) -> Evidence:
    """The line of the change: the definition as it is, else as it was, else the beginning of a file that is gone."""
    own = {item.note: item for item in finding.evidence if overlay.inside(item.path) is None}
    if at := own.get("after") or own.get("before"):
        return at
    place = finding.path, finding.start
    home = next(row.symbol.rpartition(":")[0] for row in users.references if (row.path, row.line) == place)
    lines = [line.rstrip("\r") for line in file_lines(await overlay.read(home, "base"))]
    at_line = next((number for number, line in enumerate(lines, 1) if line.strip()), 0)
    return Evidence(home, lines[at_line - 1] if at_line else finding.quote, at_line, "base")


def _finding(at: Evidence, found: Finding, consumer: Clone, taken_as: Requirement, overlay: OverlayTree) -> Finding:
    """The finding on the line of the change, with the consumer's lines as evidence."""
    # Its title names the product's side first: the consumer's file may be renamed, and the proof stays.
    proof = f"consumer-{found.rule} {consumer.name} {found.title.partition(', ')[0]}"

    def phrase(text: str) -> str:
        return text.replace(mount_of(consumer.name), label(consumer.name, ""))

    return Finding(
        path=at.path,
        quote=at.quote,
        title=phrase(found.title),
        why=f"{phrase(found.why)} {words.arrival(consumer.name, taken_as)}",
        consequence=phrase(found.consequence),
        severity=less_severe(found.severity, 1) if taken_as.arrival == "upgrade" else found.severity,
        category=found.category,
        sources=(Source("analyser", "consumers", proof=proof if found.proven else "", breaks=breaks_of([found])),),
        rule=f"consumer-{found.rule}",
        start=at.line,
        end=at.line,
        side=at.side,
        evidence=tuple(_evidence(at, found, consumer, overlay)),
        verdict=found.verdict,
        consumer=consumer.name,
    )


def _evidence(at: Evidence, found: Finding, consumer: Clone, overlay: OverlayTree) -> list[Evidence]:
    """The consumer's lines, and the other side of the definition."""
    own: list[Evidence] = []
    theirs: list[Evidence] = []
    for item in (Evidence(found.path, found.quote, found.start, found.side), *found.evidence):
        inside = overlay.inside(item.path)
        if inside is None:
            own += [item] if item != at else []
        else:
            note = MAY_BREAK if item.note == MAY_BREAK else BREAKS
            path, commit = label(consumer.name, inside), consumer.pull.head
            theirs.append(replace(item, path=path, note=note, repository=consumer.name, commit=commit))
    return theirs[:PLACES] + own[:PLACES]
