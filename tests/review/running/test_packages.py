"""Which runner tests a file, where a new test goes, and what installs the packages it needs: by the package that the file is in."""

import shlex
from collections.abc import Mapping

import pytest

from bot.config import RunSection
from bot.review.running.installs import proposal
from bot.review.running.layout import PackageLayout, decisive, manifests
from bot.review.running.runners import Recipe, recipe


def layout(tree: Mapping[str, str]) -> PackageLayout:
    """A tree, with the texts of what a rig would read."""
    return PackageLayout(tuple(tree), {path: tree[path] for path in manifests(tree)})


def runner_of(tree: Mapping[str, str], near: str, **section: object) -> Recipe | None:
    """How tests about a file are run."""
    return recipe(RunSection.model_validate(section), layout(tree), near)


TREES = [
    ({"pyproject.toml": "[tool.pytest.ini_options]", "a.py": ""}, "a.py", "pytest"),
    ({"tests/conftest.py": "", "a.py": ""}, "a.py", "pytest"),
    ({"a.py": "", "tests/test_a.py": "import unittest"}, "a.py", "unittest"),
    ({"requirements-dev.txt": "pytest", "a.py": ""}, "a.py", "pytest"),
    ({"manage.py": "", "shop/models.py": ""}, "shop/models.py", "django"),
    ({"manage.py": "", "pytest.ini": "", "shop/models.py": ""}, "shop/models.py", "pytest"),
    ({"package.json": '{"devDependencies": {"vitest": "^3", "jest": "1"}}'}, "a.js", "vitest"),
    ({"package.json": '{"scripts": {"test": "jest"}, "devDependencies": {"vitest": "^3", "jest": "1"}}'}, "a.js", "jest"),
    ({"package.json": '{"devDependencies": {"jest": "^29"}}'}, "a.tsx", "jest"),
    ({"package.json": '{"devDependencies": {"mocha": "^11"}}'}, "a.js", "mocha"),
    ({"package.json": '{"scripts": {"test": "node --test"}}'}, "a.js", "node"),
    ({"package.json": '{"scripts": {"test": "npm run unit", "unit": "borp"}}'}, "a.js", "node"),
    ({"package.json": "[1, {"}, "a.js", "node"),
    ({"package.json": '{"dependencies": ["jest"], "scripts": 7}'}, "a.js", "node"),
    ({"go.mod": "module x", "a.go": ""}, "a.go", "go"),
    ({"Cargo.toml": "[package]"}, "src/lib.rs", "cargo"),
    ({"Cargo.toml": "[workspace]"}, "src/lib.rs", None),
    ({"src/App.csproj": "", "src/A.cs": ""}, "src/A.cs", "dotnet"),
    ({"pom.xml": "<project/>"}, "src/main/java/A.java", "maven"),
    ({"build.gradle.kts": ""}, "src/main/kotlin/A.kt", "gradle"),
    ({"Gemfile": "gem 'rspec'"}, "lib/a.rb", "rspec"),
    ({"composer.json": '{"require-dev": {"phpunit/phpunit": "1"}}'}, "src/A.php", "phpunit"),
    ({"README.md": ""}, "a.c", None),
    ({"README.md": "", "pyproject.toml": ""}, "a.c", None),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "near", "name"), TREES)
def test_a_runner_is_found_by_the_manifests(tree: dict[str, str], near: str, name: str | None) -> None:
    """What scripts and dependencies name tells more than the language; a manifest that does not parse names nothing."""
    how = runner_of(tree, near)
    assert (how.preset.name if how else None) == name


MIXED = {
    "backend/pyproject.toml": "[tool.pytest.ini_options]", "backend/app/rate.py": "", "backend/tests/test_rate.py": "",
    "web/package.json": '{"devDependencies": {"vitest": "3"}, "type": "module"}', "web/src/sum.ts": "", "web/src/sum.spec.ts": "",
    "tools/run.py": "", "service/go.mod": "module s", "service/pkg/a.go": "",
    "jobs/package.json": '{"scripts": {"test": "node --test"}}', "jobs/lib/x.js": "", "jobs/test/x.test.js": "",
    "crates/one/Cargo.toml": "[package]", "crates/one/src/lib.rs": "", "Cargo.toml": "[workspace]",
}  # fmt: skip
PLACES = [
    ("backend/app/rate.py", "backend/tests/test_deeprepo_ab12.py", "cd backend && python3 -m pytest tests/test_deeprepo_ab12.py"),
    ("web/src/sum.ts", "web/src/deeprepo-ab12.spec.ts", "cd web && npx --no-install vitest run src/deeprepo-ab12.spec.ts"),
    ("jobs/lib/x.js", "jobs/test/deeprepo-ab12.test.js", "cd jobs && node --test --test-reporter=tap test/deeprepo-ab12.test.js"),
    ("service/pkg/a.go", "service/pkg/deeprepo_ab12_test.go", "cd service && go test -count=1 -run TestDeeprepo ./pkg"),
    ("crates/one/src/lib.rs", "crates/one/tests/deeprepo_ab12.rs", "cd crates/one && cargo test --offline --test deeprepo_ab12"),
]  # fmt: skip


