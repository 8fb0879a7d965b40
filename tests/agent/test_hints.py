from contextlib import closing

import pytest

from bot.agent.repl.hints import hint
from bot.agent.repl.monty import MontyRepl
from bot.values import Limits

FAILING = [
    ("first = next((x for x in [1, 2] if x > 1), None)", "found = [x for x in xs if ok(x)]"),
    ("rows = [1, 2, 3]\ndel rows[0]", "No `del` here"),
    ("def parts(text):\n    for row in text:\n        yield row", "No `yield` here"),
    ("class Problem(Exception):\n    pass", "raise ValueError"),
    ("class Box:\n    @property\n    def size(self): return 1", "plain functions"),
    ("class Box:\n    pass\nlen(Box())", "use a dict or list"),
    ("sizes = {'a': 1}\nmax(sizes, key=sizes.get)", "key=lambda k: d.get(k)"),
    ("list(map(str.upper, ['a']))", "[x.upper() for x in xs]"),
    ("'abc'.translate(str.maketrans('a', 'b'))", "Chain replace()"),
    ("import ast", "callers('name')"),
    ("import heapq", "sorted(xs"),
    ("from concurrent.futures import ThreadPoolExecutor", "ask_batch(requests)"),
    ("import requests", "no network"),
    ("import re\nre.compile('a', re.VERBOSE)", "re.VERBOSE is missing"),
    ("import re\nre.sub('a', lambda m: 'b', 'aa')", "re.finditer"),
    ("from collections import OrderedDict", "keeps its order"),
    ("from dataclasses import asdict", "dict yourself"),
    ("import json\njson.dumps({1, 2}, default=list)", "no `default` here"),
    ("def f(): pass\nprint(f.__name__)", "double-underscore"),
    ("'a'.encode('latin-1')", "utf-8"),
    ("from json import *", "Name what you import"),
    ("text = open('setup.py').read()", "read(path, start, end)"),
    ("import os\nos.listdir('.')", "search(pattern)"),
    ("globals()", "SHOW_VARS()"),
    ("print(codebase)", "`files`"),
    ("unit = {'path': 'a'}\nunit.path", "write x['path']"),
    ("for f in findings: pass", "call it, as in findings()"),
    ("print(cover)", "Did you mean coverage?"),
    ("print(zzz)", "was never assigned"),
    ("{}['src/a.py']", "read(path, start, end)"),
    ("{}['name']", "d.get(key)"),
    ("x = f'{1:{2'", "no f-string"),
    ("print('open", "quote is not closed"),
    ("def r(n): return r(n + 1)\nr(0)", "a loop with a list"),
    ("import string\nstring.Template('a')", "only a part of its names"),
]


@pytest.mark.parametrize(("code", "advice"), FAILING, ids=[code.split("\n")[-1][:30] for code, _ in FAILING])
def test_one_hint_per_gap(code: str, advice: str) -> None:
    """What the dialect lacks is answered with the line to write instead."""
    functions = {"findings": list, "coverage": dict}
    with closing(MontyRepl({}, functions, Limits(turn_seconds=2))) as repl:
        error = repl.run(code).error
    assert advice in hint(error, functions)


def test_no_hint_is_better_than_a_wrong_one() -> None:
    """An error that explains itself gets no hint."""
    assert hint("Traceback (most recent call last):\nZeroDivisionError: division by zero") == ""
