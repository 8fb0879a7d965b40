import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

PYTHON = (
    "shop/rows.py",
    "def names(rows):\n    return %s\n",
    "pay.py",
    "from shop.rows import names\nprint(names([1])[0])\n",
)
SCRIPT = (
    "rows.js",
    "export function names(rows) {\n  return %s\n}\n",
    "pay.js",
    'import { names } from "./rows.js"\nshow(names([1])[0])\n',
)
RUBY = (
    "rows.rb",
    "class Rows\n  def self.load_names(rows)\n    %s\n  end\nend\n",
    "pay.rb",
    'require_relative "rows"\nputs Rows.load_names([1])[0]\n',
)
LUA = (
    "rows.lua",
    "local M = {}\nfunction M.load_names(rows)\n  return %s\nend\nreturn M\n",
    "pay.lua",
    'local R = require("rows")\nprint(R.load_names({})[1])\n',
)
PHP = (
    "rows.php",
    "<?php\nfunction load_names($rows)\n{\n    return %s;\n}\n",
    "pay.php",
    "<?php\nrequire 'rows.php';\necho load_names([1])[0];\n",
)
WRAPPER = (
    "shop/rows.py",
    "def names(fn):\n    def wrapper(*args, **kwargs):\n        return fn(*args)\n\n    return wrapper\n",
    "pay.py",
    "from shop.rows import names\n\n\n@names\ndef go(x):\n    return 1\n",
)
# what -> (the files, what is returned before and after)
OTHER = {
    "a generator expression": (PYTHON, "[str(r) for r in rows]", "(str(r) for r in rows)"),
    "a lazy function for a list": (PYTHON, "list(map(str, rows))", "map(str, rows)"),
    "a lazy function for what is not known": (PYTHON, "rows.pairs()", "zip(rows, rows)"),
    "an order turned round": (PYTHON, "sorted(rows)", "reversed(rows)"),
    "a view": (PYTHON, "list(rows.keys())", "rows.keys()"),
    "a stream or nothing": (PYTHON, "[str(r) for r in rows] if rows else None", "(str(r) for r in rows) if rows else None"),
    "a set": (PYTHON, "[r.a for r in rows]", "{r.a for r in rows}"),
    "a mapping": (PYTHON, "[]", "{}"),
    "bytes": (PYTHON, '"abc"', 'b"abc"'),
    "encoded bytes": (PYTHON, "str(rows)", "str(rows).encode()"),
    "another class": (PYTHON, "Cart(rows.a, rows.b())", "shop.Basket(rows.a)"),
    "an iterator": (SCRIPT, "[...rows.values()]", "rows.values()"),
    "an iterator that maps": (SCRIPT, "rows.map(r => r.a)", "rows.values().map(r => r.a)"),
    "an object": (SCRIPT, "[]", "{}"),
    "another class of JavaScript": (SCRIPT, "new Cart(rows.x())", "new Basket(rows.x())"),
    "a promise of several": (SCRIPT, "rows.map(r => r.a)", "Promise.all(rows.map(r => r.a()))"),
    "a promise of arithmetic": (SCRIPT, "rows * 2", "Promise.resolve(rows * 2)"),
    "a promise of an object": (SCRIPT, "{ 0: 1 }", "Promise.resolve({ 0: 1 })"),
    "a promise by its class": (SCRIPT, "`a ${rows}`", "new Promise((ok) => ok(rows))"),
    "a request for a member": (SCRIPT, "this.rows", 'fetch("/x")\n    .then((r) => r.json())'),
    "a request of a library": (SCRIPT, "cache[rows]", "axios.get(rows)"),
    "a module that is loaded": (SCRIPT, "JSON.parse(rows)", "import(rows)"),
    "a value for a promise": (SCRIPT, "fetch(rows).then((r) => r.a)", "!rows"),
    "a promise or nothing": (SCRIPT, "rows ? rows.a : null", "rows ? fetch(rows) : null"),
    "a function that takes less": (SCRIPT, "(a, b) => go(a)", "(a) => go(a)"),
    "a lazy enumerator": (RUBY, "rows.map { |r| r.a }", "rows.lazy.map { |r| r.a }"),
    "a text for a symbol": (RUBY, ":done", '"done"'),
    "an iterator of Lua": (LUA, "{ rows }", "ipairs(rows)"),
    "an iterator of PHP": (PHP, "array_values($rows)", "new \\ArrayIterator($rows)"),
    "another class of PHP": (PHP, "new Cart($rows->all(), 1)", "new Basket($rows->all(), 1)"),
}  # fmt: skip
SAME = {
    "a list by its name": (PYTHON, "[r for r in rows]", "list(rows)"),
    "a list by a call": (PYTHON, "[r for r in rows]", "build(rows)"),
    "a stream that is used up": (PYTHON, "sum([r for r in rows])", "sum(r for r in rows)"),
    "a set of another element": (PYTHON, "{r.a for r in rows}", "set(r.b for r in rows)"),
    "another end of what is not known": (PYTHON, "rows.all()", "rows.all() if rows else iter(())"),
    "one more of several classes": (PYTHON, "Cart(1) if rows else Basket(2)", "Cart(1) if rows else Box(2)"),
    "a second class": (PYTHON, "Cart(1)", "Cart(1) if rows else Box(2)"),
    "another text": (PYTHON, '"a"', 'f"b{rows}"'),
    "an array": (SCRIPT, "[...rows]", "Array.from(rows.values())"),
    "a promise for what is not known": (SCRIPT, "load(rows)", "fetch(rows).then((r) => r.a)"),
    "another promise": (SCRIPT, "fetch(rows).then((r) => r.a)", "new Promise((ok) => ok(rows))"),
    "a promise that was kept": (SCRIPT, "this.promise", "new Promise((ok) => ok(rows))"),
    "another member": (SCRIPT, "rows + 1", "this.rows"),
    "a text for arithmetic": (SCRIPT, "rows + 1", "`a ${rows}`"),
    "what an iterator comes to": (SCRIPT, "rows.load()", "rows.values().next()"),
    "a lazy enumerator to its end": (RUBY, "rows.map { |r| r.a }", "rows.lazy.map { |r| r.a }.to_a"),
}  # fmt: skip
WRAPPED = {
    "drops its result": ("return fn(*args)", "fn(*args)"),
    "takes less": ("*args, **kwargs", "*args"),
    "has to be awaited": ("def wrapper", "async def wrapper"),
    "yields": ("return fn(*args)", "yield fn(*args)"),
}


