"""Review with 49 kinds of misbehaving providers: nothing is lost silently, no broken answer counts as clean, no cap is exceeded.

    python -m benchmarks.providers [--only WORD] [--verbose]

A repository whose change holds one true defect is reviewed by the real command, once with each server: thinking of every length,
thinking that has to come back, small windows, limits of tokens per minute, streams that stall or break, refusals. The servers are
on loopback and answer from the part of the prompt that they have read. They bill their answers at the listed price.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.around import committed
from benchmarks.table import Row, report
from deeprepo.rlm.models import prices, provider_of
from deeprepo.rlm.values import ToolCall, Usage
from deeprepo_sandbox import providers as doubles
from deeprepo_sandbox.honest import JUDGED
from deeprepo_sandbox.providers import Modes, Reply, Server
from deeprepo_sandbox.providers.modes import cap, size

CLAUDE, HAIKU = "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-5-5"
GPT, NEWEST = "openai/gpt-5.4", "openai/gpt-5.6"
GEMINI, DEEPSEEK, ROUTER = "gemini/gemini-3-pro-preview", "deepseek/deepseek-reasoner", "openrouter/z-ai/glm-4.6"
OWN, OLLAMA = "compatible/qwen3", "ollama/qwen3"
THINKING = (0, 600, 1_100, 4_200, 9_000, 40_000)
DEFECT = "    return a / n"
TURNS = (
    "print(search('div'))",
    "print(findings())",
    "print(read('calc.py'))",
    "print(budget())",
    f"set_answer('looked at it all', {JUDGED})",
)
CAP = 1.0  # dollars of each review, where a mode has no other
TAG = '<think>\nPerhaps {"answer": "", "findings": []}, or\n```python\nset_answer(\'from a draft\')\n```\nno.\n</think>\n\n'


@dataclass(frozen=True, slots=True)
class Mode:
    """One server, and how it is asked."""

    name: str
    model: str
    modes: Modes = field(default_factory=Modes)
    spoilt: Callable[[int], Reply | None] = lambda _: None  # what is answered to this request in the place of the truth
    strategy: str = "auto"
    many: bool = False  # the change has several units
    dense: bool = False  # the defect stands beside text of which every character is a token
    cap: float = CAP
    needed: bool = True  # whether the defect has to be found; else it may be said that nothing was read
    rejects: tuple[str, ...] = ()
    tells: bool = True  # whether every reply says what it used: then no more may be booked


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one review."""

    mode: Mode
    code: int
    conclusion: str
    found: bool
    said: str  # why it is not clean, in the review's words
    billed: float | None
    booked: float | None
    requests: int
    turns: int  # of a root, that its server has seen
    seconds: float

    def faults(self) -> list[str]:
        """What must not be."""
        wrong = []
        if not self.found and (self.conclusion == "clean" or not self.said):
            wrong.append("lost without a word")
        if not self.found and self.code == 0:
            wrong.append("exit 0")
        if not self.found and self.mode.needed:
            wrong.append("not found")
        if self.billed is not None and self.billed > self.mode.cap:
            wrong.append("over the cap")
        if self.mode.tells and self.booked is not None and self.booked > 1.001 * (self.billed or 0.0) + 1e-6:
            wrong.append("booked above the bill")
        if self.mode.strategy == "rlm" and self.turns < len(TURNS):
            wrong.append("too few turns")
        return wrong


