"""Check what a change breaks in clones of consumers, with the same checks as within one repository."""

import asyncio
import posixpath
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from bot.checkout import Checkout, clone
from bot.checkout.own_git_dir import paths_of
from bot.checkout.views import create_known_secrets
from bot.config.defaults import FILE
from bot.consumers.package_breaks import package_breaks, sentence
from bot.errors import DeepRepoError
from bot.ports import Analyzer
from bot.values import ChangedFile
from bot.values.consumer import (
    Clone,
    ConsumerImpact,
    ConsumerReport,
    ConsumerState,
    NamedConsumer,
    RepositoryAccess,
    label,
)
from bot.values.shared_file import SettingsText
from deeprepo.impact.consumers.manifests import offer_of, requirements
from deeprepo.impact.consumers.offered_change import OfferedChange, offered_change
from deeprepo.impact.consumers.overlay import mount_of
from deeprepo.impact.packages import Package
from deeprepo.impact.ports import Tree

MAX_CLONES = 40  # clones per review
MAX_CONSUMER_FILES = 200_000  # files in one consumer
CONSUMER_SECONDS, ALL_CONSUMERS_SECONDS = 120.0, 600.0  # time limits for one consumer, and for all of them
COPY = "it provides the same package, so it is a copy of this repository"
USES_NOTHING = "its manifests use nothing from this repository"


async def check(
    tree: Tree,
    files: Sequence[ChangedFile],
    consumers: Sequence[NamedConsumer],
    contracts: Analyzer,
    *,
    own: str = "",
    scratch: str,
    left_out: Collection[str] = (),
    may_show: Callable[[RepositoryAccess, SettingsText], bool] = lambda _, __: False,
    seconds: float | None = None,
) -> ConsumerImpact:
    """Return what the change breaks in these consumers.

    A clone that cannot be read is reported as such, and the others are checked. `own` is the git folder of
    the reviewed repository. `contracts` is the analyzer that compares references. `may_show` decides, given a
    fetched consumer's access and settings file, whether the review may show the consumer. If not, it
    is skipped. `seconds` is the time limit for all consumers together.
    """
    if not consumers:
        return ConsumerImpact()
    shown = [one for one in consumers if not one.problem or one.access is None or one.access.visibility == "public"]
    clones, others = await _open_clones(shown, scratch, own)
    opened = len(clones)
    clones = [one for one in clones if one.access is None or await _is_shown(one, one.access, may_show)]
    is_hidden = len(shown) < len(consumers) or len(clones) < opened
    done = [ConsumerImpact((report,)) for report in others]
    change = await offered_change(tree, files)
    end = time.monotonic() + (seconds or ALL_CONSUMERS_SECONDS)
    for named_clone in clones:
        left = min(CONSUMER_SECONDS, end - time.monotonic())
        if left > 0:
            done.append(await _check(change, named_clone, contracts, left_out, left))
        else:
            done.append(
                ConsumerImpact(
                    (
                        _unchecked(
                            named_clone,
                            "unread",
                            f"{seconds or ALL_CONSUMERS_SECONDS:g} s were used for the other repositories",
                        ),
                    )
                )
            )
    visibilities = {one.name: one.access.visibility for one in clones if one.access is not None}
    reports = tuple(
        replace(report, visibility=visibilities.get(report.name)) for outcome in done for report in outcome.reports
    )
    users = {report.name for report in reports if report.state != "unrelated"}
    readable = tuple(named_clone for named_clone in clones if named_clone.name in users and not named_clone.settings)
    return ConsumerImpact(
        reports,
        tuple(finding for outcome in done for finding in outcome.findings),
        summary(reports, is_hidden=is_hidden),
        tuple(excerpt for outcome in done for excerpt in outcome.excerpts),
        readable=tuple(named_clone.name for named_clone in readable),
        clones=readable,
    )


async def list_known(
    tree: Tree, consumers: Sequence[NamedConsumer], *, own: str = "", scratch: str
) -> tuple[ConsumerReport, ...]:
    """Return what each consumer uses of this repository, according to the consumer's manifests."""
    clones, others = await _open_clones(consumers, scratch, own)
    offer, found = await offer_of(tree), list[ConsumerReport]()
    for named_clone in clones:
        try:
            async with asyncio.timeout(CONSUMER_SECONDS), Checkout(named_clone.pull) as theirs:
                found.append(await _report_of_manifests(offer, named_clone, theirs))
        except (DeepRepoError, TimeoutError) as error:
            found.append(
                _unchecked(named_clone, "unread", sentence(error) or f"it took more than {CONSUMER_SECONDS:.0f} s")
            )
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
            found, problem = None, sentence(error).partition(": ")[0]
        if found is None:
            name = consumer.name or posixpath.basename(consumer.location.rstrip("/")) or consumer.location
            others.append(ConsumerReport(distinct(name), "unread", reason=problem))
            continue
        common = paths_of(found.pull.git_dir).common
        if (common, found.pull.head) in commits:
            continue  # listed twice
        commits.add((common, found.pull.head))
        name = distinct(consumer.name or found.name)
        found = replace(found, name=name, settings=consumer.settings, access=consumer.access)
        if own and common == paths_of(own).common:
            others.append(_unchecked(found, "unrelated", "it is the repository under review"))
        elif len(clones) == MAX_CLONES:
            others.append(
                _unchecked(found, "unread", f"no more than {MAX_CLONES} repositories are checked in one review")
            )
        else:
            clones.append(found)
    return clones, others