@pytest.mark.parametrize(("near", "path", "command"), PLACES)
def test_each_package_of_a_repository_has_its_own(near: str, path: str, command: str) -> None:
    """A finding gets the runner of the nearest package, from its folder, and its test goes where that package has its tests."""
    how = runner_of(MIXED, near)
    assert how is not None
    assert how.path("ab12", near) == path
    assert how.command(path, "ab12") == command


def test_a_workspace_declares_its_runner_once() -> None:
    """The runner is that of the top, from the top; the test stays with its package."""
    tree = {
        "package.json": '{"workspaces": ["packages/*"], "devDependencies": {"vitest": "3"}}',
        "packages/one/package.json": "{}",
        "packages/one/src/a.ts": "",
        "packages/one/__tests__/a.spec.ts": "",
        "packages/two/__tests__/b.test.ts": "",
    }
    how = runner_of(tree, "packages/one/src/a.ts")
    assert how is not None
    assert (how.preset.name, how.folder) == ("vitest", "")
    assert how.path("ab12", "packages/one/src/a.ts") == "packages/one/__tests__/deeprepo-ab12.spec.ts"


NAMES = [
    ("pytest.ini", "", ["tests/test_a.py", "tests/test_b.py", "tests/helpers.py"], "tests/test_deeprepo_{n}.py"),
    ("pytest.ini", "", ["tests/a_test.py"], "tests/deeprepo_{n}_test.py"),
    ("pytest.ini", "", ["src/a_test.py"], "src/deeprepo_{n}_test.py"),
    ("pytest.ini", "", [], "tests/test_deeprepo_{n}.py"),
    ("package.json", '{"devDependencies": {"jest": "1"}}', ["src/__tests__/b.test.tsx"], "src/__tests__/deeprepo-{n}.test.tsx"),
    ("package.json", '{"devDependencies": {"jest": "1"}}', ["test/b.js"], "test/deeprepo-{n}.js"),
    ("package.json", '{"devDependencies": {"jest": "1"}}', [], "__tests__/deeprepo-{n}.test.js"),
    ("package.json", '{"devDependencies": {"vitest": "1"}}', ["e2e/a.spec.ts", "e2e/b.spec.ts", "src/c.test.ts"], "src/deeprepo-{n}.test.ts"),
    ("package.json", '{"devDependencies": {"vitest": "1"}}', ["test/fixtures/a.spec.js", "test/a.test.js"], "test/deeprepo-{n}.test.js"),
    ("package.json", '{"devDependencies": {"vitest": "1"}}', ["test/types.d.ts"], "test/deeprepo-{n}.test.ts"),
    ("package.json", '{"devDependencies": {"mocha": "1"}}', ["tests/lib/a.js", "tests/lib/b.js", "tests/t.test.mts"], "tests/lib/deeprepo-{n}.js"),
    ("package.json", "{}", ["test/a.test.cjs"], "test/deeprepo-{n}.test.cjs"),
    ("package.json", "{}", [], "test/deeprepo-{n}.test.mjs"),
    ("package.json", '{"devDependencies": {"tsx": "4"}}', [], "test/deeprepo-{n}.test.ts"),
    ("pom.xml", "", ["src/test/java/com/acme/RateTest.java"], "src/test/java/com/acme/Deeprepo{n}Test.java"),
    ("pom.xml", "", ["src/test/java/com/acme/RateTests.java", "src/test/java/com/acme/RateIT.java"], "src/test/java/com/acme/Deeprepo{n}Tests.java"),
    ("composer.json", '{"require-dev": {"phpunit/phpunit": "1"}}', ["tests/Unit/RateTest.php"], "tests/Unit/Deeprepo{n}Test.php"),
    ("Gemfile", "rspec", ["spec/models/rate_spec.rb"], "spec/models/deeprepo_{n}_spec.rb"),
]  # fmt: skip
NEAR = {"pytest.ini": "src/x.py", "package.json": "src/x.ts", "pom.xml": "src/main/java/com/acme/X.java", "composer.json": "src/X.php", "Gemfile": "lib/x.rb"}  # fmt: skip


