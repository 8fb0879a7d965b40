"""Attack the server's time and memory with pull requests, while it reviews another repository.

    python -m benchmarks.hostile [--cpu SECONDS] [--only NAME ...]

`deeprepo serve` reviews them on a sandbox GitHub. Beside each of them a process of its own asks for /healthz, and a colleague's
pull request in another repository is reviewed. One class stands for what nobody knows yet: a language that never comes back.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.deliveries import SECRET
from benchmarks.server_process import Process, family, server
from benchmarks.table import Row, report
from deeprepo_sandbox import github as sandbox

HEALTH, GROWTH, INNOCENT = 250.0, 100.0, 60.0  # ms of /healthz, MB of the server itself, seconds of the other review
SIZE = 2_000_000  # bytes; a file of more than 2 MiB is not read
BLANK = "    \n" * (SIZE // 5)  # a change of more than a million lines is not reviewed at all
WIDTH = 127  # a file of 20,000 changed lines, or of long lines, is not read as code
COMMENT = 64_000  # bytes: the longest that GitHub takes is 65,536 characters
PATIENCE, NO_END = 400.0, "no end"
Files = Mapping[str, str | bytes | None]
GO = {"a.go": "package a\n\nfunc F(x int) int { return x }\n"}
TS = {"a.ts": "export function f(x: number) { return x }\n", "b.ts": 'import { f } from "./a"\nf(1)\n'}
PROBE = """
import http.client, http.server, sys, threading, time

class Nothing(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *_):
        pass

def ask(host, port):
    started = time.perf_counter()
    line = http.client.HTTPConnection(host, port, timeout=120)
    line.request("GET", "/healthz"); line.getresponse().read(); line.close()
    time.sleep(0.05)
    return started, time.perf_counter() - started - 0.05

def idle():
    while True:
        delays.append(ask("127.0.0.1", bare.server_port))

bare, delays, whole, excess = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Nothing), [], 0.0, 0.0
for each in (bare.serve_forever, idle):
    threading.Thread(target=each, daemon=True).start()
while True:
    at, took = ask(sys.argv[1], int(sys.argv[2]))
    late = max((late for when, late in delays[-1000:] if when < at + took + 0.1 and when + late > at - 0.1), default=0.0)
    whole, excess = max(whole, took), max(excess, took - late)
    print(1000 * whole, 1000 * excess, flush=True)
"""


@dataclass(frozen=True, slots=True)
class Attack:
    """What the base holds and what the stranger's branch brings."""

    head: Callable[[], Files]
    base: Callable[[], Mapping[str, str]] = dict
    comments: int = 0  # of COMMENT bytes each, that strangers wrote before the server hears of the pull request


def _code(text: str) -> str:
    """The text in lines that a person could have written."""
    return "\n".join(text[at : at + WIDTH] for at in range(0, len(text), WIDTH)) + "\n"


def _merge_bomb() -> str:
    rows = ["x0: &x0 {k: v}"]
    rows += [f"x{n}: &x{n} {{<<: [{', '.join([f'*x{n - 1}'] * 9)}]}}" for n in range(1, 9)]
    return "\n".join([*rows, ""])


def _template() -> str:
    return "{% for a in range(99999) %}{% for b in range(1000) %}{% endfor %}{% endfor %}x"


def _names(count: int) -> str:
    return "".join(f"def same(a{n}): return a{n}\n" for n in range(count))


def _hunks(factor: int) -> str:
    return "".join(f"a{n} = {n * factor + 1}\nb = 1\nc = 1\nd = 1\ne = 1\n\n\n\n" for n in range(9_000))


