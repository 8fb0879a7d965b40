import os
import re
import signal
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Never

import pytest

from bot.agent.repl.monty import MontyRepl
from bot.values import Limits, Observation

LIMITS = Limits(turn_seconds=1.0, output_chars=400)


def one(code: str, functions: Mapping[str, Callable[..., Any]] | None = None, limits: Limits = LIMITS) -> Observation:
    with closing(MontyRepl({"answer": {"ready": False}}, functions or {}, limits)) as repl:
        return repl.run(code)


def test_names_persist() -> None:
    """What a block assigns is there in the next one, also after an error."""
    with closing(MontyRepl({"given": 1}, {}, LIMITS)) as repl:
        assert repl.run("mine = given + 1\n1 / 0").outcome == "error"
        assert repl.run("print(mine)").output == "2\n"


def test_syntax_error_has_a_caret() -> None:
    """A syntax error shows the line and a caret under the place."""
    seen = one("ok = 1\nb = (1,\nc=2\n")
    assert seen.outcome == "syntax"
    assert seen.error == "line 3\n    c=2\n     ^\nSyntaxError: Expected `,`, found `=`"


def test_runtime_error_names_the_block() -> None:
    """A traceback counts the root's own blocks, and shows no path of the host."""
    with closing(MontyRepl({}, {}, LIMITS)) as repl:
        repl.run("def f():\n    return nothing")
        repl.value("1 + 1")
        error = repl.run("f()").error
    assert "block 2, line 1, in <module>" in error
    assert "block 1, line 2, in f" in error
    assert "/" not in error.split("NameError")[0]


def test_endless_loop_is_a_limit() -> None:
    """A loop without end is stopped, and the model is told that its names are gone."""
    with closing(MontyRepl({"given": 1}, {}, LIMITS)) as repl:
        repl.run("mine = 1")
        seen = repl.run("while True: pass")
        assert seen.outcome == "limit"
        assert "every name that you assigned is gone" in seen.error
        assert "not defined" in repl.run("mine").error
        assert repl.run("print(given)").output == "1\n"


def test_memory_is_a_limit() -> None:
    """More memory than allowed is a limit, not the end of the host."""
    assert one("x = [0] * 10**9").outcome == "limit"


def test_too_many_host_calls_are_a_limit() -> None:
    """A loop over a host function ends by name."""
    seen = one("while True: f()", {"f": lambda: None}, Limits(turn_seconds=10))
    assert seen.outcome == "limit"
    assert "suspension limit" in seen.error


def test_output_flood_keeps_head_and_tail() -> None:
    """Of a flood the head and the tail stay, the count is said, and more() gives what lies between, to the character."""
    with closing(MontyRepl({}, {}, LIMITS)) as repl:
        seen = repl.run("for i in range(1000): print(i)")
        head, mark, tail = re.split(r"(\n\[\.\.\. .*? \.\.\.\]\n)", seen.output)
        assert head.startswith("0\n1\n")
        assert tail.endswith("998\n999\n")
        assert f"{seen.omitted:,} characters cut here: more(1) returns them" in mark
        assert len(seen.output) <= LIMITS.output_chars
        repl.run("cut = more(1)")
        assert head + repl.value("cut") + tail == "".join(f"{i}\n" for i in range(1000))


@pytest.mark.parametrize(
    "code",
    [
        "for i in range(3000): print('##', i); print('y' * 900)",
        "for i in range(100_000): print()",
        "print('[' * 100_000)",
        "print([[['x' * 50] * 50] * 50])",
        "print('\\x1e' * 100_000)",
        "for i in range(50): print('z' * (i * 97))",
    ],
)
def test_output_is_bounded_whatever_is_printed(code: str) -> None:
    """No way of printing shows more than the limit, marks included."""
    for size in (1, 50, 400, 20_000):
        assert len(one(code, limits=Limits(output_chars=size)).output) <= size