@pytest.mark.parametrize(("manifest", "text", "tests", "expected"), NAMES)
def test_a_new_test_is_named_as_those_that_are_there(manifest: str, text: str, tests: list[str], expected: str) -> None:
    """A runner collects what is named its way; another program's tests, fixtures and helpers show nothing."""
    how = runner_of({manifest: text, **dict.fromkeys(tests, "")}, NEAR[manifest])
    assert how is not None
    assert how.files == expected


def test_a_module_that_is_called_like_a_test_draws_none() -> None:
    """New tests do not go into the product because a helper for tests lies there."""
    tree = {"pytest.ini": "", "lib/x.py": "", "lib/test_utils.py": "", **{f"tests/test_{n}.py": "" for n in range(20)}}
    how = runner_of(tree, "lib/x.py")
    assert how is not None
    assert how.files == "tests/test_deeprepo_{n}.py"


def test_a_model_is_told_the_kind_of_modules() -> None:
    """A .js file is one or the other by package.json alone."""
    rows = [("{}", "CommonJS"), ('{"type": "module"}', "ES modules")]
    for text, words in rows:
        how = runner_of({"package.json": text, "test/a.test.js": ""}, "a.js")
        assert how is not None
        assert words in how.language


def test_a_bar_for_the_whole_suite_does_not_fail_one_test() -> None:
    """Coverage is off if the options of every run ask for it."""
    for name, text in (
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['--cov=x', '--cov-fail-under=90']"),
        ("setup.cfg", "[tool:pytest]\naddopts = --cov x"),
        ("pytest.ini", "[pytest]\naddopts = --cov x"),
    ):
        how = runner_of({name: text, "a.py": ""}, "a.py")
        assert how is not None
        assert how.command("tests/test_a.py") == "python3 -m pytest --no-cov tests/test_a.py"
    plain = runner_of({"tox.ini": "[testenv]\ncommands = pytest --cov", "a.py": ""}, "a.py")
    assert plain is not None
    assert "--no-cov" not in plain.test


def test_an_owners_words_go_before_what_is_found() -> None:
    """Each by itself: a command without a path takes the place that the runner it names has in the repository."""
    own = runner_of({"a.py": "", "checks/test_a.py": ""}, "a.py", test="uv run pytest -q {file}")
    assert own is not None
    assert (own.preset.name, own.files, own.folder) == ("pytest", "checks/test_deeprepo_{n}.py", "")
    assert runner_of({}, "a.c") is None
    made = runner_of({}, "src/x.c", test="make check F={file}", files="t/{n}.t")
    assert made is not None
    assert (made.preset.name, made.path("ab12", "src/x.c"), made.command("t/ab12.t")) == ("", "t/ab12.t", "make check F=t/ab12.t")  # fmt: skip
    placed = runner_of(MIXED, "backend/app/rate.py", files="backend/checks/test_{n}.py")
    assert placed is not None
    assert placed.command(placed.path("ab12", "")) == "cd backend && python3 -m pytest checks/test_ab12.py"


def test_a_path_cannot_become_a_command() -> None:
    """What is filled in is one word of the shell, and so is a folder of the tree."""
    near = "pkg/$(touch x); rm -rf/a.go"
    how = runner_of({"go.mod": "", near: ""}, near)
    assert how is not None
    words = shlex.split(how.command(how.path("ab12", near)))
    assert words[-1] == "./pkg/$(touch x); rm -rf"
    folder = "a; touch x"
    inside = runner_of({f"{folder}/pytest.ini": "", f"{folder}/a.py": ""}, f"{folder}/a.py")
    assert inside is not None
    assert shlex.split(inside.command(f"{folder}/tests/test_a.py"))[:3] == ["cd", folder, "&&"]