def _open(repository: Repository, path: str, before: str, after: str, reader: str, text: str) -> set[str]:
    found = find(repository.change({path: before, reader: text}, {path: after}))
    return {use.path for use in coverage.obliged_uses((), found)}


@pytest.mark.parametrize("what", OTHER)
def test_a_result_of_another_kind_concerns_each_use(repository: Repository, what: str) -> None:
    """What a literal, a comprehension or a call of the language comes to is told by its syntax."""
    (path, code, reader, text), before, after = OTHER[what]
    assert _open(repository, path, code % before, code % after, reader, text) == {reader}


@pytest.mark.parametrize("what", SAME)
def test_a_result_that_may_be_of_the_same_kind_concerns_nobody(repository: Repository, what: str) -> None:
    """What a call of the program's own comes to is not known."""
    (path, code, reader, text), before, after = SAME[what]
    assert not _open(repository, path, code % before, code % after, reader, text)


@pytest.mark.parametrize("what", WRAPPED)
def test_what_a_decorator_hands_back_concerns_who_is_decorated(repository: Repository, what: str) -> None:
    """The inner function that it returns stands for the decorated one."""
    path, code, reader, text = WRAPPER
    assert _open(repository, path, code, code.replace(*WRAPPED[what]), reader, text) == {reader}


def test_types_of_what_a_decorator_hands_back_concern_nobody(repository: Repository) -> None:
    """They bind no caller."""
    path, code, reader, text = WRAPPER
    typed = code.replace("*args, **kwargs):", "*args: int, **kwargs: str) -> int:")
    assert not _open(repository, path, code, typed, reader, text)


def test_a_stream_by_another_statement_is_a_stream(repository: Repository) -> None:
    """A function that yields and one that returns a generator expression are used alike."""
    path, _, reader, text = PYTHON
    before = "def names(rows):\n    for r in rows:\n        yield str(r)\n"
    assert not _open(repository, path, before, "def names(rows):\n    return (str(r) for r in rows)\n", reader, text)


def test_what_is_summed_up_and_a_promise_of_it_differ(repository: Repository) -> None:
    """A variable that a loop adds to holds no promise."""
    path, _, reader, text = SCRIPT
    before = "export function names(rows) {\n  let sum = 0\n  for (const r of rows) sum += r\n  return sum\n}\n"
    assert _open(repository, path, before, before.replace("return sum", "return Promise.resolve(sum)"), reader, text)


def test_a_function_that_is_awaited_returns_the_same_by_a_promise(repository: Repository) -> None:
    """Who awaits it gets what the promise comes to."""
    path, _, reader, text = SCRIPT
    before = "export async function names(rows) {\n  return [rows]\n}\n"
    assert not _open(repository, path, before, before.replace("[rows]", "Promise.all([rows])"), reader, text)