def test_printed_places_are_shown_by_file() -> None:
    """A printed list of places has a row for each."""
    code = """
places = [{"path": f"src/{i}.ts", "line": i, "text": "import { total } from './price'", "function": "", "form": "import"} for i in range(9)]
print("users:", [{"path": "src/a.ts", "line": 5, "text": "  return total(cart)", "function": "show", "form": "call"}, *places])
"""
    seen = one(code, limits=Limits()).output
    assert "users:\n10 places in 10 files\nsrc/a.ts:5:   return total(cart)  [call in show]\n" in seen
    assert seen.count("  [import]") == 9


def test_modules_are_imported() -> None:
    """What is named as available is there without an import, also after a restart."""
    with closing(MontyRepl({}, {}, LIMITS)) as repl:
        code = "print(json.dumps([1]), re.findall('a', 'aa'), Counter('aab')['a'], Path('a/b.py').suffix, textwrap.dedent(' x'))"
        first = repl.run(code)
        assert repl.run("while True: pass").outcome == "limit"
        assert first.output == repl.run(code).output == "[1] ['a', 'a'] 2 .py x\n"


def test_host_fault_is_an_exception_in_the_block() -> None:
    """Whatever a host function raises can be caught in the block, and says nothing about the host."""

    def broken() -> Never:
        raise ZeroDivisionError(str(Path.cwd()))

    code = "try:\n    broken()\nexcept RuntimeError as error:\n    print(error)"
    assert one(code, {"broken": broken}).output == "broken() failed in the host: ZeroDivisionError\n"


def test_arguments_are_capped() -> None:
    """A host function takes no more than a cap of characters."""
    assert "takes at most 2,097,152 characters" in one("f('x' * 3_000_000)", {"f": lambda _: None}).error


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("import textwrap\nprint(textwrap.dedent('  a\\n  b'))", "a\nb\n"),
        ("from difflib import unified_diff\nprint(len(unified_diff(['a'], ['b'])))", "5\n"),
        ("import statistics\nprint(statistics.median([1, 5, 9]))", "5\n"),
        ("from string import digits\nprint(digits)", "0123456789\n"),
        ("import fnmatch\nprint(fnmatch.filter(['a.py', 'b.js'], '*.py'))", "['a.py']\n"),
        ("import shlex, html\nprint(shlex.split('a \"b c\"'), html.escape('<'))", "['a', 'b c'] &lt;\n"),
    ],
)
def test_lent_modules(code: str, printed: str) -> None:
    """Modules that the REPL lacks are lent by the host."""
    assert one(code).output == printed


def test_an_error_text_of_200_mb_ends_in_the_sandbox() -> None:
    """The block is stopped at the memory limit, and the next one runs."""
    with closing(MontyRepl({}, {}, LIMITS)) as repl:
        assert repl.run("raise ValueError('x' * 200_000_000)").outcome == "limit"
        assert repl.run("print(1)").output == "1\n"


def test_the_clock_stands_still() -> None:
    """Blocks see no time and always the same chance, so that a replay prints the same."""
    code = "import time, random\ntime.sleep(100)\nprint(time.time(), random.random())"
    assert one(code).output == one(code).output


def test_no_files_no_network_no_environment() -> None:
    """Nothing of the machine can be reached."""
    for code in (
        "open('/etc/passwd').read()",
        "open('/var/tmp/x', 'w').write('x')",
        "import os\nos.environ['HOME']",
        "import os\nos.system('id')",
        "import socket",
        "import subprocess",
        "import ctypes",
        "import urllib.request",
        "().__class__.__base__.__subclasses__()",
        "eval('__import__(\"os\").environ')",
    ):
        assert one(code).outcome == "error", code


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds the process in /proc")
def test_crash_is_survived() -> None:
    """When the process dies under a block, the next block runs in a new one, and the model is told."""

    def die() -> None:
        for name in Path("/proc").glob("[0-9]*/stat"):
            pid, parent = int(name.parent.name), int(name.read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and "monty" in (name.parent / "cmdline").read_text():
                os.kill(pid, signal.SIGKILL)

    with closing(MontyRepl({"given": 1}, {"die": die}, LIMITS)) as repl:
        seen = repl.run("mine = 1\ndie()\nprint('not reached')")
        assert seen.outcome == "crash"
        assert "The REPL was restarted" in seen.error
        assert repl.run("print(given)").output == "1\n"