UV = '[project]\nname = "x"\n'
PREPARED = [
    ({"pyproject.toml": UV, "uv.lock": 'name = "pytest"'}, "uv sync --frozen"),
    ({"pyproject.toml": UV + "[dependency-groups]\ntests = ['pytest']\ndocs = []", "uv.lock": 'name = "pytest"'}, "uv sync --frozen --group tests"),
    ({"pyproject.toml": UV + "[project.optional-dependencies]\ntest = []\ns3 = []", "uv.lock": ""}, "uv sync --frozen --extra test && uv pip install -q pytest"),
    ({"pyproject.toml": UV + "[tool.uv.workspace]\nmembers = ['a']", "uv.lock": 'name = "pytest"', "a/pyproject.toml": UV}, "uv sync --frozen --all-packages"),
    ({"pyproject.toml": "[tool.poetry]\nname='x'\n[tool.poetry.group.test]\noptional = true", "poetry.lock": ""}, "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction --with test"),
    ({"pyproject.toml": UV, "pdm.lock": ""}, "python3 -m venv .venv && pdm install --frozen-lockfile"),
    ({"Pipfile": "", "Pipfile.lock": ""}, "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev"),
    ({"requirements.txt": "flask"}, "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt pytest"),
    ({"requirements.txt": "", "requirements-dev.txt": ""}, "python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt -r requirements-dev.txt pytest"),
    ({"setup.py": "", "requirements/test.txt": "", "requirements/test-ci.txt": "", "requirements/docs.txt": ""}, "python3 -m venv .venv && .venv/bin/pip install -q -e . -r requirements/test.txt pytest"),
    ({"setup.py": "", "setup.cfg": "[options.extras_require]\ntests = x\n"}, "python3 -m venv .venv && .venv/bin/pip install -q -e '.[tests]' pytest"),
    ({"pyproject.toml": UV + "[dependency-groups]\ntest = []"}, "python3 -m venv .venv && .venv/bin/pip install -q -U pip && .venv/bin/pip install -q -e . --group test pytest"),
    ({"pyproject.toml": UV + "[project.optional-dependencies]\ndev = []\ntest = []"}, "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' pytest"),
    ({"pyproject.toml": "[tool.ruff]", "a.py": ""}, "python3 -m venv .venv && .venv/bin/pip install -q pytest"),
    ({"pyproject.toml": UV, "tox.ini": "[t]\ndeps =\n  attrs\n[testenv]\ndeps =\n  {[t]deps}\n  pexpect >= 4 # why\n  py3: no\n  -rmore.txt\n"},
     "python3 -m venv .venv && .venv/bin/pip install -q -e . attrs 'pexpect>=4' -r more.txt pytest"),
    ({"pyproject.toml": UV + "[build-system]\nrequires = ['setuptools-scm']"},
     "export SETUPTOOLS_SCM_PRETEND_VERSION=99.0 && python3 -m venv .venv && .venv/bin/pip install -q -e . pytest"),
    ({"package.json": "{}", "package-lock.json": ""}, "npm ci --no-audit --no-fund"),
    ({"package.json": "{}", "npm-shrinkwrap.json": ""}, "npm ci --no-audit --no-fund"),
    ({"package.json": '{"devDependencies": {"jest": "1"}}'}, "npm install --no-audit --no-fund"),
    ({"package.json": "{}"}, ""),
    ({"package.json": '{"scripts": {"postinstall": "hooks"}}', "package-lock.json": ""}, "{ git init -q || true; } && npm ci --no-audit --no-fund"),
    ({"package.json": "{}", "yarn.lock": "# yarn lockfile v1\n"}, "yarn install --frozen-lockfile"),
    ({"package.json": "{}", "yarn.lock": "# made\n\n__metadata:\n  version: 8\n"}, "YARN_NODE_LINKER=node-modules yarn install --immutable"),
    ({"package.json": "{}", "pnpm-lock.yaml": "lockfileVersion: '9.0'"}, "pnpm install --frozen-lockfile"),
    ({"package.json": "{}", "bun.lock": ""}, "bun install --frozen-lockfile"),
    ({"go.mod": "module x\nrequire y v1"}, "go mod download"),
    ({"go.mod": "module x"}, ""),
    ({"go.mod": "module x\nrequire y v1", "vendor/modules.txt": ""}, ""),
    ({"Cargo.toml": "", "Cargo.lock": ""}, "cargo fetch --locked"),
    ({"Cargo.toml": ""}, "cargo fetch"),
    ({"Gemfile": "", "Gemfile.lock": ""}, "bundle config set --local path vendor/bundle && bundle install"),
    ({"composer.json": "{}", "composer.lock": ""}, "composer install --no-interaction --no-progress"),
    ({"pom.xml": "<project/>"}, "mvn -q -B dependency:go-offline test-compile"),
    ({"pom.xml": "<modules>", "mvnw": "", "a/pom.xml": ""}, "./mvnw -q -B -DskipTests install dependency:go-offline"),
    ({"build.gradle": "", "gradlew": "", "a/build.gradle": ""}, "./gradlew --no-daemon testClasses"),
    ({"a.csproj": ""}, "dotnet restore"),
    ({"README.md": ""}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "command"), PREPARED)
