import pytest
from fakes import Repository
from told import Row, Tree, look, rows

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

RUBY = leading("ruby")

STORE = (
    "module Shop\n  class Store\n    MAX_ITEMS = 3\n    attr_reader :owner_name\n\n    def initialize(name, size = 1)\n      @name = name\n    end\n\n"
    "    def self.open_all(*names)\n      names\n    end\n\n    def move_item(item, to:, note: nil)\n      [item, to, note]\n    end\n\n"
    "    def count\n      move_item(1, to: 2)\n    end\n  end\nend\n"
)
USER = (
    "require_relative 'store'\n\ndef run\n  store = Shop::Store.new('a')\n  store.move_item(1, to: 2)\n  store.owner_name\n"
    "  Shop::Store.open_all('a')\n  Shop::Store::MAX_ITEMS\nend\n"
)
BEFORE: Tree = {"lib/shop/store.rb": STORE, "lib/shop/run.rb": USER}
RAILS: Tree = {
    "app/models/admin/user.rb": "class Admin::User\n  def self.newest_first(limit)\n    limit\n  end\nend\n",
    "app/controllers/home_controller.rb": "class HomeController\n  def index\n    Admin::User.newest_first(3)\n  end\nend\n",
}


def _store(old: str, new: str) -> Tree:
    assert old in STORE
    return {"lib/shop/store.rb": STORE.replace(old, new)}


OPEN_ALL = "    def self.open_all(*names)\n      names\n    end\n\n"
TRUE: list[tuple[str, Tree, Tree, list[Row]]] = [
    ("a method of a class is gone", BEFORE, _store(OPEN_ALL, ""), [("lib/shop/run.rb", 7, "removed-symbol")]),
    ("a constant is gone", BEFORE, _store("    MAX_ITEMS = 3\n", ""), [("lib/shop/run.rb", 8, "removed-symbol")]),
    (
        "an attribute is gone",
        BEFORE,
        _store("    attr_reader :owner_name\n", ""),
        [("lib/shop/run.rb", 6, "removed-symbol")],
    ),
    ("a constructor wants more", BEFORE, _store("size = 1", "size"), [("lib/shop/run.rb", 4, "required-parameter")]),
    (
        "a keyword is required now",
        BEFORE,
        _store("note: nil", "note:"),
        [("lib/shop/run.rb", 5, "required-parameter"), ("lib/shop/store.rb", 19, "required-parameter")],
    ),
    ("a required file is gone", BEFORE, {"lib/shop/store.rb": None}, [("lib/shop/run.rb", 4, "removed-module")]),
    (
        "a constant that loads itself",
        RAILS,
        {"app/models/admin/user.rb": RAILS["app/models/admin/user.rb"].replace("(limit)", "(limit, order)")},  # type: ignore[union-attr,arg-type]
        [("app/controllers/home_controller.rb", 3, "required-parameter")],
    ),
    (
        "a constant of a class that loads itself",
        {
            **RAILS,
            "app/models/rate.rb": "class Rate\n  LIMIT = 3\n  class TooMuch < StandardError; end\nend\n",
            "app/jobs/pay_job.rb": "class PayJob\n  def run(sum)\n    raise Rate::TooMuch if sum > Rate::LIMIT\n  end\nend\n",
        },
        {"app/models/rate.rb": "class Rate\n  class TooLarge < StandardError; end\nend\n"},
        [("app/jobs/pay_job.rb", 3, "removed-symbol"), ("app/jobs/pay_job.rb", 3, "removed-symbol")],
    ),
]
FALSE: list[tuple[str, Tree, Tree]] = [
    ("a new parameter has a default", BEFORE, _store("size = 1", "size = 1, more = 2")),
    ("everything is handed on", BEFORE, _store("(item, to:, note: nil)\n      [item, to, note]", "(...)\n      other(...)")),
    ("method_missing answers", BEFORE, _store(OPEN_ALL, "    def self.method_missing(name, *rest)\n      name\n    end\n\n")),
    (
        "define_method defines it",
        BEFORE,
        _store(OPEN_ALL, "    %w[open_all].each { |name| define_singleton_method(name) { |*names| names } }\n"),
    ),
    ("an alias takes its place", BEFORE, _store(OPEN_ALL, "    class << self\n      alias open_all new\n    end\n")),
    ("a superclass may have it", BEFORE, {"lib/shop/store.rb": STORE.replace("class Store", "class Store < Base").replace("    attr_reader :owner_name\n", "")}),
    (
        "its existence is asked",
        {**BEFORE, "lib/shop/run.rb": "require_relative 'store'\nputs Shop::Store.open_all if Shop::Store.respond_to?(:open_all)\n"},
        _store(OPEN_ALL, ""),
    ),
    (
        "its absence is rescued",
        {**BEFORE, "lib/shop/run.rb": "require_relative 'store'\nbegin\n  Shop::Store.open_all\nrescue NoMethodError\n  nil\nend\n"},
        _store(OPEN_ALL, ""),
    ),
    ("arguments are spread", {**BEFORE, "lib/shop/run.rb": "require_relative 'store'\nShop::Store.new(*all)\n"}, _store("size = 1", "size")),
    ("a hash is one argument", {**BEFORE, "lib/shop/run.rb": "require_relative 'store'\nShop::Store.new('a' => 1)\n"}, _store("size = 1", "size")),
    ("comments and strings", {**BEFORE, "lib/shop/run.rb": "require_relative 'store'\n# Shop::Store.open_all\nputs 'Shop::Store.open_all'\n"}, _store(OPEN_ALL, "")),
    (
        "a missing file is foreseen",
        {"lib/a.rb": "A = 1\n", "lib/b.rb": "begin\n  require_relative 'a'\nrescue LoadError\n  nil\nend\n"},
        {"lib/a.rb": None},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "expected"), [row[1:] for row in TRUE], ids=[row[0] for row in TRUE])