class Honest:
    """Answer from the part of the prompt that fits the window, and count what that costs."""

    def __init__(self, mode: Mode) -> None:
        self.mode, self.asked, self.turns = mode, 0, 0
        self.billed: float | None = 0.0

    def __call__(self, body: Mapping[str, Any]) -> Reply:
        """The reply to one request that the provider has taken."""
        self.asked += 1
        spoilt = self.mode.spoilt(self.asked)
        if spoilt is not None and spoilt.status != 200:
            return spoilt
        reply = spoilt or self._answer(body)
        read = min(size(body), self.mode.modes.window or size(body))
        if self.mode.dense:
            read = len(
                json.dumps([body.get("system"), body["messages"], body.get("tools")], ensure_ascii=False).encode()
            )
        said = len(reply.text or json.dumps(reply.data or [dict(call.arguments) for call in reply.calls])) // 3
        usd = prices.dollars(self.mode.model, Usage(read, min(cap(body), said + self.mode.modes.thinks)))
        self.billed = None if usd is None or self.billed is None else self.billed + usd
        return Reply(
            reply.text,
            reply.data,
            reply.calls,
            reply.stop,
            usage=Usage(read, said),
            fault=reply.fault,
            pause=reply.pause,
        )

    def _answer(self, body: Mapping[str, Any]) -> Reply:
        messages = json.dumps(body["messages"])
        window = self.mode.modes.window
        seen = messages[-4 * window :] if window and self.mode.modes.overflow == "truncate" else messages
        wanted = json.dumps([body.get(name) for name in ("response_format", "tool_choice", "output_config")])
        if "You work in a Python REPL" in json.dumps([body.get("system"), body["messages"][0]]):
            turn = sum(message["role"] == "assistant" for message in body["messages"])
            self.turns = max(self.turns, turn + 1)
            code = TURNS[min(turn, len(TURNS) - 1)]
            if body.get("tools"):
                return Reply(calls=(ToolCall(f"call_{turn}", "", {"code": code}),))
            return Reply(f"```python\n{code}\n```")
        named_ = '"verdict"' in wanted or (wanted == "[null, null, null]" and '\\"verdict\\"' in messages)
        verdict = {
            "verdict": "confirmed",
            "trigger": "div(1, 0)",
            "author_would_change": True,
            "reason": "n is not checked",
        }
        answer = verdict if named_ else {"answer": "Read.", "findings": [_finding()] if DEFECT.strip() in seen else []}
        structured = wanted != "[null, null, null]"
        return Reply(data=answer) if structured else Reply(json.dumps(answer))


def modes() -> list[Mode]:
    """Every server."""
    blocks = {think: Modes(thinks=think, thinking="blocks") for think in THINKING}
    hidden = {think: Modes(thinks=think) for think in THINKING}
    many = Modes(tokens_per_minute=12_000, minute=3.0)
    return [
        *(Mode(f"claude thinks {n:,}", CLAUDE, blocks[n], needed=n < LONG) for n in THINKING),
        *(Mode(f"gpt thinks {n:,}", GPT, hidden[n], needed=n < LONG) for n in THINKING),
        Mode("haiku thinks 4,200", HAIKU, blocks[4_200]),
        Mode("claude, 5 turns, thinking wanted", CLAUDE, _wants("blocks"), strategy="rlm"),
        Mode("gpt without tools, 5 turns", NEWEST, hidden[600], strategy="rlm", rejects=("tools",)),
        Mode("gemini, 5 turns, signatures", GEMINI, _wants("thought_signature"), strategy="rlm"),
        Mode("deepseek, 5 turns, reasoning_content", DEEPSEEK, _wants("reasoning_content"), strategy="rlm"),
        Mode("openrouter, 5 turns, reasoning_details", ROUTER, _wants("reasoning_details"), strategy="rlm"),
        Mode("own server, 5 turns, reasoning", OWN, _wants("reasoning"), strategy="rlm"),
        Mode("own server, 5 turns, <think> in text", OWN, Modes(prefix=TAG), strategy="rlm", rejects=("tools",)),
        Mode("<think> before every answer", OWN, Modes(prefix=TAG), rejects=("response_format", "tools")),
        Mode("plain JSON though a stream is asked", GPT, Modes(streams=False)),
        Mode("window 8,192 counts the reply", OWN, Modes(window=8_192, wording="vllm"), many=True),
        Mode("window 6,000 refuses", OWN, Modes(window=6_000, wording="llama.cpp"), many=True),
        Mode("window 4,096 cuts in silence", OLLAMA, Modes(window=4_096, overflow="truncate"), many=True, needed=False),
        Mode("one slot", OLLAMA, Modes(slots=1), many=True, strategy="parts"),
        Mode("tokens per minute", GPT, many, many=True, strategy="parts"),
        Mode("stream stalls once", GPT, spoilt=lambda n: Reply("{", fault="stall") if n == 1 else None, tells=False),
        Mode("stream stalls for ever", GPT, spoilt=lambda _: Reply("{", fault="stall"), needed=False, tells=False),
        Mode(
            "stream breaks once", CLAUDE, spoilt=lambda n: Reply("{", fault="truncate") if n == 1 else None, tells=False
        ),
        Mode(
            "stream breaks for ever", CLAUDE, spoilt=lambda _: Reply("{", fault="truncate"), needed=False, tells=False
        ),
        Mode(
            "error in the stream",
            CLAUDE,
            spoilt=lambda n: Reply("Overloaded", fault="error", error="overloaded_error") if n == 1 else None,
            tells=False,
        ),
        Mode("refusal", CLAUDE, spoilt=lambda _: Reply("", stop="refusal"), needed=False),
        Mode("no usable answer", GPT, spoilt=lambda _: Reply("I think it is fine."), needed=False),
        Mode("verdict breaks off", GPT, spoilt=lambda n: Reply("{", stop="length") if n > 1 else None),
        Mode("429 without a wait", GPT, spoilt=lambda n: Reply(status=429) if n == 1 else None),
        Mode("daily limit", GPT, spoilt=lambda _: Reply("Rate limit", status=429, retry_after="40000"), needed=False),
        Mode("no credit", GPT, spoilt=lambda _: Reply("quota", status=429, error="insufficient_quota"), needed=False),
        Mode(
            "not verified to stream", GPT, spoilt=_once("Your organization must be verified to stream this model", 400)
        ),
        Mode("max_tokens in Chinese", OWN, spoilt=_once("max_tokens参数非法。请检查文档。", 400)),
        Mode("overloaded, back in a second", GEMINI, spoilt=_once("The model is overloaded", 503, retry_after="1")),
        Mode("one prompt flagged", ROUTER, spoilt=_once("Your input was flagged", 403), many=True, needed=False),
        Mode(
            "fewer tokens can be afforded",
            ROUTER,
            spoilt=_once(
                "This request requires more credits, or fewer max_tokens. You requested up to 32768 tokens, but can only afford 9000.",
                402,
            ),
        ),
        Mode(
            "no server within the data policy",
            ROUTER,
            spoilt=_always("No endpoints found matching your data policy", 404),
            needed=False,
        ),
        Mode("a day's quota", OWN, spoilt=_always("Rate limit exceeded: free-models-per-day", 429), needed=False),
        Mode("page of a proxy", OWN, spoilt=lambda _: Reply(fault="page"), needed=False, tells=False),
        Mode("unknown price at a private address", "openai/some-own-model", Modes()),
        Mode("every byte a token, $0.04", HAIKU, Modes(), dense=True, cap=0.04, needed=False),
        Mode("every byte a token, $0.30", GPT, Modes(), dense=True, cap=0.30, needed=False),
    ]


