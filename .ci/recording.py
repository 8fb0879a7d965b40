"""Record `deeprepo demo --terminal` as an animated picture: `make recording` writes docs/images/demo.svg from the demo's real output."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Iterator
from html import escape
from pathlib import Path

from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text

COLUMNS, ROWS = 96, 32  # of the terminal, and of what the picture shows of it
CELL, LINE, MARGIN = 8.4, 18, 14  # pixels
TYPING, BLOCK, END = 2.0, 3.0, 6.0  # seconds: for the command, for each block of output, for the last screen
COMMAND = "deeprepo demo --terminal"
# A finding, the list of collapsed ones, and the line above the coverage each begin a block.
BEGINS = re.compile(r"^ (critical|high|medium|low) +\d+\. |^\d+ collapsed |^─{20}")
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"


def output() -> list[Text]:
    """Run the demo in a terminal, and return the lines that it leaves on the screen."""
    child, terminal = pty.fork()
    if child == 0:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", COLUMNS=str(COLUMNS), PATH=path)
        os.execvp("deeprepo", COMMAND.split())  # noqa: S606 - this program's own command
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 100, COLUMNS, 0, 0))
    parts = list[bytes]()
    while True:
        try:
            parts.append(os.read(terminal, 65_536))
        except OSError:  # the demo has ended
            break
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"`{COMMAND}` failed")
    return [Text.from_ansi(line) for line in screen(b"".join(parts).decode().replace("\r\n", "\n"))]


def screen(printed: str) -> list[str]:
    """Return the lines that are left. Progress is drawn again and again on one line, and erased in the end."""
    lines, row = [""], 0
    for part in re.split(r"(\n|\r|\x1b\[\d*[AK]|\x1b\[\?25[lh])", printed):
        if part == "\n":
            row += 1
            lines += [""] * (row == len(lines))
        elif part == "\r" or (part.endswith("K") and part.startswith("\x1b[")):
            lines[row] = ""
        elif part.endswith("A") and part.startswith("\x1b["):
            row -= int(part[2:-1] or 1)
        elif not part.startswith("\x1b[?25"):
            lines[row] += part
    return lines


def blocks(lines: list[Text]) -> list[list[Text]]:
    """Split the lines where the picture pauses."""
    found: list[list[Text]] = [[]]
    for line in lines:
        if BEGINS.search(line.plain):
            found.append([])
        found[-1].append(line)
    return found


def drawn(line: Text, row: int, console: Console) -> Iterator[str]:
    """Draw one line: a box for each background, and the characters at their columns."""
    column = 0
    for text, found, _ in line.render(console):
        style = found or Style()
        x, width = MARGIN + column * CELL, len(text) * CELL
        column += len(text)
        if not text.strip("\n"):
            continue
        if style.bgcolor is not None and not style.bgcolor.is_default:
            yield (
                f'<rect x="{x:.1f}" y="{row * LINE - 13}" width="{width:.1f}" height="{LINE}" '
                f'fill="{_hex(style.bgcolor, foreground=False)}"/>'
            )
        if word := text.strip():  # blanks at the ends are dropped where the picture is shown
            x += (len(text) - len(text.lstrip())) * CELL
            look = ' font-weight="bold"' * bool(style.bold) + ' opacity="0.6"' * bool(style.dim)
            size = f'x="{x:.1f}" y="{row * LINE}" textLength="{len(word) * CELL:.1f}"'
            fill = _hex(style.color, foreground=True)
            yield f'<text {size} fill="{fill}" xml:space="preserve"{look}>{escape(word)}</text>'


def _hex(color: Color | None, *, foreground: bool) -> str:
    """Return a color as HTML has it."""
    return (color or Color.default()).get_truecolor(SVG_EXPORT_THEME, foreground).hex


def picture(parts: list[list[Text]]) -> str:
    """Draw the recording: block after block appears, and older lines move up when the screen is full."""
    console = Console(width=COLUMNS, color_system="truecolor", force_terminal=True)
    seconds = TYPING + BLOCK * len(parts) + END
    styles, body, scrolls, row = list[str](), list[str](), ["0% {transform: translateY(0)}"], 2
    for number, part in enumerate(parts):
        at = 100 * (TYPING + BLOCK * number) / seconds
        drawing = list[str]()
        for line in part:
            drawing += drawn(line, row, console)
            row += 1
        body.append(f'<g class="b{number}">{"".join(drawing)}</g>')
        shown = f"0%, {at - 0.01:.2f}% {{visibility: hidden}} {at:.2f}%, 100% {{visibility: visible}}"
        styles.append(f"@keyframes b{number} {{{shown}}} .b{number} {{animation: b{number} {seconds}s infinite}}")
        if (over := row - ROWS) > 0:
            scrolls.append(f"{at:.2f}% {{transform: translateY(-{over * LINE}px)}}")
    last = scrolls[-1].partition("{")[2]
    scrolls.append(f"100% {{{last}")
    width, height = COLUMNS * CELL + 2 * MARGIN, ROWS * LINE + MARGIN
    prompt = f'<text x="{MARGIN}" y="{LINE}" fill="#98e024">$ <tspan fill="#ffffff">{COMMAND}</tspan></text>'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" height="{height}" role="img">
<title>Terminal recording of {COMMAND}</title>
<style>
text {{font: 14px {FONT}; white-space: pre}}
@keyframes scroll {{{" ".join(scrolls)}}}
.screen {{animation: scroll {seconds}s step-end infinite}}
{chr(10).join(styles)}
</style>
<rect width="100%" height="100%" rx="8" fill="{SVG_EXPORT_THEME.background_color.hex}"/>
<svg y="10" width="{width:.0f}" height="{ROWS * LINE}"><g class="screen">{prompt}
{chr(10).join(body)}
</g></svg>
</svg>
"""


def main() -> None:
    """Write the picture to the file that is named."""
    lines = output()
    while lines and not lines[-1].plain.strip():
        lines.pop()
    Path(sys.argv[1]).write_text(picture(blocks(lines)), encoding="utf-8")


main()
