"""What a change breaks in clones of the repositories that use it, by the comparisons that are made within one repository."""

import asyncio
import math
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from bot.checkout import Checkout
from bot.config.names import FILE
from bot.dependents.consumers import words
from bot.dependents.consumers.clones import open_clones, sentence
from bot.dependents.consumers.identity import RepositoryIdentity, identity_of_clone, own_identity
from bot.dependents.consumers.offered_change import OfferedChange, offered_change
from bot.dependents.consumers.overlay import mount_of
from bot.dependents.consumers.package_breaks import package_breaks
from bot.dependents.consumers.packages import Offer, offer_of, requirements
from bot.dependents.consumers.schema_uses import schema_findings
from bot.errors import DeepRepoError
from bot.masking.detect import secrets
from bot.masking.hide import mask_values
from bot.ports import Analyzer, Language, Tree
from bot.values import (
    ChangedFile,
    Dependents,
)
from bot.values.consumer import (
    Clone,
    ConsumerImpact,
    ConsumerReport,
    Disclosure,
    NamedConsumer,
    Standing,
    label,
)

FILES = 200_000  # of one consumer
SECONDS = 120.0  # for one consumer, by the clock: git may hang
TOGETHER = 60.0  # of computing for all: on a busy machine it takes longer, and finds the same
NOTHING = "its manifests take nothing that this repository offers"


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
    return report if standing is None else replace(report, visibility=standing.visibility)


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
        await package_breaks(change, consumer, tree, languages, contracts, report)
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


def _unread(consumer: Clone, reason: str) -> ConsumerImpact:
    return ConsumerImpact((ConsumerReport(consumer.name, "unread", consumer.pull.head, consumer.day, reason),))


def _apart(consumer: Clone, reason: str) -> ConsumerImpact:
    return ConsumerImpact((ConsumerReport(consumer.name, "unrelated", consumer.pull.head, consumer.day, reason),))
