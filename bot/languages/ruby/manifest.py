"""Ruby's gems: gemspecs, Gemfile and Gemfile.lock. They are programs; what is written out in them is read, nothing is run."""

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from bot.languages.lexical import manifest_text
from bot.text.lines import line_number
from bot.values.consumer import Origin, Package, Requirement

LANGUAGE = "ruby"
DECLARING = ("*.gemspec",)
MANIFESTS = (*DECLARING, "Gemfile", "gems.rb", "*.gemfile")
LOCKS = dict.fromkeys(("Gemfile.lock", "gems.locked"), r"(?m)^    NAME \(([^)\n]+)\)")
PRIVATE = re.compile(r"_(?!_)")
_REQUIRE_PATHS = re.compile(r"\.require_paths?\s*=\s*((?:%w)?[\[({][^\])}\n]{0,300}|[\"'][^\"'\n]{1,100})")
_NAMED = re.compile(r"\.name[ \t]*=[ \t]*['\"]([\w.-]+)['\"]|\bGem::Specification\.new[ \t(]*['\"]([\w.-]+)['\"]")
_INCLUDED = re.compile(r"^[ \t]*eval_gemfile[ \t(]+['\"]([^'\"\n]{1,300})['\"]", re.MULTILINE)
_ASKED = re.compile(
    r"(?:^|[;{|]|\b(?:do|then))[ \t]*(?:\w{1,40}\.add_(?:runtime_|development_)?dependency[ \t(]+|gem[ \t(]+)"
    r"(?:['\"]|%q<)([\w.-]+)['\">]([^\n]*(?:,[ \t]*\n[^\n]*){0,8})",
    re.MULTILINE,
)
_VERSION = re.compile(r"['\"]([<>=~!]*[ \t]*\d[\w.]*)['\"]")
_OPTION = re.compile(r":?(path|git|github|tag|ref|branch)\b[\"']?[ \t]*(?::|=>)[ \t]*['\"]([^'\"]*)['\"]")


def packages(manifests: Mapping[str, bytes], paths: Collection[str]) -> tuple[Package, ...]:
    """The gems of a tree: what is below `lib` or the `require_paths` beside a gemspec, or below `app` of an engine.

    A gem whose name is not written out is called like its file, as is the habit.
    """
    del paths
    rows = []
    for path, source in sorted(manifests.items()):
        text = manifest_text(source) if path.endswith(".gemspec") else ""
        name = _NAMED.search(text)
        if name or "Gem::Specification" in text:
            own = (name[1] or name[2]) if name else posixpath.basename(path).removesuffix(".gemspec")
            folder, listed = posixpath.dirname(path), _REQUIRE_PATHS.search(text)
            tops = re.findall(r"[\w./-]+", listed[1].replace("%w", "")) if listed else ["lib"]
            roots = tuple(posixpath.normpath(posixpath.join(folder, top)).removeprefix(".") for top in ("app", *tops))
            rows.append(Package(LANGUAGE, own, folder, roots))
    return tuple(rows)


def requirements(manifests: Mapping[str, bytes]) -> tuple[Requirement, ...]:
    """What gemspecs and Gemfiles ask for."""
    rows = []
    for path, source in sorted(manifests.items()):
        text = manifest_text(source)
        for match in _ASKED.finditer(text):
            options = dict(_OPTION.findall(match[2]))
            origin: Origin = "git" if options.keys() & {"git", "github"} else "registry"
            origin = "path" if "path" in options else origin
            tag = options.get("tag") or options.get("ref") or options.get("branch") or ""
            versions = ", ".join(one.replace(" ", "") for one in _VERSION.findall(match[2]))
            asked = {"path": options.get("path", ""), "git": tag}.get(origin, versions)
            line, is_fixed = line_number(text, match.start(1)), bool(options.keys() & {"tag", "ref"})
            rows.append(Requirement(LANGUAGE, match[1], asked, origin, path, line, fixed=is_fixed))
    return tuple(rows)


def included_paths(path: str, source: bytes) -> Sequence[str]:
    """The files that `eval_gemfile` names."""
    folder = posixpath.dirname(path)
    return [posixpath.normpath(posixpath.join(folder, match[1])) for match in _INCLUDED.finditer(manifest_text(source))]
