"""Names for made-up packages: some as rare as those of a project, some that every library has."""

from random import Random

NOUNS = [
    "order",
    "parcel",
    "invoice",
    "ledger",
    "voucher",
    "customer",
    "basket",
    "shipment",
    "tariff",
    "depot",
    "pallet",
    "courier",
    "receipt",
    "refund",
]
SHAPES = [
    "price",
    "weight",
    "total",
    "count",
    "label",
    "rate",
    "margin",
    "index",
    "depth",
    "volume",
    "share",
    "limit",
    "value",
    "size",
    "name",
]
VERBS = [
    "compute",
    "load",
    "build",
    "parse",
    "apply",
    "resolve",
    "merge",
    "collect",
    "estimate",
    "render",
    "update",
    "get",
    "run",
    "send",
    "check",
]
COLORS = ["amber", "cobalt", "crimson", "indigo", "olive", "scarlet", "teal", "violet"]


class Words:
    """Names that are drawn once each."""

    def __init__(self, chance: Random) -> None:
        self._chance, self._taken = chance, set[str]()

    def function(self) -> str:
        """Return a name for a function: of one word in one of six cases."""
        return self._new(lambda: self._verb() if self._chance.random() < 0.17 else f"{self._verb()}_{self._shape()}")

    def field(self) -> str:
        """Return a name for a field or a parameter."""
        return self._new(lambda: self._shape() if self._chance.random() < 0.6 else f"{self._noun()}_{self._shape()}")

    def type(self) -> str:
        """Return a name for a record, an interface or an enumeration."""
        return self._new(lambda: self._noun() if self._chance.random() < 0.4 else f"{self._noun()}_{self._shape()}")

    def module(self) -> str:
        """Return a name for a module."""
        return self._new(lambda: self._noun() + "s")

    def member(self) -> str:
        """Return a name for a member of an enumeration."""
        return self._new(
            lambda: (
                self._chance.choice(COLORS)
                if self._chance.random() < 0.6
                else f"{self._chance.choice(COLORS)}_{self._noun()}"
            )
        )

    def _new(self, made: "object") -> str:
        for attempt in range(200):
            name = str(made()) if callable(made) else ""
            if name not in self._taken:
                break
            if attempt > 100:
                name = f"{name}_{attempt}"
                break
        self._taken.add(name)
        return name

    def _verb(self) -> str:
        return self._chance.choice(VERBS)

    def _shape(self) -> str:
        return self._chance.choice(SHAPES)

    def _noun(self) -> str:
        return self._chance.choice(NOUNS)
