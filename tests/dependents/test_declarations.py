"""Names that data files declare and others use, checked by the analyzer and by a review without a model."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from fakes import Repository

import deeprepo
from bot import checkout, diff
from bot.analyzers import ANALYZERS
from bot.values import Dependents, Judgement, ReviewRequest
from deeprepo.impact.declarations.world import FILES

Files = Mapping[str, str | None]  # None deletes the file


@dataclass(frozen=True)
class Case:
    """Files before a change, changed files, the name that goes missing, and the lines that use it."""

    before: Files
    after: Files
    name: str
    uses: tuple[str, ...]
    is_proven: bool = True


VARS = 'variable "size" {\n  default = 1\n}\n\nvariable "zone" {}\n'
MAIN = 'locals {\n  total = var.size * 2 # twice\n}\n\nresource "aws_thing" "one" {\n  count = local.total\n  name  = "a-${var.zone}"\n}\n\noutput "ids" {\n  value = aws_thing.one[*].id\n}\n'
CALLER = 'module "net" {\n  source = "./net"\n  size   = 2\n  zone   = "b"\n}\n\noutput "all" {\n  value = module.net.ids\n}\n'
TERRAFORM = {"net/vars.tf": VARS, "net/main.tf": MAIN, "main.tf": CALLER}
FLOW = """on:
  push:
  workflow_dispatch:
    inputs:
      level: {type: string}
jobs:
  build:
    runs-on: x
    outputs:
      tag: ${{ steps.name.outputs.tag }}
    strategy:
      matrix:
        system: [a, b]
    steps:
      - id: name
        run: echo tag=${{ inputs.level }} ${{ matrix.system }} >> "$GITHUB_OUTPUT"
  ship:
    runs-on: x
    needs: [build]
    if: needs.build.outputs.tag != ''
    steps:
      - run: echo ${{ needs.build.outputs.tag }}