def test_what_installs_packages_is_found_by_what_is_there(tree: dict[str, str], command: str) -> None:
    """The lock file decides; what the tests need comes with it, and no other extra."""
    assert _bare(proposal(layout(tree))) == command


def _bare(command: str) -> str:
    """A command without the part that fetches a program which the machine may lack."""
    return command.partition(">/dev/null && ")[2] or command


def test_a_program_that_a_machine_lacks_is_fetched_first() -> None:
    """The machine's own goes before, and a version that the repository names is that one."""
    made = proposal(layout({"package.json": '{"packageManager": "pnpm@9.1.2+sha512.ab"}', "pnpm-lock.yaml": ""}))
    assert made.startswith("{ command -v pnpm || { npm install --silent --global --prefix ~/.local pnpm@9.1.2; }; }")
    old = proposal(layout({"package.json": "{}", "pnpm-lock.yaml": "lockfileVersion: 5.4\n"}))
    assert "pnpm@7;" in old
    assert "~/.local/bin/pip install -q uv" in proposal(layout({"pyproject.toml": UV, "uv.lock": ""}))


def test_all_packages_of_a_repository_are_prepared_and_those_of_a_workspace_once() -> None:
    """Each from its folder; what lies within another package needs a lock file of its own; samples and fixtures count for nothing."""
    tree = {
        "backend/requirements.txt": "", "web/package.json": "{}", "web/package-lock.json": "", "web/packages/a/package.json": '{"dependencies": {"x": "1"}}',
        "web/site/package.json": "{}", "web/site/package-lock.json": "", "docs/package.json": "{}", "docs/package-lock.json": "",
        "tests/fixtures/package.json": "{}", "tests/fixtures/package-lock.json": "", "node_modules/x/package.json": "{}", "node_modules/x/package-lock.json": "",
    }  # fmt: skip
    assert proposal(layout(tree)) == (
        "(cd backend && python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt pytest)"
        " && (cd web && npm ci --no-audit --no-fund) && (cd web/site && npm ci --no-audit --no-fund)"
    )


def test_names_in_a_manifest_cannot_become_a_command() -> None:
    """What a stranger has named an extra is one word of the shell."""
    text = UV + '[project.optional-dependencies]\n"test" = []\n[dependency-groups]\n"test" = []\n'
    hostile = layout({"pyproject.toml": text.replace('"test"', '"test.$(touch x)"'), "uv.lock": ""})
    assert "$(" not in proposal(hostile)
    tox = layout({"setup.py": "", "tox.ini": "[testenv]\ndeps =\n  $(touch x)\n  -r$(touch y)\n  a;$(z)\n"})
    words = shlex.split(proposal(tox))
    assert {"$(touchx)", "-r$(touchy)", "a;$(z)"} <= set(words)
    folder = "a$(touch x)"
    assert shlex.quote(folder) in proposal(layout({f"{folder}/package.json": "{}", f"{folder}/package-lock.json": ""}))
    named = layout({"package.json": '{"packageManager": "pnpm@1;touch x"}', "pnpm-lock.yaml": ""})
    assert "touch" not in proposal(named)


def test_the_files_that_decide_about_dependencies() -> None:
    """Lock files, and the manifests that none of their language is for: a lock file of another language settles nothing."""
    assert decisive(["pyproject.toml", "web/package-lock.json", "web/package.json", "a.py", "uv.lock"]) == ["uv.lock", "web/package-lock.json"]  # fmt: skip
    assert decisive(["pyproject.toml", "a.py"]) == ["pyproject.toml"]
    assert decisive(["pyproject.toml", "web/package-lock.json", "web/a/package.json"]) == ["pyproject.toml", "web/package-lock.json"]  # fmt: skip
    assert decisive(["uv.lock", "requirements-dev.txt", "tests/fixtures/package.json", "node_modules/x/package.json", "pytest.ini"]) == ["requirements-dev.txt", "uv.lock"]  # fmt: skip
