import diff_rows
import step
from fakes import Repository

from bot.checkout import Checkout
from bot.diff import units
from bot.review.context import identifiers, usages
from bot.review.context.builder import LEAST_NEARBY, ContextBuilder
from bot.review.context.searches import Searches
from bot.values import Dependents, Excerpt, Reference, Unit
from deeprepo.impact.values import Arguments
from deeprepo.rlm.values import tokens

Files = dict[str, str | bytes | None]


def shown(
    repository: Repository, before: Files, after: Files, references: tuple[Reference, ...] = (), prompts: int = 1
) -> tuple[Excerpt, ...]:
    """Return the code shown next to the regions of this change in one prompt."""
    pull = repository.change(before, after)

    async def run(tree: Checkout, files: step.Files) -> tuple[Excerpt, ...]:
        texts = await step.texts(tree, files)
        parts = units.cut(files, Dependents(references=references), texts)
        return await ContextBuilder(Searches(tree, files), prompts).of(parts)

    return step.over(pull, run)


def paths(excerpts: tuple[Excerpt, ...]) -> list[str]:
    return [excerpt.path for excerpt in excerpts]


def test_reader_of_a_renamed_environment_variable_is_shown(repository: Repository) -> None:
    """A reader of a renamed environment variable is shown, even in another language."""
    before: Files = {
        "app/start.ts": "export function start(env) {\n  env.SHOP_STATE_DIR = '/var/shop'\n}\n",
        "tool/run.py": "import os\n\n\ndef run():\n    return os.environ['SHOP_STATE_DIR']\n",
    }
    excerpts = shown(repository, before, {"app/start.ts": str(before["app/start.ts"]).replace("STATE", "HOME")})
    assert paths(excerpts) == ["tool/run.py"]
    assert " 5     return os.environ['SHOP_STATE_DIR']" in excerpts[0].body


def test_workflow_that_compares_a_removed_label_is_shown(repository: Repository) -> None:
    """A workflow that compares a removed string with dashes is shown."""
    before: Files = {
        "ci/jobs.py": 'JOBS = [{"mode": "assert-no-changes"}]\n',
        ".github/workflows/ci.yml": "jobs:\n  check:\n    if: matrix.mode == 'assert-no-changes'\n",
    }
    after: Files = {"ci/jobs.py": 'JOBS = [{"mode": "stable-style"}]\n'}
    assert paths(shown(repository, before, after)) == [".github/workflows/ci.yml"]


def test_private_attribute_access_is_shown_before_other_mentions(repository: Repository) -> None:
    """A line that accesses another object's private attribute is shown before other mentions."""
    inner = "class Stats:\n    def __init__(self):\n        self._totals = {}\n"
    users = {f"shop/m{n}.py": f"class M{n}:\n    def f(self):\n        return self._totals\n" for n in range(6)}
    before: Files = {
        "shop/stats.py": inner,
        "shop/report.py": "def show(stats):\n    return stats._totals.items()\n",
        **users,
    }
    excerpts = shown(repository, before, {"shop/stats.py": inner.replace("{}", "Counter()")})
    assert excerpts[0].path == "shop/report.py"


def test_called_definition_is_shown(repository: Repository) -> None:
    """A called function is shown with its body, up to the end of its block."""
    before: Files = {
        "a.py": "def go(x):\n    return 1\n",
        "b.py": "def clamp_rate(x):\n    if x < 0:\n        return 0\n    return x\n\n\nOTHER = 1\n",
    }
    (excerpt,) = shown(repository, before, {"a.py": "def go(x):\n    return clamp_rate(x)\n"})
    assert (excerpt.path, excerpt.title) == ("b.py", "defines clamp_rate")
    assert excerpt.body.startswith(" 1 def clamp_rate(x):")
    assert "OTHER" not in excerpt.body


def test_helper_called_by_a_shown_function_is_shown(repository: Repository) -> None:
    """A helper that a shown function calls in its own file is shown too."""
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


def test_same_named_definition_is_shown_but_not_its_mentions() -> None:
    """A definition of the same name may need the same change; call sites are found separately."""
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


def test_line_that_tests_a_value_is_shown_before_lines_that_pass_it_on(repository: Repository) -> None:
    """A line that tests a changed value is shown before lines that only pass it on."""
    passing = {f"app/m{n}.py": "def f(c):\n    return g(c.root_patterns)\n" for n in range(4)}
    before: Files = {
        "config/read.py": "def read(c):\n    c.root_patterns = None\n",
        **passing,
        "app/zz.py": "def f(c):\n    if c.root_patterns:\n        return 1\n",
    }
    excerpts = shown(repository, before, {"config/read.py": "def read(c):\n    c.root_patterns = ['.']\n"})
    assert excerpts[0].path == "app/zz.py"