LONG = 9_001  # tokens of thinking from which on a review for a dollar may say that it cannot be done


def _once(words: str, status: int, retry_after: str = "") -> Callable[[int], Reply | None]:
    """The first request is refused with these words, the others are not."""
    return lambda number: Reply(words, status=status, retry_after=retry_after) if number == 1 else None


def _always(words: str, status: int) -> Callable[[int], Reply | None]:
    return lambda _: Reply(words, status=status)


def _wants(form: Any) -> Modes:  # noqa: ANN401 - one of the doubles' forms
    return Modes(thinks=600, thinking=form, wants_thinking=True)


def _finding() -> dict[str, Any]:
    return {
        "path": "calc.py", "quote": DEFECT, "line": 0, "title": "div() divides by zero when n is 0", "why": "n may be 0",
        "consequence": "a ZeroDivisionError for the caller", "trigger": "div(1, 0)", "severity": "high", "category": "crash",
        "evidence": [], "suggestion": None,
    }  # fmt: skip


def main() -> int:
    """Every mode; the exit code says whether all of it holds."""
    asked = _arguments()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="providers-") as folder:
        repos = {kind: _repository(Path(folder, kind), kind) for kind in ("small", "many", "dense")}
        chosen = [mode for mode in modes() if not asked.only or asked.only in mode.name]
        with ThreadPoolExecutor(max_workers=min(4, 2 * (os.cpu_count() or 1))) as pool:
            results = list(pool.map(lambda mode: _review(mode, repos), chosen))
    for result in results:
        _show(result, verbose=asked.verbose)
    faults = [fault for result in results for fault in result.faults()]
    rows = [
        Row("true findings lost without a word", faults.count("lost without a word"), 0),
        Row("clean on a broken answer", sum(result.conclusion == "clean" for result in results), 0),
        Row("left with 0 and nothing found", faults.count("exit 0"), 0),
        Row("defects that had to be found and were not", faults.count("not found"), 0),
        Row("reviews above their cap", faults.count("over the cap"), 0),
        Row("reviews that book more than their servers say", faults.count("booked above the bill"), 0),
        Row("dialogues that did not reach 5 turns", faults.count("too few turns"), 0),
        Row("seconds for all of it", time.monotonic() - started, None, "s"),
    ]
    return report(
        "providers", rows, {r.mode.name: [r.code, r.conclusion, r.requests, r.billed, r.said] for r in results}
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default="", help="only modes whose name contains this")
    parser.add_argument("--verbose", action="store_true", help="print each review")
    return parser.parse_args()


