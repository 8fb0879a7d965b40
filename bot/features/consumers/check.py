"""Check what a change breaks in clones of other repositories, as within one repository."""

import asyncio
import posixpath
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from bot.checkout import Checkout, clone
from bot.checkout.locate import paths_of
from bot.checkout.shown import create_known_secrets
from bot.config.names import FILE
from bot.errors import DeepRepoError
from bot.features.consumers import words
from bot.features.consumers.package_breaks import package_breaks
from bot.features.consumers.schema_uses import schema_findings
from bot.ports import Analyzer
from bot.values import ChangedFile, Dependents
from bot.values.consumer import (
    Clone,
    ConsumerImpact,
    ConsumerReport,
    ConsumerState,
    Disclosure,
    NamedConsumer,
    RepositoryAccess,
    label,
)
from bot.values.shared_file import SettingsText
from deeprepo.impact.consumers.offered_change import OfferedChange, offered_change
from deeprepo.impact.consumers.overlay import mount_of
from deeprepo.impact.packages import Package
from deeprepo.impact.ports import Tree
from deeprepo.impact.uses.packages import offer_of, requirements

MAX_CLONES = 40  # clones per review
FILES = 200_000  # in one consumer
SECONDS, TOGETHER = 120.0, 600.0  # for one consumer, and for all of them
COPY = "it provides the same package, so it is a copy of this repository"
TAKES_NOTHING = "its manifests use nothing from this repository"


async def check(
    tree: Tree,
    files: Sequence[ChangedFile],
    dependents: Dependents,
    consumers: Sequence[NamedConsumer],
    contracts: Analyzer,
    *,
    own: str = "",
    scratch: str,
    left_out: Collection[str] = (),
    shows: Callable[[SettingsText], Disclosure] = lambda _: "name",
    seconds: float | None = None,
) -> ConsumerImpact:
    """Compare the change with what the named clones use of it.

    An unreadable clone only costs its own comparison. `own` is the git folder of the repository under review.
    `shows` reads from a consumer's own settings file what may be disclosed. `seconds` limits all comparisons
    together.
    """
    if not consumers:
        return ConsumerImpact()
    clones, others = await _open_clones(consumers, scratch, own)
    done = [ConsumerImpact((report,)) for report in others]
    change = await offered_change(tree, files, dependents)
    end = time.monotonic() + (seconds or TOGETHER)
    # Until a consumer's settings are read, only its existence may be shown.
    standings = {
        consumer.name: replace(consumer.standing, shows="existence")
        for consumer in consumers
        if consumer.standing is not None
    }
    for named_clone in clones:
        left = min(SECONDS, end - time.monotonic())
        if left > 0:
            done.append(await _checked(change, named_clone, contracts, left_out, left))
        else:
            done.append(
                ConsumerImpact(
                    (_apart(named_clone, "unread", f"{seconds or TOGETHER:g} s were used for the other repositories"),)
                )
            )
        if named_clone.standing is not None:
            standings[named_clone.name] = await _own_standing(named_clone, named_clone.standing, shows)
    reports = tuple(_with_standing(report, standings) for outcome in done for report in outcome.reports)
    users = {report.name for report in reports if report.state != "unrelated"}
    readable = tuple(named_clone for named_clone in clones if named_clone.name in users and not named_clone.settings)
    return ConsumerImpact(
        reports,
        tuple(finding for outcome in done for finding in outcome.findings),
        words.summary(reports),
        tuple(excerpt for outcome in done for excerpt in outcome.excerpts),
        tuple(standings.items()),
        readable=tuple(named_clone.name for named_clone in readable),
        clones=readable,
    )


async def list_known(
    tree: Tree, consumers: Sequence[NamedConsumer], *, own: str = "", scratch: str
) -> tuple[ConsumerReport, ...]:
    """Return what each consumer uses of this repository, according to the manifests."""
    clones, others = await _open_clones(consumers, scratch, own)
    offer, found = await offer_of(tree), list[ConsumerReport]()
    for named_clone in clones:
        try:
            async with asyncio.timeout(SECONDS), Checkout(named_clone.pull) as theirs:
                found.append(await _report_of_manifests(offer, named_clone, theirs))
        except (DeepRepoError, TimeoutError) as error:
            found.append(_apart(named_clone, "unread", words.sentence(error) or f"it took more than {SECONDS:.0f} s"))
    return (*found, *others)


async def _open_clones(
    consumers: Sequence[NamedConsumer], scratch: str, own: str
) -> tuple[list[Clone], list[ConsumerReport]]:
    """Return the readable clones without duplicates, and a report about each of the others."""
    names, commits = Counter[str](), set[tuple[str, str]]()
    clones: list[Clone] = []
    others: list[ConsumerReport] = []

    def distinct(name: str) -> str:
        names[name] += 1
        return name if names[name] == 1 else f"{name}-{names[name]}"

    for consumer in consumers:
        try:
            found = None if consumer.problem else await clone(consumer.location, scratch)
            problem = consumer.problem
        except DeepRepoError as error:
            found, problem = None, words.sentence(error).partition(": ")[0]
        if found is None:
            name = consumer.name or posixpath.basename(consumer.location.rstrip("/")) or consumer.location
            others.append(ConsumerReport(distinct(name), "unread", reason=problem))
            continue
        common = paths_of(found.pull.git_dir).common
        if (common, found.pull.head) in commits:
            continue  # named twice
        commits.add((common, found.pull.head))
        name = distinct(consumer.name or found.name)
        found = replace(found, name=name, settings=consumer.settings, standing=consumer.standing)
        if own and common == paths_of(own).common:
            others.append(_apart(found, "unrelated", "it is the repository under review"))
        elif len(clones) == MAX_CLONES:
            others.append(_apart(found, "unread", f"no more than {MAX_CLONES} repositories are checked in one review"))
        else:
            clones.append(found)
    return clones, others