"""
REUSABLE = "on:\n  workflow_call:\n    inputs:\n      level: {type: string, default: a}\n    outputs:\n      url: {value: \"${{ jobs.go.outputs.url }}\"}\njobs:\n  go:\n    runs-on: x\n    outputs: {url: a}\n    steps: [{run: 'echo ${{ inputs.level }}'}]\n"
CALLS = "on: push\njobs:\n  one:\n    uses: ./.github/workflows/reusable.yml\n    with:\n      level: b\n  two:\n    runs-on: x\n    needs: one\n    steps: [{run: 'echo ${{ needs.one.outputs.url }}'}]\n"
ACTION = "inputs:\n  depth: {default: '1'}\noutputs:\n  sum: {value: '${{ steps.add.outputs.sum }}'}\nruns:\n  using: composite\n  steps:\n    - id: add\n      shell: bash\n      run: echo ${{ inputs.depth }}\n"
USES_ACTION = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n      - id: mine\n        uses: ./tools/add\n        with:\n          depth: 2\n      - run: echo ${{ steps.mine.outputs.sum }}\n"
CHART = {
    "chart/Chart.yaml": "name: shop\nversion: 1\n",
    "chart/values.yaml": "image:\n  name: shop\n  tag: a\nreplicas: 2\n",
    "chart/templates/_names.tpl": '{{- define "shop.name" -}}\n{{ .Chart.Name }}\n{{- end }}\n',
    "chart/templates/app.yaml": 'name: {{ include "shop.name" . }}\nimage: "{{ .Values.image.name }}:{{ .Values.image.tag }}"\nreplicas: {{ .Values.replicas }}\n',
}
MAKE = "all: lint test\n\nlint:\n\truff check\n\ntest: lint\n\tpytest\n\nrelease:\n\t$(MAKE) test && $(MAKE) -C docs html\n"
DOCS_MAKE = "html:\n\tsphinx\n"
RUNS = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: |\n          set -e\n          COMMAND\n"
PACKAGE = (
    '{\n  "name": "shop",\n  "scripts": {\n    "build": "tsc",\n    "check": "npm run build && node check.js"\n  }\n}\n'
)


def runs(command: str, more: str = "") -> Files:
    """Return a workflow that runs one command."""
    return {".github/workflows/ci.yml": RUNS.replace("COMMAND", command) + more}


LOSSES: Mapping[str, Case] = {
    "a variable": Case(TERRAFORM, {"net/vars.tf": VARS.replace('"size"', '"count_of"')}, "size", ("main.tf:3", "net/main.tf:2")),
    "a variable in a text": Case(TERRAFORM, {"net/vars.tf": VARS.replace('variable "zone" {}\n', "")}, "zone", ("main.tf:4", "net/main.tf:7")),
    "a local value": Case(TERRAFORM, {"net/main.tf": MAIN.replace("total = ", "sum = ")}, "total", ("net/main.tf:6",)),
    "a module call": Case(TERRAFORM, {"main.tf": CALLER.replace('"net"', '"network"')}, "net", ("main.tf:8",)),
    "an output": Case(TERRAFORM, {"net/main.tf": MAIN.replace('"ids"', '"names"')}, "ids", ("main.tf:8",)),
    "a resource": Case(TERRAFORM, {"net/main.tf": MAIN.replace('"one"', '"first"')}, "aws_thing.one", ("net/main.tf:11",)),
    "a new required variable": Case(TERRAFORM, {"net/vars.tf": VARS + 'variable "owner" {\n  type = string\n}\n'}, "owner", ("main.tf:1",)),
    "a module of an example": Case(
        {"vars.tf": VARS, "examples/a/main.tf": 'module "x" {\n  source = "../../"\n  size   = 1\n  zone   = ""\n}\n'},
        {"vars.tf": 'variable "zone" {}\n'}, "size", ("examples/a/main.tf:3",),
    ),
    "a job": Case({".github/workflows/a.yml": FLOW}, {".github/workflows/a.yml": FLOW.replace("  build:\n", "  make:\n")}, "build", (".github/workflows/a.yml:19",)),
    "a job output": Case({".github/workflows/a.yml": FLOW}, {".github/workflows/a.yml": FLOW.replace("      tag: $", "      name: $")}, "tag", (".github/workflows/a.yml:20", ".github/workflows/a.yml:22")),
    "a needed job": Case({".github/workflows/a.yml": FLOW}, {".github/workflows/a.yml": FLOW.replace("    needs: [build]\n", "")}, "build", (".github/workflows/a.yml:19", ".github/workflows/a.yml:21")),
    "a step": Case({".github/workflows/a.yml": FLOW}, {".github/workflows/a.yml": FLOW.replace("id: name", "id: title")}, "name", (".github/workflows/a.yml:10",)),
    "an input": Case({".github/workflows/a.yml": FLOW}, {".github/workflows/a.yml": FLOW.replace("      level:", "      verbosity:")}, "level", (".github/workflows/a.yml:16",)),
    "an input of a reusable workflow": Case(
        {".github/workflows/reusable.yml": REUSABLE, ".github/workflows/calls.yml": CALLS},
        {".github/workflows/reusable.yml": REUSABLE.replace("      level:", "      grade:").replace("inputs.level", "inputs.grade")},
        "level", (".github/workflows/calls.yml:6",),
    ),
    "an output of a reusable workflow": Case(
        {".github/workflows/reusable.yml": REUSABLE, ".github/workflows/calls.yml": CALLS},
        {".github/workflows/reusable.yml": REUSABLE.replace("      url:", "      address:")}, "url", (".github/workflows/calls.yml:10",),
    ),
    "a required input of a reusable workflow": Case(
        {".github/workflows/reusable.yml": REUSABLE, ".github/workflows/calls.yml": CALLS},
        {".github/workflows/reusable.yml": REUSABLE.replace("    outputs:\n      url", "      who: {type: string, required: true}\n    outputs:\n      url")},
        "who", (".github/workflows/calls.yml:4",),
    ),
    "a reusable workflow": Case(
        {".github/workflows/reusable.yml": REUSABLE, ".github/workflows/calls.yml": CALLS},
        {".github/workflows/reusable.yml": None, ".github/workflows/shared.yml": REUSABLE}, "reusable.yml", (".github/workflows/calls.yml:4",),
    ),
    "an input of an action": Case(
        {"tools/add/action.yml": ACTION, ".github/workflows/a.yml": USES_ACTION},
        {"tools/add/action.yml": ACTION.replace("  depth:", "  levels:").replace("inputs.depth", "inputs.levels")}, "depth", (".github/workflows/a.yml:10",),
    ),
    "an action": Case(
        {"tools/add/action.yml": ACTION, ".github/workflows/a.yml": USES_ACTION},
        {"tools/add/action.yml": None, "tools/plus/action.yml": ACTION}, "tools/add", (".github/workflows/a.yml:8",),
    ),
    "a template": Case(CHART, {"chart/templates/_names.tpl": CHART["chart/templates/_names.tpl"].replace("shop.name", "shop.title")}, "shop.name", ("chart/templates/app.yaml:1",)),
    "a map of values": Case(CHART, {"chart/values.yaml": "replicas: 2\n"}, "image", ("chart/templates/app.yaml:2",)),
    "a single value": Case(CHART, {"chart/values.yaml": "image:\n  name: shop\n  tag: a\n"}, "replicas", ("chart/templates/app.yaml:3",), is_proven=False),
    "a script in a text that a program runs": Case(
        {"package.json": PACKAGE.replace("npm run build &&", 'pnpm concurrently \\"tsc -w\\" \\"npm run build\\" &&')}, {"package.json": PACKAGE.replace("npm run build &&", 'pnpm concurrently \\"tsc -w\\" \\"npm run build\\" &&').replace('"build": "tsc"', '"compile": "tsc"')}, "build", ("package.json:5",)
    ),
    "a target beside one that a variable names": Case(
        {"Makefile": "OUT := .gen\n$(OUT):\n\ta\n" + MAKE},
        {"Makefile": "OUT := .gen\n$(OUT):\n\ta\n" + MAKE.replace("lint:\n", "check:\n")},
        "lint",
        ("Makefile:4", "Makefile:9"),
    ),
    "a target beside computed ones": Case({"Makefile": ".box-$(ARCH):\n\ta\n" + MAKE}, {"Makefile": ".box-$(ARCH):\n\ta\n" + MAKE.replace("release:", "publish:").replace("lint:\n", "check:\n")}, "lint", ("Makefile:3", "Makefile:8")),
    "a target of a target": Case({"Makefile": MAKE}, {"Makefile": MAKE.replace("lint:\n", "check:\n")}, "lint", ("Makefile:1", "Makefile:6")),
    "a target of a workflow": Case({"Makefile": MAKE, **runs("make -j4 V=1 release")}, {"Makefile": MAKE.replace("release:", "publish:")}, "release", (".github/workflows/ci.yml:8",)),
    "a target of another folder": Case({"Makefile": MAKE, "docs/Makefile": DOCS_MAKE}, {"docs/Makefile": "site:\n\tsphinx\n"}, "html", ("Makefile:10",)),
    "a script of a package": Case({"package.json": PACKAGE}, {"package.json": PACKAGE.replace('"build": "tsc"', '"compile": "tsc"')}, "build", ("package.json:5",)),
    "a script that yarn runs": Case(
        {"package.json": PACKAGE, **runs("yarn check-all")} | {"package.json": PACKAGE.replace('"check"', '"check-all"')},
        {"package.json": PACKAGE}, "check-all", (".github/workflows/ci.yml:8",), is_proven=False,
    ),
}  # fmt: skip
FINE: Mapping[str, tuple[Files, Files]] = {
    "a variable that moved to another file of the module": (TERRAFORM, {"net/vars.tf": 'variable "zone" {}\n', "net/more.tf": 'variable "size" {\n  default = 1\n}\n'}),
    "a use that is a comment": ({"a.tf": 'variable "m" {}\n', "b.tf": "# var.m\n/* var.m */\nlocals {\n  x = 1 // var.m\n}\n"}, {"a.tf": "\n"}),
    "a use that is a text": ({"a.tf": 'variable "m" {}\n', "b.tf": 'locals {\n  x = "var.m and $${var.m}"\n}\n'}, {"a.tf": "\n"}),
    "a variable of another module": ({"a/v.tf": 'variable "m" {}\n', "b/v.tf": 'variable "m" {}\n', "b/m.tf": "locals {\n  x = var.m\n}\n"}, {"a/v.tf": "\n"}),
    "a new variable with a default": (TERRAFORM, {"net/vars.tf": VARS + 'variable "owner" {\n  default = null\n}\n'}),
    "a module that moved as a whole": (TERRAFORM, {"net/vars.tf": None, "net/main.tf": None, "lan/vars.tf": VARS, "lan/main.tf": MAIN, "main.tf": CALLER.replace("./net", "./lan")}),
    "an input of another repository's action": (
        {"action.yml": ACTION, ".github/workflows/a.yml": USES_ACTION.replace("./tools/add", "shop/add@v1")}, {"action.yml": ACTION.replace("depth", "levels")}
    ),
    "secrets that are inherited": (
        {".github/workflows/r.yml": "on:\n  workflow_call:\njobs: {}\n", ".github/workflows/a.yml": "on: push\njobs:\n  a:\n    uses: ./.github/workflows/r.yml\n    secrets: inherit\n"},
        {".github/workflows/r.yml": "on:\n  workflow_call:\n    secrets:\n      key: {required: true}\njobs: {}\n"},
    ),
    "a value with a default": (CHART | {"chart/templates/app.yaml": "a: {{ .Values.replicas | default 1 }}\nb: {{ default 2 .Values.replicas }}\n"}, {"chart/values.yaml": "image: {}\n"}),
    "a template in a comment": (CHART | {"chart/templates/app.yaml": '{{/* include "shop.name" . */}}\n'}, {"chart/templates/_names.tpl": "\n"}),
    "templates of something else": ({"app/templates/a.txt": '{{ include "x" }}\n'}, {"app/templates/a.txt": '{{ include "y" }}\n'}),
    "a target that is a file": ({"Makefile": "all: deps\n\ndeps:\n\tx\n", "deps": "a\n"}, {"Makefile": "all: deps\n"}),
    "a target that a comment mentions": ({"Makefile": "build: ## Build all files\n\tx\n\nall: build\n"}, {"Makefile": "build: ## Build all files\n\tx\n"}),
    "a target of a pattern": ({"Makefile": "all: test-a\n\ntest-a:\n\tx\n"}, {"Makefile": "all: test-a\n\ntest-%:\n\tx\n"}),
    "a target that moved into an included file": ({"Makefile": MAKE}, {"Makefile": "include lint.mk\n" + MAKE.replace("lint:\n\truff check\n", ""), "lint.mk": "lint:\n\truff check\n"}),
    "a target that is computed": ({"Makefile": MAKE}, {"Makefile": "$(NAMES):\n\truff\n" + MAKE.replace("lint:\n\truff check\n", "")}),
    "a script of a workspace": ({"package.json": PACKAGE, "web/package.json": PACKAGE, **runs("npm run check -w web")}, {"package.json": PACKAGE.replace('"check"', '"verify"')}),
    "a script if it is present": ({"package.json": PACKAGE, **runs("npm run check --if-present")}, {"package.json": PACKAGE.replace('"check"', '"verify"')}),
    "a command in a text": ({"package.json": PACKAGE, **runs("echo 'npm run check'")}, {"package.json": PACKAGE.replace('"check"', '"verify"')}),
    "what was missing before": ({"net/main.tf": MAIN}, {"net/main.tf": MAIN.replace("# twice", "# two times")}),
}  # fmt: skip


def judged(repository: Repository, before: Files, after: Files, scratch: Path) -> Judgement:
    """Return the result of the `declarations` analyzer for the change."""
    base = repository.commit({"README.md": "shop\n", **before}, "before")
    head = repository.commit(dict(after), "after")

    async def ask() -> Judgement:
        pull = await checkout.pull(ReviewRequest(str(repository.folder), "range", base, head), str(scratch))
        async with checkout.Checkout(pull) as tree:
            files = diff.read(await tree.change())
            asked = ANALYZERS["declarations"]()
            return await asked.check(tree, [file for file in files if asked.wants(file)], Dependents())

    return asyncio.run(ask())


@pytest.mark.parametrize("case", LOSSES.values(), ids=LOSSES)
def test_removed_name_is_reported_with_each_line_that_uses_it(
    repository: Repository, tmp_path: Path, case: Case
) -> None:
    """In every format, a removed, renamed or newly required name gives one finding."""
    judgement = judged(repository, case.before, case.after, tmp_path)
    assert [[f"{item.path}:{item.line}" for item in one.evidence] for one in judgement.findings] == [list(case.uses)]
    assert all(f"{case.name}`" in one.title and one.proven is case.is_proven for one in judgement.findings)
    assert judgement.unjudged == ()


@pytest.mark.parametrize(("before", "after"), FINE.values(), ids=FINE)
def test_name_that_may_still_exist_is_not_reported(
    repository: Repository, tmp_path: Path, before: Files, after: Files
) -> None:
    """Nothing is reported if the name moved, has a default, belongs to something else or is ambiguous."""
    assert [one.title for one in judged(repository, before, after, tmp_path).findings] == []


HOSTILE: Mapping[str, tuple[str, str]] = {
    "keys in keys": (".github/workflows/a.yml", "".join("  " * depth + "a:\n" for depth in range(900))),
    "no JSON": ("package.json", "{"),
    "a file above the limit": ("Makefile", f"#{' ' * 98}\n" * (12 << 10)),
}


@pytest.mark.parametrize(("path", "text"), HOSTILE.values(), ids=HOSTILE)
def test_partly_unparsable_file_is_not_checked(repository: Repository, tmp_path: Path, path: str, text: str) -> None:
    """A file that can't be parsed completely has no findings and counts as not checked."""
    judgement = judged(repository, {}, {path: text}, tmp_path)
    assert judgement.findings == ()
    assert [one for one, _ in judgement.unjudged] == [path]
    assert path not in judgement.complete


