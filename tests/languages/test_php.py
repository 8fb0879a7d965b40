import json

import pytest

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

PHP = leading("php")

COMPOSER = json.dumps(
    {
        "autoload": {"psr-4": {"App\\": "src/"}, "files": ["src/functions.php"]},
        "autoload-dev": {"psr-4": {"App\\Tests\\": ["tests/"]}, "psr-0": {"Old_": "legacy"}},
    }
)


@pytest.mark.parametrize(
    ("line", "target", "names", "aliases"),
    [
        ("use App\\Models\\User;", "src/Models/User.php", {"User"}, ()),
        ("use App\\Models\\User as U;", "src/Models/User.php", {"User"}, (("User", "U"),)),
        ("use App\\{Models\\User, Other};", "src/Models/User.php", {"User"}, ()),
        ("use function App\\total;", "src/functions.php", {"total"}, ()),
        ("use const App\\LIMIT as L;", "src/functions.php", {"LIMIT"}, (("LIMIT", "L"),)),
        ("use App\\Tests\\Case1;", "tests/Case1.php", {"Case1"}, ()),
        ("new \\App\\Models\\User();", "src/Models/User.php", {"User"}, (("User", "\\App\\Models\\User"),)),
        ("use App\\Models;\nnew Models\\User();", "src/Models/User.php", {"User"}, (("User", "Models\\User"),)),
        ("namespace App;\nnew Models\\User();", "src/Models/User.php", {"User"}, (("User", "Models\\User"),)),
        ("namespace App;\nnamespace\\total();", "src/functions.php", {"total"}, (("total", "namespace\\total"),)),
        ("require __DIR__ . '/../lib/a.php';", "lib/a.php", {"*"}, ()),
        ("require $computed;", None, set(), ()),
        ("// new \\App\\Models\\User();", None, set(), ()),
        ("$f = function () use ($x) {};", None, set(), ()),
    ],
)
def test_name_resolves_to_a_file(
    line: str, target: str | None, names: set[str], aliases: tuple[tuple[str, str], ...]
) -> None:
    """A name resolves through composer.json's autoload maps, `use`, its qualified form or an include."""
    paths = ["src/Models/User.php", "src/functions.php", "tests/Case1.php", "lib/a.php", "bin/run.php"]
    project = resolving.project(PHP, paths, {"composer.json": COMPOSER.encode()})
    project.register("src/functions.php", b"<?php\nnamespace App;\nconst LIMIT = 1;\nfunction total() {}\n")
    found = project.links("bin/run.php", f"<?php\n{line}\n".encode())

    assert [(item.target, item.names, item.aliases) for item in found] == ([(target, names, aliases)] if target else [])
