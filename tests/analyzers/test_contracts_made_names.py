"""What is gone where code may define names as well, and constants of Ruby with their whole path: hints, and where none is due."""

from collections.abc import Mapping

import pytest
from contract_findings import look
from fakes import Repository

Files = Mapping[str, str | None]
Told = list[tuple[str, int, str]]
VAULT = "defmodule Shop.Vault do\n  use Cloak.Vault, otp_app: :shop\n\n  def default_cipher(key), do: key\n  def label(row), do: row\nend\n"
WITHOUT = VAULT.replace("  def default_cipher(key), do: key\n", "")
USER = "defmodule Shop.User do\n  alias Shop.Vault\n\n  def run(key), do: Vault.default_cipher(key)\nend\n"
GONE = [("lib/shop/user.ex", 4, "likely-removed")]


def _told(repository: Repository, before: Files, after: Files) -> Told:
    return [(one.path, one.start, one.rule) for one in look(repository.change(dict(before), dict(after)))]


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (VAULT, WITHOUT, GONE),
        (VAULT, VAULT.replace("default_cipher", "main_cipher"), GONE),
        (
            VAULT.replace("use Cloak.Vault, otp_app: :shop", "for name <- [:a] do\n    def unquote(name)(), do: 1\n  end"),
            WITHOUT.replace("use Cloak.Vault, otp_app: :shop", "for name <- [:a] do\n    def unquote(name)(), do: 1\n  end"),
            GONE,
        ),
        (VAULT, WITHOUT.replace("use Cloak.Vault", "use Cloak.Vault\n  use Cloak.Ciphers"), []),
        (VAULT, WITHOUT.replace("use Cloak.Vault, otp_app: :shop", "use Shop.Ciphers"), []),
        (VAULT, WITHOUT.replace("label(row), do: row", "label(row), do: default_cipher(row)"), [("lib/shop/vault.ex", 4, "removed-symbol")]),
        (VAULT.replace("default_cipher(key)", "load(key)"), WITHOUT, []),
    ],
    ids=["removed", "renamed", "made by a loop", "another use", "a use in its place", "still said", "one word"],
)  # fmt: skip
def test_a_function_beside_an_unchanged_use_is_a_hint(
    repository: Repository, before: str, after: str, told: Told
) -> None:
    """What a macro makes was beside it before, so it makes something else; a new macro, or a name that is still said there, may make it."""
    user = USER.replace("default_cipher", "load") if "load" in before else USER
    assert (
        _told(repository, {"lib/shop/vault.ex": before, "lib/shop/user.ex": user}, {"lib/shop/vault.ex": after}) == told
    )


def test_a_function_that_a_macro_of_the_project_defines_is_silent(repository: Repository) -> None:
    """What a module gets by `use` takes the place of what it had written itself."""
    macro = "defmodule Cloak.Vault do\n  defmacro __using__(_) do\n    quote do\n      def default_cipher(key), do: key\n    end\n  end\nend\n"
    files = {"lib/cloak/vault.ex": macro, "lib/shop/vault.ex": VAULT, "lib/shop/user.ex": USER}
    assert _told(repository, files, {"lib/shop/vault.ex": WITHOUT}) == []


def test_an_example_in_a_documentation_defines_nothing(repository: Repository) -> None:
    """A `use` in the text of a module leaves no doubt about it: what is gone is proven."""
    before = VAULT.replace("use Cloak.Vault, otp_app: :shop", '@moduledoc """\n      use Cloak.Vault\n  """')
    after = before.replace("  def default_cipher(key), do: key\n", "")
    files = {"lib/shop/vault.ex": before, "lib/shop/user.ex": USER}
    assert _told(repository, files, {"lib/shop/vault.ex": after}) == [("lib/shop/user.ex", 4, "removed-symbol")]


@pytest.mark.parametrize(
    ("used", "name", "told"),
    [
        ("GenServer", "child_spec", []),
        ("Ecto.Repo", "get_by", []),
        ("GenServer", "load_rows", [("lib/shop/user.ex", 4, "removed-symbol")]),
        ("Agent", "get_by", [("lib/shop/user.ex", 4, "removed-symbol")]),
    ],
)
def test_a_function_that_elixirs_own_use_defines_is_still_there(
    repository: Repository, used: str, name: str, told: Told
) -> None:
    """Who removes an override of `child_spec` gets that of GenServer back."""
    before = VAULT.replace("Cloak.Vault, otp_app: :shop", used).replace("default_cipher", name)
    after = WITHOUT.replace("Cloak.Vault, otp_app: :shop", used)
    files = {"lib/shop/vault.ex": before, "lib/shop/user.ex": USER.replace("default_cipher", name)}
    assert _told(repository, files, {"lib/shop/vault.ex": after}) == told