def test_module_with_too_many_files_is_not_checked(repository: Repository, tmp_path: Path) -> None:
    """A module with too many files is not checked, and the review reports that."""
    module = {f"net/f{number}.tf": "locals {}\n" for number in range(FILES)}
    judgement = judged(repository, {**module, "net/v.tf": VARS}, {"net/v.tf": "\n"}, tmp_path)
    assert judgement.findings == ()
    assert [path for path, _ in judgement.unjudged] == ["net/v.tf"]


def test_unparsable_file_in_the_module_leaves_the_change_unchecked(repository: Repository, tmp_path: Path) -> None:
    """If one file in a module can't be parsed, the change to another counts as not checked."""
    judgement = judged(repository, {**TERRAFORM, "net/odd.tf": "locals {"}, {"net/vars.tf": "\n"}, tmp_path)
    assert judgement.findings == ()
    assert "net/odd.tf" in dict(judgement.unjudged)["net/vars.tf"]


def test_review_shows_the_finding_at_the_removed_line(repository: Repository) -> None:
    """A review without a model shows the finding at the removed variable's line."""
    repository.commit({"README.md": "shop\n", **TERRAFORM}, "before")
    repository.commit({"net/vars.tf": 'variable "zone" {}\n'}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    (finding,) = [one for one in review.findings if "declarations" in one.source]
    assert finding.title == "Variable `size` was removed, but main.tf and 1 more file still use it"
    assert (finding.path, finding.start) == ("net/vars.tf", 1)


def test_templates_folder_outside_a_chart_is_not_reported(repository: Repository) -> None:
    """A `templates` folder outside a chart is not reported as unchecked."""
    repository.commit({"README.md": "shop\n", "app/templates/mail.txt": "{{ a }}\n"}, "before")
    repository.commit({"app/templates/mail.txt": "{{ b }}\n"}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert "declarations" not in str(review.open)


READ = "export const url = import.meta.env.{};\n"
SET = {
    ".env": "{}=http://localhost\n",
    "Dockerfile": "FROM node\nARG {}=\n",
    "compose.yml": "services:\n  web:\n    environment:\n      - {}=x\n",
    ".github/workflows/a.yml": "on: push\nenv:\n  {}: x\n",
    "chart.yaml": "env:\n  - name: {}\n",
    "turbo.json": '{{"globalEnv": [\n"{}"]}}\n',
}
OLD, NEW = "VITE_API_URL", "VITE_API_BASE_URL"


def of_variables(repository: Repository, before: dict[str, str], after: dict[str, str]) -> list[deeprepo.Finding]:
    """Return the findings about renamed environment variables."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    found = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").findings
    return [one for one in found if one.rule == "variable-renamed"]


def test_variable_renamed_in_code_is_reported_where_it_is_set(repository: Repository) -> None:
    """One finding lists every line that still sets the old name, in any kind of file."""
    before = {"src/main.ts": READ.format(OLD), **{path: text.format(OLD) for path, text in SET.items()}}
    (finding,) = of_variables(repository, before, {"src/main.ts": READ.format(NEW)})
    assert finding.title == f"`{OLD}` is now read as `{NEW}`, but .env and 5 more files still set the old name"
    assert (finding.verdict, finding.path, finding.start) == ("proven", "src/main.ts", 1)
    assert {item.path for item in finding.evidence} == SET.keys()
    page = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").to_markdown()
    assert "on the change" not in page  # what a finding lists is not repeated


@pytest.mark.parametrize(
    "read",
    [
        'import os\n\nurl = os.environ["{}"]\n',
        "class A(BaseSettings):\n    {}: str\n",
        'package a\n\nvar a = os.Getenv("{}")\n',
        "a = ENV.fetch('{}')\n",
    ],
)  # fmt: skip
def test_variable_renamed_where_it_is_set_is_reported_where_it_is_read(repository: Repository, read: str) -> None:
    """Code in any language that reads the old name is found, also a field of a settings class."""
    path = {"i": "a.py", "c": "a.py", "p": "a.go", "a": "a.rb"}[read[0]]
    before = {path: read.format(OLD), ".env": f"{OLD}=a\n"}
    (finding,) = of_variables(repository, before, {".env": f"{NEW}=a\n"})
    assert [item.path for item in finding.evidence] == [path]


@pytest.mark.parametrize(
    "after",
    [
        {"src/main.ts": READ.format(NEW), ".env": f"{NEW}=a\n"},
        {"src/main.ts": READ.format(f"{NEW} ?? import.meta.env.{OLD}")},
        {"src/main.ts": READ.format(NEW), ".env": f"{OLD}=a\n{NEW}=a\n"},
        {"src/main.ts": "export const url = 1;\n"},
        {".env": f"{OLD}=b\n"},
        {
            "src/main.ts": READ.format(NEW),
            ".env": f"{NEW}=a\n",
            ".github/workflows/b.yml": SET[".github/workflows/a.yml"].format(OLD),
        },
    ],
)
def test_variable_renamed_on_both_sides_is_not_reported(repository: Repository, after: dict[str, str]) -> None:
    """Nothing is reported if both sides are renamed, both names are used, or nothing reads it."""
    assert of_variables(repository, {"src/main.ts": READ.format(OLD), ".env": f"{OLD}=a\n"}, after) == []


ROW = "| variable   | meaning |\n|---|---|\n| `{}` | where the API is |\n"


def test_document_with_an_old_variable_name_is_reported(repository: Repository) -> None:
    """A document with the old name is reported, and so is code if only the document was renamed."""
    before = {"src/main.ts": READ.format(OLD), ".env": f"{OLD}=a\n", "README.md": ROW.format(OLD)}
    (finding,) = of_variables(repository, before, {"src/main.ts": READ.format(NEW), ".env": f"{NEW}=a\n"})
    assert finding.title == f"`{OLD}` is now read as `{NEW}`, but README.md still documents the old name"
    assert [(item.path, item.line) for item in finding.evidence] == [("README.md", 3)]
    (finding,) = of_variables(repository, before, {"README.md": ROW.format(f"{NEW}` ").replace("` `", "` ")})
    assert "documented as" in finding.title
    assert {item.path for item in finding.evidence} == {"src/main.ts", ".env"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"docs/upgrading.md": ROW.format(OLD)}, {"src/main.ts": READ.format(NEW), ".env": f"{NEW}=a\n"}),
        ({"README.md": f"| `{OLD}` | is `{NEW}` now |\n"}, {"src/main.ts": READ.format(NEW), ".env": f"{NEW}=a\n"}),
        ({"README.md": ROW.format(NEW)}, {"README.md": ROW.format(OLD)}),  # the change corrects the document
    ],
)
def test_upgrade_notes_and_documents_with_both_names_are_not_reported(
    repository: Repository, before: dict[str, str], after: dict[str, str]
) -> None:
    """Upgrade notes and documents that mention both names are not reported."""
    assert of_variables(repository, {"src/main.ts": READ.format(OLD), ".env": f"{OLD}=a\n"} | before, after) == []


def test_variable_set_but_no_longer_read_is_in_the_headline(repository: Repository) -> None:
    """A variable that is set but no longer read is in the headline, not a finding: a library may read it."""
    workflow = SET[".github/workflows/a.yml"].format(OLD)  # a workflow may set it for a tool
    before = {"a.ts": READ.format(OLD), ".env.example": f"{OLD}=a\n", ".github/workflows/b.yml": workflow}
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit({"a.ts": "export const url = 1;\n"}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    assert (review.findings, len(review.open)) == ((), 1)
    assert f"1 location still mentions `{OLD}`" in review.to_markdown()
    repository.commit({"a.ts": READ.format(OLD), "b.ts": READ.format(OLD)}, "two readers")
    repository.commit({"a.ts": "export const url = 1;\n"}, "one of them")
    assert deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none").open == ()


BARE = {
    "vars.tf": 'variable size {\n  default = 1\n}\nmodule cart {\n  source = "./cart"\n}\n',
    "cart/m.tf": "output total {\n  value = 1\n}\n",
    "main.tf": "locals {\n  y = 2\n}\n",
}
NESTED = {
    "vars.tf": 'variable "b" {\n  default = {}\n}\nvariable "c" {\n  default = 1\n}\nvariable "d" {\n  default = 1\n}\n',
    "main.tf": 'locals {\n  x = "${merge({ a = 1 }, var.b)["a"]}"\n  z = "${[for k, v in { a = 1 } : v + var.c][0]}"\n  w = <<-EOT\n  ${var.d}\n  EOT\n}\n',
}


def test_unquoted_labels_and_template_expressions_are_parsed(repository: Repository, tmp_path: Path) -> None:
    """Labels may be unquoted, and `${...}` in a template contains an expression."""
    uses = {"main.tf": "locals {\n  x = var.size\n  z = module.cart.total\n}\n"}
    assert judged(repository, BARE, uses, tmp_path / "a").findings == ()
    found = judged(repository, NESTED, {"vars.tf": 'variable "other" {}\n'}, tmp_path / "b").findings
    assert {(one.title.split("`")[1], one.evidence[0].line) for one in found} == {("b", 2), ("c", 3), ("d", 5)}
