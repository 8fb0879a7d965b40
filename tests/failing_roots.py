"""Scripted root models that fail in every way we have seen or can imagine, as lists of replies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shop import FINDING, REPORT, called, quiet

from deeprepo.rlm.errors import ProviderDown, ProviderError, RateLimited
from deeprepo.rlm.values import Completion, Limits, Prompt, ToolCall, Usage
from deeprepo_sandbox.scripted import Reply

FAST = Limits(usd=None, turn_seconds=0.4)
DONE = called("set_answer('Nothing to add.')")


@dataclass(frozen=True, slots=True)
class Root:
    """One scripted root. `sees`: texts that must appear in some turn; `never`: texts that must not."""

    name: str
    replies: Sequence[Reply]
    sees: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    limits: Limits = FAST
    worker: str = "quiet"  # a key of WORKERS
    findings: int | None = None  # expected number of findings at the end
    partial: bool = False
    price: float | None = None
    forever: bool = False  # repeat the last reply indefinitely


def tool(arguments: Mapping[str, Any], name: str = "execute_python", unparsed: str = "") -> ToolCall:
    """Build a tool call. `unparsed` is the raw text of arguments that are not valid JSON."""
    return ToolCall("c1", name, arguments, unparsed)


def calls(*made: ToolCall, text: str = "") -> Completion:
    """Build a reply that makes these tool calls."""
    return Completion(text, Usage(50, 5), calls=made)


def flaky() -> Any:  # noqa: ANN401 - a script
    """Return a worker whose first two answers are unusable."""
    asked: list[Prompt] = []

    def answer(prompt: Prompt) -> Reply:
        asked.append(prompt)
        return "prose" if len(asked) <= 2 else quiet(prompt)

    return answer


def stormy() -> Any:  # noqa: ANN401 - a script
    """Return a worker whose provider fails with 429, 500 and a timeout before it answers."""
    waiting: list[ProviderError] = [RateLimited("slow down", 0.0), ProviderDown("500"), ProviderDown("timeout")]

    def answer(prompt: Prompt) -> Reply:
        return waiting.pop(0) if waiting else quiet(prompt)

    return answer


WORKERS: Mapping[str, Any] = {
    "quiet": lambda: quiet,
    "finds": lambda: (
        lambda prompt: {**quiet(prompt), "findings": [FINDING] if "price.py" in prompt.messages[1].text else []}
    ),
    "flaky": flaky,
    "stormy": stormy,
    "prose": lambda: lambda _: "I would rather talk.",
    "forges": lambda: lambda prompt: {**quiet(prompt), "findings": [{**FINDING, "quote": "launch_missiles()"}]},
    "text": lambda: lambda prompt: quiet(prompt) if prompt.answer else "fine",
    "errors": lambda: lambda prompt: quiet(prompt) if prompt.answer else ProviderDown("502"),
}

QUOTING = {
    "nested triple quotes": 'p = """a """b""" c"""',
    "the same quote inside": "p = 'it's'",
    "backslash at the end": "p = 'a\\'",
    "fence inside an f-string": 'code = "x"\np = f"""```python\n{code}\n```"""\nprint(p)',
    "docstring with inner quotes": 'def f():\n    """says """hi""" here"""\nprint(f())',
    "raw JSON braces in an f-string": "p = f'{\"a\": 1}'\nprint(p)",
    "newline doubly unescaped": "p = 'a\nb'\nprint(p)",
}
BOMBS = {
    "endless loop": "while True: pass",
    "endless loop that catches": "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
    "memory": "x = [0] * 10**9",
    "memory by strings": "x = 'ab' * 10**9",
    "memory by doubling": "x = ['x' * 1000]\nwhile True: x = x + x",
    "huge number": "print(9**9**9)",
    "catastrophic pattern": "import re\nprint(re.match(r'(a+)+$', 'a' * 40 + 'b'))",
    "many host calls": "while True: budget()",
}


def _kept(code: str, *replies: Reply) -> list[Reply]:
    """Return turns where one block assigns a variable and fails, and the next block uses the variable."""
    return [called(f"before = 6 * 7\n{code}"), called("print('kept', before)"), *replies, DONE]


ROOTS: tuple[Root, ...] = (
    Root("answers in prose", ["I have read it and it is fine.", DONE], ("There was no code in that reply",)),
    Root("answers in prose for ever", ["It is fine."], ("There was no code",), forever=True),
    Root("says nothing", ["", DONE], ("There was no code",)),
    Root("says nothing for ever", [""], forever=True),
    Root("refuses", [Completion("I cannot help with that.", Usage(5, 5), "refusal")], partial=True),
    Root("fence of another language", ["```javascript\nconsole.log(1)\n```", DONE], ("ERROR",)),
    Root("fence without a language", ["```\nprint('ran', 1)\n```", DONE], ("ran 1",)),
    Root("tildes", ["~~~python\nprint('ran', 2)\n~~~", DONE], ("ran 2",)),
    Root("fence that is never closed", ["```python\nprint('ran', 3)", DONE], ("ran 3",)),
    Root("fence inside its code", ["```python\ns = '''\n```\ninner\n```\n'''\nprint('ran', len(s))\n```", DONE], ("ran",)),
    Root("prose around a fence", ["First:\n```repl\nprint('ran', 4)\n```\nThen I conclude.", DONE], ("ran 4",)),
    Root("cut off in the middle", [*[Completion("```python\nx = (", Usage(5, 8000), "length")] * 2, DONE], ("cut off at its length limit",), ("SyntaxError",)),
    Root("cut off before any code", [*[Completion("Let me", Usage(5, 9), "length")] * 2, DONE], ("cut off at its length limit",)),
    Root("cut off where it is Python", [*[Completion("```python\nprint('ran', 'half')", Usage(5, 9), "length")] * 2, DONE], ("cut off at its length limit",), ("ran half",)),
    Root("broken arguments", [calls(tool({}, unparsed='{"code": "pri')), DONE], ("not valid JSON",)),
    Root("another argument's name", [calls(tool({"source": "print(1)"})), DONE], ("There was no code",)),
    Root("code that is no text", [calls(tool({"code": ["print(1)"]})), DONE], ("There was no code",)),
    Root("a tool that does not exist", [calls(tool({"code": "print('ran', 5)"}, name="bash")), DONE], ("ran 5",)),
    Root("several calls at once", [calls(tool({"code": "a = 5"}), replace(tool({"code": "print('ran', a)"}), id="c2")), DONE], ("ran 5",)),
    Root("a call and a fence", [calls(tool({"code": "print('ran', 6)"}), text="```python\nprint('not this')\n```"), DONE], ("ran 6",), ("not this\n",)),
    Root("a fence in the call", [called("```python\nprint('ran', 7)\n```"), DONE], ("ran 7",)),
    Root("unicode", [called("名 = 'größe ✓ \\u2028'\nprint('ran', 名)"), DONE], ("ran größe ✓",)),
    Root("a lone surrogate", [called("print('ran', '\\ud83d')"), DONE]),
    *(Root(f"quoting: {name}", _kept(code)) for name, code in QUOTING.items()),
    Root("the same error for ever", [called("d = {}\ndel d['x']")], forever=True),
    Root("a new error each turn", [called(f"undefined_{n}()") for n in range(12)]),
    Root("repeats itself", [called("print(1)")], ("This code ran before with exactly the same result",), forever=True),
    Root("explores for ever", [called(f"print(search('total'), {n})") for n in range(12)], ("Nothing new in the last turns",)),
    Root("finishes at once", [DONE]),
    Root("finishes at once with units unread", [DONE, DONE], worker="flaky", partial=True),
    Root("insists on finishing", [DONE], worker="flaky", partial=True, forever=True),
    Root("finishes with nothing", [called("set_answer('')"), called("set_answer('')")]),
    Root("finishes with None", [called("set_answer(None)")]),
    Root("finishes with a list", [called("set_answer(['a', 1])")]),
    Root("answer becomes a text", [called("answer = 'done'"), DONE]),
    Root("answer becomes None", [called("answer = None"), called("set_answer('ok')")]),
    Root("ready without content", [called("answer['ready'] = True")]),
    Root("content is no text", [called("answer['content'] = {'a': [1]}\nanswer['ready'] = 1")]),
    Root("content without ready", [called("answer['content'] = 'half'"), called("print(2)")]),
    Root("FINAL in prose", ["FINAL(everything is fine)", DONE], ("There was no code",)),
    Root("FINAL in a string", [called("print('FINAL(x) is not an end')"), DONE], ("is not an end",)),
    Root("FINAL_VAR of nothing", [called("FINAL_VAR('nothing')"), DONE], ("there is no variable",)),
    Root("FINAL_VAR of an attack", [called("FINAL_VAR('__import__(\"os\").environ')"), DONE], ("there is no variable",)),
    Root("a huge answer", [called("set_answer('x' * 3_000_000)"), DONE]),
    Root("forges a quote", [called(REPORT.replace("        return None", "    launch_missiles()")), DONE], ("refused: its quote does not occur",), findings=0),
    Root("forges a path", [called(REPORT.replace("shop/price.py", "/etc/passwd")), DONE], ("refused:",), findings=0),
    Root("reports without a reason", [called("print(report('shop/price.py', '        return None', 't', ''))"), DONE], ("refused: title and why",), findings=0),
    Root("reports a severity of its own", [called(REPORT.replace("'high'", "'apocalyptic'")), DONE], ("refused: severity",), findings=0),
    Root("reports the same again and again", [called(f"for i in range(50): s = {REPORT[6:-1]}\nprint(s)"), DONE], ("it is reported already",), findings=1),
    Root("reports a whole file", [called("print(report('shop/price.py', 'x' * 9000, 't', 'w'))"), DONE], ("refused: its quote is longer",), findings=0),
    Root("fills the findings list itself", [called("findings = [{'path': 'x'}]\nprint('now', findings)"), DONE], findings=0),
    Root("workers forge", [DONE], worker="forges", findings=0),
    Root("drops what workers found", [called("for f in findings(): print(drop(f['id'], 'no'))"), DONE], ("dropped",), worker="finds"),
    Root("drops what is not there", [called("print(drop('f000', 'no'))"), DONE], ("refused: there is no finding",)),
    Root("empties its variables", [called("units = []\nfiles = {}\ntree = None\npr = 0"), called("print(len(diff('shop/price.py')) > 50)"), DONE], ("True",)),
    Root("overwrites its functions", [called("report = None\nsearch = ask = 5"), called("print('still', len(units))"), DONE], ("still 2",)),
    Root("overwrites print", [called("print = None"), called("x = 1"), DONE]),
    Root("deletes its variables", _kept("del units")),
    *(Root(f"bomb: {name}", [called(code), called("print('next', pr['title'])"), DONE], ("next A change",)) for name, code in BOMBS.items()),
    Root("deep recursion", _kept("def f(n): return f(n + 1)\nf(0)"), ("kept 42",)),
    Root("deep brackets", [called("x = " + "(" * 5000 + "1" + ")" * 5000), called("print('next')"), DONE], ("next",)),
    Root("floods the output", [called("print('x' * 20_000_000)"), called("print('rest', len(more(1)) > 100)"), DONE], ("rest True",)),
    Root("prints for ever", [called("while True: print('spam')"), called("print('next')"), DONE], ("next",)),
    Root("raises a giant", _kept("raise ValueError('x' * 20_000_000)"), ("kept 42",)),
    Root("passes a giant", _kept("print(llm_query('x' * 5_000_000))"), ("kept 42", "would be exceeded")),
    Root("searches with a broken pattern", [called("print(search('(((', '**'), search('x' * 100_000))"), DONE]),
    Root("asks with nonsense", _kept("print(ask(5, None))"), ("kept 42",)),
    Root("asks with nothing", _kept("print(ask([], ''), ask_batch([]), llm_batch([]))"), ("kept 42", "no path was given")),
    Root("asks a batch of nonsense", _kept("ask_batch([1, None, {}])"), ("kept 42",)),
    Root("spends everything on one file", [called("for i in range(400): r = ask(['shop/price.py'], 'again? ' + str(i))")],
         limits=replace(FAST, calls=12, turn_seconds=5), partial=True, forever=True),
    Root("spends all tokens", [called("for i in range(99): llm_query('tell me ' * 2000 + str(i))")],
         limits=replace(FAST, tokens=60_000, turn_seconds=5), worker="text", partial=True, forever=True),
    Root("spends all dollars", [called("for i in range(99): llm_query('tell me ' * 2000 + str(i))")],
         limits=replace(FAST, usd=0.5, turn_seconds=5), worker="text", partial=True, price=0.00001, forever=True),
    Root("catches the cap and goes on", [called("for i in range(400):\n    try: llm_query(str(i))\n    except Exception: pass")],
         limits=replace(FAST, calls=9), worker="text", partial=True, forever=True),
    Root("calls children in a loop", [called("for i in range(9): print(rlm_query('look ' + str(i), []))")],
         limits=replace(FAST, calls=6, turn_seconds=5), partial=True, forever=True),
    Root("children that call children", [called("print(rlm_query('deeper', ['shop/price.py']))")], limits=replace(FAST, calls=25), forever=True),
    Root("workers that only talk", [called("print(ask(['shop/price.py'], 'x')['error'])"), DONE], ("gave no usable answer",), worker="prose", partial=True),
    Root("workers that fail in a batch", [called("r = llm_batch(['a', 'b'])\nprint('slots', len(r), r[0][:14])"), DONE], ("slots 2 [worker error:",), worker="errors"),
    Root("a storm of 429, 500 and timeouts", [RateLimited("wait", 0.0), ProviderDown("500"), DONE], worker="stormy"),
    Root("a root that goes away", [called("print(1)"), *[ProviderDown("gone")] * 4], partial=True),
    Root("a root that never comes", [ProviderDown("gone")] * 4, partial=True),
)  # fmt: skip