@pytest.mark.parametrize(
    ("name", "told"), [("Shop.Vault", [("lib/shop/user.ex", 4, "removed-symbol")]), ("Shop.Safe", [])]
)
def test_a_module_that_moves_under_its_name_loses_what_it_leaves_behind(
    repository: Repository, name: str, told: Told
) -> None:
    """A file in a folder that mix is told of is found by its module; under another name the module is gone, which another check says."""
    before = VAULT.replace(
        "  use Cloak.Vault, otp_app: :shop\n", "  def keep(row), do: row\n  def hold(row), do: row\n"
    )
    after = before.replace("  def default_cipher(key), do: key\n", "").replace("Shop.Vault", name)
    files = {"lib/shop/vault.ex": before, "lib/shop/user.ex": USER}
    found = _told(repository, files, {"lib/shop/vault.ex": None, "compat/shop/vault.ex": after})
    assert [row for row in found if row[2] == "removed-symbol"] == told


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ({}, [("lib/shop.ex", 2, "removed-module")]),
        ({"lib/other.ex": "defmodule Shop.Vault do\n  def default_cipher(key), do: key\nend\n"}, []),
    ],
)
def test_a_module_that_is_written_in_full_is_gone_with_its_file(
    repository: Repository, rest: Files, told: Told
) -> None:
    """That the module around it is there says nothing; another file that defines it does."""
    user = "defmodule Shop do\n  def run(key), do: Shop.Vault.default_cipher(key)\nend\n"
    vault = "defmodule Shop.Vault do\n  def default_cipher(key), do: key\nend\n"
    files = {"lib/shop/vault.ex": vault, "lib/shop.ex": user, **rest}
    assert _told(repository, files, {"lib/shop/vault.ex": None}) == told


CART = "module Shop\n  class OldCart\n    def self.count_all_rows(a)\n      a\n    end\n  end\nend\n"
HOME = "lib/shop/old_cart.rb"


@pytest.mark.parametrize(
    ("files", "after", "told"),
    [
        ({"app/models/user.rb": "class User\n  include Shop::OldCart\nend\n"}, {}, [("app/models/user.rb", 2, "likely-removed")]),
        ({"lib/shop.rb": "module Shop\n  CART = Shop::OldCart\nend\n"}, {}, [("lib/shop.rb", 2, "likely-removed")]),
        ({"lib/shop.rb": "Shop::OldCart if defined?(Shop::OldCart)\n"}, {}, []),
        ({"lib/shop.rb": "Shop::OldCart if defined?(::Rails)\n"}, {}, [("lib/shop.rb", 1, "likely-removed")]),
        ({"lib/shop.rb": "Shop::OldCart\n", "spec/cart.rb": "class Shop::OldCart\nend\n"}, {}, []),
        (
            {"lib/shop.rb": "Shop::OldCart\n", "Gemfile": "gem 'rake'\n"},
            {"Gemfile": "gem 'rake'\ngem 'shop-carts'\n"},
            [],
        ),
        ({"lib/shop.rb": "Shop::OldCart\n"}, {"lib/shop/old_carts.rb": CART.replace("OldCart", "OldCarts")}, [("lib/shop.rb", 1, "likely-removed")]),
        ({f"lib/part{number}.rb": "Shop::OldCart\n" for number in range(9)}, {}, []),
    ],
    ids=["mixed in", "a value", "asked first", "asked about another", "opened elsewhere", "a new gem", "renamed with its file", "used everywhere"],
)  # fmt: skip
def test_a_constant_of_a_removed_file_is_a_hint(repository: Repository, files: Files, after: Files, told: Told) -> None:
    """Nothing in the tree defines it any more; another gem might, and a condition about it foresees that it is gone."""
    assert _told(repository, {HOME: CART, **files}, {HOME: None, **after}) == told


@pytest.mark.parametrize(
    ("folder", "receiver", "told"),
    [
        ("shop", "Shop::Cart", ["required-parameter"]),
        ("myshop", "MyShop::Cart", ["required-parameter"]),
        ("shop", "Shop::CARt", ["required-parameter"]),
        ("myshop", "YourShop::Cart", []),
    ],
)
def test_a_constant_is_found_whatever_its_capitals(
    repository: Repository, folder: str, receiver: str, told: list[str]
) -> None:
    """`RuboCop` is in rubocop: a folder's name tells not where words end."""
    module = receiver.partition("::")[0].replace("Your", "My")
    cart = (
        f"module {module}\n  class {receiver.rpartition('::')[2]}\n    def self.load(a)\n      a\n    end\n  end\nend\n"
    )
    home = f"lib/{folder}/cart.rb"
    files = {home: cart, "app/models/user.rb": f"class User\n  {receiver}.load(1)\nend\n"}
    found = _told(repository, files, {home: cart.replace("load(a)", "load(a, b)")})
    assert [rule for _, _, rule in found] == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Shop::Rules.schemes(1)", [("app/models/user.rb", 2, "likely-removed")]),
        ("Other::Tax.schemes(1)", []),
    ],
)
def test_a_class_with_its_whole_path_is_called_like_its_last_part(
    repository: Repository, line: str, told: Told
) -> None:
    """A member of one word is a hint behind the class that had it, and not behind another one."""
    rules = "module Shop\n  module Rules\n    def self.schemes(a)\n      a\n    end\n  end\nend\n"
    files = {"lib/shop.rb": rules, "app/models/user.rb": f"class User\n  {line}\nend\n"}
    after = rules.replace("schemes", "all_of_them")
    assert _told(repository, files, {"lib/shop.rb": after}) == told