async def _is_shown(
    consumer: Clone, access: RepositoryAccess, may_show: Callable[[RepositoryAccess, SettingsText], bool]
) -> bool:
    """Return whether the review may show the consumer. If its settings cannot be read, it may not."""
    try:
        async with asyncio.timeout(CONSUMER_SECONDS), Checkout(consumer.pull) as tree:
            return may_show(access, await tree.settings_at_tip(FILE))
    except (DeepRepoError, TimeoutError):
        return False


async def _check(
    change: OfferedChange,
    consumer: Clone,
    contracts: Analyzer,
    left_out: Collection[str],
    seconds: float,
) -> ConsumerImpact:
    """Check one consumer. If an error occurs, the consumer is reported as unread."""
    names = (mount_of(consumer.name), label(consumer.name, ""))
    mine = [path[len(name) :] for path in left_out for name in names if path.startswith(name)]
    try:
        async with asyncio.timeout(seconds), Checkout(consumer.pull, mine) as tree:
            return await _mask(await _compare(change, consumer, tree, contracts), consumer, tree)
    except TimeoutError:
        why = f"it took more than {seconds:.0f} s"
    except DeepRepoError as error:
        why = sentence(error)
    except Exception as error:  # noqa: BLE001 - another repository must not end this review
        why = f"an internal error occurred while reading it ({type(error).__name__})"
    return ConsumerImpact((_unchecked(consumer, "unread", why),))


async def _mask(impact: ConsumerImpact, consumer: Clone, tree: Checkout) -> ConsumerImpact:
    """This scans the whole files, because the lines around a reference may not show that a value is a secret."""
    start = label(consumer.name, "")
    inner_paths = [path.removeprefix(start) for path in impact.texts() if path.startswith(start)]
    blobs = await tree.read_many(inner_paths)
    masks = create_known_secrets()
    masks.learn_files({path: blob.decode("utf-8", "replace") for path, blob in blobs.items()})
    return masks.cover(impact)


async def _compare(change: OfferedChange, consumer: Clone, tree: Checkout, contracts: Analyzer) -> ConsumerImpact:
    if len(await tree.entries()) > MAX_CONSUMER_FILES:
        return ConsumerImpact((_unchecked(consumer, "unread", f"it has more than {MAX_CONSUMER_FILES:,} files"),))
    report = await _report_of_manifests(change.packages, consumer, tree)
    if not report.takes:
        return ConsumerImpact((report,))
    impact = await package_breaks(change, consumer, tree, contracts, report)
    (first,), findings = impact.reports, impact.findings
    breaks = sum(finding.proven for finding in findings)
    return replace(impact, reports=(replace(first, breaks=breaks, hints=len(findings) - breaks),))


async def _report_of_manifests(offer: Collection[Package], consumer: Clone, tree: Checkout) -> ConsumerReport:
    copies = {(package.language, package.name) for package in await offer_of(tree)}
    asked, unread = await requirements(tree, offer)
    takes = tuple(row for row in asked if (row.language, row.name) not in copies)
    if takes:
        return ConsumerReport(consumer.name, "checked", consumer.pull.head, consumer.day, takes=takes)
    if copies & {(package.language, package.name) for package in offer}:
        return _unchecked(consumer, "unrelated", COPY)
    return _unchecked(consumer, "unread" if unread else "unrelated", unread or USES_NOTHING)


def _unchecked(consumer: Clone, state: ConsumerState, reason: str) -> ConsumerReport:
    return ConsumerReport(consumer.name, state, consumer.pull.head, consumer.day, reason)


HIDDEN = "Listed repositories that this review may not show were not checked."


def summary(reports: Sequence[ConsumerReport], *, is_hidden: bool = False) -> str:
    """Return sentences about how many consumers were checked, and how many break; "" if none was listed.

    `is_hidden`: whether some are not shown, because not everybody who reads the review may see them.
    """
    return " ".join(filter(None, (_checked(reports), HIDDEN if is_hidden else "")))


def _checked(reports: Sequence[ConsumerReport]) -> str:
    users = [report for report in reports if report.state != "unrelated"]
    if not reports or not users:
        return "None of the listed repositories uses this one." if reports else ""
    checked = sum(user.state == "checked" for user in users)
    broken = sum(bool(user.breaks) for user in users)
    hinted = sum(bool(user.hints) and not user.breaks for user in users)
    if len(users) == 1:
        if not checked:
            return "One other repository is known to use this one. It was not checked."
        effect = "breaks" if broken else "may break" if hinted else "does not break"
        return f"One other repository is known to use this one. This change {effect} it."
    more = f", {hinted} may break" if hinted else ""
    return f"{checked} of {len(users)} repositories that use this one were checked. {broken} {'breaks' if broken == 1 else 'break'}{more}."
