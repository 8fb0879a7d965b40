"""How requirements, packages and lock files are parsed in each form."""

import re

import pytest

from deeprepo.impact.language import packagings
from deeprepo.impact.packages import Packaging

ASKED = {
    # language, manifest, text -> name, constraint, origin, when a break arrives
    "pep 621": ("python", "pyproject.toml", '[project]\ndependencies = ["Acme.Quotes[fast] >= 1.2, < 2 ; python_version > \'3\'"]', ("acme-quotes", ">=1.2,<2", "registry", "upgrade")),
    "poetry": ("python", "pyproject.toml", '[tool.poetry.dependencies]\nquotes = "^1.2"', ("quotes", "^1.2", "registry", "upgrade")),
    "setup.cfg": ("python", "setup.cfg", "[options]\ninstall_requires =\n    quotes~=1.2\n", ("quotes", "~=1.2", "registry", "upgrade")),
    "setup.py, a list beside what is computed": ("python", "setup.py", "setup(name='x', install_requires=['quotes>1', find()])\n", ("quotes", ">1", "registry", "release")),
    "setup.py": ("python", "setup.py", "from setuptools import setup\nsetup(name='x', install_requires=['quotes>1'])\n", ("quotes", ">1", "registry", "release")),
    "a short name": ("python", "reqs.txt", "quotes>=1\n", ("quotes", ">=1", "registry", "release")),
    "git branch": ("python", "requirements.txt", "git+https://example.invalid/acme/quotes.git@main#egg=quotes", ("quotes", "main", "git", "build")),
    "editable": ("python", "dev-requirements.txt", "-e ../quotes", ("quotes", "../quotes", "path", "build")),
    "npm": ("javascript", "package.json", '{"dependencies": {"quotes": "^1.2.0"}}', ("quotes", "^1.2.0", "registry", "upgrade")),
    "npm open": ("javascript", "package.json", '{"peerDependencies": {"quotes": ">=1"}}', ("quotes", ">=1", "registry", "release")),
    "npm workspace": ("javascript", "package.json", '{"dependencies": {"quotes": "workspace:*"}}', ("quotes", "workspace:*", "workspace", "build")),
    "go": ("go", "go.mod", "module x\nrequire (\n\texample.com/quotes/v2 v2.1.0 // indirect\n)\n", ("example.com/quotes/v2", "v2.1.0", "registry", "upgrade")),
    "cargo": ("rust", "Cargo.toml", '[dependencies]\nquotes = { version = "1.2", features = [] }', ("quotes", "1.2", "registry", "upgrade")),
    "cargo renamed": ("rust", "Cargo.toml", '[dependencies]\nq = { package = "quotes", version = ">=1" }', ("quotes", ">=1", "registry", "release")),
    "cargo git": ("rust", "Cargo.toml", '[dev-dependencies]\nquotes = { git = "https://example.invalid/q", branch = "next" }', ("quotes", "next", "git", "build")),
    "composer": ("php", "composer.json", '{"require": {"php": ">=8", "Acme/Quotes": "^1.2 || ^2.0"}}', ("acme/quotes", "^1.2 || ^2.0", "registry", "upgrade")),
    "sbt": ("jvm", "build.sbt", 'libraryDependencies += "com.acme" %% "quotes" % "1.2" % Test\n', ("com.acme:quotes", "1.2", "registry", "upgrade")),
    "sbt, of Java": ("jvm", "project/Dependencies.scala", 'val q = "com.acme" % "quotes" % Versions.q\n', ("com.acme:quotes", "as another file sets it", "registry", "upgrade")),
    "sbt, of JavaScript": ("jvm", "build.sbt", 'libraryDependencies ++= Seq(\n  "com.acme" %%% "quotes" % "1.2"\n)\n', ("com.acme:quotes", "1.2", "registry", "upgrade")),
    "composer branch": ("php", "composer.json", '{"require-dev": {"acme/quotes": "dev-main"}}', ("acme/quotes", "dev-main", "git", "build")),
    "gem": ("ruby", "Gemfile", "gem 'quotes', '~> 1.2', require: false\n", ("quotes", "~>1.2", "registry", "upgrade")),
    "gem git": ("ruby", "Gemfile", "gem 'quotes', github: 'acme/quotes', branch: 'main'\n", ("quotes", "main", "git", "build")),
    "gemspec": ("ruby", "x.gemspec", "  s.add_dependency('quotes', '>= 1.2', '< 2.0')\n", ("quotes", ">=1.2, <2.0", "registry", "upgrade")),
    "maven": ("jvm", "pom.xml", "<project><properties><q.v>1.2</q.v></properties><dependency><groupId>com.acme</groupId><artifactId>quotes</artifactId><version>${q.v}</version></dependency></project>", ("com.acme:quotes", "1.2", "registry", "upgrade")),
    "gradle": ("jvm", "build.gradle", "dependencies {\n    implementation 'com.acme:quotes:1.2'\n}\n", ("com.acme:quotes", "1.2", "registry", "upgrade")),
    "gradle kts": ("jvm", "build.gradle.kts", 'dependencies {\n    testImplementation("com.acme:quotes:+")\n}\n', ("com.acme:quotes", "+", "registry", "release")),
    "catalogue": ("jvm", "gradle/libs.versions.toml", '[versions]\nq = "1.2"\n[libraries]\nquotes = { module = "com.acme:quotes", version.ref = "q" }\n', ("com.acme:quotes", "1.2", "registry", "upgrade")),
    "mix": ("elixir", "mix.exs", 'defp deps do\n  [{:quotes, "~> 1.2", only: [:test]}]\nend\n', ("quotes", "~> 1.2", "registry", "upgrade")),
    "mix, git": ("elixir", "mix.exs", 'defp deps, do: [{:quotes, github: "acme/quotes", branch: "main"}, {:ok, value}]\n', ("quotes", "main", "git", "build")),
    "csproj": ("csharp", "A.csproj", '<PackageReference Include="Acme.Quotes" Version="1.2" />', ("acme.quotes", "1.2", "registry", "upgrade")),
}  # fmt: skip
OFFERED = {
    "src layout": ("python", {"pyproject.toml": '[project]\nname = "acme-quotes"'}, ["src/acme_quotes/a.py", "tests/x.py", "docs/conf.py"], ("acme-quotes", ("src/acme_quotes",))),
    "flat": ("python", {"setup.py": "setup(name='quotes')"}, ["quotes/__init__.py", "scripts/x.py", "setup.py"], ("quotes", ("quotes",))),
    "one module": ("python", {"setup.cfg": "[metadata]\nname = six\n"}, ["six.py", "setup.py", "test_six.py"], ("six", ("six.py",))),
    "listed": ("python", {"pyproject.toml": '[project]\nname = "q"\n[tool.hatch.build.targets.wheel]\npackages = ["lib/own"]'}, ["lib/own/a.py"], ("q", ("lib/own",))),
    "flit": ("python", {"pyproject.toml": '[project]\nname = "shop-x"\n[tool.flit.module]\nname = "price"'}, ["price.py", "other.py"], ("shop-x", ("price.py",))),
    "uv": ("python", {"pyproject.toml": '[project]\nname = "shop-x"\n[tool.uv.build-backend]\nmodule-name = "price"\nmodule-root = ""'}, ["price/__init__.py", "other/__init__.py"], ("shop-x", ("price",))),
    "a gem in another folder": ("ruby", {"q.gemspec": "Gem::Specification.new do |s|\n  s.name = 'q'\n  s.require_paths = %w[code lib/q]\nend"}, ["code/q.rb"], ("q", ("app", "code", "lib/q"))),
    "two packages in a folder for sources": ("python", {"pyproject.toml": '[project]\nname = "q"'}, ["src/q/a.py", "src/qlib/a.py", "tools/__init__.py"], ("q", ("src/q", "src/qlib"))),
    "npm": ("javascript", {"package.json": '{"name": "@acme/q"}'}, ["index.js"], ("@acme/q", ("",))),
    "npm, published from a folder that a build makes": ("javascript", {"package.json": '{"name": "q", "private": true, "version": "1.2.0", "main": "index"}'}, ["src/index.js"], ("q", ("",))),
    "npm workspace": ("javascript", {"package.json": "{}", "packages/q/package.json": '{"name": "q"}'}, ["packages/q/index.js"], ("q", ("packages/q",))),
    "go": ("go", {"sub/go.mod": "module example.com/q/sub // why\n"}, ["sub/a.go"], ("example.com/q/sub", ("sub",))),
    "crate": ("rust", {"q/Cargo.toml": '[package]\nname = "acme-q"'}, ["q/src/lib.rs"], ("acme-q", ("q/src",))),
    "gem": ("ruby", {"q.gemspec": "Gem::Specification.new do |s|\n  s.name = 'q'\nend"}, ["lib/q.rb"], ("q", ("app", "lib"))),
    "composer": ("php", {"composer.json": '{"name": "acme/q", "autoload": {"psr-4": {"Q\\\\": "src/"}}}'}, ["src/A.php"], ("acme/q", ("src",))),
    "maven": ("jvm", {"q/pom.xml": "<project><parent><groupId>com.acme</groupId></parent><artifactId>q</artifactId><dependencies><dependency><artifactId>z</artifactId></dependency></dependencies></project>"}, ["q/src/main/java/A.java"], ("com.acme:q", ("q/src/main",))),
    "gradle": ("jvm", {"gradle.properties": "", "q/build.gradle": "group = 'com.acme'\n"}, ["q/src/main/kotlin/A.kt"], ("com.acme:q", ("q/src/main",))),
    "npm, a manifest that says how modules are read": ("javascript", {"package.json": '{"name": "q"}', "lib/package.json": '{"type": "module"}'}, ["lib/index.js"], ("q", ("",))),
    "npm, a part with a manifest": ("javascript", {"package.json": '{"name": "q", "exports": {"./hooks": "./hooks/index.js"}}', "hooks/package.json": '{"name": "q-hooks", "private": true}'}, ["hooks/index.js"], ("q", ("",))),
    "sbt": ("jvm", {"build.sbt": 'ThisBuild / organization := "com.acme"\nname := "q"\n'}, ["src/main/scala/A.scala"], ("com.acme:q", ("src/main",))),
    "sbt, a project": ("jvm", {"build.sbt": 'inThisBuild(List(organization := "com.acme"))\nlazy val core = (project in file("modules/core"))\n  .settings(moduleName := "q-core")\nlazy val docs = Seq(1)\n'}, ["modules/core/src/main/scala/A.scala"], ("com.acme:q-core", ("modules/core/src/main",))),
    "sbt, several platforms": ("jvm", {"build.sbt": 'organization := "com.acme"\nlazy val q = crossProject(JVMPlatform, JSPlatform).crossType(CrossType.Full)\n'}, ["q/shared/src/main/scala/A.scala"], ("com.acme:q", ("q",))),
    "composer, it replaces another of its vendor": ("php", {"composer.json": '{"name": "acme/all", "autoload": {"psr-4": {"A\\\\": "src"}}, "replace": {"acme/q": "*", "symfony/polyfill-php80": "*"}}'}, ["src/A.php"], [("acme/all", ("src",)), ("acme/q", ("src",))]),
    "nuget": ("csharp", {"src/Q/Q.csproj": "<PackageId>Acme.Q</PackageId>"}, ["src/Q/A.cs"], ("acme.q", ("src/Q",))),
}  # fmt: skip
LOCKS = [
    ("python", "poetry.lock", '[[package]]\nname = "Acme_Quotes"\nversion = "1.3.7"\n', "acme-quotes", "1.3.7"),
    ("python", "Pipfile.lock", '"default": {"quotes": {"hashes": [], "version": "==1.3.7"}}', "quotes", "1.3.7"),
    ("javascript", "package-lock.json", '"node_modules/@acme/q": {\n  "version": "1.3.7"', "@acme/q", "1.3.7"),
    ("javascript", "pnpm-lock.yaml", "packages:\n  '@acme/q@1.3.7(react@18)':\n", "@acme/q", "1.3.7"),
    ("rust", "Cargo.lock", '[[package]]\nname = "q"\nversion = "1.3.7"\n', "q", "1.3.7"),
    ("php", "composer.lock", '{"name": "acme/q",\n "version": "v1.3.7",', "acme/q", "v1.3.7"),
    ("csharp", "packages.lock.json", '"Acme.Q": {"type": "Direct", "resolved": "1.3.7"}', "acme.q", "1.3.7"),
]