CLEANER = "module Cleaner\n  def clean_old_versions\n    1\n  end\nend\n"


@pytest.mark.parametrize(
    ("user", "others", "told"),
    [
        ("class User\n  clean_old_versions :all\nend\n", {}, [("app/user.rb", 2, "likely-removed")]),
        ("class User\n  Trail.clean_old_versions\nend\n", {"lib/trail.rb": "module Trail\n  extend Cleaner\nend\n"}, [("app/user.rb", 2, "likely-removed")]),
        ("class User\n  Trail.clean_old_versions\nend\n", {}, []),
        ("class User\n  clean_old_versions :all\nend\n", {"app/b.rb": "class B\n  clean_old_versions :all\nend\n"}, []),
        ("class User\n  clean_old_versions :all\nend\n", {"lib/b.rb": "def clean_old_versions(a)\nend\n"}, []),
    ],
    ids=["a macro of a class", "a class that extends it", "a class of a library", "used in two files", "defined elsewhere"],
)  # fmt: skip
def test_a_method_that_a_class_took_from_a_module_is_a_hint(
    repository: Repository, user: str, others: Files, told: Told
) -> None:
    """Nothing else defines a name of several words, and one file still says it; of two, or of a library's class, nobody knows."""
    files = {"lib/cleaner.rb": CLEANER, "app/user.rb": user, **others}
    after = {"lib/cleaner.rb": CLEANER.replace("clean_old_versions", "sweep")}
    assert _told(repository, files, after) == told


@pytest.mark.parametrize(
    ("line", "told"),
    [("define_method(computed) { 1 }", [("lib/user.rb", 1, "likely-removed")]), ("module_function", [("lib/user.rb", 1, "removed-symbol")])],
)  # fmt: skip
def test_a_method_beside_unchanged_code_that_makes_methods_is_a_hint(
    repository: Repository, line: str, told: Told
) -> None:
    """`module_function` makes nothing that is not written."""
    cleaner = CLEANER.replace("module Cleaner\n", f"module Cleaner\n  {line}\n\n")
    files = {"lib/cleaner.rb": cleaner, "lib/user.rb": "Cleaner.clean_old_versions\n"}
    assert _told(repository, files, {"lib/cleaner.rb": cleaner.replace("clean_old_versions", "sweep")}) == told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Shop::Limits", [("lib/shop/limits.rb", 3, "removed-symbol")]),
        ("Core::Limits", []),
        ("Limits", [("lib/shop/limits.rb", 3, "removed-symbol")]),
    ],
)
def test_a_constant_behind_another_module_is_another_one(repository: Repository, line: str, told: Told) -> None:
    """A gem has a `Limits` as well: which module stands before it tells."""
    before = f"module Shop\n  module Limits\n    include {line}\n  end\nend\n"
    after = f"module Shop\n\n  include {line}\n\nend\n"
    assert _told(repository, {"lib/shop/limits.rb": before}, {"lib/shop/limits.rb": after}) == told


def test_a_module_that_a_file_no_longer_opens_is_still_there(repository: Repository) -> None:
    """Any file that is loaded before may define a constant: that this one has lost its own definition says nothing."""
    before = "module Shop\n  describe Shop::Cart do\n  end\nend\n"
    files = {"spec/cart_spec.rb": before, "lib/shop/cart.rb": "module Shop\n  class Cart\n  end\nend\n"}
    assert _told(repository, files, {"spec/cart_spec.rb": "describe Shop::Cart do\nend\n"}) == []


@pytest.mark.parametrize(("others", "told"), [({}, [("app/user.rb", 3, "likely-removed")]), ({"lib/tax.rb": "module Tax\n  def empty_rows?(a)\n    a\n  end\nend\n"}, [])])  # fmt: skip
def test_a_name_with_a_question_mark_is_looked_up_like_any_other(
    repository: Repository, others: Files, told: Told
) -> None:
    """What another module defines may have been mixed in; the mark is a part of the name."""
    cleaner = "module Cleaner\n  def empty_rows?(a)\n    a\n  end\nend\n"
    files = {"lib/cleaner.rb": cleaner, "app/user.rb": "class User\n  def run(a)\n    a.empty_rows?(1)\n    Cleaner\n  end\nend\n", **others}  # fmt: skip
    assert _told(repository, files, {"lib/cleaner.rb": cleaner.replace("empty_rows?", "sweep")}) == told


def test_a_method_that_is_called_constructor_constructs_nothing(repository: Repository) -> None:
    """In Ruby a class is made by `initialize`: another method's arguments are its own."""
    cart = (
        "class Cart\n  def initialize(a, b)\n    @a = a\n  end\n\n  def constructor(fn, options)\n    fn\n  end\nend\n"
    )
    files = {"lib/cart.rb": cart, "app/user.rb": "class User\n  def run\n    Cart.new(1, 2)\n  end\nend\n"}
    assert _told(repository, files, {"lib/cart.rb": cart.replace("constructor(fn, options)", "constructor(fn)")}) == []
