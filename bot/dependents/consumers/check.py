"""What a change breaks in clones of the repositories that use it, by the comparisons that are made within one repository."""

import asyncio
import math
import posixpath
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from bot.checkout import Checkout
from bot.config.names import FILE
from bot.dependents.budget import SearchLimits
from bot.dependents.consumers import words
from bot.dependents.consumers.clones import open_clones, sentence
from bot.dependents.consumers.identity import RepositoryIdentity, identity_of_clone, own_identity
from bot.dependents.consumers.manifests import form
from bot.dependents.consumers.offered_change import OfferedChange, is_aside, offered_change
from bot.dependents.consumers.overlay import LINKS, OverlayTree, PinnedTree, mount_of
from bot.dependents.consumers.packages import Offer, is_manifest, offer_of, packaging_of, requirements
from bot.dependents.consumers.schema_uses import breaks_of, schema_findings
from bot.dependents.find import find
from bot.dependents.sites import MODULE
from bot.errors import DeepRepoError
from bot.masking.detect import secrets
from bot.masking.hide import mask_values
from bot.ports import Analyzer, Language, Linking, Tree
from bot.text.filetypes import filetype, has_common_name
from bot.text.lines import file_lines
from bot.text.paths import is_test
from bot.values import (
    ChangedFile,
    Dependents,
    DiffRow,
    Evidence,
    Excerpt,
    Finding,
    Reference,
    Severity,
    Side,
    Source,
    less_severe,
)
from bot.values.consumer import (
    Clone,
    ConsumerImpact,
    ConsumerReport,
    Disclosure,
    NamedConsumer,
    Package,
    Requirement,
    Standing,
    label,
)
from bot.values.finding import BREAKS

FILES = 200_000  # of one consumer
SECONDS = 120.0  # for one consumer, by the clock: git may hang
TOGETHER = 60.0  # of computing for all: on a busy machine it takes longer, and finds the same
EXCERPTS = 40  # uses of a consumer that models are shown
AROUND = 3  # lines around each
LONG_LINE = 300  # characters of one
PLACES = 12  # lines of one consumer that a finding quotes
LIMITS = SearchLimits(sites=200, seconds=6.0)
NOTHING = "its manifests take nothing that this repository offers"
OFFERS = re.compile(r"^\s*(?:export\b|pub\b|from\b|import\b|use\b|require\b|__all__\b|autoload\b|module\.exports)")
INSIDE = frozenset({"internal"})  # folders whose code is nobody else's by the rule or the habit of their language


async def check(
    tree: Tree,
    files: Sequence[ChangedFile],
    dependents: Dependents,
    consumers: Sequence[NamedConsumer],
    languages: Mapping[str, Language],
    contracts: Analyzer,
    *,
    own: str = "",
    address: str = "",
    scratch: str,
    left_out: Collection[str] = (),
    shows: Callable[[bytes | None], Disclosure] = lambda _: "name",
    seconds: float | None = None,
) -> ConsumerImpact:
    """Compare the change with what the named clones use of it. `own`: the git folder of the repository under review. `address`: of its pages.

    A clone that cannot be read costs its own comparison and nothing else. `shows`: what a consumer's own settings file lets others learn
    of it. `seconds`: for all of them together, by the clock.
    """
    if not consumers:
        return ConsumerImpact()
    clones, others = await open_clones(consumers, scratch, own)
    done = [ConsumerImpact((report,)) for report in others]
    change = await offered_change(tree, files, dependents, languages, await own_identity(own, address))
    end, last = time.process_time() + TOGETHER, time.monotonic() + (seconds or math.inf)
    # Until its own settings are read, nothing of one is shown but that it exists.
    standings = {one.name: replace(one.standing, shows="existence") for one in consumers if one.standing is not None}
    for one in clones:
        left = min(SECONDS, last - time.monotonic())
        if time.process_time() >= end:
            done.append(_unread(one, f"{TOGETHER:g} s of computing were spent on the others"))
        elif left <= 0:
            done.append(_unread(one, f"{seconds:g} s were spent on the others"))
        else:
            done.append(await _checked(change, one, languages, contracts, left_out, left))
        if one.standing is not None:
            standings[one.name] = await _own_standing(one, one.standing, shows)
    possible = {one.name for one in consumers if one.is_possible}
    done = [one for one in done if not (possible & {row.name for row in one.reports if row.state == "unrelated"})]
    reports = tuple(_with_standing(report, standings) for one in done for report in one.reports)
    users = {one.name for one in reports if one.state != "unrelated"}
    readable = tuple(one for one in clones if one.name in users and not one.settings)
    return ConsumerImpact(
        reports,
        tuple(finding for one in done for finding in one.findings),
        words.summary(reports),
        tuple(row for one in done for row in one.excerpts),
        tuple(standings.items()),
        readable=tuple(one.name for one in readable),
        clones=readable,
    )