def packaging(language: str) -> Packaging:
    """Return the packaging rules for a language."""
    return packagings()[language]


def locked(made: Packaging, path: str, text: str, name: str) -> str:
    """Return the version that a lock file contains for a package, or "" without one."""
    found = re.search(made.LOCKS[path].replace("NAME", re.escape(name).replace(r"\-", "[-_.]+")), text)
    return found[1] if found else ""


@pytest.mark.parametrize(("language", "path", "text", "meant"), ASKED.values(), ids=ASKED)
def test_requirement_is_parsed_from_each_manifest_form(
    language: str, path: str, text: str, meant: tuple[str, str, str, str]
) -> None:
    """A requirement's name, constraint, origin and time of arrival are read from each manifest form."""
    found = [row for row in packaging(language).requirements({path: text.encode()}) if row.name != "php"]
    assert [(row.name, row.constraint, row.origin, row.arrival) for row in found] == [meant]


@pytest.mark.parametrize(("language", "manifests", "paths", "expected"), OFFERED.values(), ids=OFFERED)
def test_package_lists_its_name_and_published_files(
    language: str,
    manifests: dict[str, str],
    paths: list[str],
    expected: tuple[str, tuple[str, ...]] | list[tuple[str, tuple[str, ...]]],
) -> None:
    """A package has the name that manifests use, and the folders and files that it publishes."""
    sources = {path: text.encode() for path, text in manifests.items()}
    found = packaging(language).packages(sources, frozenset([*paths, *manifests]))
    assert [(one.name, one.roots) for one in found] == (expected if isinstance(expected, list) else [expected])


