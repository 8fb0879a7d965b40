"""Ways in which consumers depend on a package: each is understood, or the consumer is not checked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from fakes import Repository
from families import few

import deeprepo

Others = Callable[[str], Repository]
Files = Mapping[str, "str | bytes"]


@dataclass(frozen=True)
class Library:
    """A library that loses a function, and a consumer's file that uses the function."""

    before: Files
    after: Files
    use: tuple[str, str]  # path, and text in which NAME is replaced with the package's name

    def using(self, name: str = "") -> dict[str, str | bytes]:
        """Return the consumer's code, with this name for the package."""
        return {self.use[0]: self.use[1].replace("NAME", name)}


GONE = "def quote(cents):\n    return cents\n\n\ndef tax(cents):\n    return cents // 5\n"
XML = "<project><groupId>com.acme</groupId><artifactId>quotes</artifactId><version>1.4</version></project>"
JAVA = "package acme;\n\npublic class Prices {\n    public static int tax(int a) { return a; }\n    public static int rest() { return 1; }\n}\n"
CS = "namespace Acme.Quotes;\n\npublic static class Prices {\n    public static int OrderTax(int a) { return a; }\n    public static int Rest() { return 1; }\n}\n"
PHP = "<?php\nnamespace Acme\\Quotes;\n\nclass Prices\n{\n    public static function tax($a) { return $a; }\n}\n"
LIBRARIES = {
    "python": Library(
        {"pyproject.toml": '[project]\nname = "acme-quotes"\nversion = "1.4.0"\n', "acme_quotes/__init__.py": GONE},
        {"acme_quotes/__init__.py": GONE.partition("\n\n\n")[0] + "\n"},
        ("pay.py", "from acme_quotes import tax\n\nprint(tax(30))\n"),
    ),
    "javascript": Library(
        {"package.json": '{"name": "@acme/quotes", "version": "1.0.0", "main": "index.js"}', "index.js": "exports.tax = function (a) { return a }\nexports.rest = function (a) { return a }\n"},
        {"index.js": "exports.rest = function (a) { return a }\n"},
        ("src/pay.js", 'const { tax } = require("NAME")\n\nconsole.log(tax(1))\n'),
    ),
    "rust": Library(
        {"Cargo.toml": '[package]\nname = "acme-quotes"\nversion = "1.4.0"\n', "src/lib.rs": "pub fn tax() -> u32 {\n    1\n}\npub fn rest() -> u32 {\n    2\n}\n"},
        {"src/lib.rs": "pub fn rest() -> u32 {\n    2\n}\n"},
        ("src/main.rs", "use NAME::tax;\n\nfn main() {\n    tax();\n}\n"),
    ),
    "go": Library(
        {"go.mod": "module example.com/acme/quotes\n", "a.go": "package quotes\n\nfunc Tax(a int) int { return a }\n\nfunc Rest() int { return 1 }\n"},
        {"a.go": "package quotes\n\nfunc Rest() int { return 1 }\n"},
        ("pay.go", 'package main\n\nimport quotes "NAME"\n\nfunc main() { quotes.Tax(1) }\n'),
    ),
    "maven": Library(
        {"pom.xml": XML, "src/main/java/acme/Prices.java": JAVA},
        {"src/main/java/acme/Prices.java": JAVA.replace("    public static int tax(int a) { return a; }\n", "")},
        ("src/main/java/c/Pay.java", "package c;\n\nimport acme.Prices;\n\nclass Pay {\n    int f() { return Prices.tax(1); }\n}\n"),
    ),
    "nuget": Library(
        {"Acme.Quotes.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>\n', "Prices.cs": CS},
        {"Prices.cs": CS.replace("    public static int OrderTax(int a) { return a; }\n", "")},
        ("Pay.cs", "using Acme.Quotes;\n\nclass Pay { int F() { return Prices.OrderTax(1); } }\n"),
    ),
    "composer": Library(
        {"composer.json": '{"name": "acme/quotes", "autoload": {"psr-4": {"Acme\\\\Quotes\\\\": "src/"}}}', "src/Prices.php": PHP},
        {"src/Prices.php": PHP.replace("    public static function tax($a) { return $a; }\n", "")},
        ("pay.php", "<?php\nuse Acme\\Quotes\\Prices;\n\nPrices::tax(1);\n"),
    ),
    "gem": Library(
        {"acme-quotes.gemspec": "Gem::Specification.new do |s|\n  s.name = 'acme-quotes'\nend\n", "lib/acme/quotes.rb": "module Acme\n  class Quotes\n    def self.order_tax(a)\n      a\n    end\n  end\nend\n"},
        {"lib/acme/quotes.rb": "module Acme\n  class Quotes\n  end\nend\n"},
        ("lib/pay.rb", "require 'acme/quotes'\n\nAcme::Quotes.order_tax(1)\n"),
    ),
}  # fmt: skip


def utf16(text: str) -> bytes:
    """Encode a text as PowerShell does."""
    return b"\xff\xfe" + text.encode("utf-16-le")


ASKED = '[project]\nname = "c"\ndependencies = ["acme-quotes>=1"]\n'
NPM = '{"dependencies": {"%s": "%s"}}'
POM = "<project><parent><groupId>com.acme</groupId><artifactId>all</artifactId><version>1</version></parent><artifactId>c</artifactId>%s<dependencies><dependency>%s</dependency></dependencies></project>"
COORDINATES = "<groupId>%s</groupId><artifactId>quotes</artifactId>"
PROJECT = '<Project Sdk="Microsoft.NET.Sdk">%s</Project>'
# library, the consumer's manifests -> the package's name in the consumer's code
UNDERSTOOD: dict[str, tuple[str, Files, str]] = {
    "pip: UTF-16": ("python", {"requirements.txt": utf16("flask==2\nacme-quotes>=1\n")}, ""),
    "pip: a folder": ("python", {"requirements.txt": "-e ../acme-quotes[all]\n"}, ""),
    "pip: a branch": ("python", {"requirements.txt": "git+https://github.com/acme/acme-quotes.git@main\n"}, ""),
    "setup.cfg": ("python", {"setup.cfg": "[options]\ninstall_requires =\n    acme-quotes>=1\n"}, ""),
    "pip: a continued line": ("python", {"requirements.txt": "acme-quotes \\\n  >=1\n"}, ""),
    "pip: a name and a folder": ("python", {"requirements.txt": "acme-quotes @ file:../o\n"}, ""),
    "setup.py: a text": ("python", {"setup.py": "from setuptools import setup\nsetup(install_requires='''\nflask\nacme-quotes\n''')\n"}, ""),
    "poetry: several constraints": ("python", {"pyproject.toml": '[tool.poetry.dependencies]\nacme-quotes = [{version = "^1", python = "<3.12"}, {version = "^2"}]\n'}, ""),
    "hatch: an environment": ("python", {"pyproject.toml": '[tool.hatch.envs.default]\ndependencies = ["acme-quotes"]\n'}, ""),
    "Pipfile": ("python", {"Pipfile": '[packages]\nacme-quotes = "*"\n'}, ""),
    "uv: a source": ("python", {"pyproject.toml": '[project]\nname = "c"\ndependencies = ["acme-quotes"]\n[tool.uv.sources]\nacme-quotes = {git = "https://github.com/acme/repository", tag = "v1"}\n'}, ""),
    "npm: a folder": ("javascript", {"package.json": NPM % ("@acme/quotes", "file:../repository")}, "@acme/quotes"),
    "npm: comments and commas": ("javascript", {"package.json": '// mine\n{"dependencies": {"@acme/quotes": "^1",},}'}, "@acme/quotes"),
    "cargo: another name": ("rust", {"Cargo.toml": '[package]\nname = "c"\n[dependencies]\nshop = { package = "acme-quotes", version = "1" }\n'}, "shop"),
    "cargo: a workspace": ("rust", {"Cargo.toml": '[workspace]\nmembers = ["."]\n[workspace.dependencies]\nshop = { package = "acme-quotes", version = "1" }\n[package]\nname = "c"\n[dependencies]\nshop.workspace = true\n'}, "shop"),
    "go: a folder": ("go", {"go.mod": "module c\n\nrequire example.com/acme/quotes v1.0.0\n\nreplace example.com/acme/quotes => ../repository\n"}, "example.com/acme/quotes"),
    "sbt": ("maven", {"build.sbt": 'libraryDependencies ++= Seq("com.acme" % "quotes" % "1")\n'}, ""),
    "maven: the project's group": ("maven", {"pom.xml": POM % ("", COORDINATES % "${project.groupId}")}, ""),
    "maven: the parent's group": ("maven", {"pom.xml": POM % ("<groupId>x</groupId>", COORDINATES % "${project.parent.groupId}")}, ""),
    "maven: a property": ("maven", {"pom.xml": POM % ("<properties><q.g>com.acme</q.g></properties>", COORDINATES % "${q.g}")}, ""),
    "maven: a property of the parent": ("maven", {"pom.xml": "<project><groupId>com.acme</groupId><artifactId>all</artifactId><version>1</version><properties><q.g>com.acme</q.g></properties></project>", "c/pom.xml": POM % ("", COORDINATES % "${q.g}")}, ""),
    "gradle: a map": ("maven", {"build.gradle": "dependencies {\n    implementation group: 'com.acme', name: 'quotes', version: '1'\n}\n"}, ""),
    "gradle: a list": ("maven", {"build.gradle": "def libs = [\n    'a:b:1',\n    'com.acme:quotes:1',\n]\ndependencies { libs.each { implementation it } }\n"}, ""),
    "gradle: buildSrc": ("maven", {"build.gradle.kts": "dependencies { implementation(Deps.quotes) }\n", "buildSrc/src/main/kotlin/Deps.kt": 'object Deps { const val quotes = "com.acme:quotes:1" }\n'}, ""),
    "gradle: a catalogue of another name": ("maven", {"gradle/deps.versions.toml": '[libraries]\nquotes = { name = "quotes", group = "com.acme", version = "1" }\n'}, ""),
    "nuget: packages.config": ("nuget", {"packages.config": '<packages><package id="Acme.Quotes" version="1.0.0" /></packages>'}, ""),
    "nuget: shared properties": ("nuget", {"build/all.props": PROJECT % '<ItemGroup><PackageReference Include="Acme.Quotes" Version="1.0.0" /></ItemGroup>'}, ""),
    "composer: a folder": ("composer", {"composer.json": '{"require": {"acme/quotes": "@dev"}, "repositories": [{"type": "path", "url": "../quotes"}]}'}, ""),
    "a syntax error": ("python", {"pyproject.toml": f"{ASKED}]\n"}, ""),
    "JSON that breaks off": ("javascript", {"package.json": '{"dependencies": {"@acme/quotes": "^1"'}, "@acme/quotes"),
    "bundler: in a block": ("gem", {"Gemfile": "group(:default) { gem 'acme-quotes' }\n"}, ""),
}  # fmt: skip
# library, the consumer's manifests -> part of the reason why the consumer is not checked
OPEN: dict[str, tuple[str, Files, str]] = {
    "too large to read": ("python", {"requirements.txt": "x==1 --hash=sha256:aaaaaaaaaaaaaaaaaaaaaaaa\n" * 50_000 + "acme-quotes\n"}, "requirements.txt could not be read"),
}  # fmt: skip
# Manifests that are only samples, or that list another package: the consumer is unrelated.
APART: dict[str, tuple[str, Files]] = {
    "a broken manifest of a test": ("python", {"tests/data/pyproject.toml": f"{ASKED}]\n"}),
    "a broken manifest of a sample": ("javascript", {"examples/a/package.json": '{"dependencies": {"@acme/quotes"'}),
    "a property for another artifact": ("maven", {"pom.xml": POM % ("", "<groupId>${their.group}</groupId><artifactId>other</artifactId>")}),
}  # fmt: skip


def looked_at(
    repository: Repository, others: Others, library: Library, files: Mapping[str, str | bytes]
) -> deeprepo.Impact:
    """Return the impact of the library's change on a consumer with these files."""
    repository.commit(dict(library.before), "before")
    repository.commit(dict(library.after), "after")
    consumer = others("billing")
    consumer.commit(dict(files), "uses it")
    return deeprepo.analyze(repository.folder, "HEAD~1..HEAD", consumers=[consumer.folder])


@pytest.mark.parametrize(
    ("library", "manifests", "name"), few(UNDERSTOOD.values(), *range(0, len(UNDERSTOOD), 9)), ids=UNDERSTOOD
)
def test_consumer_manifest_form_is_understood(
    repository: Repository, repositories: Others, library: str, manifests: Files, name: str
) -> None:
    """The break is found at the consumer's line, whatever the consumer calls the package."""
    made = LIBRARIES[library]
    found = looked_at(repository, repositories, made, {**manifests, **made.using(name)})
    assert [(one.name, one.state) for one in found.consumers] == [("billing", "checked")]
    assert {one.path for one in found.broken if one.consumer} == {f"billing:{made.use[0]}"}


@pytest.mark.parametrize(("library", "manifests", "sentence"), OPEN.values(), ids=OPEN)
def test_consumer_with_an_unreadable_manifest_is_not_checked(
    repository: Repository, repositories: Others, library: str, manifests: Files, sentence: str
) -> None:
    """If a manifest can't be read, the consumer is not checked, and the reason contains the file."""
    made = LIBRARIES[library]
    found = looked_at(repository, repositories, made, {**manifests, **made.using("example.com/acme/quotes")})
    assert [(one.name, one.state) for one in found.consumers] == [("billing", "unread")]
    assert sentence in found.consumers[0].reason


@pytest.mark.parametrize("listed", ['["source"]', "%w[lib source]", '"source"'])
def test_gem_files_are_found_in_its_require_paths(repository: Repository, repositories: Others, listed: str) -> None:
    """A gem's files are found in the folders that its `require_paths` lists."""
    gem, code = LIBRARIES["gem"], "lib/acme/quotes.rb"
    own = f"Gem::Specification.new do |s|\n  s.name = 'acme-quotes'\n  s.require_paths = {listed}\nend\n"
    made = Library(
        {"acme-quotes.gemspec": own, "source/acme/quotes.rb": gem.before[code]},
        {"source/acme/quotes.rb": gem.after[code]},
        gem.use,
    )
    found = looked_at(repository, repositories, made, {"Gemfile": "gem 'acme-quotes'\n", **made.using()})
    assert {one.path for one in found.broken if one.consumer} == {"billing:lib/pay.rb"}


@pytest.mark.parametrize(("library", "manifests"), few(APART.values(), 0, 3), ids=APART)
def test_consumer_of_another_package_is_unrelated(
    repository: Repository, repositories: Others, library: str, manifests: Files
) -> None:
    """A consumer is unrelated if its manifest lists another package or is only a sample."""
    made = LIBRARIES[library]
    found = looked_at(repository, repositories, made, {**manifests, **made.using("other")})
    assert [(one.name, one.state) for one in found.consumers] == [("billing", "unrelated")]