def test_broken_reference_is_reported(repository: Repository, before: Tree, after: Tree, expected: list[Row]) -> None:
    """A Ruby reference that the change breaks is reported at its line with the right rule."""
    assert rows(repository.change(before, after)) == expected


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in FALSE], ids=[row[0] for row in FALSE])
def test_uncertain_reference_is_not_reported(repository: Repository, before: Tree, after: Tree) -> None:
    """Nothing is reported if a Ruby name may still be defined, or if its absence is handled."""
    assert rows(repository.change(before, after)) == []


@pytest.mark.parametrize(
    ("here", "line", "target", "names"),
    [
        ("bin/run.rb", "require 'shop/store'", "lib/shop/store.rb", {"*"}),
        ("bin/run.rb", "require_relative('../lib/shop/store')", "lib/shop/store.rb", {"*"}),
        ("spec/a_spec.rb", "require 'spec_helper'", "spec/spec_helper.rb", {"*"}),
        ("lib/a.rb", "  autoload :Store, 'shop/store'", "lib/shop/store.rb", {"Store"}),
        ("config/a.rb", "User.all", "app/models/user.rb", {"User"}),
        ("config/a.rb", "Admin::HTMLPage.new", "app/models/admin/html_page.rb", {"HTMLPage"}),
        ("app/controllers/admin/a.rb", "HtmlPage.new", "app/models/admin/html_page.rb", {"HtmlPage"}),
        ("config/a.rb", "::User::LIMIT", "app/models/user.rb", {"User", "LIMIT"}),
        ("config/a.rb", "Shop::Store::LIMIT", "lib/shop/store.rb", {"Store", "LIMIT"}),  # not lib/shop.rb
        ("config/a.rb", "include Taggable", "app/models/concerns/taggable.rb", {"Taggable"}),
        ("config/a.rb", "require 'json'", None, set()),
        ("config/a.rb", "# require 'shop/store'", None, set()),
        ("config/a.rb", "class User", None, set()),
    ],
)
def test_require_or_constant_resolves_to_a_file(here: str, line: str, target: str | None, names: set[str]) -> None:
    """A `require` or a constant resolves through the load path, `autoload` or Zeitwerk's file names."""
    paths = [
        "lib/shop.rb", "lib/shop/store.rb", "spec/spec_helper.rb", "gem/spec/spec_helper.rb", "app/models/user.rb", "app/models/admin/html_page.rb",
        "app/models/concerns/taggable.rb", here,
    ]  # fmt: skip
    found = resolving.project(RUBY, paths, {}).links(here, f"{line}\n".encode())

    assert [(item.target, item.names) for item in found] == ([(target, names)] if target else [])


def test_renamed_constructor_is_referenced_where_its_class_is_constructed(repository: Repository) -> None:
    """`Cart.new(3)` no longer runs a constructor that got another name, so it is one of its references."""
    before: Tree = {
        "cart.rb": "class Cart\n  def initialize(price)\n    @price = price * 2\n    @rows = [price]\n  end\nend\n",
        "pay.rb": "require_relative 'cart'\n\ndef pay\n  Cart.new(3)\nend\n",
    }
    after: Tree = {"cart.rb": str(before["cart.rb"]).replace("initialize", "set_up")}
    found, _ = look(repository.change(before, after))
    assert [(one.path, one.line, one.symbol) for one in found.references] == [("pay.rb", 4, "cart.rb:Cart.set_up")]