def test_caller_is_shown_only_once(repository: Repository) -> None:
    """A caller that also reads a changed name is shown only once."""
    before: Files = {
        "a.py": "def apply_rate(x):\n    return x\n",
        "b.py": "from a import apply_rate\n\n\ndef total(rows):\n    return sum(apply_rate(row) for row in rows)\n",
    }
    use = Reference("a.py:lines 2-2", "apply_rate", "b.py", 5, "    return sum(apply_rate(row) for row in rows)", "total", (4, 5), "bound", arguments=Arguments())  # fmt: skip
    excerpts = shown(repository, before, {"a.py": "def apply_rate(x):\n    return apply_rate(-x)\n"}, (use,))
    lines = [line for excerpt in excerpts for line in excerpt.body.split("\n") if "sum(apply_rate" in line]
    assert len(lines) == 1


def test_unresolved_references_to_a_common_word_are_left_out(repository: Repository) -> None:
    """Unresolved references are shown for `open_day`, but not for a word as common as `open`."""
    before: Files = {
        "shop/store.py": "class Store:\n    def open(self):\n        return 1\n\n    def open_day(self):\n        return 1\n",
        "shop/view.py": "def show(door):\n    door.open()\n    return 1\n\n\ndef tell(shop):\n    shop.open_day()\n",
    }
    uses = (("open", 2, "    door.open()"), ("open_day", 7, "    shop.open_day()"))
    references = tuple(
        Reference(
            f"shop/store.py:Store.{name}",
            name,
            "shop/view.py",
            line,
            text,
            "",
            (line - 1, line),
            connection="name",
            test=False,
            arguments=Arguments(),
        )
        for name, line, text in uses
    )
    excerpts = shown(repository, before, {"shop/store.py": str(before["shop/store.py"]).replace("1", "2")}, references)
    text = "".join(excerpt.body for excerpt in excerpts)
    assert "shop.open_day()" in text
    assert "door.open()" not in text


def test_many_readers_stay_within_the_token_limit(repository: Repository) -> None:
    """With many readers, the best lines are shown within the token limit."""
    names = [f"retry_budget_{n}" for n in range(40)]
    readers: Files = {
        f"m{n}.py": f"def f{n}(options):\n    # why this is so\n    x = options.{name}\n    if x > {n}:\n        raise TooMany(x, {n})\n    for step in range(x):\n        tried(step)\n    return x + {n}\n"
        * 9
        for n, name in enumerate(names * 3)
    }
    before: Files = {"conf.py": "".join(f"{name} = 3\n" for name in names), **readers}
    excerpts = shown(repository, before, {"conf.py": "".join(f"{name} = '3'\n" for name in names)})
    size = sum(tokens(excerpt.body) for excerpt in excerpts)
    assert LEAST_NEARBY / 2 < size <= LEAST_NEARBY


def test_key_or_attribute_that_stores_a_result_is_followed() -> None:
    """Keys and attributes that store a call's result are found, but not local variables."""
    assert identifiers.stored_keys('    "shipping_address": payload(order),', "payload") == {"shipping_address"}
    assert identifiers.stored_keys("self.total_rate = payload(order)", "payload") == {"total_rate"}
    assert identifiers.stored_keys("local = payload(order)", "payload") == frozenset()


BODY = "".join(f"    step_{n} = {n}\n" for n in range(30))


def test_long_called_function_is_reduced_to_its_returns_and_raises(repository: Repository) -> None:
    """A called function's long body is cut to its first lines, returns and raises."""
    callee = f"def rated_row(row):\n{BODY}    if not row:\n        raise EmptyRow\n    return None\n"
    before: Files = {
        "money.py": callee,
        "cart.py": "from money import rated_row\n\n\ndef total(row):\n    return row\n",
    }
    after: Files = {"cart.py": str(before["cart.py"]).replace("return row", "return rated_row(row).sum")}
    said = [row.text.strip() for one in shown(repository, before, after) for row in one.rows if one.path == "money.py"]
    assert said == [
        "def rated_row(row):",
        *(f"step_{n} = {n}" for n in range(6)),
        "if not row:",
        "raise EmptyRow",
        "return None",
    ]