@pytest.mark.parametrize(
    "manifest",
    [
        '{"name": "q", "private": true}',
        '{"name": "q", "private": true, "version": "1.2.0"}',
        '{"name": "q", "private": true, "version": "0.0.0", "main": "index"}',
        '{"name": "q", "private": true, "version": "1.2.0", "main": "index", "workspaces": ["packages/*"]}',
        '{"name": "q", "private": true, "publishConfig": {"access": "public"}}',
    ],
)
def test_unpublished_private_package_is_not_offered(manifest: str) -> None:
    """A private npm package without a version and an entry, or a workspace root, is not offered."""
    assert packaging("javascript").packages({"package.json": manifest.encode()}, frozenset({"index.js"})) == ()


@pytest.mark.parametrize(("language", "path", "text", "name", "version"), LOCKS)
def test_locked_version_is_found(language: str, path: str, text: str, name: str, version: str) -> None:
    """The locked version of a package is found, and "" is returned for a package without one."""
    assert locked(packaging(language), path, text, name) == version
    assert locked(packaging(language), path, text, "another") == ""


@pytest.mark.parametrize("language", packagings())
@pytest.mark.parametrize(
    "text",
    [b"", b"\xff\xfe\x00", b"[" * 9000, b"{" * 9000, b"name = \n", b'{"name": 3, "dependencies": [1]}', b"<" * 9000],
)
def test_damaged_manifest_has_no_requirements(language: str, text: bytes) -> None:
    """Damaged manifests contain no requirements and raise no exception."""
    made = packaging(language)
    names = [name.replace("*", "x") for name in (*made.MANIFESTS, *made.LOCKS)]
    manifests = dict.fromkeys((name.replace("*", "x") for name in made.MANIFESTS), text)
    assert made.requirements(manifests) == ()
    made.packages(manifests, frozenset(names))
    assert all(
        re.search(form.replace("NAME", "quotes"), text.decode("latin-1")) is None for form in made.LOCKS.values()
    )


def test_go_mod_replacement_is_the_requirement() -> None:
    """If go.mod replaces a module with a fork, the fork is the requirement."""
    text = b"module x\nrequire example.com/quotes v1.0.0\nreplace example.com/quotes => example.com/fork v1.0.1\n"
    taken = packaging("go").requirements({"go.mod": text})
    assert [(row.name, row.constraint) for row in taken] == [("example.com/fork", "v1.0.1")]