async def _own_standing(consumer: Clone, standing: Standing, shows: Callable[[bytes | None], Disclosure]) -> Standing:
    """Who may learn what of a consumer, with what its own settings file says. One that cannot be read allows nothing but its existence."""
    if standing.visibility == "public":
        return standing
    try:
        async with asyncio.timeout(SECONDS), Checkout(consumer.pull) as tree:
            return replace(standing, shows=shows(await tree.settings_at_tip(FILE)))
    except (DeepRepoError, TimeoutError):  # it may be what they forbid
        return replace(standing, shows="nothing")


def _with_standing(report: ConsumerReport, standings: Mapping[str, Standing]) -> ConsumerReport:
    standing = standings.get(report.name)
    return report if standing is None else replace(report, visibility=standing.visibility, id=standing.id)


async def _checked(
    change: OfferedChange,
    consumer: Clone,
    languages: Mapping[str, Language],
    contracts: Analyzer,
    left_out: Collection[str],
    seconds: float,
) -> ConsumerImpact:
    """One consumer, whatever it holds."""
    names = (f"{mount_of(consumer.name)}/", label(consumer.name, ""))
    mine = [path[len(name) :] for path in left_out for name in names if path.startswith(name)]
    try:
        async with asyncio.timeout(seconds), Checkout(consumer.pull, mine) as tree:
            return await _masked(await _compared(change, consumer, tree, languages, contracts), consumer, tree)
    except TimeoutError:
        return _unread(consumer, f"it took more than {seconds:.0f} s")
    except DeepRepoError as error:
        return _unread(consumer, sentence(error))
    except Exception as error:  # noqa: BLE001 - the boundary: a stranger's repository must not end the review of this one
        return _unread(consumer, f"reading it ended with {type(error).__name__}, a defect of deeprepo")


async def _masked(impact: ConsumerImpact, consumer: Clone, tree: Checkout) -> ConsumerImpact:
    """The same without secrets: each file is looked through as a whole, because the lines around a use may not show that a value is one."""
    start = label(consumer.name, "")
    inner_paths = {path: path.removeprefix(start) for path in impact.texts() if path.startswith(start)}
    blobs = await tree.read_many(list(inner_paths.values()))
    found = [secrets(blob.decode("utf-8", "replace"), path) for path, blob in blobs.items()]
    return mask_values(impact, {value for row in found for value, _ in row})


async def _compared(
    change: OfferedChange, consumer: Clone, tree: Checkout, languages: Mapping[str, Language], contracts: Analyzer
) -> ConsumerImpact:
    report, part = await _report_of_manifests(change.offers.either, consumer, tree, languages, change.identity)
    of_schemas, left = (
        await schema_findings(change.schemas, consumer, tree) if report.reason in ("", NOTHING) else ((), "")
    )
    if of_schemas:  # a repository that names a schema's elements uses them, whatever its manifests declare
        report = replace(report, state="checked", reason="")
    impact = (
        await _packages(change, consumer, tree, languages, contracts, report)
        if report.takes
        else ConsumerImpact((report,))
    )
    first = impact.reports[0]
    lines = {(item.path, item.line) for one in of_schemas for item in one.evidence}
    first = replace(
        first,
        uses=first.uses + len(lines),
        breaks=first.breaks + sum(one.proven for one in of_schemas),
        hints=first.hints + sum(not one.proven for one in of_schemas),
    )
    left = left or part
    if left and first.state != "unread":
        first = replace(first, state="unread", reason=f"it was looked at in part: {left}")
    return replace(impact, reports=(first,), findings=(*impact.findings, *of_schemas))


