import asyncio
from dataclasses import replace

import diff_rows
from fakes import Repository

from bot import diff
from bot.checkout import Checkout
from bot.context import identifiers, meaning, usages
from bot.context.builder import NEARBY_TOKENS, ContextBuilder
from bot.diff import units
from bot.text.lines import defines
from bot.values import Dependents, DiffRow, Excerpt, Reference, Unit, tokens

Files = dict[str, str | bytes | None]


def shown(
    repository: Repository, before: Files, after: Files, references: tuple[Reference, ...] = (), prompts: int = 1
) -> tuple[Excerpt, ...]:
    """What stands beside the units of this change in one prompt."""
    pull = repository.change(before, after)

    async def run() -> tuple[Excerpt, ...]:
        async with Checkout(pull) as tree:
            files = diff.read(await tree.change())
            texts = units.Texts(
                {p: b.decode() for p, b in (await tree.read_many([f.path for f in files])).items()},
                {p: b.decode() for p, b in (await tree.read_many([f.path for f in files], "base")).items()},
            )
            parts = units.cut(files, Dependents(references=references), texts)
            return await ContextBuilder(tree, files, prompts).of(parts)

    return asyncio.run(run())


def paths(excerpts: tuple[Excerpt, ...]) -> list[str]:
    return [excerpt.path for excerpt in excerpts]


def test_the_reader_of_a_renamed_variable_of_the_environment_is_shown(repository: Repository) -> None:
    """In another language, found by its name alone."""
    before: Files = {
        "app/start.ts": "export function start(env) {\n  env.SHOP_STATE_DIR = '/var/shop'\n}\n",
        "tool/run.py": "import os\n\n\ndef run():\n    return os.environ['SHOP_STATE_DIR']\n",
    }
    excerpts = shown(repository, before, {"app/start.ts": str(before["app/start.ts"]).replace("STATE", "HOME")})
    assert paths(excerpts) == ["tool/run.py"]
    assert " 5     return os.environ['SHOP_STATE_DIR']" in excerpts[0].body


def test_the_workflow_that_compares_a_label_is_shown(repository: Repository) -> None:
    """A string with dashes is a name like any other."""
    before: Files = {
        "ci/jobs.py": 'JOBS = [{"mode": "assert-no-changes"}]\n',
        ".github/workflows/ci.yml": "jobs:\n  check:\n    if: matrix.mode == 'assert-no-changes'\n",
    }
    after: Files = {"ci/jobs.py": 'JOBS = [{"mode": "stable-style"}]\n'}
    assert paths(shown(repository, before, after)) == [".github/workflows/ci.yml"]


def test_who_reaches_into_a_private_attribute_is_shown_before_who_mentions_it(repository: Repository) -> None:
    """The line that breaks when the inside of a class changes."""
    inner = "class Stats:\n    def __init__(self):\n        self._totals = {}\n"
    users = {f"shop/m{n}.py": f"class M{n}:\n    def f(self):\n        return self._totals\n" for n in range(6)}
    before: Files = {
        "shop/stats.py": inner,
        "shop/report.py": "def show(stats):\n    return stats._totals.items()\n",
        **users,
    }
    excerpts = shown(repository, before, {"shop/stats.py": inner.replace("{}", "Counter()")})
    assert excerpts[0].path == "shop/report.py"


def test_the_definition_of_what_is_called_is_shown(repository: Repository) -> None:
    """With its body, to the end of its block."""
    before: Files = {
        "a.py": "def go(x):\n    return 1\n",
        "b.py": "def clamp_rate(x):\n    if x < 0:\n        return 0\n    return x\n\n\nOTHER = 1\n",
    }
    (excerpt,) = shown(repository, before, {"a.py": "def go(x):\n    return clamp_rate(x)\n"})
    assert (excerpt.path, excerpt.title) == ("b.py", "defines clamp_rate")
    assert excerpt.body.startswith(" 1 def clamp_rate(x):")
    assert "OTHER" not in excerpt.body


