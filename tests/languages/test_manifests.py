"""How packages are read from each form of manifest."""

import pytest

from deeprepo.impact.language import packagings

OFFERED = {
    "flat": ("python", {"setup.py": "setup(name='quotes')"}, "quotes"),
    "one module": ("python", {"setup.cfg": "[metadata]\nname = six\n"}, "six"),
    "listed": ("python", {"pyproject.toml": '[project]\nname = "q"\n[tool.hatch.build.targets.wheel]\npackages = ["lib/own"]'}, "q"),
    "npm": ("javascript", {"package.json": '{"name": "@acme/q"}'}, "@acme/q"),
    "npm workspace": ("javascript", {"package.json": "{}", "packages/q/package.json": '{"name": "q"}'}, "q"),
    "go": ("go", {"sub/go.mod": "module example.com/q/sub // why\n"}, "example.com/q/sub"),
    "crate": ("rust", {"q/Cargo.toml": '[package]\nname = "acme-q"'}, "acme-q"),
    "gem": ("ruby", {"q.gemspec": "Gem::Specification.new do |s|\n  s.name = 'q'\nend"}, "q"),
    "composer": ("php", {"composer.json": '{"name": "acme/q", "autoload": {"psr-4": {"Q\\\\": "src/"}}}'}, "acme/q"),
    "maven": ("jvm", {"q/pom.xml": "<project><parent><groupId>com.acme</groupId></parent><artifactId>q</artifactId><dependencies><dependency><artifactId>z</artifactId></dependency></dependencies></project>"}, "com.acme:q"),
    "gradle": ("jvm", {"gradle.properties": "", "q/build.gradle": "group = 'com.acme'\n"}, "com.acme:q"),
    "npm, a manifest that says how modules are read": ("javascript", {"package.json": '{"name": "q"}', "lib/package.json": '{"type": "module"}'}, "q"),
    "npm, a part with a manifest": ("javascript", {"package.json": '{"name": "q", "exports": {"./hooks": "./hooks/index.js"}}', "hooks/package.json": '{"name": "q-hooks", "private": true}'}, "q"),
    "sbt": ("jvm", {"build.sbt": 'ThisBuild / organization := "com.acme"\nname := "q"\n'}, "com.acme:q"),
    "sbt, a project": ("jvm", {"build.sbt": 'inThisBuild(List(organization := "com.acme"))\nlazy val core = (project in file("modules/core"))\n  .settings(moduleName := "q-core")\nlazy val docs = Seq(1)\n'}, "com.acme:q-core"),
    "nuget": ("csharp", {"src/Q/Q.csproj": "<PackageId>Acme.Q</PackageId>"}, "Acme.Q"),
}  # fmt: skip


@pytest.mark.parametrize(("language", "manifests", "name"), OFFERED.values(), ids=OFFERED)
def test_package_has_the_name_that_manifests_use(language: str, manifests: dict[str, str], name: str) -> None:
    """A package has the name by which other manifests require it."""
    sources = {path: text.encode() for path, text in manifests.items()}
    assert [one.name for one in packagings()[language].packages(sources)] == [name]


@pytest.mark.parametrize("language", packagings())
@pytest.mark.parametrize(
    "text",
    [b"", b"\xff\xfe\x00", b"[" * 9000, b"{" * 9000, b"name = \n", b'{"name": 3, "dependencies": [1]}', b"<" * 9000],
)
def test_damaged_manifest_raises_nothing(language: str, text: bytes) -> None:
    """Damaged manifests raise no exception."""
    made = packagings()[language]
    manifests = dict.fromkeys((name.replace("*", "x") for name in made.MANIFESTS), text)
    made.packages(manifests)
