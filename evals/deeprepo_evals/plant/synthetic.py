"""Code bases that never were: packages that import each other, a web page, a night agent, tests and settings; seeded.

The pieces (pieces/) are real code about a `Thing`; each entity gives it another name, other numbers and another choice of
functions. The same seed and size give the same files, byte for byte.
"""

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from bot.errors import UsageError

PIECES = Path(__file__).with_name("pieces")
FEWEST, MOST = 10, 300  # files
OPTIONAL = 0.6  # how often a function that nobody needs is there
ENTITIES = tuple(
    """anchor barrel battery bicycle boiler bottle cabinet cable canoe carpet carton column container crate drum engine filter
    girder hammer kayak kettle ladder lantern locker magnet mirror organ pallet panel parcel piano printer pump router saddle
    scooter sensor statue tent trailer turbine tyre valve vessel wagon wheel""".split()  # noqa: SIM905 - a list of 46 quoted names reads worse
)
WEIGHTS = ("weight", "volume", "length", "height", "load")
ZONES = ("zone", "region", "ward", "depot", "hall", "district", "sector", "yard")
COMMON = (
    ("README.md", "README.md"),
    ("pyproject.toml", "pyproject.toml"),
    ("app/lib/numbers.py", "numbers.py"),
    ("app/lib/paging.py", "paging.py"),
    ("app/lib/leases.py", "leases.py"),
    ("app/lib/audit.py", "audit.py"),
)
ENTITY = (  # in the order of their imports, so that any number of files is a whole; "common/" ones once
    ("app/things/model.py", "model.py"),
    ("app/things/store.py", "store.py"),
    ("app/things/rules.py", "rules.py"),
    ("app/things/service.py", "service.py"),
    ("tests/test_things.py", "test.py"),
    ("app/things/report.py", "report.py"),
    ("app/things/api.py", "api.py"),
    ("config/settings.toml", "common/settings.toml"),
    ("web/package.json", "common/package.json"),
    ("web/src/lib/http.ts", "common/http.ts"),
    ("web/src/lib/numbers.ts", "common/numbers.ts"),
    ("web/src/things.ts", "page.ts"),
    ("web/src/thingsView.ts", "view.ts"),
    ("web/src/things.test.ts", "test.ts"),
    ("agents/go.mod", "common/go.mod"),
    ("agents/source/source.go", "common/source.go"),
    ("agents/things/sweep.go", "sweep.go"),
    ("agents/things/run.go", "cli.go"),
)


def draw(seed: int, files: int) -> tuple[dict[str, str], list[Callable[[str], str]]]:
    """A code base of exactly so many files without a planted defect, and what gives a text of the pieces the names of each entity."""
    if not FEWEST <= files <= MOST:
        raise UsageError(f"a code base has {FEWEST} to {MOST} files, not {files}")
    entities: list[Callable[[str], str]] = []
    made = islice(_files(random.Random(f"code base {seed}"), entities), files)  # noqa: S311 - data, not secrets
    return dict(sorted(made)), entities


def _files(chance: random.Random, entities: list[Callable[[str], str]]) -> Iterator[tuple[str, str]]:
    for path, piece in COMMON:
        yield path, _piece(f"common/{piece}")
    known: set[str] = set()
    for entity in chance.sample(ENTITIES, len(ENTITIES)):
        named = _names(entity, chance.choice(WEIGHTS), chance.choice(ZONES))
        entities.append(named)
        for place, piece in ENTITY:
            path = named(place)
            if path not in known:
                known.add(path)
                text = _piece(piece)
                yield path, text if piece.startswith("common/") else named(_numbers(_choose(text, chance), chance))


def _names(entity: str, weight: str, zone: str) -> Callable[[str], str]:
    """Every `thing`, `weight` and `zone` by its name in this entity, in the spelling of the place."""
    words = {
        "things": f"{entity}s",
        "thing": entity,
        "weights": f"{weight}s",
        "weight": weight,
        "zones": f"{zone}s",
        "zone": zone,
    }
    words |= {key.capitalize(): word.capitalize() for key, word in words.items()}
    words |= {key.upper(): word.upper() for key, word in words.items()}
    spelt = "|".join(sorted(words, key=len, reverse=True))
    pattern = re.compile(rf"(?<![a-z])(?:{spelt})(?![a-z])|(?<=[a-z])(?:Things?|Weights?|Zones?)(?![a-z])")
    return lambda text: pattern.sub(lambda match: words[match[0]], text)


def _choose(text: str, chance: random.Random) -> str:
    """The head, every function that others need, and some of the rest in any order."""
    head, *rows = re.split(r"^#~ ", text, flags=re.MULTILINE)[1:]
    needed = [row.removeprefix("fn\n") for row in rows if row.startswith("fn\n")]
    rest = [row.removeprefix("fn?\n") for row in rows if row.startswith("fn?\n") and chance.random() < OPTIONAL]
    chance.shuffle(rest)
    apart = "\n\n\n" if '"""' in head else "\n\n"
    return apart.join(part.rstrip() for part in (head.removeprefix("head\n"), *needed, *rest)) + "\n"


def _numbers(text: str, chance: random.Random) -> str:
    """A number for each NUM_low_high."""
    return re.sub(r"\bNUM_(\d+)_(\d+)\b", lambda match: str(chance.randint(int(match[1]), int(match[2]))), text)


@cache
def _piece(name: str) -> str:
    return (PIECES / f"{name}.txt").read_text("utf-8")