def test_what_a_reader_calls_in_its_own_file_is_shown_too(repository: Repository) -> None:
    """The step that decides may stand in a neighbour: here the name of the file in which objects are kept."""
    filler = "".join(f"FILLER_{n} = {n}\n" for n in range(30))
    before: Files = {
        "shop/order.py": "class Order:\n    total = 0\n",
        "shop/kept.py": "import pickle\n\n\ndef where():\n    return f'orders-{VERSION}.pickle'\n\n\n"
        + filler
        + "\n\ndef load():\n    with open(where(), 'rb') as file:\n        return pickle.load(file)\n",
    }
    after: Files = {"shop/order.py": "class Purchase:\n    total = 0\n"}
    found = "\n".join(excerpt.body for excerpt in shown(repository, before, after))
    assert "return pickle.load(file)" in found
    assert "return f'orders-{VERSION}.pickle'" in found
    assert "FILLER_15" not in found


def test_the_counterpart_of_a_changed_method_is_picked_and_not_who_mentions_it() -> None:
    """Another definition of the same name may need the same change; its mentions are call sites, found elsewhere."""
    unit = Unit(
        "c.js:Memo.check_blockers",
        "c.js",
        "Memo.check_blockers",
        2,
        4,
        "head",
        "",
        diff_rows.rows("+3   return data.lines"),
    )
    rows = {
        "check_blockers": [
            ("server/memo.js", 2, "  check_blockers(data) {"),
            ("server/page.js", 9, "  memo.check_blockers(data)"),
        ]
    }
    assert [(row.path, row.defines) for row in usages.pick(rows, [unit], ())] == [("server/memo.js", True)]


def test_a_line_that_decides_by_a_name_comes_before_those_that_pass_it_on(repository: Repository) -> None:
    """What breaks is where the value is tested."""
    passing = {f"app/m{n}.py": "def f(c):\n    return g(c.root_patterns)\n" for n in range(4)}
    before: Files = {
        "config/read.py": "def read(c):\n    c.root_patterns = None\n",
        **passing,
        "app/zz.py": "def f(c):\n    if c.root_patterns:\n        return 1\n",
    }
    excerpts = shown(repository, before, {"config/read.py": "def read(c):\n    c.root_patterns = ['.']\n"})
    assert excerpts[0].path == "app/zz.py"


def test_another_file_is_picked_before_the_next_line_of_the_same() -> None:
    """Ten files tell more than three files three times."""
    unit = Unit("app/r.py:f", "app/r.py", "f", 1, 2, "head", "", diff_rows.rows("+1 c.root_patterns = ['.']"))
    at = [("app/a.py", 2), ("app/a.py", 12), ("app/a.py", 22), ("web/b.py", 2)]
    rows = {"root_patterns": [(path, line, "return g(c.root_patterns)") for path, line in at]}
    assert [row.path for row in usages.pick(rows, [unit], ())][:2] == ["app/a.py", "web/b.py"]


def test_the_callers_body_comes_first_and_nothing_is_shown_twice(repository: Repository) -> None:
    """A caller that also reads a changed name stands there once."""
    before: Files = {
        "a.py": "def apply_rate(x):\n    return x\n",
        "b.py": "from a import apply_rate\n\n\ndef total(rows):\n    return sum(apply_rate(row) for row in rows)\n",
    }
    use = Reference("a.py:lines 2-2", "apply_rate", "b.py", 5, "    return sum(apply_rate(row) for row in rows)", "total", (4, 5), sure=True, test=False, call=True)  # fmt: skip
    excerpts = shown(repository, before, {"a.py": "def apply_rate(x):\n    return apply_rate(-x)\n"}, (use,))
    lines = [line for excerpt in excerpts for line in excerpt.body.split("\n") if "sum(apply_rate" in line]
    assert len(lines) == 1


