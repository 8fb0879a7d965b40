"""Curves as one SVG: a panel for each figure, a line for each reward (the mean over seeds) and around it the range of the seeds. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean

WIDTH, HEIGHT, GAP, TOP, BOTTOM = 260, 170, 46, 52, 34  # of a panel, in pixels
COLOURS = ("#2f7de1", "#d9622b")  # that are told apart on white and on black, and by the colour-blind
INK = "#808080"
TICKS = (0.0, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Line:
    """One reward: for each seed the shares (0 to 1) at its steps."""

    name: str
    seeds: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One figure."""

    title: str
    lines: tuple[Line, ...]


def svg(panels: Sequence[Panel]) -> str:
    """The drawing, with its own size and colours: it is looked at on light and on dark pages."""
    wide, high = len(panels) * (WIDTH + GAP) + GAP // 2, TOP + HEIGHT + BOTTOM
    drawn = "\n".join(_panel(panel, GAP + at * (WIDTH + GAP) - 8) for at, panel in enumerate(panels))
    names = [line.name for line in panels[0].lines] if panels else []
    legend = "\n".join(
        f'<path d="M{GAP - 8 + at * 300} 14h22" stroke="{colour}" stroke-width="3"/>'
        f'<text x="{GAP + 20 + at * 300}" y="18">{escape(name)}</text>'
        for at, (name, colour) in enumerate(zip(names, COLOURS, strict=False))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">\n{legend}\n{drawn}\n</svg>\n'
    )


def _panel(panel: Panel, left: int) -> str:
    most = max((len(seed) for line in panel.lines for seed in line.seeds), default=1)
    parts = [f'<text x="{left}" y="{TOP - 14}" font-weight="bold">{escape(panel.title)}</text>']
    for tick in TICKS:
        y = _y(tick)
        parts.append(f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="{INK}" stroke-opacity=".35"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for at, step in ((0, "step 1"), (WIDTH, str(most))):
        parts.append(
            f'<text x="{left + at}" y="{TOP + HEIGHT + 18}" text-anchor="{"end" if at else "start"}">{step}</text>'
        )
    for line, colour in zip(panel.lines, COLOURS, strict=False):
        steps = [*zip(*line.seeds, strict=True)]
        across = [left + WIDTH * at / max(most - 1, 1) for at in range(len(steps))]
        upper = [f"{x:.1f},{_y(max(values)):.1f}" for x, values in zip(across, steps, strict=True)]
        lower = [f"{x:.1f},{_y(min(values)):.1f}" for x, values in zip(across, steps, strict=True)]
        middle = [f"{x:.1f},{_y(fmean(values)):.1f}" for x, values in zip(across, steps, strict=True)]
        parts.append(f'<polygon points="{" ".join([*upper, *lower[::-1]])}" fill="{colour}" fill-opacity=".18"/>')
        parts.append(f'<polyline points="{" ".join(middle)}" fill="none" stroke="{colour}" stroke-width="2"/>')
    return "\n".join(parts)


def _y(share: float) -> float:
    return TOP + HEIGHT * (1 - min(1.0, max(0.0, share)))
