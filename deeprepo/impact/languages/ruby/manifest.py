"""Read Ruby gems from gemspecs; only literal values are read, and nothing is run."""

import posixpath
import re
from collections.abc import Collection, Mapping

from deeprepo.impact.packages import Package
from deeprepo.impact.paths import joined
from deeprepo.impact.text.tables import manifest_text

MANIFESTS = ("*.gemspec", "Gemfile", "*.gemfile", "gems.rb")
_REQUIRE_PATHS = re.compile(r"\.require_paths?\s*=\s*((?:%w)?[\[({][^\])}\n]{0,300}|[\"'][^\"'\n]{1,100})")
_NAMED = re.compile(r"\.name[ \t]*=[ \t]*['\"]([\w.-]+)['\"]")


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
            rows.append(Package("ruby", own, folder, tuple(joined(folder, top) for top in ("app", *tops))))
    return tuple(rows)
