"""What became of each consumer, and what the change breaks there: a value that a review carries."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from bot.values import Excerpt, Finding
from bot.values.consumer import ConsumerReport, Standing

PROMPT_TOKENS = 1_500  # of consumers' lines in one prompt


@dataclass(frozen=True, slots=True)
class Consumers:
    """What became of each consumer, and what the change breaks there."""

    reports: tuple[ConsumerReport, ...] = ()
    findings: tuple[Finding, ...] = ()
    # (changed definition as "path:name", the lines around a use of it), for models; paths begin with the consumer's name.
    excerpts: tuple[tuple[str, Excerpt], ...] = ()

    @property
    def unread(self) -> tuple[str, ...]:
        """A sentence for each consumer that was not looked at, or only in part."""
        return tuple(f"{one.name} was not looked at: {one.reason}" for one in self.reports if one.state == "unread")

    def disclosed(self, reviewed: Standing, *, switched_on: bool) -> "Consumers":
        """The same as the readers of the review may see it: the one place through which it goes to prompts, records and outputs."""
        if not self.reports:
            return self
        from bot.dependents.consumers.disclosure import disclosure

        standings = {one.name: Standing(one.name.rpartition("/")[0], one.visibility) for one in self.reports}
        hidden = {
            name
            for name, standing in standings.items()
            if disclosure(reviewed, standing, switched_on=switched_on) == "existence"
        }
        return self.withheld(hidden) if hidden else self

    def withheld(self, names: Collection[str]) -> "Consumers":
        """The same without a word of these consumers, whose readers are fewer than those of the review."""
        from bot.dependents.consumers.disclosure import withheld_finding, withheld_report

        hidden = {one.name: number for number, one in enumerate((r for r in self.reports if r.name in names), 1)}
        return Consumers(
            tuple(withheld_report(one, hidden[one.name]) if one.name in hidden else one for one in self.reports),
            tuple(
                withheld_finding(one, hidden[one.consumer]) if one.consumer in hidden else one for one in self.findings
            ),
            tuple(one for one in self.excerpts if one[1].path.partition(":")[0] not in hidden),
        )

    def beside(self, keys: Collection[str]) -> tuple[Excerpt, ...]:
        """The lines of consumers that use one of these definitions ("path:name"), as many as a prompt has room for."""
        found: list[Excerpt] = []
        room = PROMPT_TOKENS
        for key, excerpt in self.excerpts:
            if key in keys and excerpt.size <= room and excerpt not in found:
                room -= excerpt.size
                found.append(excerpt)
        return tuple(found)

    def texts(self) -> dict[str, str]:
        """Every line of a consumer that is shown, by path: a secret in it is one for prompts and outputs too."""
        found: dict[str, list[str]] = defaultdict(list)
        for _, excerpt in self.excerpts:
            found[excerpt.path].append(excerpt.text)
        for item in (item for one in self.findings for item in one.evidence if item.repository):
            found[item.path].append(item.quote)
        return {path: "\n".join(lines) for path, lines in found.items()}

    def rows(self) -> dict[str, Any]:
        """What a record keeps of it: nothing if nobody named a consumer."""
        return {"consumers": asdict(self)} if self.reports else {}

    @classmethod
    def restored(cls, rows: object) -> "Consumers":
        """What a record has kept."""
        from pydantic import TypeAdapter

        return TypeAdapter(cls).validate_python(rows) if rows else cls()

    @property
    def summary(self) -> str:
        """How many were looked at, and how many break."""
        if not self.reports:
            return ""  # most reviews look at no consumer, and load nothing for it
        from bot.dependents.consumers import words

        return words.summary(self.reports)