def test_the_limit_holds_however_many_readers_there_are(repository: Repository) -> None:
    """The best lines stand there, and no more than there is room for."""
    names = [f"retry_budget_{n}" for n in range(40)]
    readers: Files = {
        f"m{n}.py": f"def f{n}(options):\n    # why this is so\n    x = options.{name}\n    if x > {n}:\n        raise TooMany(x, {n})\n    for step in range(x):\n        tried(step)\n    return x + {n}\n"
        * 9
        for n, name in enumerate(names * 3)
    }
    before: Files = {"conf.py": "".join(f"{name} = 3\n" for name in names), **readers}
    excerpts = shown(repository, before, {"conf.py": "".join(f"{name} = '3'\n" for name in names)})
    size = sum(tokens(excerpt.body) for excerpt in excerpts)
    assert NEARBY_TOKENS / 2 < size <= NEARBY_TOKENS


def changed(written: str) -> Unit:
    return Unit("shop.py:f", "shop.py", "f", 1, 2, "head", "", diff_rows.rows(written))


def test_a_word_that_every_file_has_is_not_looked_up() -> None:
    """Keywords, and names that mean nothing by themselves."""
    assert identifiers.names([changed("+1     return self.data or None")]) == {}
    assert identifiers.names([changed("+1 # renames the shop_rate")]) == {}


def test_what_is_gone_weighs_most_and_what_is_written_more_than_what_is_mentioned() -> None:
    """The readers of a name that nobody sets any more are the ones that break."""
    weights = identifiers.names([changed("-1 env.OLD_NAME = 1\n+1 env.NEW_NAME = other_name(1)")])
    assert weights["OLD_NAME"] > weights["NEW_NAME"] > weights["other_name"]


def test_where_a_caller_keeps_the_result_is_followed_one_step() -> None:
    """Keys and attributes, not local variables."""
    assert identifiers.stored_keys('    "shipping_address": payload(order),', "payload") == {"shipping_address"}
    assert identifiers.stored_keys("self.total_rate = payload(order)", "payload") == {"total_rate"}
    assert identifiers.stored_keys("local = payload(order)", "payload") == frozenset()


def test_a_name_that_is_only_mentioned_leads_to_its_definition_and_not_to_others_that_mention_it(
    repository: Repository,
) -> None:
    """Nor does a local variable lead to variables of its name."""
    before: Files = {
        "app/pay.py": "from app.rates import RATE_TABLE\n\n\ndef pay(x):\n    return x\n",
        "app/rates.py": "RATE_TABLE = {1: 2}\n",
        "app/show.py": "from app.rates import RATE_TABLE\n\n\ndef show(row_total):\n    return print_out(RATE_TABLE, row_total)\n",
    }
    after: Files = {"app/pay.py": str(before["app/pay.py"]).replace("return x", "row_total = RATE_TABLE[x]\n    return row_total")}  # fmt: skip
    (excerpt,) = shown(repository, before, after)
    assert (excerpt.path, excerpt.title) == ("app/rates.py", "defines RATE_TABLE")


def test_a_file_that_decides_nothing_needs_a_reason(repository: Repository) -> None:
    """A lock, an example and a style sheet hold the same word; the workflow compares the same literal."""
    before: Files = {
        "app/mode.py": 'MODES = {"retry_budget": "assert-no-changes"}\n',
        "poetry.lock": "retry_budget = 1\n",
        "examples/one.py": "conf.retry_budget = 3\n",
        "app/page.css": ".a { content: retry_budget }\n",
        ".github/workflows/ci.yml": "retry_budget: 1\nif: mode == 'assert-no-changes'\n",
        "app/run.py": "def run(conf):\n    return conf['retry_budget']\n",
    }
    after: Files = {"app/mode.py": 'MODES = {"retry_budget": "stable-style"}\n'}
    assert {*paths(shown(repository, before, after))} == {"app/run.py", ".github/workflows/ci.yml"}


def test_who_calls_a_caller_that_only_passes_on_is_shown(repository: Repository) -> None:
    """The wrapper decides nothing; its caller does, and the label tells the way."""
    before: Files = {
        "a.py": "def apply_rate(x):\n    return x\n",
        "b.py": 'from a import apply_rate\n\n\ndef rated_row(row):\n    """Pass on."""\n    return apply_rate(row)\n',
        "c.py": "from b import rated_row\n\n\ndef total(rows):\n    if rows:\n        return min(rated_row(row) for row in rows)\n",
    }
    use = Reference("a.py:apply_rate", "apply_rate", "b.py", 6, "    return apply_rate(row)", "rated_row", (4, 6), sure=True, test=False, call=True)  # fmt: skip
    excerpts = shown(repository, before, {"a.py": "def apply_rate(x):\n    return -x\n"}, (replace(use, symbol="a.py:lines 2-2"),))  # fmt: skip
    assert ("c.py", "calls rated_row, which passes on to apply_rate") in [(e.path, e.title) for e in excerpts]


