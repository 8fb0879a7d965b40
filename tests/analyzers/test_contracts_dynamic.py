import pytest
from contract_findings import look
from fakes import Repository
from families import few

LIB = "def old_name(a):\n    return a\n\n\ndef other(a):\n    return a\n"
USER = "from lib import old_name\n\nold_name(1)\n"
REST = "def other(a):\n    return a\n\n\n"
RUBY = "class Shop\n  def old_price(x)\n    x\n  end\n\n  def go\n  end\nend\n"
RUBY_USER = "require_relative 'shop'\n\nShop.new.old_price(1)\n"


@pytest.mark.parametrize(
    "code",
    few(
        [
            "exec('def old_name(a): return a')\n",
            "def go():\n    exec('global old_name\\nold_name = other')\n",
            "globals().update({'old_name': other})\n",
            "globals()['old_name'] = other\n",
            "globals().setdefault('old_name', other)\n",
            "import sys\n\nsys.modules[__name__].old_name = other\n",
            "def __getattr__(name):\n    if name in ('old_name', 'made'):\n        return other\n    raise AttributeError(name)\n",
        ],
        *range(0, 7, 3),
    ),
)
def test_code_that_may_define_any_name_silences(repository: Repository, code: str) -> None:
    """Nothing is missing from a module that runs a text, writes to its namespace or answers to names."""
    assert look(repository.change({"lib.py": LIB, "app.py": USER}, {"lib.py": REST + code})) == []


def test_a_method_of_ruby_that_is_defined_by_a_literal_disarms_nothing(repository: Repository) -> None:
    """`define_method(:made)` defines that one."""
    after = "class Shop\n  define_method(:made) { 1 }\n\n  def go\n  end\nend\n"
    found = look(repository.change({"shop.rb": RUBY, "app.rb": RUBY_USER}, {"shop.rb": after}))

    assert [one.path for one in found] == ["app.rb"]


@pytest.mark.parametrize(
    "code", ["define_method(:old_price) { |x| x }", "define_method(name) { 1 }", "def method_missing(n)\n  end"]
)
def test_a_method_of_ruby_that_may_be_made_is_silent(repository: Repository, code: str) -> None:
    """The same name, a computed one, and a class that answers to every name."""
    after = f"class Shop\n  {code}\n\n  def go\n  end\nend\n"
    found = look(repository.change({"shop.rb": RUBY, "app.rb": RUBY_USER}, {"shop.rb": after}))

    assert [one for one in found if one.verdict == "proven"] == []


def test_local_variables_of_php_define_no_function(repository: Repository) -> None:
    """`extract` fills variables, and an alias that is written out is one class."""
    before = (
        "<?php\nfunction old_price($x) { return $x; }\nfunction go($a) { extract($a); }\nclass_alias('One', 'Two');\n"
    )
    user = "<?php\nrequire 'lib.php';\n\nold_price(1);\n"
    after = before.replace("function old_price($x) { return $x; }\n", "")
    found = look(repository.change({"lib.php": before, "app.php": user}, {"lib.php": after}))

    assert [one.path for one in found] == ["app.php"]


@pytest.mark.parametrize(("metaclass", "is_proven"), [("Meta", False), ("type", True), ("abc.ABCMeta", True)])
def test_a_metaclass_may_call_its_class_otherwise(repository: Repository, metaclass: str, is_proven: bool) -> None:
    """What it hands to `__init__` is not what a call of the class writes: the call is open and nothing is proven of it."""
    before = f"import abc\n\n\nclass Meta(type):\n    pass\n\n\nclass A(metaclass={metaclass}):\n    def __init__(self, x):\n        self.x = x\n"
    change = repository.change(
        {"a.py": before, "u.py": "from a import A\n\nA(1)\n"}, {"a.py": before.replace("self, x", "self, x, y")}
    )
    assert bool(look(change)) is is_proven
