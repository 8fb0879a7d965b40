"""Read Ruby gems from gemspecs, Gemfile and Gemfile.lock; only literal values are read, and nothing is run."""

import posixpath
import re
from collections.abc import Collection, Mapping

from deeprepo.impact.packages import Origin, Package, Requirement
from deeprepo.impact.text.tables import manifest_text

LANGUAGE = "ruby"
MANIFESTS = ("*.gemspec", "Gemfile", "*.gemfile", "gems.rb")
LOCKS = dict.fromkeys(("Gemfile.lock", "gems.locked"), r"(?m)^    NAME \(([^)\n]+)\)")
_REQUIRE_PATHS = re.compile(r"\.require_paths?\s*=\s*((?:%w)?[\[({][^\])}\n]{0,300}|[\"'][^\"'\n]{1,100})")
_NAMED = re.compile(r"\.name[ \t]*=[ \t]*['\"]([\w.-]+)['\"]")
_ASKED = re.compile(
    r"(?:^|[;{|])[ \t]*(?:\w{1,40}\.add_(?:runtime_|development_)?dependency[ \t(]+|gem[ \t(]+)"
    r"['\"]([\w.-]+)['\"]([^\n]*(?:,[ \t]*\n[^\n]*){0,8})",
    re.MULTILINE,
)
_VERSION = re.compile(r"['\"]([<>=~!]*[ \t]*\d[\w.]*)['\"]")
_OPTION = re.compile(r":?(path|git|github|tag|ref|branch)\b[\"']?[ \t]*(?::|=>)[ \t]*['\"]([^'\"]*)['\"]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """Return the gems of a tree: files below `lib` or `require_paths`, and below `app` for an engine.

    A gem without a literal name is named after its file.
    """
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        if path.endswith(".gemspec"):
            text, folder = manifest_text(source), posixpath.dirname(path)
            name, listed = _NAMED.search(text), _REQUIRE_PATHS.search(text)
            own = name[1] if name else posixpath.basename(path).removesuffix(".gemspec")
            tops = re.findall(r"[\w./-]+", listed[1].replace("%w", "")) if listed else ["lib"]
            roots = tuple(posixpath.normpath(posixpath.join(folder, top)).removeprefix(".") for top in ("app", *tops))
            rows.append(Package(LANGUAGE, own, folder, roots))
    return tuple(rows)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """Return the requirements in gemspecs and Gemfiles."""
    rows = []
    for path, source in sorted(manifests.items()):
        for match in _ASKED.finditer(manifest_text(source)):
            options = dict(_OPTION.findall(match[2]))
            origin: Origin = (
                "path" if "path" in options else "git" if options.keys() & {"git", "github"} else "registry"
            )
            tag = options.get("tag") or options.get("ref") or ""
            versions = ", ".join(one.replace(" ", "") for one in _VERSION.findall(match[2]))
            asked = {"path": options.get("path", ""), "git": tag or options.get("branch", "")}.get(origin, versions)
            rows.append(Requirement(LANGUAGE, match[1], asked, origin, path, fixed=bool(tag)))
    return tuple(rows)