def test_a_label_says_defines_only_of_a_definition() -> None:
    """A type in front of another name, a call, and a subclass define nothing of that name."""
    assert meaning.settles("RateTable", "a.py", "class RateTable:")
    assert not meaning.settles("RateTable", "A.java", "    private static RateTable load(int x) {")
    assert not meaning.settles("loadRates", "A.java", "        use(x, internal ? loadRates() : other, y);")
    assert usages.Pick("a.py", 1, ("Base",), defines=False, builds=True).reason == "builds on Base"


def test_what_a_stored_object_is_read_from_is_shown_with_the_errors_that_are_caught(repository: Repository) -> None:
    """A class is renamed: the file name that a variable of the reader holds decides whether an older one is read."""
    before: Files = {
        "shop/order.py": "class Order:\n    number: int\n",
        "shop/store.py": "import pickle\n\n\ndef _where():\n    return FOLDER / 'orders.pickle'\n\n\ndef load():\n"
        "    file = _where()\n    try:\n        with file.open('rb') as f:\n            return pickle.load(f)\n"
        "    except EOFError:\n        return None\n",
    }
    bodies = [e.body for e in shown(repository, before, {"shop/order.py": "class Purchase:\n    number: int\n"})]
    assert any("except EOFError" in body for body in bodies)
    assert any("orders.pickle" in body for body in bodies)


def test_a_word_given_to_an_argument_and_a_method_of_the_language_lead_nowhere(repository: Repository) -> None:
    """Alignments, styles and constructors are in every file, and none of them reads the change."""
    old = "class Row:\n    def __init__(self, text):\n        self.shown = Text(text, justify='right')\n"
    before: Files = {
        "ui/row.py": old,
        "ui/keys.py": "def on_key(key):\n    return key == 'right'\n",
        "ui/other.py": "class Other(Base):\n    def __init__(self, name):\n        super().__init__(name)\n",
    }
    assert not shown(repository, before, {"ui/row.py": old.replace("'right'", "'left'").replace("text", "said")})


def test_who_reads_a_container_is_shown_when_the_change_fills_it_otherwise(repository: Repository) -> None:
    """An item that is set changes what the attribute holds."""
    old = "class Stats:\n    def add(self, key):\n        self._totals[key] = self._totals.get(key, 0) + 1\n"
    before: Files = {"shop/stats.py": old, "web/page.py": "def page(stats):\n    return stats._totals.items()\n"}
    after: Files = {"shop/stats.py": old.replace("= self._totals.get(key, 0) + 1", "= 1")}
    assert "web/page.py" in paths(shown(repository, before, after))


def added(*lines: str) -> tuple[DiffRow, ...]:
    return tuple(DiffRow("+", line, number) for number, line in enumerate(lines, 1))


def test_prose_of_several_lines_names_nothing() -> None:
    """Docstrings and block comments; what they mark as code is a name, and a string that is not a docstring is code."""
    rows = added(
        "def total(x):",
        "    '''Warning_one of the",
        "    Warning_two kind, see `order_rows.total_sum`.",
        "    '''",
        '    query = """',
        "        select order_id",
        '    """',
        "    return query",
    )
    found = identifiers.names([Unit("a.py:total", "a.py", "total", 1, 8, "head", "", rows)])
    assert {"order_rows", "total_sum", "order_id"} <= found.keys()
    assert found.keys().isdisjoint({"Warning_one", "Warning_two"})
    script = added("/*", "  Warning_one here", "*/", "const order_id = 1")
    assert identifiers.names([Unit("a.js:x", "a.js", "x", 1, 4, "head", "", script)]).keys() == {"order_id"}


