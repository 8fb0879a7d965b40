from dataclasses import replace

import step
from fakes import Repository

from bot.checkout import Checkout
from bot.findings import proof
from bot.values import (
    Basis,
    ChangedSymbol,
    Claim,
    Definition,
    Dependents,
    Evidence,
    Excerpt,
    Finding,
    Reference,
    Source,
)
from deeprepo.impact.values import Arguments
from deeprepo.rlm.values import tokens

BEFORE: dict[str, str | bytes | None] = {
    "a.py": "def f(x):\n    check(x)\n    return scale_rate(x)\n",
    "b.py": "def scale_rate(x):\n    return x * 3\n",
    "c.py": "from a import f\n\n\ndef g():\n    return f(3)\n",
    "d.txt": "\n" * 400 + "far away\n",
}
AFTER: dict[str, str | bytes | None] = {"a.py": "def f(x):\n    return scale_rate(x)\n"}


def gathered(repository: Repository, finding: Finding) -> list[tuple[str, str, str]]:
    """Return the path, the side and the text of each excerpt."""
    pull = repository.change(BEFORE, AFTER)
    symbol = Definition("f", path="a.py", start=1, end=2)
    use = Reference("a.py:f", "f", "c.py", 5, "    return f(3)", "g", (4, 5), "bound", arguments=Arguments())
    users = Dependents(symbols=(ChangedSymbol(symbol, symbol, "body"),), references=(use,))

    async def run(tree: Checkout, files: step.Files) -> list[tuple[str, str, str]]:
        found = await proof.gather(finding, tree, users, files)
        assert sum(tokens(e.body) for e in found) <= proof.TOKENS
        return [(e.path, e.side, e.body) for e in found]

    return step.over(pull, run)


def finding(path: str = "a.py", quote: str = "    return scale_rate(x)", title: str = "t", **fields: object) -> Finding:
    source = Source("model", "m")
    return Finding(path, quote, title, "w", "c", "high", "logic", Basis((source,)), start=2, end=2, **fields)  # type: ignore[arg-type]


def test_new_definition_comes_first_then_the_old_one(repository: Repository) -> None:
    """The proof starts with the new definition and the old one, which contains the removed check."""
    first, second, *_ = gathered(repository, finding())
    assert first[:2] == ("a.py", "head")
    assert second[:2] == ("a.py", "base")
    assert "2     check(x)" in second[2]


def test_added_and_removed_lines_have_their_signs(repository: Repository) -> None:
    pull = repository.change(
        {"a.py": "def f(x):\n    check(x)\n    return x\n"}, {"a.py": "def f(x):\n    return scale_rate(x)\n"}
    )

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*proof.with_signs(await proof.gather(finding(), tree, Dependents(), files), files)]

    head, base = step.over(pull, run)
    assert head.body == "1 def f(x):\n+2     return scale_rate(x)"
    assert base.body.startswith("1 def f(x):\n-2     check(x)\n-3     return x")


def test_only_removed_statements_near_the_claim_are_shown(repository: Repository) -> None:
    """If much was removed, only whole statements near the claim are shown."""
    steps = [f"def step_{n}(row):\n    return (\n        row.rate_of_year_{n}\n    )\n" for n in range(300)]
    text = "".join(steps)
    pull = repository.change({"steps.py": text}, {"steps.py": text.replace("row.rate", "row.share")})
    claim = replace(finding(), path="steps.py", quote="        row.share_of_year_200", start=803, end=803)

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, Dependents(), files)]

    (shown,) = [one for one in step.over(pull, run) if one.title == "as it was"]
    assert "801 def step_200(row):\n802     return (\n803         row.rate_of_year_200\n804     )" in shown.body
    assert len(shown.rows) < proof.MAX_DEFINITION_LINES


def test_callers_and_called_definitions_are_shown(repository: Repository) -> None:
    """The proof contains callers and called definitions, whatever the finding quotes."""
    texts = {path: body for path, side, body in gathered(repository, finding()) if side == "head"}
    assert "5     return f(3)" in texts["c.py"]
    assert "1 def scale_rate(x):" in texts["b.py"]


def test_evidence_is_shown_with_its_surroundings(repository: Repository) -> None:
    """The proof contains the finding's evidence at the line where it was found."""
    excerpts = gathered(repository, finding(evidence=(Evidence("d.txt", "far away", 401),)))
    assert any(path == "d.txt" and "401 far away" in body for path, _, body in excerpts)


def test_rest_of_a_quoted_file_is_shown_on_request(repository: Repository) -> None:
    """With `rest`, a quoted small file is shown completely, and a long one near the quote and at its top."""
    long_file = "LIMIT = 3\n" + "".join(f"x{n} = {n}\n\n\n" for n in range(2_000))
    pull = repository.change({**BEFORE, "long.py": long_file, "small.py": "RATE = 2\n\n\n\ny = 1\n"}, AFTER)
    claim = finding(evidence=(Evidence("long.py", "x1000 = 1000", 3_002), Evidence("small.py", "y = 1", 5)))

    async def run(tree: Checkout, files: step.Files) -> dict[str, str]:
        without = await proof.gather(claim, tree, Dependents(), files)
        found = await proof.gather(claim, tree, Dependents(), files, rest=proof.REST_TOKENS)
        assert not any("RATE = 2" in one.body or "LIMIT = 3" in one.body for one in without)
        return {path: "\n".join(one.body for one in found if one.path == path) for path in ("long.py", "small.py")}

    shown = step.over(pull, run)
    assert "1 RATE = 2" in shown["small.py"]
    assert "1 LIMIT = 3" in shown["long.py"]
    assert "x1012 = 1012" in shown["long.py"]
    assert "x1500 = 1500" not in shown["long.py"]


