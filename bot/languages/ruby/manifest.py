"""Ruby's gems: gemspecs, Gemfile and Gemfile.lock. They are programs; what is written out in them is read, nothing is run."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from bot.languages.lexical import config
from bot.values.consumer import Origin, Package, Requirement

LANGUAGE = "ruby"
MANIFESTS = ("*.gemspec", "Gemfile", "gems.rb")
LOCKS = ("Gemfile.lock", "gems.locked")
PRIVATE = re.compile(r"_(?!_)")
NAMED = re.compile(r"^[ \t]*\w+\.name[ \t]*=[ \t]*['\"]([\w.-]+)['\"]", re.MULTILINE)
ASKED = re.compile(
    r"^[ \t]*(?:\w+\.add_(?:runtime_|development_)?dependency[ \t(]+|gem[ \t(]+)['\"]([\w.-]+)['\"]([^\n]*)",
    re.MULTILINE,
)
VERSION = re.compile(r"['\"]([<>=~!]*[ \t]*\d[\w.]*)['\"]")
OPTION = re.compile(r":?(path|git|github|tag|ref|branch)\b[\"']?[ \t]*(?::|=>)[ \t]*['\"]([^'\"]*)['\"]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The gems of a tree: what is below `lib` beside a gemspec, or below `app` of an engine."""
    del paths
    found = []
    for path, source in sorted(manifests.items()):
        name = NAMED.search(config(source).decode("utf-8", "replace")) if path.endswith(".gemspec") else None
        if name:
            folder = posixpath.dirname(path)
            roots = tuple(posixpath.join(folder, top) for top in ("app", "lib"))
            found.append(Package(LANGUAGE, name[1], folder, roots))
    return tuple(found)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What gemspecs and Gemfiles ask for."""
    found = []
    for path, source in sorted(manifests.items()):
        text = config(source).decode("utf-8", "replace")
        for match in ASKED.finditer(text):
            options = dict(OPTION.findall(match[2]))
            origin: Origin = (
                "path" if "path" in options else "git" if options.keys() & {"git", "github"} else "registry"
            )
            at = options.get("tag") or options.get("ref") or options.get("branch") or ""
            versions = ", ".join(one.replace(" ", "") for one in VERSION.findall(match[2]))
            asked = {"path": options.get("path", ""), "git": at}.get(origin, versions)
            line = text.count("\n", 0, match.start(1)) + 1
            fixed = bool(options.keys() & {"tag", "ref"})
            found.append(Requirement(LANGUAGE, match[1], asked, origin, path, line, fixed=fixed))
    return tuple(found)


def locked_version(path: str, source: bytes, name: str) -> str:
    """The version that Gemfile.lock names."""
    del path
    match = re.search(rf"(?m)^    {re.escape(name)} \(([^)\n]+)\)", source.decode("utf-8", "replace"))
    return match[1] if match else ""


def links(packages: Sequence[Package], folders: Sequence[str]) -> Mapping[str, bytes]:
    """Every `lib` is on the load path."""
    del packages, folders
    return {}
