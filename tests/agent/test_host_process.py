"""The modules that the sandbox lacks work in a process with limits."""

import pytest

from bot.agent.repl.host_process import Apart
from bot.agent.repl.monty import MontyRepl
from bot.values import Limits


def test_a_call_that_takes_too_long_is_ended_and_the_next_one_works() -> None:
    """The process goes, the block reads why, and another call finds a new process."""
    apart = Apart(call_seconds=0.5)
    try:
        with pytest.raises(ValueError, match="longer than"):
            apart.call("time", "sleep", (60,), {}, as_list=False)
        assert apart.call("textwrap", "wrap", ("a b", 1), {}, as_list=False) == ["a", "b"]
    finally:
        apart.close()


def test_the_calls_of_one_block_have_one_allowance() -> None:
    """Many calls cannot take many times the limit; the next block has its own."""
    apart = Apart(block_seconds=0.3)
    try:
        for _ in range(2):
            with pytest.raises(ValueError):  # noqa: PT011 - the first is ended, the second is refused
                apart.call("time", "sleep", (60,), {}, as_list=False)
        with pytest.raises(ValueError, match="of this block"):
            apart.call("textwrap", "dedent", ("a",), {}, as_list=False)
        apart.begin()
        assert apart.call("statistics", "mean", ([1, 3],), {}, as_list=False) == 2
    finally:
        apart.close()


def test_what_a_call_needs_in_memory_is_not_the_hosts() -> None:
    """`statistics.quantiles(n=10**8)` ends with a sentence, and the REPL goes on."""
    repl = MontyRepl({}, {}, Limits())
    try:
        done = repl.run("import statistics\nprint(len(statistics.quantiles([1, 2, 3], n=10**8)))")
        assert "pass less" in str(done.error) or "memory" in str(done.error)
        assert repl.run("import textwrap\nprint(textwrap.dedent('  a'))").output == "a\n"
    finally:
        repl.close()


def test_an_error_text_of_200_mb_ends_in_the_sandbox() -> None:
    """The block is stopped at the memory limit, and the next one runs."""
    repl = MontyRepl({}, {}, Limits())
    try:
        assert repl.run("raise ValueError('x' * 200_000_000)").outcome == "limit"
        assert repl.run("print(1)").output == "1\n"
    finally:
        repl.close()