def test_small_file_named_in_a_claim_is_shown_from_the_nearest_folder(repository: Repository) -> None:
    """A claim about what a package publishes is decided by its package.json, not by that of the whole repository."""
    nearest = {"package.json": '{"private": true}\n', "pool/package.json": '{"files": ["index.js"]}\n'}
    pull = repository.change({**BEFORE, **nearest, "pool/a.py": BEFORE["a.py"]}, {"pool/a.py": AFTER["a.py"]})
    code = "pool.open reads base.limit, self.count and sys.path, e.g. for b.close."
    claim = replace(finding(), path="pool/a.py", why=f"{code} The files list of package.json has no diagnostics.js.")

    async def run(tree: Checkout, files: step.Files) -> dict[str, str]:
        return {one.path: one.body for one in await proof.gather(claim, tree, Dependents(), files)}

    shown = step.over(pull, run)
    assert shown["pool/package.json"].startswith('1 {"files": ["index.js"]}')
    assert "package.json" not in shown


def test_reader_of_a_quoted_name_is_shown_in_another_language(repository: Repository) -> None:
    """Whether a changed order matters is decided by the script that reads the list."""
    script = "const roots = tree_roots.sort(byLength);\n"
    pull = repository.change(
        {"a.py": "tree_roots = sorted(found)\n", "a.js": script},
        {"a.py": "tree_roots = set(found)\n" + 40 * "use(tree_roots)\n"},
    )
    claim = replace(finding(), quote="tree_roots = set(found)", start=1, end=1, why="The order is lost.")

    async def run(tree: Checkout, files: step.Files) -> dict[str, str]:
        return {one.path: one.body for one in await proof.gather(claim, tree, Dependents(), files)}

    assert "tree_roots.sort(byLength)" in step.over(pull, run)["a.js"]


def test_removed_definition_named_in_a_claim_is_shown(repository: Repository) -> None:
    """A removed definition that a claim names is shown, even if the claim is in another file."""
    pull = repository.change(
        {
            "lib.sh": "one() {\n  echo 1\n}\n\nfunction check_rate() {\n  test $1 -gt 0\n}\n",
            "run.sh": "one\ncheck_rate 3\n",
        },
        {"lib.sh": "one() {\n  echo 1\n}\n"},
    )
    gone = Definition("check_rate", path="lib.sh", start=5, end=7, side="base")
    users = Dependents(symbols=(ChangedSymbol(gone, None, "removed"),))
    claim = finding("run.sh", "check_rate 3", "`check_rate` is gone")

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, users, files)]

    (shown,) = [one for one in step.over(pull, run) if one.side == "base"]
    assert (shown.path, shown.title) == ("lib.sh", "removed: check_rate")
    assert "5 function check_rate() {\n6   test $1 -gt 0" in shown.body


def test_removed_local_name_in_a_test_is_not_shown(repository: Repository) -> None:
    """A removed local name in a test is not shown for a claim about product code."""
    pull = repository.change({"tests/test_a.py": "file = 1\n", "a.py": "x = 1\n"}, {"a.py": "x = open(1)\n"})
    gone = Definition("file", path="tests/test_a.py", start=1, end=1, side="base")
    users = Dependents(symbols=(ChangedSymbol(gone, None, "removed"),))

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        claim = finding("a.py", "x = open(1)", "The file is never closed")
        return [*await proof.gather(replace(claim, start=1, end=1), tree, users, files)]

    assert not [one for one in step.over(pull, run) if one.path != "a.py"]


def test_lines_that_may_refute_a_repository_wide_claim_are_shown(repository: Repository) -> None:
    """Lines that use a variable's old name, or the claimed name, are shown.

    A removed name that many files contain counts as an everyday word, so its lines are not shown.
    """
    pull = repository.change(
        {
            **{f"text{n}.py": "def f(a):\n    return hasPrefix(a)\n" for n in range(6)},
            "set.ts": "export function start(env) {\n  hasPrefix(env.STATE_DIR = find());\n}\n",
            "read.py": "import os\n\n\ndef folder():\n    return os.environ.get('STATE_DIR') or '/tmp'\n",
            "other.py": "def again(env):\n    return env['LOCAL_STATE_DIR']\n",
            "notes.md": "STATE_DIR is where state is kept.\n",
        },
        {"set.ts": "export function start(env) {\n  env.LOCAL_STATE_DIR = find();\n}\n"},
    )
    claims = (Claim("unused", "LOCAL_STATE_DIR", ""),)
    claim = replace(
        finding(path="set.ts", quote="  env.LOCAL_STATE_DIR = find();"),
        basis=Basis((Source("model", "m"),), claims=claims),
    )

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, Dependents(), files)]

    shown = {one.path: (one.title, one.body) for one in step.over(pull, run) if one.side == "head"}
    assert "os.environ.get('STATE_DIR')" in shown["read.py"][1]
    assert shown["read.py"][0] == "names STATE_DIR, which the change removes here"
    assert shown["other.py"][0] == "names LOCAL_STATE_DIR"
    assert "notes.md" not in shown
    assert not any(path.startswith("text") for path in shown)