async def _packages(
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
    users = await _of_consumer(joined, found, change, asked)
    reported = await _reported(joined, files, users, contracts)
    findings = [_finding(one, rows, consumer, takes, joined) for one, rows in await _grouped(joined, reported)]
    uses = _uses(users)
    partly = [*tree.stopped_searches, *found.missed_uses]
    report = replace(
        report,
        state="unread" if partly else "checked",
        reason=f"it was looked at in part: {sentence(partly[0])}" if partly else "",
        uses=len({(row.path, row.line) for row in uses}),
        breaks=sum(one.proven for one in findings),
        hints=sum(not one.proven for one in findings),
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


async def _report_of_manifests(
    offer: Offer, consumer: Clone, tree: Checkout, languages: Mapping[str, Language], own: RepositoryIdentity
) -> tuple[ConsumerReport, str]:
    """What a clone takes of what is offered, told from its manifests alone; and a sentence about a part of it that is not known."""
    entries = await tree.entries()
    if len(entries) > FILES:
        return _unread(consumer, f"it has more than {FILES:,} files").reports[0], ""
    copies = {(package.language, package.name) for package in (await offer_of(tree, languages)).packages}
    their_packages = await requirements(tree, languages, offer, own, identity_of_clone(consumer))
    takes = tuple(row for row in their_packages.rows if (row.language, row.name) not in copies)
    if not takes and copies & {(package.language, package.name) for package in offer.packages}:
        return _apart(consumer, "it offers the same package itself, so it is a copy of this one").reports[0], ""
    part = "".join(f"{problem.path} {problem.reason}" for problem in their_packages.problems[:1])
    if len(their_packages.problems) > 1:
        part += f" (and {len(their_packages.problems) - 1} more of the kind)"
    report = _apart(consumer, NOTHING).reports[0]
    if takes:
        report = ConsumerReport(consumer.name, "checked", consumer.pull.head, consumer.day, takes=takes)
    return report, part


async def list_known(
    tree: Tree, consumers: Sequence[NamedConsumer], languages: Mapping[str, Language], *, own: str = "", scratch: str
) -> tuple[ConsumerReport, ...]:
    """Who takes what of this repository, told from the manifests alone."""
    clones, others = await open_clones(consumers, scratch, own)
    offer, identity = await offer_of(tree, languages), await own_identity(own)
    found = []
    for one in clones:
        try:
            async with asyncio.timeout(SECONDS), Checkout(one.pull) as theirs:
                report, part = await _report_of_manifests(offer, one, theirs, languages, identity)
                reason = f"it was looked at in part: {part}"
                found.append(replace(report, state="unread", reason=reason) if part and not report.takes else report)
        except (DeepRepoError, TimeoutError) as error:
            found += _unread(one, sentence(error) or f"it took more than {SECONDS:.0f} s").reports
    return (*found, *others)


def _hits(change: OfferedChange, file: ChangedFile, languages: Mapping[str, Language]) -> bool:
    """Whether a changed file can matter to users of these languages: a contract changed in it, or what it hands on."""
    paths = {path for path in (file.path, file.old_path) if path}
    suffixes = tuple(suffix for language in languages.values() for suffix in language.SUFFIXES)
    if not any(path.endswith(suffixes) for path in paths):
        return False
    if file.status in ("deleted", "renamed"):
        return True
    if any(
        item.contract and one is not None and one.path in paths
        for item in change.dependents.symbols
        for one in (item.before, item.after)
    ):
        return True
    return any(line.kind != " " and OFFERS.match(line.text) for hunk in file.hunks for line in hunk.lines)


def _joined(
    change: OfferedChange,
    consumer: Clone,
    tree: Tree,
    languages: Mapping[str, Language],
    takes: Sequence[Requirement],
) -> OverlayTree:
    """Both trees as one, in which the imports of the consumer mean the packages of the product."""
    mount = mount_of(consumer.name)
    packages = [package for package in change.offers.either.packages if package.language in languages]
    suffixes = tuple(suffix for language in languages.values() for suffix in language.SUFFIXES)
    configs = form(tuple(name for language in languages.values() for name in language.CONFIGS) or ("",))
    links: dict[str, bytes] = {}
    for name, language in languages.items():
        packaging, own = packaging_of(language), [row for row in takes if row.language == name]
        if isinstance(packaging, Linking):
            folders = sorted({posixpath.join(mount, posixpath.dirname(row.path)).rstrip("/") for row in own})
            aliases = {row.alias: row.name for row in own if row.alias}
            links |= packaging.links([one for one in packages if one.language == name], folders, aliases)

    def is_offered(path: str) -> bool:
        if not any(package.holds(path) for package in packages):
            if configs.match(f"/{path}") and is_manifest(path, languages.values()):
                return True  # it says where modules are, though it may be code itself
            return "." in path.rpartition("/")[2] and not path.endswith(suffixes)
        return not is_aside(path, Offer(tuple(packages)))

    product = change.tree
    if (
        change.changes_manifest
    ):  # what packages are called, and offer, is as before the change: nothing hides another change
        product = PinnedTree(product, lambda path: is_manifest(path, languages.values()))

    def handing(path: str) -> bool:
        return path in change.handing or has_common_name(path)

    return OverlayTree(product, tree, mount, is_offered=is_offered, handing=handing, links=links)


async def _of_consumer(
    overlay: OverlayTree, impact: Dependents, change: OfferedChange, languages: Mapping[str, Language]
) -> Dependents:
    """What is affected, as far as it is the consumer's and public in the product."""
    direct = {(row.path, row.target) for row in impact.files if row.via is None}
    items = impact.by_key()
    tied_paths = {row.path for row in impact.files if overlay.inside(row.path) is not None}
    references = []
    for row in impact.references:
        home, _, name = row.symbol.rpartition(":")
        if overlay.inside(row.path) is None or overlay.inside(home) is not None or home.startswith(f"{LINKS}/"):
            continue
        if _private(home, name, row, change, languages, direct=(row.path, home) in direct):
            continue
        before = item.before if (item := items.get(row.symbol)) is not None else None
        if before is not None and before.visibility == "unit":
            continue
        if (
            not row.sure and row.path not in tied_paths
        ):  # a name alone tells nothing of a file that imports nothing of the package
            row = replace(row, missing=False, unique=False, lone=False, likely=False)  # noqa: PLW2901
        references.append(row)
    heirs = tuple(
        (key, own)
        for key, own in impact.heirs
        if overlay.inside(own.path) is not None and not _hidden_name(key.rpartition(":")[2], key, languages)
    )
    return replace(impact, references=tuple(references), heirs=heirs)


def _private(
    home: str, name: str, row: Reference, change: OfferedChange, languages: Mapping[str, Language], *, direct: bool
) -> bool:
    """Whether a use is of something that its owner does not offer: by its name, or by the module that is imported for it."""
    if name == MODULE:  # an import, whatever the file is called
        direct = True
    elif _hidden_name(name, home, languages) or _hidden_name(row.name, home, languages):
        return True
    package = change.offers.base.holding(home) or change.offers.either.holding(home)
    if not direct or package is None:
        return False
    return _hidden_file(package, home)


def _hidden_name(name: str, path: str, languages: Mapping[str, Language]) -> bool:
    language = next(
        (
            one
            for one in languages.values()
            if path.rpartition(":")[0].endswith(one.SUFFIXES) or path.endswith(one.SUFFIXES)
        ),
        None,
    )
    packaging = packaging_of(language) if language is not None else None
    parts = [part for part in name.split(".") if part and not part.startswith("<")]
    return packaging is not None and any(packaging.PRIVATE.match(part) for part in parts[-1:])


def _hidden_file(package: Package, path: str) -> bool:
    """Whether nobody outside is meant to import a file."""
    if package.entries is not None and path not in package.entries:
        return True
    root = max((root for root in package.roots if path.startswith(root)), key=len, default="")
    parts = posixpath.splitext(path[len(root) :].strip("/"))[0].split("/")
    return any(part in INSIDE or re.match(r"_(?!_)", part) for part in parts)


def _uses(users: Dependents) -> list[Reference]:
    """The lines of the consumer that certainly use something whose contract changed."""
    changed = users.by_key()
    rows = [row for row in users.references if row.sure or row.missing or row.likely]
    return [row for row in rows if row.missing or row.likely or ((item := changed.get(row.symbol)) and item.contract)]


async def _reported(
    overlay: OverlayTree, files: Sequence[ChangedFile], users: Dependents, contracts: Analyzer
) -> list[tuple[str, Finding]]:
    """(changed file, finding) of the comparisons, each place once."""
    rows: dict[str, list[Reference]] = defaultdict(list)
    for row in users.references:
        rows[row.symbol.rpartition(":")[0]].append(row)
    homes = dict.fromkeys([*rows, *(key.rpartition(":")[0] for key, _ in users.heirs)])
    reported_places: set[tuple[str, int]] = set()
    found = []
    for home in homes:
        heirs = tuple((key, own) for key, own in users.heirs if key.rpartition(":")[0] == home)
        judged = await contracts.check(overlay, files, replace(users, references=tuple(rows[home]), heirs=heirs))
        for one in judged.findings:
            if overlay.inside(one.path) is not None and (one.path, one.start) not in reported_places:
                reported_places.add((one.path, one.start))
                # its code is shown where that is decided, and never rewritten
                found.append((home, replace(one, rewrites=())))
    return found


async def _grouped(
    overlay: OverlayTree, findings: Sequence[tuple[str, Finding]]
) -> list[tuple[Evidence, list[Finding]]]:
    """The findings by the line of the change that brings them: what one line breaks in a consumer is said once."""
    groups: dict[tuple[str, Side, int, str], tuple[Evidence, list[Finding]]] = {}
    for home, one in findings:
        at = await _anchor(overlay, home, one)
        groups.setdefault((at.path, at.side, at.line, one.rule), (at, []))[1].append(one)
    return list(groups.values())


async def _anchor(overlay: OverlayTree, home: str, finding: Finding) -> Evidence:
    """The line of the change: the definition as it is, else as it was, else the beginning of a file that is gone."""
    own = [item for item in finding.evidence if overlay.inside(item.path) is None]
    for note in ("after", "before"):
        item = next((item for item in own if item.note == note), None)
        if item is not None:
            return item
    for side in ("base", "head"):
        text = await overlay.read(home, side)
        lines = [line.rstrip("\r") for line in file_lines(text)]
        at = next((number for number, line in enumerate(lines, 1) if line.strip()), 0)
        if at:
            return Evidence(home, lines[at - 1], at, side)
    return Evidence(home, finding.quote, 0, "base")


def _finding(
    at: Evidence, rows: Sequence[Finding], consumer: Clone, takes: Sequence[Requirement], overlay: OverlayTree
) -> Finding:
    """One finding on the line of the change, with the consumer's lines as evidence."""
    first = min(rows, key=lambda one: (not one.proven, is_test(one.path), one.severity != "high"))
    mount = f"{mount_of(consumer.name)}/"
    files = {one.path for one in rows}
    more = f" (and {len(files) - 1} more {'file' if len(files) == 2 else 'files'})" if len(files) > 1 else ""  # noqa: PLR2004
    taken_as = _requirement(takes, at.path)
    when = words.arrival(consumer.name, taken_as)
    severity: Severity = (
        less_severe(first.severity, 1) if taken_as is not None and taken_as.arrival == "upgrade" else first.severity
    )
    proof = " ".join([f"consumer-{first.rule}", consumer.name, _named(first.title)])

    def phrase(text: str) -> str:
        return text.replace(mount, f"{consumer.name}:")

    return Finding(
        path=at.path,
        quote=at.quote,
        title=phrase(first.title) + more,
        why=f"{phrase(first.why)} {when}".strip(),
        consequence=phrase(first.consequence),
        severity=severity,
        category=first.category,
        sources=(Source("analyser", "consumers", proof=proof if first.proven else "", breaks=breaks_of(rows)),),
        rule=f"consumer-{first.rule}",
        start=at.line,
        end=at.line,
        side=at.side,
        evidence=tuple(_evidence(at, rows, consumer, overlay)),
        verdict=first.verdict,
        consumer=consumer.name,
        consumer_id=consumer.id,
    )


def _named(title: str) -> str:
    """What a title tells of the product: the consumer's file may be renamed, and the proof stays."""
    return title.partition(", ")[0]


def _evidence(at: Evidence, rows: Sequence[Finding], consumer: Clone, overlay: OverlayTree) -> list[Evidence]:
    """The other side of the definition, and the consumer's lines."""
    own: dict[tuple[str, Side, int], Evidence] = {}
    theirs: dict[tuple[str, int], Evidence] = {}
    for one in sorted(rows, key=lambda one: is_test(one.path)):
        for item in (Evidence(one.path, one.quote, one.start, one.side), *one.evidence):
            inside = overlay.inside(item.path)
            if inside is not None:
                theirs.setdefault(
                    (inside, item.line),
                    replace(
                        item,
                        path=label(consumer.name, inside),
                        note=BREAKS,
                        repository=consumer.name,
                        commit=consumer.pull.head,
                    ),
                )
            elif (item.path, item.side, item.line) != (at.path, at.side, at.line):
                own.setdefault((item.path, item.side, item.line), item)
    return [*theirs.values()][:PLACES] + [*own.values()][:PLACES]


def _requirement(takes: Sequence[Requirement], path: str) -> Requirement | None:
    """The requirement by which a change of a file reaches the consumer: the first of its language."""
    order = {"build": 0, "release": 1, "upgrade": 2}
    fits = [row for row in takes if row.language == filetype(path).parser] or list(takes)
    return min(fits, key=lambda row: order[row.arrival], default=None)


def _unread(consumer: Clone, reason: str) -> ConsumerImpact:
    return ConsumerImpact((ConsumerReport(consumer.name, "unread", consumer.pull.head, consumer.day, reason),))


def _apart(consumer: Clone, reason: str) -> ConsumerImpact:
    return ConsumerImpact((ConsumerReport(consumer.name, "unrelated", consumer.pull.head, consumer.day, reason),))