def test_a_module_is_no_key(repository: Repository) -> None:
    """Who imports the same library, or writes the same relative path in another folder, says nothing about the change."""
    before: Files = {
        "shop/cart.js": "import { rate } from '../money/rate-table'\nexport const fees = () => rate()\n",
        "depot/crate.js": "import { weigh } from '../money/rate-table'\nexport const heavy = () => weigh()\n",
        "shop/cart.go": 'package shop\n\nimport (\n\t"net/rate-table"\n)\n',
        "depot/crate.go": 'package depot\n\nvar known = "net/rate-table"\n',
    }
    after: Files = {
        "shop/cart.js": str(before["shop/cart.js"]).replace("../money/rate-table", "./rates"),
        "shop/cart.go": str(before["shop/cart.go"]).replace("net/rate-table", "net/rates"),
    }
    assert shown(repository, before, after) == ()


def test_what_is_taken_apart_or_looped_over_is_defined_by_nobody() -> None:
    """`let Some(row)` and the variable of a loop give their names no meaning for others."""
    assert not defines("    let Some(row) = rows.first() else {", "Some")
    assert not defines("    for (const row of rows) {", "row")
    assert not defines("fn first(&self) -> *const Row<Cart> {", "Row")
    assert defines("    const row = rows[0]", "row")


def test_one_word_of_another_folder_is_another_thing(repository: Repository) -> None:
    """In capitals too; in the same folder it is believed."""
    user = "fn wait(state: State) {\n    match state {\n        State::Ready => go(),\n    }\n}\n"
    before: Files = {"shop/state.rs": "pub enum State {\n    Ready,\n}\n", "net/poll.rs": user, "shop/cart.rs": user}
    after: Files = {"shop/state.rs": "pub enum State {\n    Ready = 3,\n}\n"}
    assert {*paths(shown(repository, before, after))} <= {"shop/cart.rs"}


def test_a_line_that_a_program_wrote_is_left_out_of_the_lines_around(repository: Repository) -> None:
    """It would take the room of ten others."""
    reader = f"DATA = '{'x' * 400}'\nSTATE = read('shop-state-dir')\n"
    before: Files = {"a.py": "KEY = 'shop-state-dir'\n", "b.py": reader}
    (excerpt,) = shown(repository, before, {"a.py": "KEY = 'shop-home-dir'\n"})
    assert [row.text for row in excerpt.rows] == ["STATE = read('shop-state-dir')", ""]


BODY = "".join(f"    step_{n} = {n}\n" for n in range(30))


def test_of_what_is_called_the_reader_sees_what_it_returns_and_raises(repository: Repository) -> None:
    """A long body is cut to what its caller depends on."""
    callee = f"def rated_row(row):\n{BODY}    if not row:\n        raise EmptyRow\n    return None\n"
    before: Files = {
        "money.py": callee,
        "cart.py": "from money import rated_row\n\n\ndef total(row):\n    return row\n",
    }
    after: Files = {"cart.py": str(before["cart.py"]).replace("return row", "return rated_row(row).sum")}
    said = [row.text.strip() for one in shown(repository, before, after) for row in one.rows if one.path == "money.py"]
    assert said == ["def rated_row(row):", "if not row:", "raise EmptyRow", "return None"]


def test_where_a_changed_value_flows_on_is_shown_with_what_is_called_there(repository: Repository) -> None:
    """The rest of the function asks the same object, whose answer rests on a helper of its file."""
    ranges = (
        "class Ranges:\n    def largest_end(self):\n        return self.ends[-1]\n\n"
        "    def check_line(self, line):\n        return any(is_inside(one, line) for one in self.ends)\n\n\n"
        "def is_inside(end, line):\n    return line <= end\n"
    )
    start = "from ranges import Ranges\n\n\ndef print_lines(line_ranges, rows):\n    size = line_ranges.largest_end()\n"
    before: Files = {
        "ranges.py": ranges,
        "view.py": f"{start}    for row in rows:\n        line_ranges.check_line(row)\n",
    }
    after: Files = {"view.py": str(before["view.py"]).replace("largest_end()", "largest_end() + 16")}
    bodies = "\n".join(excerpt.body for excerpt in shown(repository, before, after))
    assert "return any(is_inside(one, line) for one in self.ends)" in bodies
    assert "return line <= end" in bodies


