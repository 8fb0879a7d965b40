"""Dependencies that a manifest no longer lists while code still imports them."""

import pytest
import step
from fakes import Repository

from bot.analyzers import ANALYZERS
from bot.checkout import Checkout
from bot.values import Dependents, Finding, Judgement, PullRequest

Files = dict[str, str | bytes | None]
NPM = '{\n "name": "shop",\n "dependencies": {\n  "date-fns": "^3",\n  "zod": "^3"\n }\n}\n'
NPM_WITHOUT = '{\n "name": "shop",\n "dependencies": {\n  "zod": "^3"\n }\n}\n'
DATES = "import { format } from 'date-fns';\nexport const day = (d: Date) => format(d, 'yyyy');\n"
CARGO = '[package]\nname = "shop"\nversion = "0.1.0"\n\n[dependencies]\nserde = "1"\nrand = "0.8"\n'
GO_MOD = (
    "module ex.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/pkg/errors v0.9.1\n\tgithub.com/google/uuid v1.6.0\n)\n"
)
GO = 'package shop\n\nimport "github.com/pkg/errors"\n\nvar Err = errors.New("x")\n'
PYPROJECT = '[project]\nname = "shop"\nversion = "1"\ndependencies = [\n "requests",\n "flask",\n]\n'
CSPROJ = '<Project>\n <ItemGroup>\n  <PackageReference Include="Serilog" Version="4.0" />\n </ItemGroup>\n</Project>\n'
POM = (
    "<project>\n <groupId>shop</groupId>\n <artifactId>web</artifactId>\n <dependencies>\n  <dependency>"
    "<groupId>org.joda.time</groupId><artifactId>joda</artifactId></dependency>\n </dependencies>\n</project>\n"
)


def judge(pull: PullRequest) -> Judgement:
    """Return the result of the `declarations` analyzer for a change."""

    async def run(tree: Checkout, files: step.Files) -> Judgement:
        check = ANALYZERS["declarations"]()
        return await check.check(tree, [file for file in files if check.wants(file)], Dependents())

    return step.over(pull, run)


def said(pull: PullRequest) -> list[tuple[str, str, str]]:
    """Return the package, the severity and the first evidence of each dropped-dependency finding."""
    found: list[Finding] = [one for one in judge(pull).findings if one.rule.endswith("dropped-dependency")]
    return [(one.title.split("`")[1], one.severity, f"{one.evidence[0].path}:{one.evidence[0].line}") for one in found]


def without(text: str, word: str) -> str:
    """Return the text without the lines that contain the word."""
    return "".join(line for line in text.splitlines(keepends=True) if word not in line)