def test_template_that_reads_a_removed_getter_is_shown(repository: Repository) -> None:
    """A template with the property `statusText` is shown for the removed method `getStatusText`."""
    before = "class Status {\n    public String getStatusText() {\n        return text;\n    }\n}\n"
    pull = repository.change(
        {
            "Status.java": before,
            "web/index.jelly": "<p>${it.statusText}</p>\n",
            "examples/use.jelly": "<p>${it.statusText}</p>\n",
        },
        {"Status.java": before.replace("getStatusText", "getStatusLabel")},
    )
    claim = replace(finding(path="Status.java", quote="    public String getStatusLabel() {"))

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, Dependents(), files)]

    assert [one.path for one in step.over(pull, run) if one.side == "head"] == ["Status.java", "web/index.jelly"]


def test_moved_code_is_also_shown_at_its_old_location(repository: Repository) -> None:
    """For a claim in moved code, the code is also shown where it was before the move."""
    body = "".join(f"    step_{n} = load({n})\n" for n in range(12))
    pull = repository.change(
        {
            "old.py": f"def first():\n{body}    return scale_rate(1)\n\n\ndef second():\n    return 2\n",
            "new.py": "import old\n",
        },
        {
            "old.py": "def second():\n    return 2\n",
            "new.py": f"import old\n\n\ndef first():\n{body}    return scale_rate(1)\n",
        },
    )
    claim = replace(finding(path="new.py", quote="    step_5 = load(5)"), start=10, end=10)

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(claim, tree, Dependents(), files)]

    before = [one for one in step.over(pull, run) if one.side == "base"]
    assert [(one.path, one.title) for one in before] == [("old.py", "as it was before it was moved")]
    assert "return scale_rate(1)" in before[0].body


def test_lines_that_contain_the_claimed_name_are_shown(repository: Repository) -> None:
    """In any kind of file, each without its block; a name that many files contain says nothing."""
    pull = repository.change(
        {
            **BEFORE,
            "app.yml": "first: 1\nrate: SCALE_LIMIT\nlast: 2\n",
            **{f"m{n}.py": "common_name = 1\n" for n in range(proof.COMMON + 1)},
        },
        AFTER,
    )
    one = finding(title="SCALE_LIMIT and common_name no longer apply")

    async def run(tree: Checkout, files: step.Files) -> list[Excerpt]:
        return [*await proof.gather(one, tree, Dependents(), files)]

    found = {excerpt.path: excerpt for excerpt in step.over(pull, run)}
    assert [row.text for row in found["app.yml"].rows] == ["rate: SCALE_LIMIT"]
    assert not any(path.startswith("m") for path in found)


def test_lines_where_common_names_of_a_claim_meet_are_shown(repository: Repository) -> None:
    """A client that reads `results` and `next` decides whether a response may change; each name alone is common."""
    client = "function load(resp) {\n  add(resp.data.results);\n  follow(resp.data.next);\n}\n"
    common = {f"src/m{n}.py": f"results = {n}\n{'x = 1' * 1}\n" + 20 * "y = 2\n" + "next = 1\n" for n in range(8)}
    pull = repository.change(
        {"api.py": "def page():\n    return paged()\n", "web/store.js": client, **common},
        {"api.py": "def page():\n    return rows()\n"},
    )
    claim = replace(finding(), path="api.py", quote="    return rows()", start=2, end=2, why="No `results` and `next`.")

    async def run(tree: Checkout, files: step.Files) -> dict[str, str]:
        return {one.path: one.title for one in await proof.gather(claim, tree, Dependents(), files)}

    shown = step.over(pull, run)
    assert shown["web/store.js"] == "names next, results"
    assert not any(path.startswith("src/") for path in shown)


def test_line_that_still_has_a_removed_key_is_shown(repository: Repository) -> None:
    """A workflow may compare the text that a script no longer writes."""
    flow = "steps:\n  - if: matrix.mode == 'assert-no-changes'\n"
    pull = repository.change(
        {"run.py": "MODE = 'assert-no-changes'\n", ".github/workflows/run.yml": flow},
        {"run.py": "MODE = 'unchanged'\n", ".github/workflows/run.yml": flow},
    )
    claim = replace(finding(), path="run.py", quote="MODE = 'unchanged'", start=1, end=1, why="Another text.")

    async def run(tree: Checkout, files: step.Files) -> dict[str, str]:
        return {one.path: one.body for one in await proof.gather(claim, tree, Dependents(), files)}

    assert "matrix.mode == 'assert-no-changes'" in step.over(pull, run)[".github/workflows/run.yml"]
