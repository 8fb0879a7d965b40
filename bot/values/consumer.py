"""The values about consumers, which are other repositories that use the reviewed one."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from bot.values.change import Excerpt, PullRequest
from bot.values.finding import Finding
from deeprepo.impact.packages import Requirement
from deeprepo.rlm.values import Exact

TOO_MUCH = "reading it exceeds the limits of a review"  # a `problem` or `reason`


Visibility = Literal["public", "internal", "private"]
# "checked": its references were compared with the change. "unread": it could not be read, or only partly.
# "unrelated": it uses nothing from the reviewed repository, or is a copy of it.
ConsumerState = Literal["checked", "unread", "unrelated"]


@dataclass(frozen=True, slots=True)
class RepositoryAccess:
    """Who can read a repository. Unknown fields keep their defaults."""

    owner: Exact[str] = ""
    visibility: Visibility | None = None
    id: int = 0  # GitHub's repository ID, which survives renames; 0 if unknown


@dataclass(frozen=True, slots=True)
class Audience:
    """Who reads a review on a host."""

    subject: RepositoryAccess = field(default_factory=RepositoryAccess)  # access to the reviewed repository
    name: Exact[str] = ""  # "owner/name" of the reviewed repository
    can_write: bool = False  # whether the change's author has write access to the repository


@dataclass(frozen=True, slots=True)
class NamedConsumer:
    """A clone to check, listed by a person or a settings file, or fetched from a host."""

    location: Exact[str]  # a path, or a path and a revision, such as "../billing@v2"
    # Whether the repository's settings list it, instead of the person who started the review.
    settings: bool = False
    name: Exact[str] = ""  # "owner/name" if it was fetched
    access: RepositoryAccess | None = None  # None for a clone on the reader's own disk
    problem: str = ""  # why it was not fetched


@dataclass(frozen=True, slots=True)
class Consumers:
    """The other repositories that a review checks, and who may see the result."""

    # Who can read the review on a host; None if only the person who listed the consumers reads it.
    audience: Audience | None = None
    named: tuple[NamedConsumer, ...] = ()


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository on this disk, at one commit."""

    name: Exact[str]  # "owner/name" of its origin, or the name of its folder
    pull: PullRequest  # base and head are both the commit that is read
    day: Exact[str] = ""  # the date of that commit, such as "2026-08-04"
    settings: bool = False  # whether the repository's settings list it
    access: RepositoryAccess | None = None  # None for a clone on the reader's own disk


def label(name: str, path: str) -> str:
    """Return the displayed path of a consumer's file, such as "acme/billing:src/pay.py"."""
    return f"{name}:{path}"


PROMPT_TOKENS = 1_500  # tokens for consumers' lines in one prompt


@dataclass(frozen=True, slots=True)
class ConsumerReport:
    """The result for one consumer in a review."""

    name: Exact[str]
    state: ConsumerState
    commit: Exact[str] = ""  # the commit that was read
    day: Exact[str] = ""  # the date of that commit
    reason: str = ""  # why it was not checked completely
    takes: tuple[Requirement, ...] = ()  # the reviewed repository's packages that it uses
    uses: int = 0  # number of lines that use a definition whose contract changed
    breaks: int = 0  # proven findings
    hints: int = 0  # unproven findings
    visibility: Visibility | None = None  # None for a clone on the reader's own disk


@dataclass(frozen=True, slots=True)
class ConsumerImpact:
    """The result for each consumer, and what the change breaks there.

    Field names are part of recorded reviews.
    """

    reports: tuple[ConsumerReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: str = ""  # a sentence about how many were checked, and how many break
    # Pairs of a changed definition ("path:name") and the lines around a reference to it, for models. The
    # excerpts' paths begin with the consumer's name.
    excerpts: tuple[tuple[str, Excerpt], ...] = ()
    readable: tuple[str, ...] = ()  # names of the consumers whose code models may read
    clones: tuple[Clone, ...] = ()  # their clones on disk; not recorded

    @property
    def unread(self) -> tuple[str, ...]:
        """A sentence for each consumer that was not checked, or only in part."""
        return tuple(
            f"{report.name} was not checked: {report.reason}" for report in self.reports if report.state == "unread"
        )

    def beside(self, keys: Collection[str]) -> tuple[Excerpt, ...]:
        """Return the excerpts that refer to these definitions ("path:name"), as many as fit into a prompt."""
        found: list[Excerpt] = []
        room = PROMPT_TOKENS
        for key, excerpt in self.excerpts:
            if key in keys and excerpt.size <= room and excerpt not in found:
                room -= excerpt.size
                found.append(excerpt)
        return tuple(found)

    def texts(self) -> dict[str, str]:
        """Return all text from consumers, by path, so that secrets in it can be masked."""
        found: dict[str, list[str]] = defaultdict(list)
        for _, excerpt in self.excerpts:
            found[excerpt.path].append(excerpt.text)
        for item in (item for finding in self.findings for item in finding.evidence if item.repository):
            found[item.path].append(item.quote)
        for report in self.reports:
            for row in report.takes:
                found[label(report.name, row.path)].append(row.line)
        return {path: "\n".join(lines) for path, lines in found.items()}

    def rows(self) -> dict[str, Any]:
        """Return the fields for a record, as JSON values, or nothing if no consumer was listed."""
        return {"consumers": asdict(replace(self, clones=()))} if self.reports else {}