DROPPED: list[tuple[Files, Files, tuple[str, str, str]]] = [
    ({"package.json": NPM, "a.ts": DATES}, {"package.json": NPM_WITHOUT}, ("date-fns", "medium", "a.ts:1")),
    (
        {"requirements.txt": "requests==2\nflask==3\n", "a.py": "import requests\nrequests.get('x')\n"},
        {"requirements.txt": "flask==3\n"},
        ("requests", "medium", "a.py:1"),
    ),
    (
        {
            "setup.py": 'from setuptools import setup\n\nsetup(name="shop", install_requires=["flask", "requests"])\n',
            "pyproject.toml": '[dependency-groups]\ndev = ["requests"]\n',
            "shop/a.py": "import requests\n",
        },
        {"setup.py": 'from setuptools import setup\n\nsetup(name="shop", install_requires=["flask"])\n'},
        ("requests", "low", "shop/a.py:1"),
    ),
    (
        {"pyproject.toml": PYPROJECT, "shop/a.py": "import requests\n"},
        {"pyproject.toml": without(PYPROJECT, "requests") + '[dependency-groups]\ndev = ["requests"]\n'},
        ("requests", "medium", "shop/a.py:1"),
    ),
    (
        {"requirements/base.txt": "PyYAML==6\nflask==3\n", "shop/a.py": "import yaml\n"},
        {"requirements/base.txt": "flask==3\n"},
        ("pyyaml", "medium", "shop/a.py:1"),
    ),
    (
        {"pyproject.toml": PYPROJECT, "a.py": "import requests\n"},
        {"pyproject.toml": without(PYPROJECT, "requests")},
        ("requests", "medium", "a.py:1"),
    ),
    (
        {
            "setup.py": "from setuptools import setup\nsetup(install_requires=['certifi', 'six'])\n",
            "a.py": "import certifi\n",
        },
        {"setup.py": "from setuptools import setup\nsetup(install_requires=['six'])\n"},
        ("certifi", "medium", "a.py:1"),
    ),
    (
        {"go.mod": GO_MOD, "a.go": GO},
        {"go.mod": without(GO_MOD, "pkg/errors")},
        ("github.com/pkg/errors", "high", "a.go:3"),
    ),
    (
        {"Cargo.toml": CARGO, "src/lib.rs": "use rand::random;\npub fn f() -> u8 { random() }\n"},
        {"Cargo.toml": without(CARGO, "rand")},
        ("rand", "high", "src/lib.rs:1"),
    ),
    (
        {"Cargo.toml": CARGO, "src/lib.rs": "pub fn f() -> u8 { rand::random() }\n"},
        {"Cargo.toml": CARGO.replace("rand =", "rand2 =")},
        ("rand", "high", "src/lib.rs:1"),
    ),
    (
        {
            "Cargo.toml": '[workspace]\nmembers = ["a"]\n\n[workspace.dependencies]\nserde = "1"\nrand = "0.8"\n',
            "a/Cargo.toml": '[package]\nname = "a"\n\n[dependencies]\nrand = { workspace = true }\n',
            "a/src/lib.rs": "use rand::random;\n",
        },
        {"a/Cargo.toml": '[package]\nname = "a"\n\n[dependencies]\n'},
        ("rand", "high", "a/src/lib.rs:1"),
    ),
    (
        {"Gemfile": "gem 'rack'\ngem 'oj'\n", "a.rb": "require 'oj'\nOj.dump({})\n"},
        {"Gemfile": "gem 'rack'\n"},
        ("oj", "medium", "a.rb:1"),
    ),
    (
        {"Gemfile": "gem 'rack'\ngem 'rest-client'\n", "a.rb": "Rest::Client.get('x')\n"},
        {"Gemfile": "gem 'rack'\n"},
        ("rest-client", "medium", "a.rb:1"),
    ),
    (
        {"Gemfile": "gem 'rack'\ngem 'svg-graph'\n", "a.rb": "class Sales < SVG::Graph::Pie\nend\n"},
        {"Gemfile": "gem 'rack'\n"},
        ("svg-graph", "medium", "a.rb:1"),
    ),
    (
        {
            "composer.json": '{\n "require": {\n  "monolog/monolog": "^3",\n  "psr/log": "^3"\n }\n}\n',
            "src/A.php": "<?php\nnamespace X;\nuse Monolog\\Logger;\nclass A { function f() { return new Logger('a'); } }\n",
        },
        {"composer.json": '{\n "require": {\n  "psr/log": "^3"\n }\n}\n'},
        ("monolog/monolog", "medium", "src/A.php:3"),
    ),
    (
        {
            "mix.exs": 'defp deps do\n [{:jason, "~> 1.4"}, {:plug, "~> 1.0"}]\nend\n',
            "lib/a.ex": "def f, do: Jason.encode!(1)\n",
        },
        {"mix.exs": 'defp deps do\n [{:plug, "~> 1.0"}]\nend\n'},
        ("jason", "medium", "lib/a.ex:1"),
    ),
    (
        {"a/A.csproj": CSPROJ, "a/B.cs": "using Serilog.Events;\nclass B {}\n"},
        {"a/A.csproj": without(CSPROJ, "Serilog")},
        ("serilog", "low", "a/B.cs:1"),
    ),
    (
        {"pom.xml": POM, "src/main/java/A.java": "import org.joda.time.Day;\nclass A {}\n"},
        {"pom.xml": without(POM, "joda")},
        ("org.joda.time:joda", "low", "src/main/java/A.java:1"),
    ),
]


@pytest.mark.parametrize(("base", "change", "expected"), DROPPED)
def test_dropped_dependency_that_code_imports_is_reported(
    repository: Repository, base: Files, change: Files, expected: tuple[str, str, str]
) -> None:
    """A dropped dependency that code imports is reported, with high severity only in Go and Rust."""
    assert said(repository.change(base, change)) == [expected]


