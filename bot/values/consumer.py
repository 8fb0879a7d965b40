"""Consumers, which are other repositories that use the reviewed one, and the packages that manifests list."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from bot.values.change import Excerpt, PullRequest
from bot.values.finding import Finding
from deeprepo.impact.packages import Requirement
from deeprepo.rlm.values import Exact

if TYPE_CHECKING:
    from bot.values.shared_file import SharedFile

TOO_MUCH = "reading it exceeds the limits of a review"  # a consumer's problem


Visibility = Literal["public", "internal", "private"]
# "checked": its uses were compared with the change. "unread": it could not be read, so its uses are open.
# "unrelated": it uses nothing from the reviewed repository, or is a copy of it.
ConsumerState = Literal["checked", "unread", "unrelated"]


# How much of a consumer is shown. Each level includes those before it.
Disclosure = Literal["nothing", "existence", "name", "lines"]
DISCLOSURES: tuple[Disclosure, ...] = ("nothing", "existence", "name", "lines")


@dataclass(frozen=True, slots=True)
class Standing:
    """Who can read a repository, according to its host. Nothing is known about a clone on disk."""

    owner: Exact[str] = ""
    visibility: Visibility | None = None
    shows: Disclosure = "name"  # the most that its own settings disclose to readers of other repositories
    id: int = 0  # GitHub's repository ID, which survives renames; 0 if unknown


@dataclass(frozen=True, slots=True)
class Audience:
    """Who reads a review, and how much the operator lets them see of private consumers."""

    subject: Standing = field(default_factory=Standing)  # of the reviewed repository
    most: Disclosure = "existence"
    is_stranger: bool = False  # whether the change's author has no write access to the repository


@dataclass(frozen=True, slots=True)
class NamedConsumer:
    """A clone that a person or a settings file listed."""

    location: Exact[str]  # a path, or a path and a revision, such as "../billing@v2"
    # Whether the repository's settings list it, and not the person who started the review
    settings: bool = False
    name: Exact[str] = ""  # "owner/name" if it was fetched
    standing: Standing | None = None  # None for a clone on the reader's own disk
    problem: str = ""  # why it was not fetched


@dataclass(frozen=True, slots=True)
class Consumers:
    """The other repositories that a review checks: listed clones, or those that a host returned."""

    # Readers of the review on a host; None if only the person who listed the consumers reads it
    audience: Audience | None = None
    named: tuple[NamedConsumer, ...] = ()
    note: str = ""  # a sentence for readers of the review, who must not learn which repositories exist
    # Settings that the reviewed repository shares with others of its owner
    shared: "tuple[SharedFile, ...]" = ()


@dataclass(frozen=True, slots=True)
class Clone:
    """A repository on this disk, at one commit."""

    name: Exact[str]  # "owner/name" of its origin, else the name of its folder
    pull: PullRequest  # base and head are both the commit that is read
    day: Exact[str] = ""  # of that commit, such as "2026-08-04"
    settings: bool = False  # whether the repository's settings list it
    standing: Standing | None = None  # None for a clone on the reader's own disk


def label(name: str, path: str) -> str:
    """Return the displayed path of a consumer's file, such as "acme/billing:src/pay.py"."""
    return f"{name}:{path}"


PROMPT_TOKENS = 1_500  # tokens of consumers' lines in one prompt


@dataclass(frozen=True, slots=True)
class ConsumerReport:
    """The result for one consumer in a review."""

    name: Exact[str]
    state: ConsumerState
    commit: Exact[str] = ""  # the commit that was read
    day: Exact[str] = ""  # of that commit
    reason: str = ""  # why it was not checked completely
    takes: tuple[Requirement, ...] = ()  # packages that it takes from the reviewed repository
    uses: int = 0  # lines that use something whose contract changed
    breaks: int = 0  # proven findings
    hints: int = 0  # unproven findings
    visibility: Visibility | None = None  # None for a clone on the reader's own disk


@dataclass(frozen=True, slots=True)
class ConsumerImpact:
    """The result for each consumer, and what the change breaks there."""

    reports: tuple[ConsumerReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    summary: str = ""  # how many were checked, and how many break
    # (changed definition as "path:name", the lines around a use of it), for models; paths begin with the
    # consumer's name.
    excerpts: tuple[tuple[str, Excerpt], ...] = ()
    # Access to consumers on a host, by name, until it is decided what to show.
    standings: tuple[tuple[str, Standing], ...] = ()
    readable: tuple[str, ...] = ()  # names of the consumers whose code models may read
    clones: tuple[Clone, ...] = ()  # their clones on disk; not recorded

    @property
    def unread(self) -> tuple[str, ...]:
        """A sentence for each consumer that was not checked, or only in part."""
        return tuple(
            f"{report.name} was not checked: {report.reason}" for report in self.reports if report.state == "unread"
        )

    def beside(self, keys: Collection[str]) -> tuple[Excerpt, ...]:
        """Return consumers' lines that use these definitions ("path:name"), as many as fit into a prompt."""
        found: list[Excerpt] = []
        room = PROMPT_TOKENS
        for key, excerpt in self.excerpts:
            if key in keys and excerpt.size <= room and excerpt not in found:
                room -= excerpt.size
                found.append(excerpt)
        return tuple(found)

    def texts(self) -> dict[str, str]:
        """Return all shown lines of consumers by path, because secrets in them must be masked too."""
        found: dict[str, list[str]] = defaultdict(list)
        for _, excerpt in self.excerpts:
            found[excerpt.path].append(excerpt.text)
        for item in (item for finding in self.findings for item in finding.evidence if item.repository):
            found[item.path].append(item.quote)
        return {path: "\n".join(lines) for path, lines in found.items()}

    def rows(self) -> dict[str, Any]:
        """Return the record's fields, or nothing if no consumer was listed."""
        return {"consumers": asdict(replace(self, clones=()))} if self.reports else {}

    @classmethod
    def restore(cls, rows: object) -> "ConsumerImpact":
        """Return the consumers' results from a record."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).validate_python(rows) if rows else cls()