def _show(result: Result, *, verbose: bool) -> None:
    outcome = "found" if result.found else "told" if result.said and result.conclusion != "clean" else "LOST"
    billed = "     -" if result.billed is None else f"{result.billed:.4f}"
    wrong = "; ".join(result.faults())
    print(
        f"{result.mode.name:<40} {outcome:<6} {result.conclusion:<10} exit {result.code}  ${billed} of ${result.mode.cap:.2f}  "
        f"{result.requests:>3} requests  {result.seconds:4.1f} s{f'  BROKEN: {wrong}' if wrong else ''}"
    )
    if result.said and (verbose or not result.found):
        print(f"    {result.said}")


def _review(mode: Mode, repos: Mapping[str, Path]) -> Result:
    honest = Honest(mode)
    started = time.monotonic()
    with doubles.in_thread(Server(honest, modes=mode.modes, rejects=mode.rejects)) as server:
        provider = provider_of(mode.model)
        url = server.anthropic_url if provider.dialect == "anthropic" else server.openai_url
        kept = {name: value for name, value in os.environ.items() if not name.startswith("DEEPREPO_")}
        key = {provider.key_variable: "a-key"}
        told = {f"DEEPREPO_BASE_URL_{provider.name.upper()}": url, "DEEPREPO_SECONDS": "60"}
        repo = repos["many" if mode.many else "dense" if mode.dense else "small"]
        command = [
            sys.executable,
            "-m",
            "bot",
            "review",
            "--repo",
            str(repo),
            "HEAD~1..HEAD",
            "--strategy",
            mode.strategy,
        ]
        command += ["--root", mode.model, "--worker", mode.model, "--max-usd", str(mode.cap)]
        command += ["--format", "json", "--fail-on", "high"]
        ended = subprocess.run(command, env=kept | key | told, capture_output=True, text=True, check=False)
        count = server.count
    seconds = time.monotonic() - started
    try:
        review = json.loads(ended.stdout)
    except ValueError:
        review = {"conclusion": "none", "findings": [], "failure": ended.stderr[-300:]}
    notes = [review.get("failure") or "", *review.get("notes", ())]
    said = " | ".join(dict.fromkeys(note for note in notes if note))
    cost = review.get("cost", {})
    was_silent = cost.get("failed_calls") and mode.spoilt(1) is None  # on a busy machine: it may have been billed
    booked = None if was_silent else cost.get("usd")
    found = any("divides by zero" in row["title"] for row in review["findings"] if row["status"] == "new")
    return Result(
        mode, ended.returncode, review["conclusion"], found, said, honest.billed, booked, count, honest.turns, seconds
    )


def _repository(folder: Path, kind: str) -> Path:
    """A repository whose last commit brings the defect, alone, among much else, or beside text that is dense."""
    settings = {".deeprepo.yml": "models: {timeout: 1}\n"}
    before, after = settings | {"calc.py": "def div(a, n):\n    return a\n"}, {"calc.py": f"def div(a, n):\n{DEFECT}\n"}
    if kind == "many":
        for number in range(12):
            name = f"part{number:02}.py"
            before[name] = f"def part{number}(rows):\n    return rows\n"
            steps = "".join(f"    rows = [row + {n} for row in rows if row is not None]\n" for n in range(40))
            after[name] = f"def part{number}(rows):\n{steps}    return rows\n"
    if kind == "dense":
        digits = "".join(f"    {'7392846150' * 9},\n    '語彙表示{n}漢字情報検索',\n" for n in range(40))
        after["table.py"] = f"TABLE = [\n{digits}]\n"
    return committed(folder, {"main": before, "feature": after})


if __name__ == "__main__":
    raise SystemExit(main())