ATTACKS: Mapping[str, Attack] = {
    "a library that never returns": Attack(lambda: {"a.hang": "one\n", **GO}),
    "go.mod of blank lines": Attack(lambda: {"go.mod": "module x\n" + BLANK, **GO}),
    "tsconfig.json, a string that never ends": Attack(lambda: {"tsconfig.json": '{"a": "' + "\\" * SIZE, **TS}),
    "tsconfig.json of slashes": Attack(lambda: {"tsconfig.json": "/*" * (SIZE // 2), **TS}),
    "Cargo.toml, one dotted key": Attack(
        lambda: {"Cargo.toml": "a." * (SIZE // 2) + "b = 1\n", "src/lib.rs": "pub fn f(x: i32) -> i32 { x }\n"}
    ),
    "csproj of blank lines": Attack(
        lambda: {
            "a.csproj": "<Project>" + BLANK,
            "a.cs": "namespace A { public class B { public void C() {} } }\n",
        }
    ),
    "GlobalUsings.cs of blank lines": Attack(
        lambda: {"GlobalUsings.cs": "global using\n" + BLANK, "a.cs": "namespace A { class B { } }\n"}
    ),
    "one long word": Attack(lambda: {"a.py": "x = 1\n" * 9 + "x" * SIZE + " = 1\n", "b.md": "w\n" * 9 + "w" * SIZE}),
    "JSON on one line": Attack(lambda: {"a.json": "[" + "1," * (SIZE // 2) + "1]"}),
    "JavaScript, nested": Attack(lambda: {"a.js": _code("x = " + "[" * (SIZE // 2) + "]" * (SIZE // 2))}),
    "Python, nested": Attack(lambda: {"a.py": _code("x = (" + "(" * (SIZE // 2) + ")" * (SIZE // 2) + ")")}),
    "C++, ambiguous": Attack(lambda: {"a.cpp": _code("int f() { " + "a<b<(c>" * (SIZE // 8) + " }")}),
    "settings that multiply themselves": Attack(
        lambda: {"a.py": "def f(x):\n    return x\n"}, lambda: {".deeprepo.yml": _merge_bomb()}
    ),
    "settings, chains of **": Attack(
        lambda: {f"{'d/' * 50}{n}.py": "x = 1\n" for n in range(900)},
        lambda: {".deeprepo.yml": "ignore:\n" + "".join(f"  - '{'**/x/' * 30}{n}'\n" for n in range(200))},
    ),
    "settings, patterns to ignore": Attack(
        lambda: {"a" * 200 + ".py": "def f(x):\n    return x\n"},
        lambda: {".deeprepo.yml": "ignore:\n" + "".join(f"  - '{'a*' * 40}b{n}'\n" for n in range(40))},
    ),
    "a template that never ends": Attack(
        lambda: {"a.py": "def f(x):\n    return y\n"},
        lambda: {f".deeprepo/templates/{name}.md.j2": _template() for name in ("summary", "finding", "inline")},
    ),
    "six lines of 95 MB": Attack(lambda: dict.fromkeys([f"{n}.txt" for n in range(6)], b"a" * (95 << 20))),
    "10^5 entries": Attack(lambda: GO, lambda: {f"d{n // 1000}/f{n}.txt": "" for n in range(100_000)}),
    "2,000 folders deep": Attack(lambda: {"d/" * 2_000 + "a.py": "def f(x):\n    return x\n"}),
    "90,000 hunks": Attack(
        lambda: {f"{n}.py": _hunks(2) for n in range(10)}, lambda: {f"{n}.py": _hunks(1) for n in range(10)}
    ),
    "3,000 renames": Attack(
        lambda: (
            {f"old/{n}.py": None for n in range(3_000)}
            | {f"new/{n}.py": f"def f{n}(x):\n    return x\n" * 3 + "y = 1\n" for n in range(3_000)}
        ),
        lambda: {f"old/{n}.py": f"def f{n}(x):\n    return x\n" * 3 for n in range(3_000)},
    ),
    "19,000 definitions of one name": Attack(lambda: {"a.py": _names(19_000)}, lambda: {"a.py": _names(100)}),
    ".gitattributes of many patterns": Attack(
        lambda: {f"f{n}.py": "x = 1\n" for n in range(300)},
        lambda: {".gitattributes": "".join(f"{'*a' * 20}{n} linguist-generated\n" for n in range(10_000))},
    ),
    "one function called from 10^5 lines": Attack(
        lambda: {"a.py": "def total(items):\n    return sum(items)\n"},
        lambda: {
            "a.py": "def total(items, tax):\n    return sum(items) + tax\n",
            **{f"b{n}.py": "from a import total\n" + "total(1, 2)\n" * 10_000 for n in range(10)},
        },
    ),
    "a notebook, JSON of 900,000 levels": Attack(
        lambda: {
            "a.ipynb": "[" * (SIZE // 2),
            "package.json": '{"a":' * (SIZE // 5),
            "pyproject.toml": "a = " + "[" * SIZE,
            **TS,
        }
    ),
    "zero-width characters and broken UTF-8": Attack(
        lambda: {
            "a.py": "x = 1\n" * 9 + "\u200b" * (SIZE // 3),
            "b.py": b"def f():\r    pass\r\n\xff\xed\xa0\x80\n" * (SIZE // 30),
        }
    ),
    "4,000 files of one line": Attack(lambda: {**GO, **{f"aa/f{n}.py": f"x = {n}\n" for n in range(4_000)}}),
    "2,500 reports in one file": Attack(lambda: {"a.py": "".join(f"import m{n}\n" for n in range(2_500))}),
    "2,500 comments of 64 kB": Attack(lambda: GO, comments=2_500),
    "guideline files of 2 MB": Attack(
        lambda: {"a.py": "def f(x):\n    return y\n"},
        lambda: dict.fromkeys(("AGENTS.md", "CLAUDE.md"), "word " * (SIZE // 5)),
    ),
    "ignore.yml of many patterns": Attack(
        lambda: {"a.py": "import os\nx = undefined\n"},
        lambda: {".deeprepo/ignore.yml": "".join(f"- path: '{'**/' * 30}a{n}'\n  reason: x\n" for n in range(2_000))},
    ),
}


def main() -> int:
    """Run the classes one after the other; the exit code says whether every limit held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", type=int, default=20, help="CPU seconds per file")
    parser.add_argument("--only", nargs="+", default=list(ATTACKS), metavar="NAME", choices=list(ATTACKS))
    asked = parser.parse_args()
    return report("hostile", asyncio.run(_rows(asked.only, asked.cpu)))


async def _rows(names: Sequence[str], cpu: int) -> list[Row]:
    rows, endless = list[Row](), 0
    with tempfile.TemporaryDirectory(prefix="hostile-") as scratch:
        home = Path(scratch)
        async with sandbox.github(home / "github", webhook=None, secret=SECRET) as gh:
            shop = await gh.repository("acme", "shop", files={"cart.py": "def pay(items):\n    return sum(items)\n"})
            given = {"DEBOUNCE": "0", "REVIEW_CPU_SECONDS": str(cpu)}
            async with server(home, gh, module="benchmarks.hostile_server", **given) as process:
                gh.listen(f"{process.origin}/webhook")
                await _innocent(gh, shop, "warm")  # the fork server starts
                before = len(family(process.popen.pid))
                for number, name in enumerate(names):
                    found = await _attacked(gh, shop, process, number, name)
                    print(f"{name}: {found[0].beside}, {found[2].beside}", file=sys.stderr, flush=True)
                    endless += found[0].beside == NO_END
                    rows += found
                left = len(family(process.popen.pid)) - before
                folders = len(list((home / "data" / "work").iterdir()))
                rows += [
                    Row("reviews without an end", endless, 0),
                    Row("processes left", left, 0),
                    Row("scratch folders left", folders, 0),
                ]
    return rows


async def _attacked(gh: sandbox.GitHub, shop: sandbox.Repo, process: Process, number: int, name: str) -> list[Row]:
    """One pull request from a fork, the innocent one beside it, and what happened meanwhile."""
    attack = ATTACKS[name]
    gh.listen(None)
    repo = await gh.repository("acme", f"h{number}", files={"README.md": "# A\n", **attack.base()})
    await repo.commit("evil", attack.head())
    gh.listen(f"{process.origin}/webhook")
    memory = _resident(process)
    with _probed(process) as health:
        started = time.monotonic()
        pull = await _opened(gh, repo, attack, f"{process.origin}/webhook")
        await asyncio.sleep(1)
        innocent = await _innocent(gh, shop, f"feature-{number}")
        try:
            outcome = await _outcome(gh, f"acme/h{number}", pull)
        except TimeoutError:
            outcome = NO_END
        seconds = time.monotonic() - started
        growth = max(0.0, _resident(process) - memory)
        worst, excess = health()
    return [
        Row(f"{name}: /healthz at most", excess, HEALTH, "ms", beside=outcome),
        Row("  with the machine's own delays", worst, None, "ms"),
        Row("  the innocent review", innocent, INNOCENT, "s", beside=f"this one {seconds:.0f} s"),
        Row("  growth of the server", growth, GROWTH, "MB"),
    ]


async def _opened(gh: sandbox.GitHub, repo: sandbox.Repo, attack: Attack, webhook: str) -> int:
    """The stranger's pull request; one with comments is heard of when the next commit is pushed. One who opens many waits: each is another's."""
    stranger = f"stranger-of-{repo.repository.name}"
    if not attack.comments:
        return await repo.open_pull("evil", title="A small fix", fork=True, author=stranger)
    gh.listen(None)
    pull = await repo.open_pull("evil", title="A small fix", fork=True, author=stranger)
    for number in range(attack.comments):
        await repo.comment(pull, f"{number} " + "word " * (COMMENT // 5), "stranger")
    gh.listen(webhook)
    await repo.push("evil", {"NEWS.md": "one\n"}, author=stranger)
    return pull


async def _innocent(gh: sandbox.GitHub, shop: sandbox.Repo, branch: str) -> float:
    """Seconds until a colleague's pull request has its review."""
    await shop.commit(branch, {"cart.py": f"def pay(items, rate={len(branch)}):\n    return sum(items) * rate\n"})
    started = time.monotonic()
    await _outcome(gh, "acme/shop", await shop.open_pull(branch, title="Rates"))
    return time.monotonic() - started


async def _outcome(gh: sandbox.GitHub, repository: str, number: int) -> str:
    """How the check run ended, in a few words."""
    async with asyncio.timeout(PATIENCE):
        while True:
            done = [c for c in gh.pull(number, repository).checks if c.status == "completed"]
            if done:
                said = (done[-1].summary or "").partition("\n")[2].replace("*", "").split("\n")[0]
                return f"{done[-1].conclusion}: {said[:90]}"
            await asyncio.sleep(0.1)


@contextmanager
def _probed(process: Process) -> Iterator[Callable[[], tuple[float, float]]]:
    """Ask for /healthz from a process of its own: milliseconds of the slowest answer so far, with and without the machine's delays.

    A server of the standard library that does nothing else is asked beside it: how long it takes at that moment is the machine's part.
    """
    host, _, port = process.origin.removeprefix("http://").partition(":")
    with tempfile.TemporaryFile() as out:
        probe = subprocess.Popen([sys.executable, "-c", PROBE, host, port], stdout=out)
        try:

            def worst() -> tuple[float, float]:
                out.seek(0)
                *_, last = [b"inf inf", *out.read().rpartition(b"\n")[0].splitlines()]
                whole, excess = map(float, last.split())
                return whole, excess

            yield worst
        finally:
            probe.kill()
            probe.wait()


def _resident(process: Process) -> float:
    """MB of the server's own process."""
    pages = int(Path(f"/proc/{process.popen.pid}/statm").read_text().split()[1])
    return pages * 4096 / 2**20


if __name__ == "__main__":
    sys.exit(main())
