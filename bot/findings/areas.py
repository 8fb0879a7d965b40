"""Where the risk of a change lies, folder by folder. Pure."""

from collections import defaultdict
from collections.abc import Iterable

from bot.values import Area, Unit


def areas(units: Iterable[Unit]) -> tuple[Area, ...]:
    """The folders with changed units, riskiest first."""
    risks_by_folder: dict[str, list[int]] = defaultdict(list)
    for unit in units:
        risks_by_folder[unit.path.rpartition("/")[0]].append(unit.risk)
    rows = (Area(folder, len(risks), max(risks)) for folder, risks in risks_by_folder.items())
    return tuple(sorted(rows, key=lambda area: (-area.risk, -area.units, area.folder)))
