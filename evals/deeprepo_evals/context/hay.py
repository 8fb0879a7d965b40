"""The text around the facts: lines of plain words that say nothing, cut to length, and the facts between them. Pure."""

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

LINE = 14  # words
WORDS = tuple(
    "able about above across afternoon again air almost alone along always among animal answer apart area arm around "  # noqa: SIM905 - 250 quoted words read badly
    "autumn away back bag ball bank barn basket beach bean bear beautiful bed bell bench beside better between bird blue "
    "board boat body book boot border both bottle bottom bowl box branch bread bridge bright broad brook brown brush "
    "bucket build butter button calm candle canvas careful carry cart castle chair chalk chance chest child church "
    "circle city clay clean clear cliff climb clock cloth cloud coast coat coin cold color common copper corn corner "
    "cotton country course cover crown curtain dance dark daughter dawn deep desk distance dog door down dream dress "
    "drift drive dry dust early earth east easy edge eight elbow evening every eye face fair family farm father feather "
    "fence few field fire fish floor flower foot forest friend front full game garden gate gentle glass gold grain grass "
    "green ground hall hand harbor hat hay head heart heavy hill hollow home horse house hundred inside iron island "
    "kitchen ladder lake lamp land large late leaf letter light line little long market meadow middle milk mirror "
    "morning mountain narrow near needlework night north ocean old open orchard paper path pencil people piano picture "
    "pillow pine plain pocket pond quiet rain red river road rock roof room rope round salt sand school season seven "
    "shadow shallow shelf ship shore silver simple sky slow small smoke snow soft south spring square stair star "
    "station steam stone street summer table tall tent thin thread timber tower town track tree under valley village "
    "wall warm water weather west wheel white wide wind window winter wood yard yellow young".split()
)
NAMES = (  # noqa: SIM905 - the same
    "Zephyr Orion Juniper Marlow Tamsin Quill Bramble Corvin Delphine Ferris Gwendal Hartley Isolde Jasper Kestrel "
    "Lysander Mirabel Nolan Ottilie Perrin Rosalind Severin Thackeray Ursula Vesper Wilhelmina Xavier Yolande Zinnia "
    "Ambrose Beatrix Cassian"
).split()
RELATIONS = ("keeper", "neighbour")
FRUITS = ("banana", "papaya", "quince", "mango", "lychee", "guava")


def stack(size: int, seed: int, facts: Sequence[tuple[float, str]]) -> str:
    """A text of `size` characters, within a line, with each fact on a line of its own at its position.

    1.0 is before the last line, anything above behind it: that fact ends the text.
    """
    filler = _filler(size, seed)[: max(0, size - sum(len(said) + 1 for _, said in facts))]
    filler = filler[: filler.rfind("\n") + 1]
    pieces, done = [], 0
    for at, said in sorted(facts, key=lambda fact: fact[0]):
        place = (
            len(filler) if at > 1 else filler.rfind("\n", 0, max(0, min(int(at * len(filler)), len(filler) - 1))) + 1
        )
        pieces += [filler[done:place], said, "\n"]
        done = place
    text = "".join([*pieces, filler[done:]])
    return text.rstrip("\n")


def names(chance: random.Random, count: int) -> list[str]:
    """Different names."""
    return chance.sample(NAMES, count)


def numbers(chance: random.Random, count: int) -> list[str]:
    """Different numbers of five digits."""
    return [str(number) for number in chance.sample(range(10_000, 100_000), count)]


@lru_cache(maxsize=1)
def _filler(size: int, seed: int) -> str:
    """At least this many characters of words; a sweep over positions asks for the same again and again."""
    chance = random.Random(f"hay {seed}")  # noqa: S311 - seeded on purpose
    words = chance.choices(WORDS, k=size // 4 + LINE)
    lengths = accumulate(len(word) + 1 for word in words)
    enough = next((at for at, length in enumerate(lengths) if length > size + 200), len(words))
    lines = (" ".join(words[at : at + LINE]) for at in range(0, enough + LINE, LINE))
    return "\n".join(lines) + "\n"
