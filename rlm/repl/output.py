"""What a block prints, and how much of it goes to the model: the longest prints give way, the others stay whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from rlm.repl.frames import END

KEEP = 400_000  # characters that one block prints at most; what follows is only counted
LINE = 400  # characters; a longer print is a piece of its own, shorter ones in a row are one piece
SHARE = 1_000  # characters that a piece is shown with at least
MARK = "\n[... {count:,} characters cut here: more({number}) returns them ...]\n"
GONE = "\n[... {count:,} characters cut here ...]\n"
MARK_CHARS = 90  # that the mark takes at most


@dataclass(frozen=True, slots=True)
class Cut:
    """What was cut out of one piece."""

    number: int  # counted over the whole run, so that it names the piece in later blocks too
    text: str
    lost_chars: int = 0  # characters after `text` that were not held

    def __str__(self) -> str:
        return self.text + (f"\n[... {self.lost_chars:,} more characters were not kept ...]" if self.lost_chars else "")


@dataclass(frozen=True, slots=True)
class PrintedOutput:
    """The output of one block, as the model sees it."""

    text: str
    cuts: tuple[Cut, ...] = ()

    @property
    def omitted_chars(self) -> int:
        """How many characters the model does not see."""
        return sum(len(cut.text) + cut.lost_chars for cut in self.cuts)


class PrintBuffer:
    """The sink of one block."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._held: list[str] = []
        self._room, self._lost = KEEP, 0

    def __call__(self, text: str) -> None:
        """Take what was printed; what is beyond the room of a block is counted."""
        kept_text = text[: self._room]
        self._held.append(kept_text)
        self._room -= len(kept_text)
        self._lost += len(text[len(kept_text) :].replace(END, ""))

    def finish(self, number: int = 1, *, can_return: bool = True) -> PrintedOutput:
        """What the model sees, never more than `size` characters, and what was cut; the first cut gets this number.

        What a limit ended cannot be asked for again: it differs from run to run.
        """
        prints = [text for text in "".join(self._held).split(END) if text]
        pieces = _pieces(prints, max(1, self._size // SHARE)) or [""]
        sizes = [len(piece) for piece in pieces]
        sizes[-1] += self._lost  # a flood, of which the last piece is the beginning
        visible_pieces, cuts = list[str](), list[Cut]()
        for piece, size, share in zip(pieces, sizes, _shares(sizes, self._size), strict=True):
            if size <= share:
                visible_pieces.append(piece)
                continue
            head, tail = _ends(piece, max(0, share - MARK_CHARS))
            lost_chars = size - len(piece)
            tail = "" if lost_chars else tail
            middle = piece[len(head) : len(piece) - len(tail)]
            cut = Cut(number + len(cuts), middle, lost_chars)
            cuts.append(cut)
            mark = (MARK if can_return else GONE).format(count=len(middle) + lost_chars, number=cut.number)
            visible_pieces.append((head + mark + tail)[: max(0, share)])
        return PrintedOutput("".join(visible_pieces), tuple(cuts))


def _pieces(prints: Sequence[str], most: int) -> list[str]:
    """What is cut as a whole: each long print, and short ones in a row; all together where there would be too many."""
    pieces: list[str] = []
    for is_long, group in groupby(prints, lambda text: len(text) > LINE):
        texts = list(group)
        pieces += texts if is_long else ["".join(texts)]
    return pieces if len(pieces) <= most else ["".join(pieces)]


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Room for each piece: short ones have what they need, the longest share the rest alike."""
    shares = [0] * len(sizes)
    for left, at in zip(range(len(sizes), 0, -1), sorted(range(len(sizes)), key=lambda i: sizes[i]), strict=True):
        shares[at] = min(sizes[at], room // left)
        room -= shares[at]
    return shares


def _ends(text: str, room: int) -> tuple[str, str]:
    """The head and the tail of a text, together at most so long, of whole lines where lines are short."""
    half = room // 2
    head, tail = text[:half], text[len(text) - half :] if half else ""
    at = head.rfind("\n") + 1
    head = head[:at] if at > half // 2 else head
    at = tail.find("\n") + 1
    return head, tail[at:] if 0 < at < half // 2 else tail
