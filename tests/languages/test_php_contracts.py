import json

import pytest
from fakes import Repository
from told import Row, Tree, rows

COMPOSER = json.dumps(
    {
        "autoload": {"psr-4": {"App\\": "src/"}, "files": ["src/functions.php"]},
        "autoload-dev": {"psr-4": {"App\\Tests\\": ["tests/"]}, "psr-0": {"Old_": "legacy"}},
    }
)
USER = (
    "<?php\nnamespace App\\Models;\n\nclass User\n{\n    const LIMIT = 3;\n    public function __construct(private string $name, int $age = 0) {}\n"
    "    public static function find(int $id, bool $fresh = false): ?self { return null; }\n    public function rename(string $to) {}\n}\n"
)
PAGE = (
    "<?php\nnamespace App\\Web;\n\nuse App\\Models\\User;\n\nfunction page(User $one)\n{\n    $user = new User('a');\n    User::find(1);\n"
    "    $one->rename('b');\n    return User::LIMIT;\n}\n"
)
FUNCTIONS = "<?php\nnamespace App;\n\nfunction total(array $items, float $tax) { return 1; }\n"
CART = "<?php\nnamespace App\\Web;\n\nuse function App\\total;\n\n$sum = total([], 1.0);\n"
BEFORE: Tree = {"composer.json": COMPOSER, "src/Models/User.php": USER, "src/Web/Page.php": PAGE}
SHOP: Tree = {"composer.json": COMPOSER, "src/functions.php": FUNCTIONS, "src/Web/Cart.php": CART}
SUIT = "<?php\nnamespace App\\Models;\n\nenum Suit: string {\n    case Hearts = 'h';\n    case Spades = 's';\n}\n"


def _user(old: str, new: str) -> Tree:
    assert old in USER
    return {"src/Models/User.php": USER.replace(old, new)}


TRUE: list[tuple[str, Tree, Tree, list[Row]]] = [
    ("a constant is gone", BEFORE, _user("    const LIMIT = 3;\n", ""), [("src/Web/Page.php", 11, "removed-symbol")]),
    (
        "a constructor wants more",
        BEFORE,
        _user("int $age = 0", "int $age"),
        [("src/Web/Page.php", 8, "required-parameter")],
    ),
    (
        "a method wants more",
        BEFORE,
        _user("string $to", "string $to, int $why"),
        [("src/Web/Page.php", 10, "required-parameter")],
    ),
    ("a class's file is gone", BEFORE, {"src/Models/User.php": None}, [("src/Web/Page.php", 8, "removed-module")]),
    (
        "a function is gone",
        SHOP,
        {"src/functions.php": "<?php\nnamespace App;\n"},
        [("src/Web/Cart.php", 6, "removed-symbol")],
    ),
    (
        "an include of another suffix calls it",
        {**SHOP, "src/Web/cart.inc": CART},
        {"src/functions.php": "<?php\nnamespace App;\n"},
        [("src/Web/Cart.php", 6, "removed-symbol"), ("src/Web/cart.inc", 6, "removed-symbol")],
    ),
    (
        "a named argument is renamed",
        {**SHOP, "src/Web/Cart.php": CART.replace("[], 1.0", "items: [], tax: 1.0")},
        {"src/functions.php": FUNCTIONS.replace("$tax", "$rate")},
        [("src/Web/Cart.php", 6, "keyword")],
    ),
    (
        "a case is gone",
        {
            "composer.json": COMPOSER,
            "src/Models/Suit.php": SUIT,
            "src/Web/Deal.php": "<?php\nuse App\\Models\\Suit;\n\necho Suit::Spades->value;\n",
        },
        {"src/Models/Suit.php": SUIT.replace("    case Spades = 's';\n", "")},
        [("src/Web/Deal.php", 4, "removed-symbol")],
    ),
    (
        "an alias",
        {**BEFORE, "src/Web/Page.php": "<?php\nuse App\\Models\\{User as Person};\n\nPerson::find(1);\n"},
        _user("bool $fresh = false", "bool $fresh"),
        [("src/Web/Page.php", 4, "required-parameter")],
    ),
    (
        "an included function is gone",
        {"lib/a.php": "<?php\nfunction a_b() {}\n", "b.php": "<?php\nrequire 'lib/a.php';\n\na_b();\n"},
        {"lib/a.php": "<?php\n"},
        [("b.php", 4, "removed-symbol")],
    ),
]
FALSE: list[tuple[str, Tree, Tree]] = [
    ("too many arguments are dropped", SHOP, {"src/functions.php": FUNCTIONS.replace(", float $tax", "")}),
    ("arguments are read by hand", SHOP, {"src/functions.php": FUNCTIONS.replace("$tax) {", "$tax, $b) { func_get_args();")}),
    (
        "arguments are unpacked",
        {**SHOP, "src/Web/Cart.php": CART.replace("[], 1.0", "...$all")},
        {"src/functions.php": FUNCTIONS.replace("$tax", "$tax, $round")},
    ),
    ("a magic call answers", BEFORE, _user("public function rename(string $to) {}", "public function __call($a, $b) {}")),
    ("a parent may have it", BEFORE, {"src/Models/User.php": USER.replace("class User", "class User extends Model").replace("function rename", "function re")}),
    ("a trait may have it", BEFORE, _user("    public function rename(string $to) {}\n", "    use Renames;\n")),
    ("an interface says less than its classes", {**BEFORE, "src/Models/User.php": USER.replace("class", "interface")}, {"src/Models/User.php": USER.replace("class", "interface").replace("rename", "relabel")}),
    (
        "its existence is asked",
        {**SHOP, "src/Web/Cart.php": CART.replace("$sum", "if (function_exists('App\\\\total')) $sum")},
        {"src/functions.php": "<?php\nnamespace App;\n"},
    ),
    ("a file may give other names", BEFORE, {"src/Models/User.php": "<?php\nclass_alias('App\\\\Person', 'App\\\\Models\\\\User');\n"}),
    ("comments and strings", {**BEFORE, "src/Web/Page.php": "<?php\nuse App\\Models\\User;\n\n// User::LIMIT\necho 'User::LIMIT';\n"}, _user("    const LIMIT = 3;\n", "")),
    (
        "the function is defined twice",
        {**SHOP, "src/functions.php": FUNCTIONS + "if (!function_exists('x')) { function total(array $items) {} }\n"},
        {"src/functions.php": FUNCTIONS + "if (!function_exists('x')) { function total(array $items, $a, $b) {} }\n"},
    ),
    (
        "another included file takes over",
        {"a.php": "<?php\nfunction a_b() {}\n", "c.php": "<?php\n", "b.php": "<?php\nrequire 'a.php';\nrequire 'c.php';\na_b();\n"},
        {"a.php": "<?php\n", "c.php": "<?php\nfunction a_b() {}\n"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), [row[1:] for row in TRUE], ids=[row[0] for row in TRUE])
def test_broken_reference_is_reported(repository: Repository, before: Tree, after: Tree, expected: list[Row]) -> None:
    """A PHP reference that the change breaks is reported at its line with the right rule."""
    assert rows(repository.change(before, after)) == expected


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in FALSE], ids=[row[0] for row in FALSE])
def test_uncertain_reference_is_not_reported(repository: Repository, before: Tree, after: Tree) -> None:
    """Nothing is reported if a PHP name may still be defined, or if extra arguments are allowed."""
    assert rows(repository.change(before, after)) == []