BESIDE: list[tuple[str, str, str, str, str, list[tuple[str, str]]]] = [
    # manifest, all lines, dropped word, file, import, findings
    ("requirements.txt", "flask==3\nflask-cors==5\n", "cors", "a.py", "from flask_cors import CORS\n", [("flask-cors", "medium")]),
    ("requirements.txt", "django\ndjango-filter\n", "filter", "a.py", "import django_filters\n", [("django-filter", "medium")]),
    ("requirements.txt", "pytest\npytest-mock\n", "mock", "a.py", "import pytest_mock\n", [("pytest-mock", "medium")]),
    ("requirements.txt", "sqlalchemy\nflask-sqlalchemy\n", "flask-", "a.py", "import flask_sqlalchemy\n", [("flask-sqlalchemy", "medium")]),
    ("requirements.txt", "boto3\nboto3-stubs\n", "boto3\n", "a.py", "import boto3\n", [("boto3", "low")]),
    ("requirements.txt", "google-cloud-storage\ngoogle-cloud-tasks\n", "storage", "a.py", "from google.cloud.storage import Client\n", [("google-cloud-storage", "low")]),
    ("requirements.txt", "google-auth\ngoogle-api-core\n", "auth", "a.py", "from google.protobuf import any_pb2\n", []),
    ("requirements.txt", "requests\nrequests-oauthlib\n", "oauthlib", "a.py", "import requests\n", []),
    ("package.json", '{"dependencies": {\n "@acme/dates": "1",\n "@acme/dates-intl": "1",\n "zod": "3"\n}}\n', "intl", "a.ts", "import { f } from '@acme/dates-intl';\nf();\n", [("@acme/dates-intl", "medium")]),
    ("Gemfile", "gem 'rails'\ngem 'rails-i18n'\n", "i18n", "a.rb", "require 'rails-i18n'\n", [("rails-i18n", "medium")]),
    ("composer.json", '{\n "require": {\n  "guzzlehttp/psr7": "2",\n  "guzzlehttp/guzzle": "7"\n }\n}\n', "psr7", "a.php", "<?php\nuse GuzzleHttp\\Psr7\\Utils;\nUtils::f();\n", [("guzzlehttp/psr7", "low")]),
]  # fmt: skip


@pytest.mark.parametrize(("manifest", "text", "word", "path", "code", "expected"), BESIDE)
def test_dependency_with_a_similar_name_does_not_provide_the_import(
    repository: Repository, manifest: str, text: str, word: str, path: str, code: str, expected: list[tuple[str, str]]
) -> None:
    """A dependency with a similar name doesn't replace the dropped one, but may install it if its name contains it."""
    change: Files = {manifest: without(text, word) if "\n" not in word else text.removeprefix(word)}
    assert [row[:2] for row in said(repository.change({manifest: text, path: code}, change))] == expected


