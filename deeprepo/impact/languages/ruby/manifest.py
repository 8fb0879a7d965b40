"""Read Ruby gems from gemspecs; only literal values are read, and nothing is run."""

import posixpath
import re
from collections.abc import Iterator, Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.paths import joined
from deeprepo.impact.text.tables import manifest_text

MANIFESTS = ("*.gemspec", "Gemfile", "*.gemfile", "gems.rb")
_REQUIRE_PATHS = re.compile(r"\.require_paths?\s*=\s*((?:%w)?[\[({][^\])}\n]{0,300}|[\"'][^\"'\n]{1,100})")
_NAMED = re.compile(r"\.name[ \t]*=[ \t]*['\"]([\w.-]+)['\"]")


def packages(manifests: Mapping[str, bytes]) -> tuple[Package, ...]:
    """Return the gems of a tree. A gem without a literal name is named after its file."""
    rows = []
    for path, source in sorted(manifests.items()):
        if path.endswith(".gemspec"):
            name = _NAMED.search(manifest_text(source))
            own = name[1] if name else posixpath.basename(path).removesuffix(".gemspec")
            rows.append(Package("ruby", own, posixpath.dirname(path)))
    return tuple(rows)


def load_path(manifests: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the folders from which the gems of a tree are loaded: `lib` or `require_paths`, and `app` for an engine."""
    for path, source in manifests.items():
        if path.endswith(".gemspec"):
            listed = _REQUIRE_PATHS.search(manifest_text(source))
            tops = re.findall(r"[\w./-]+", listed[1].replace("%w", "")) if listed else ["lib"]
            yield from (joined(posixpath.dirname(path), top) for top in ("app", *tops))