async def _own_standing(
    consumer: Clone, standing: RepositoryAccess, shows: Callable[[SettingsText], Disclosure]
) -> RepositoryAccess:
    """Return who may learn what about a consumer, including its own settings file.

    If the file cannot be read, nothing may be shown.
    """
    if standing.visibility == "public":
        return standing
    try:
        async with asyncio.timeout(SECONDS), Checkout(consumer.pull) as tree:
            return replace(standing, shows=shows(await tree.settings_at_tip(FILE)))
    except (DeepRepoError, TimeoutError):  # the settings may forbid disclosure
        return replace(standing, shows="nothing")


def _with_standing(report: ConsumerReport, standings: Mapping[str, RepositoryAccess]) -> ConsumerReport:
    standing = standings.get(report.name)
    return report if standing is None else replace(report, visibility=standing.visibility)


async def _checked(
    change: OfferedChange,
    consumer: Clone,
    contracts: Analyzer,
    left_out: Collection[str],
    seconds: float,
) -> ConsumerImpact:
    """Check one consumer. Every error becomes an unread report."""
    names = (mount_of(consumer.name), label(consumer.name, ""))
    mine = [path[len(name) :] for path in left_out for name in names if path.startswith(name)]
    try:
        async with asyncio.timeout(seconds), Checkout(consumer.pull, mine) as tree:
            return await _masked(await _compared(change, consumer, tree, contracts), consumer, tree)
    except TimeoutError:
        why = f"it took more than {seconds:.0f} s"
    except DeepRepoError as error:
        why = words.sentence(error)
    except Exception as error:  # noqa: BLE001 - another repository must not end this review
        why = f"an internal error occurred while reading it ({type(error).__name__})"
    return ConsumerImpact((_apart(consumer, "unread", why),))


async def _masked(impact: ConsumerImpact, consumer: Clone, tree: Checkout) -> ConsumerImpact:
    """Mask secrets in what was found in a consumer.

    Whole files are scanned, because the lines around a reference may not show that a value is a secret.
    """
    start = label(consumer.name, "")
    inner_paths = [path.removeprefix(start) for path in impact.texts() if path.startswith(start)]
    blobs = await tree.read_many(inner_paths)
    masks = create_known_secrets()
    masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in blobs.items()})
    return masks.cover(impact)


async def _compared(change: OfferedChange, consumer: Clone, tree: Checkout, contracts: Analyzer) -> ConsumerImpact:
    if len(await tree.entries()) > FILES:
        return ConsumerImpact((_apart(consumer, "unread", f"it has more than {FILES:,} files"),))
    report = await _report_of_manifests(change.packages, consumer, tree)
    if report.reason == COPY:
        return ConsumerImpact((report,))
    of_schemas, left = await schema_findings(change.schemas, change.schema_quotes, consumer, tree)
    if (
        of_schemas and report.reason == TAKES_NOTHING
    ):  # a repository that names a schema's elements uses them even if its manifests do not say so
        report = replace(report, state="checked", reason="")
    impact = ConsumerImpact((report,))
    if report.takes:
        impact = await package_breaks(change, consumer, tree, contracts, report)
    (first,), findings = impact.reports, (*impact.findings, *of_schemas)
    first = replace(
        first,
        uses=first.uses + len({(item.path, item.line) for schema in of_schemas for item in schema.evidence}),
        breaks=sum(finding.proven for finding in findings),
        hints=sum(not finding.proven for finding in findings),
    )
    if left and first.state != "unread":
        first = replace(first, state="unread", reason=f"it was only partly checked: {left}")
    return replace(impact, reports=(first,), findings=findings)


async def _report_of_manifests(offer: Collection[Package], consumer: Clone, tree: Checkout) -> ConsumerReport:
    """Return what a clone uses of the offered packages, according to its manifests."""
    copies = {(package.language, package.name) for package in await offer_of(tree)}
    asked, unread = await requirements(tree, offer)
    takes = tuple(row for row in asked if (row.language, row.name) not in copies)
    if takes:
        return ConsumerReport(consumer.name, "checked", consumer.pull.head, consumer.day, takes=takes)
    if copies & {(package.language, package.name) for package in offer}:
        return _apart(consumer, "unrelated", COPY)
    return _apart(consumer, "unread" if unread else "unrelated", unread or TAKES_NOTHING)


def _apart(consumer: Clone, state: ConsumerState, reason: str) -> ConsumerReport:
    """Return the report of a consumer that is not compared."""
    return ConsumerReport(consumer.name, state, consumer.pull.head, consumer.day, reason)