@pytest.mark.parametrize(
    ("base", "change"),
    [
        ({"package.json": NPM, "a.ts": DATES}, {"package.json": NPM_WITHOUT, "a.ts": "export const day = 1;\n"}),
        (
            {"package.json": NPM, "a.ts": DATES},
            {
                "package.json": NPM_WITHOUT.replace(
                    '"dependencies"', '"devDependencies": {"date-fns": "3"}, "dependencies"'
                )
            },
        ),
        (
            {"package.json": '{"dependencies": {"date-fns": "3"}}', "a/package.json": NPM, "a/a.ts": DATES},
            {"a/package.json": NPM_WITHOUT},
        ),
        (
            {"package.json": NPM, "a.ts": "import type { Locale } from 'date-fns';\n", "b.ts": "// 'date-fns'\n"},
            {"package.json": NPM_WITHOUT},
        ),
        ({"package.json": NPM, "test/fixtures/a.ts": DATES}, {"package.json": NPM_WITHOUT}),
        (
            {"requirements.txt": "requests==2\n", "a.py": "import requests\n"},
            {"requirements.txt": "", "pyproject.toml": PYPROJECT},
        ),
        (
            {
                "requirements.txt": "requests\n",
                "a.py": "try:\n    import requests\nexcept ImportError:\n    requests = None\n",
            },
            {"requirements.txt": ""},
        ),
        ({"requirements.txt": "shop\n", "shop/__init__.py": "", "a.py": "import shop\n"}, {"requirements.txt": ""}),
        (
            {"go.mod": GO_MOD, "a.go": GO.replace("pkg/errors", "google/uuid/v2")},
            {"go.mod": GO_MOD.replace("google/uuid v1.6.0", "google/uuid/v2 v2.0.0")},
        ),
        (
            {"Cargo.toml": CARGO, "src/lib.rs": "mod rand;\nuse rand::random;\n", "src/rand.rs": ""},
            {"Cargo.toml": without(CARGO, "rand")},
        ),
        (
            {"Cargo.toml": CARGO, "src/lib.rs": "use rand::random;\n"},
            {"Cargo.toml": CARGO.replace('rand = "0.8"', 'rand = { package = "oorandom", version = "11" }')},
        ),
        (
            {
                "app/build.gradle": "dependencies {\n    androidTestImplementation('com.wix:detox:+')\n}\n",
                "app/src/main/java/A.java": "import com.wix.notifications.Push;\nclass A {}\n",
            },
            {"app/build.gradle": "dependencies {\n}\n"},
        ),
        (
            {
                "app/build.gradle": "dependencies {\n    implementation 'androidx.lifecycle:lifecycle-runtime:2.8'\n    implementation 'androidx.core:core-ktx:1.1'\n}\n",
                "app/src/main/java/A.java": "import androidx.lifecycle.Lifecycle;\nclass A {}\n",
            },
            {"app/build.gradle": "dependencies {\n    implementation 'androidx.core:core-ktx:1.1'\n}\n"},
        ),
        (
            {
                "App/App.csproj": '<Project><PackageReference Include="Serilog.Sinks.File" Version="5.0" /></Project>',
                "App/A.cs": "using Serilog.Sinks.File;\nclass A {}\n",
                "Core/Core.csproj": '<Project><PackageReference Include="Serilog.Extensions" Version="5.0" /></Project>',
            },
            {"App/App.csproj": '<Project><ProjectReference Include="../Core/Core.csproj" /></Project>'},
        ),
        (
            {
                "a/A.csproj": CSPROJ.replace("Serilog", "FluentAssertions"),
                "a/B.cs": "using FluentAssertions;\nclass B {}\n",
            },
            {"a/A.csproj": CSPROJ.replace("Serilog", "AwesomeAssertions")},
        ),
        (
            {"shop.gemspec": "s.add_development_dependency 'oj'\n", "spec/a_spec.rb": "require 'oj'\n"},
            {"shop.gemspec": "# none\n", "shared.gemfile": "gem 'oj'\n"},
        ),
    ],
)
def test_dependency_listed_elsewhere_or_never_required_is_not_reported(
    repository: Repository, base: Files, change: Files
) -> None:
    """Nothing is reported if another manifest lists it, the import is guarded, or the repository has it."""
    assert said(repository.change(base, change)) == []


def test_package_still_in_the_lock_file_gives_a_low_severity_finding(repository: Repository) -> None:
    """If the updated lock file still contains the package, the finding has low severity."""
    base: Files = {"package.json": NPM, "a.ts": DATES, "yarn.lock": "date-fns@^3:\n  version 3\n"}
    pull = repository.change(base, {"package.json": NPM_WITHOUT, "yarn.lock": "date-fns@^3.1:\n  version 3\n"})
    assert said(pull) == [("date-fns", "low", "a.ts:1")]


@pytest.mark.parametrize(("asks", "severity"), [('"b": "workspace:*"', "high"), ('"b": "^1.0.0"', "medium")])
def test_renamed_workspace_package_is_reported_at_its_dependent(
    repository: Repository, asks: str, severity: str
) -> None:
    """After a rename, the dependent is reported; a `workspace:` reference makes the severity high."""
    base: Files = {
        "packages/a/package.json": f'{{"name": "a", "dependencies": {{{asks}}}}}',
        "packages/a/i.ts": "import { x } from 'b';\nconsole.log(x);\n",
        "packages/b/package.json": '{"name": "b"}',
        "packages/b/index.ts": "export const x = 1;\n",
    }
    pull = repository.change(base, {"packages/b/package.json": '{"name": "bb"}'})
    assert said(pull) == [("b", severity, "packages/a/package.json:1")]


def test_unparsable_manifest_is_listed_as_not_compared(repository: Repository) -> None:
    """If a manifest cannot be parsed, there are no findings and the manifest is listed as not compared."""
    found = judge(repository.change({"package.json": NPM, "a.ts": DATES}, {"package.json": NPM.replace("}", "", 1)}))
    assert not found.findings
    assert ("package.json", "its dependencies could not be compared: it cannot be parsed") in found.unjudged
