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
    "an entry or nothing": (PYTHON, "rows[1]", "rows.get(1)"),
    "an entry or nothing that it says": (PYTHON, "rows[1]", "rows.get(1, None)"),
    "a row or nothing": (PYTHON, "Row.objects.get(pk=rows)", "Row.objects.filter(pk=rows).first()"),
    "an element or nothing": (PYTHON, "next(r for r in rows if r.ok)", "next((r for r in rows if r.ok), None)"),
    "a name of the environment or nothing": (PYTHON, 'os.environ["ROWS"]', 'os.getenv("ROWS")'),
    "an attribute or nothing": (PYTHON, 'getattr(rows, "a")', 'getattr(rows, "a", None)'),
    "a match or nothing": (PYTHON, 're.search("a", rows).group()', 're.search("a", rows)'),
    "bytes of a text": (PYTHON, "rows.strip()", "rows.strip().encode()"),
    "a mapping for a text": (PYTHON, 'json.dumps({"a": rows})', '{"a": rows}'),
    "a number for a text": (PYTHON, "str(rows)", "int(rows)"),
    "a class for a number": (PYTHON, "float(rows)", "Decimal(rows)"),
    "a class for what was read": (PYTHON, "json.load(rows)", "Config(rows)"),
    "a text for a time": (PYTHON, "datetime.now()", "datetime.now().isoformat()"),
    "a time of a zone": (PYTHON, "datetime.utcnow()", "datetime.now(timezone.utc)"),
    "a truth for a number": (PYTHON, "len(rows)", "len(rows) > 0"),
    "elements of more parts": (PYTHON, "[(k, v) for k, v in rows]", "[(k, v, 1) for k, v in rows]"),
    "elements of another kind": (PYTHON, "[(k, v) for k, v in rows]", '[{"k": k, "v": v} for k, v in rows]'),
    "an element of an array or nothing": (SCRIPT, "rows.filter((r) => r.ok)", "rows.find((r) => r.ok)"),
    "an array of elements": (SCRIPT, "rows.find((r) => r.ok)", "rows.filter((r) => r.ok)"),
    "a row of a mapper or nothing": (SCRIPT, "db.row.findUniqueOrThrow(rows)", "db.row.findUnique(rows)"),
    "a class for an array": (SCRIPT, "rows.map((r) => r.a)", "new Set(rows.map((r) => r.a))"),
    "a text for what it says": (SCRIPT, "JSON.parse(rows)", "JSON.stringify(rows)"),
    "an entry of Ruby or nothing": (RUBY, "rows.fetch(1)", "rows[1]"),
    "a record of Ruby or nothing": (RUBY, "Row.find(rows)", "Row.find_by(id: rows)"),
    "a record of Ruby that is no longer demanded": (RUBY, "Row.find_by!(id: rows)", "Row.find_by(id: rows)"),
    "a hash for an array": (RUBY, "rows.map(&:a)", "rows.index_by(&:a)"),
    "keys that are texts": (RUBY, "{ a: rows, b: 1 }", '{ "a" => rows, "b" => 1 }'),
    "the answer for its body": (SCRIPT, "rows.data", "rows"),
    "the body for the answer": (PYTHON, "rows", "rows.data"),
    "the answer for what it was read as": (PYTHON, "rows.json()", "rows"),
    "a record of PHP or nothing": (PHP, "Row::findOrFail($rows)", "Row::find($rows)"),
}  # fmt: skip
SAME = {
    "a list by its name": (PYTHON, "[r for r in rows]", "list(rows)"),
    "a list by a call": (PYTHON, "[r for r in rows]", "build(rows)"),
    "a stream that is used up": (PYTHON, "sum([r for r in rows])", "sum(r for r in rows)"),
    "a set of another element": (PYTHON, "{r.a for r in rows}", "set(r.b for r in rows)"),
    "another end of what is not known": (PYTHON, "rows.all()", "rows.all() if rows else iter(())"),
    "one more of several classes": (PYTHON, "Cart(1) if rows else Basket(2)", "Cart(1) if rows else Box(2)"),
    "a second class": (PYTHON, "Cart(1)", "Cart(1) if rows else Box(2)"),
    "one answer of a client": (PYTHON, "rows.get(1, timeout=5)", "rows.get(1)"),
    "bytes that are joined": (PYTHON, "bytes(rows)", 'b"".join(rows)'),
    "bytes in which some are replaced": (PYTHON, "rows.encode()", 'rows.encode().replace(b"a", b"")'),
    "documents that are not sorted": (SCRIPT, "Row.find({ rows }).sort(1)", "Row.find({ rows })"),
    "a set of Ruby": (RUBY, "Set.new([1, 2])", "Set[1, 2]"),
    "another text": (PYTHON, '"a"', 'f"b{rows}"'),
    "an array": (SCRIPT, "[...rows]", "Array.from(rows.values())"),
    "a promise for what is not known": (SCRIPT, "load(rows)", "fetch(rows).then((r) => r.a)"),
    "another promise": (SCRIPT, "fetch(rows).then((r) => r.a)", "new Promise((ok) => ok(rows))"),
    "a promise that was kept": (SCRIPT, "this.promise", "new Promise((ok) => ok(rows))"),
    "another member": (SCRIPT, "rows + 1", "this.rows"),
    "a text for arithmetic": (SCRIPT, "rows + 1", "`a ${rows}`"),
    "what an iterator comes to": (SCRIPT, "rows.load()", "rows.values().next()"),
    "another text of the same": (PYTHON, "rows.clean()", "rows"),
    "another member of the same": (PYTHON, "rows.data", "rows.body"),
    "what may be nothing for what is not known": (PYTHON, "load(rows)", "rows.get(1)"),
    "an entry that is demanded": (PYTHON, "rows.get(1)", "rows[1]"),
    "an entry or a value for it": (PYTHON, "rows[1]", "rows.get(1, 2)"),
    "a row by another query": (PYTHON, "rows[1]", "Row.objects.get(pk=rows)"),
    "nothing in other words": (PYTHON, "rows[1] if 1 in rows else None", "rows.get(1)"),
    "nothing in more words": (PYTHON, "rows.get(1)", "rows[1] if 1 in rows else None"),
    "another text of a text": (PYTHON, "rows.strip()", "rows.strip().lower()"),
    "bytes of bytes": (PYTHON, "rows.encode()", "rows.encode().strip()"),
    "a text that is joined": (PYTHON, '"a" + rows', '"-".join(rows)'),
    "what was read as a mapping": (PYTHON, "json.loads(rows)", '{"a": rows}'),
    "elements that are not known": (PYTHON, "[(k, v) for k, v in rows]", "[build(r) for r in rows]"),
    "a list whose elements are not known": (PYTHON, "[(k, v) for k, v in rows]", "list(rows)"),
    "an element for a member": (SCRIPT, "this.rows[1]", "rows.find((r) => r.ok)"),
    "an element or a mapping": (SCRIPT, "rows.find((r) => r.ok)", "{ a: 1 }"),
    "another array": (SCRIPT, "[...rows]", "rows.map((r) => r.a)"),
    "an entry for what is not known": (RUBY, "load_one(rows)", "rows[1]"),
    "keys in another form": (RUBY, "{ a: rows }", "{ :a => rows }"),
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


@pytest.mark.parametrize(
    ("before", "after", "concerned"),
    [
        ("const res = await get(rows)\n  return res.data", "const res = await get(rows)\n  return res", True),
        ("const res = await get(rows)\n  return res.data", "const res = (await get(rows)).data\n  return res", False),
        ("const res = await get(rows)\n  return res.data", "let res = await get(rows)\n  res = res.data\n  return res", False),
    ],
)  # fmt: skip
def test_a_member_of_a_variable_is_told_by_what_the_variable_is_set_to(
    repository: Repository, before: str, after: str, *, concerned: bool
) -> None:
    """The answer of a request and its body are two things, however the variable between them is called."""
    path, _, reader, text = SCRIPT
    code = "export async function names(rows) {\n  %s\n}\n"
    assert bool(_open(repository, path, code % before, code % after, reader, text)) == concerned
