"""How packages are read from each form of manifest."""

import pytest

from deeprepo.impact.language import packagings

OFFERED = {
    "src layout": ("python", {"pyproject.toml": '[project]\nname = "acme-quotes"'}, ["src/acme_quotes/a.py", "tests/x.py", "docs/conf.py"], ("acme-quotes", ("src/acme_quotes",))),
    "flat": ("python", {"setup.py": "setup(name='quotes')"}, ["quotes/__init__.py", "scripts/x.py", "setup.py"], ("quotes", ("quotes",))),
    "one module": ("python", {"setup.cfg": "[metadata]\nname = six\n"}, ["six.py", "setup.py", "test_six.py"], ("six", ("six.py",))),
    "listed": ("python", {"pyproject.toml": '[project]\nname = "q"\n[tool.hatch.build.targets.wheel]\npackages = ["lib/own"]'}, ["lib/own/a.py"], ("q", ("lib/own",))),
    "a gem in another folder": ("ruby", {"q.gemspec": "Gem::Specification.new do |s|\n  s.name = 'q'\n  s.require_paths = %w[code lib/q]\nend"}, ["code/q.rb"], ("q", ("app", "code", "lib/q"))),
    "two packages in a folder for sources": ("python", {"pyproject.toml": '[project]\nname = "q"'}, ["src/q/a.py", "src/qlib/a.py", "tools/__init__.py"], ("q", ("src/q", "src/qlib"))),
    "npm": ("javascript", {"package.json": '{"name": "@acme/q"}'}, ["index.js"], ("@acme/q", ("",))),
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
    "sbt, a project": ("jvm", {"build.sbt": 'inThisBuild(List(organization := "com.acme"))\nlazy val core = (project in file("modules/core"))\n  .settings(moduleName := "q-core")\nlazy val docs = Seq(1)\n'}, ["modules/core/src/main/scala/A.scala"], ("com.acme:q-core", ("",))),
    "nuget": ("csharp", {"src/Q/Q.csproj": "<PackageId>Acme.Q</PackageId>"}, ["src/Q/A.cs"], ("Acme.Q", ("src/Q",))),
}  # fmt: skip


@pytest.mark.parametrize(("language", "manifests", "paths", "expected"), OFFERED.values(), ids=OFFERED)
def test_package_lists_its_name_and_published_files(
    language: str,
    manifests: dict[str, str],
    paths: list[str],
    expected: tuple[str, tuple[str, ...]],
) -> None:
    """A package has the name that manifests use, and the folders and files that it publishes."""
    sources = {path: text.encode() for path, text in manifests.items()}
    found = packagings()[language].packages(sources, frozenset([*paths, *manifests]))
    assert [(one.name, one.roots) for one in found] == [expected]


@pytest.mark.parametrize("language", packagings())
@pytest.mark.parametrize(
    "text",
    [b"", b"\xff\xfe\x00", b"[" * 9000, b"{" * 9000, b"name = \n", b'{"name": 3, "dependencies": [1]}', b"<" * 9000],
)
def test_damaged_manifest_raises_nothing(language: str, text: bytes) -> None:
    """Damaged manifests raise no exception."""
    made = packagings()[language]
    manifests = dict.fromkeys((name.replace("*", "x") for name in made.MANIFESTS), text)
    made.packages(manifests, frozenset(manifests))