def test_short_gaps_in_a_called_definition_are_filled(repository: Repository) -> None:
    """The result may depend on up to four such lines; longer gaps are left out."""
    few = "".join(f"    few_{n} = row\n" for n in range(4))
    many = "".join(f"    many_{n} = row\n" for n in range(5))
    results = f"    if not row:\n        return None\n{few}    if row.old:\n        return 1\n{many}    return 2\n"
    before: Files = {
        "money.py": f"def rated_row(row):\n{BODY}{results}",
        "cart.py": "from money import rated_row\n\n\ndef total(row):\n    return row\n",
    }
    after: Files = {"cart.py": str(before["cart.py"]).replace("return row", "return rated_row(row).sum")}
    said = [row.text.strip() for one in shown(repository, before, after) for row in one.rows if one.path == "money.py"]
    assert said[7:] == [
        *("if not row:", "return None"),
        *(f"few_{n} = row" for n in range(4)),
        *("if row.old:", "return 1"),
        "return 2",
    ]


def test_builtins_of_the_same_name_are_not_shown(repository: Repository) -> None:
    """Methods of built-in types and other classes, and the built-in `open`, are not shown."""
    before: Files = {
        "shop/Rates.java": "package shop;\nimport shop.text.Texts;\nclass Rates {\n  String rate(int x) {\n    return Texts.of(x);\n  }\n}\n",
        "shop/text/Texts.java": "package shop.text;\nclass Texts {\n  static String toHexString(int x) {\n    return of(x);\n  }\n  static String of(int x) {\n    return null;\n  }\n}\n",
        "shop/load.py": "def load(path):\n    return path\n",
        "shop/archive.py": "class Archive:\n    def open(self, path):\n        return self\n\n    def get(self, name):\n        return name\n",
    }
    after: Files = {
        "shop/Rates.java": str(before["shop/Rates.java"]).replace("Texts.of(x)", "Integer.toHexString(x)"),
        "shop/load.py": "def load(path):\n    return open({'a': 1}.get(path))\n",
    }
    assert shown(repository, before, after) == ()


def test_lines_that_read_a_result_in_a_long_caller_are_shown(repository: Repository) -> None:
    """Lines that read a call's result are shown, even if the function is too long to show."""
    between = "".join(f"    step_{n}()\n" for n in range(60))
    before: Files = {
        "a.py": "def rate_of(x):\n    return x\n",
        "c.py": f"from a import rate_of\n\n\ndef page(x):\n    rate = rate_of(x)\n{between}    return 100 / rate\n",
    }
    use = Reference(
        "a.py:rate_of",
        "rate_of",
        "c.py",
        5,
        "    rate = rate_of(x)",
        "page",
        (4, 66),
        connection="bound",
        test=False,
        arguments=Arguments(),
    )
    (caller,) = shown(repository, before, {"a.py": "def rate_of(x):\n    return x or None\n"}, (use,))
    assert "return 100 / rate" in caller.body
    assert "step_30" not in caller.body


def test_import_and_docstring_continuation_lines_are_not_readers(repository: Repository) -> None:
    before: Files = {
        "shop/rates.py": "SHOP_RATE_LIMIT = 3\n",
        "shop/page.py": 'from shop.rates import (\n    SHOP_RATE_LIMIT,\n)\n\n\ndef page():\n    """\n    Below SHOP_RATE_LIMIT.\n    """\n',
        "shop/text.py": 'TEXT = """\nat most SHOP_RATE_LIMIT\n"""\n',
    }
    found = shown(repository, before, {"shop/rates.py": "SHOP_RATE_LIMIT = 5\n"})
    assert paths(found) == ["shop/text.py"]


def test_third_similar_reference_is_shown_as_a_single_line(repository: Repository) -> None:
    """And what reads its result: the rest of its function says nothing new."""
    name = "app/clamp.py"
    before: Files = {name: "def clamp(x):\n    return x\n"}
    uses = list[Reference]()
    for n, call in enumerate(("clamp(value)", "clamp(amount)", "clamp(total)", "clamp(total, 3)")):
        path = f"app/m{n}.py"
        text = f"def use_{n}(value):\n    prepare_{n}()\n    got = {call}\n    close_{n}()\n    return got + {n}\n"
        before[path] = text
        uses.append(
            Reference(
                f"{name}:lines 2-2",
                "clamp",
                path,
                3,
                f"    got = {call}",
                f"use_{n}",
                (1, 5),
                "bound",
                arguments=Arguments(1),
            )
        )
    excerpts = shown(repository, before, {name: "def clamp(x):\n    return x or None\n"}, tuple(uses))
    bodies = {excerpt.path: excerpt.body for excerpt in excerpts}
    assert [f"prepare_{n}" in bodies[f"app/m{n}.py"] for n in range(4)] == [True, True, False, True]
    assert "got = clamp(total)" in bodies["app/m2.py"]
    assert "return got + 2" in bodies["app/m2.py"]