def test_a_local_variable_is_no_lead_to_code_of_another_language(repository: Repository) -> None:
    """Unless it is handed on under its own name."""
    page = "<p>${errorMessage}</p>\n"
    java = (
        "class Acl {{\n  void check() {{\n    String errorMessage;\n    errorMessage = make({});\n    {};\n  }}\n}}\n"
    )
    for use, expected in (
        ("throw new Denied(errorMessage)", []),
        ('put("errorMessage", errorMessage)', ["page.jelly"]),
    ):
        before: Files = {"Acl.java": java.format(1, use), "page.jelly": page}
        after: Files = {"Acl.java": java.format(2, use)}
        assert paths(shown(repository, before, after)) == expected


def test_the_variable_of_a_loop_builds_on_nothing(repository: Repository) -> None:
    """`impl Show for Origin` does."""
    before: Files = {
        "src/origin.rs": "pub struct Origin {\n    port: u8,\n}\n",
        "src/show.rs": "impl Show for Origin {\n    fn show(&self) {}\n}\n",
        "tool/links.py": "def links(repo):\n    for Origin in repo['links']:\n        print(Origin)\n",
    }
    found = shown(repository, before, {"src/origin.rs": "pub(crate) struct Origin {\n    port: u8,\n}\n"})
    assert [(one.path, one.title) for one in found] == [("src/show.rs", "builds on Origin")]


def test_a_field_of_another_object_is_no_reader_of_a_key(repository: Repository) -> None:
    """Python has the key of a dictionary as a text; in JavaScript `order.billing_address` reads it."""
    before: Files = {
        "mail/payload.py": "def payload(order):\n    return {'billing_address': order.bill}\n",
        "mail/show.py": "def show(data):\n    return data['billing_address']\n",
        "cart/model.py": "def same(cart):\n    return cart.billing_address\n",
    }
    after: Files = {"mail/payload.py": "def payload(order):\n    return {'billing_address': order.bill or {}}\n"}
    assert paths(shown(repository, before, after)) == ["mail/show.py"]


def test_a_constant_of_another_type_is_no_use_of_the_changed_one(repository: Repository) -> None:
    """Where the change names it behind its type alone: a line that names it behind another type means another thing."""
    before: Files = {
        "send/Producer.java": "class Producer {\n  int failed(int batch) {\n    return batch == 0 ? Answer.UNKNOWN_SHELF : batch;\n  }\n}\n",
        "fetch/Reader.java": "class Reader {\n  boolean isLost(int row) {\n    return row == Answer.UNKNOWN_SHELF;\n  }\n}\n",
        "offsets/Keeper.java": "class Keeper {\n  boolean isLost(int row) {\n    return row == Offsets.UNKNOWN_SHELF;\n  }\n}\n",
    }
    after: Files = {"send/Producer.java": str(before["send/Producer.java"]).replace("== 0", "== 1")}
    assert paths(shown(repository, before, after)) == ["fetch/Reader.java"]


def test_what_a_module_hands_out_is_no_key(repository: Repository) -> None:
    """Each module of JavaScript has a `module.exports` of its own."""
    before: Files = {
        "tool/links.js": "function check() {}\nmodule.exports = {check, repair};\n",
        "src/plug.js": "module.exports = class Plug {\n  apply(made) {}\n};\n",
    }
    after: Files = {"tool/links.js": str(before["tool/links.js"]).replace(", repair", "")}
    assert shown(repository, before, after) == ()


def test_a_page_of_a_test_is_no_reader_of_one_word(repository: Repository) -> None:
    """A template of the product with that word is one."""
    before: Files = {
        "lib/methods.js": "const safe = ['GET', 'PATCH'];\n",
        "web/form.html": "<form method='PATCH'></form>\n",
        "test/fixtures/form.html": "<form method='PATCH'></form>\n",
    }
    after: Files = {"lib/methods.js": "const safe = ['GET'];\n"}
    assert paths(shown(repository, before, after)) == ["web/form.html"]
