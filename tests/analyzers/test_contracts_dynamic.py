import pytest
from contract_findings import look, uses
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
            "exec(text, {})\n",
            "namespace = {}\nexec(open('version').read(), namespace)\n",
            "exec(text, globals=namespace)\n",
            "exec('made = 1')\n",
            "exec('''\nimport os\nclass Made: pass\n''', globals())\n",
            "def go():\n    exec('old_name = 1')\n",
            "globals().update(made=1)\n",
            "globals().update({'made': 1})\n",
            "globals()['made'] = 1\n",
            "print(globals()['other'])\n",
            "def go():\n    return '%(a)s' % locals()\n",
            "import sys\n\nsetattr(sys.modules[__name__], 'made', 1)\n",
            "import sys\n\nhere = getattr(sys.modules[__name__], 'other')\n",
            "def __getattr__(name):\n    if name == 'made':\n        return 1\n    raise AttributeError(name)\n",
            "class Made:\n    def __getattr__(self, name):\n        return 1\n",
        ],
        *range(0, 15, 4),
    ),
)
def test_dynamic_code_that_can_be_read_defines_its_names_alone(repository: Repository, code: str) -> None:
    """A namespace of its own defines nothing, a literal what is written in it: any other name is still gone."""
    found = look(repository.change({"lib.py": LIB, "app.py": USER}, {"lib.py": REST + code}))

    assert [(one.path, one.verdict) for one in found] == [("app.py", "proven")]


@pytest.mark.parametrize(
    "code",
    few(
        [
            "exec('def old_name(a): return a')\n",
            "exec('old_name = other', globals())\n",
            "def go():\n    exec('global old_name\\nold_name = other')\n",
            "globals().update({'old_name': other})\n",
            "globals()['old_name'] = other\n",
            "globals().setdefault('old_name', other)\n",
            "import sys\n\nsys.modules[__name__].old_name = other\n",
            "def __getattr__(name):\n    if name in ('old_name', 'made'):\n        return other\n    raise AttributeError(name)\n",
        ],
        *range(0, 8, 4),
    ),
)
def test_the_names_that_it_defines_are_there(repository: Repository, code: str) -> None:
    """What is written in a literal counts as a definition."""
    assert look(repository.change({"lib.py": LIB, "app.py": USER}, {"lib.py": REST + code})) == []


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("exec(text)\n", "`exec(text)` in line 5 of lib.py"),
        ("exec(text, globals())\n", "`exec(text, globals())` in line 5 of lib.py"),
        ("globals().update(text)\n", "`globals().update(text)` in line 5 of lib.py"),
        ("exec(f'{text} = 1')\n", "`exec(f'{text} = 1')` in line 5 of lib.py"),
        ("def __getattr__(name):\n    return other\n", "`__getattr__` in line 5 of lib.py"),
    ],
)
def test_what_disarms_a_proof_is_named(repository: Repository, code: str, place: str) -> None:
    """Nothing is proven where any name may be made, and the open line tells what makes them and where."""
    pull = repository.change({"lib.py": LIB, "app.py": USER}, {"lib.py": REST + code})
    assert look(pull) == []

    assert {use.says for use in uses(pull) if use.path == "app.py"} == {f"old_name is gone, unless {place} defines it"}


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
