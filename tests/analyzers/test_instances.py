"""Methods that an instance, a prototype or a constructor takes away while their text stays."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository

CART = "class Cart:\n    def total(self):\n        return 1\n"
PAY = "from lib import Cart\n\n\ndef pay():\n    return Cart().total()\n"
TAKEN = {
    "an attribute": "self.total = None",
    "one of several": "self.a, self.total = 1, None",
    "a loop": "for self.total in (1,):\n            pass",
    "a resource": 'with open("x") as self.total:\n            pass',
    "the dictionary": 'self.__dict__["total"] = None',
    "a computed key": "self.__dict__[chr(116)] = None",
    "an update": "vars(self).update(total=None)",
    "a function for it": 'object.__setattr__(self, "total", None)',
}
LEFT = {
    "a call": "self.x = self.total()",
    "another key": 'self.__dict__["x"] = self.total',
    "a look at the dictionary": 'print(self.__dict__["total"])',
    "an annotation": "self.total: int",
    "a resource that it opens": "with self.total() as x:\n            pass",
}


def with_constructor(statement: str) -> str:
    return f"{CART}\n    def __init__(self):\n        {statement}\n"


@pytest.mark.parametrize("statement", TAKEN.values(), ids=TAKEN)
def test_what_an_instance_sets_under_the_name_of_a_method_opens_its_uses(
    repository: Repository, statement: str
) -> None:
    """The method is where it was, and nobody reaches it."""
    pull = repository.change({"lib.py": CART, "pay.py": PAY}, {"lib.py": with_constructor(statement)})

    assert [use.path for use in open_uses(pull)] == ["pay.py"]


@pytest.mark.parametrize("statement", LEFT.values(), ids=LEFT)
def test_what_an_instance_reads_opens_nothing(repository: Repository, statement: str) -> None:
    """The method means what it meant."""
    pull = repository.change({"lib.py": CART, "pay.py": PAY}, {"lib.py": with_constructor(statement)})

    assert (look(pull), open_uses(pull)) == ([], ())


SCRIPT = "export class Cart {\n  constructor() {\n    START\n  }\n  total() {\n    return 1\n  }\n}\nEND\n"
SCRIPT_PAY = 'import { Cart } from "./lib"\n\nexport function pay() {\n  const c = new Cart()\n  return c.total()\n}\n'
CAST = {
    "no cast": ("this.total = null", ""),
    "as": ("(this as any).total = null", ""),
    "an angle": ("(<any>this).total = null", ""),
    "an assertion": ("this!.total = null", ""),
    "satisfies, around the member": ("(this.total satisfies any) = null", ""),
    "a key": ('(this as any)["total"] = null', ""),
    "a pattern": ("[(this as any).total] = [null]", ""),
    "an object": ("Object.assign(this as any, { total: null })", ""),
    "a prototype": ("", "delete (Cart.prototype as any).total"),
    "a prototype that is set": ("", "(Cart as any).prototype.total = null"),
    "the prototype of the prototype": ("", "Object.setPrototypeOf(Cart.prototype, null)"),
    "another object": ("return Object.create(null)", ""),
}


@pytest.mark.parametrize(("start", "end"), CAST.values(), ids=CAST)
def test_a_cast_hides_no_member_that_is_set(repository: Repository, start: str, end: str) -> None:
    """What plain JavaScript shows, TypeScript shows as well."""
    before = {"lib.ts": SCRIPT.replace("START", "").replace("END", ""), "pay.ts": SCRIPT_PAY}
    pull = repository.change(before, {"lib.ts": SCRIPT.replace("START", start).replace("END", end)})

    assert [use.path for use in open_uses(pull)] == ["pay.ts"]


def test_a_method_that_is_bound_to_its_instance_stays(repository: Repository) -> None:
    """`this.total = this.total.bind(this)` takes nothing away."""
    before = {"lib.ts": SCRIPT.replace("START", "").replace("END", ""), "pay.ts": SCRIPT_PAY}
    after = SCRIPT.replace("START", "this.total = this.total.bind(this)").replace("END", "")

    assert open_uses(repository.change(before, {"lib.ts": after})) == ()


BASE = "class Base:\n    def __init__(self, x):\n        self.x = x\n\n\nclass Cart(Base):\n    def total(self):\n        return 1\n"
RUBY = {
    "lib.rb": "class Cart\n  def total\n    1\n  end\nend\n",
    "pay.rb": 'require_relative "lib"\n\ndef pay\n  Cart.new.total\nend\n',
}
PHP = {
    "src/Cart.php": "<?php\nnamespace App;\n\nclass Cart\n{\n    public function total()\n    {\n        return 1;\n    }\n}\n",
    "src/Pay.php": "<?php\nnamespace App;\n\nfunction pay()\n{\n    $c = new Cart();\n    return $c->total();\n}\n",
    "composer.json": '{"autoload": {"psr-4": {"App\\\\": "src/"}}}\n',
}
PYTHON = {"lib.py": CART, "pay.py": PAY}
INIT = "    def __init__(self, x):\n        self.x = x\n\n    def total"
CONSTRUCTORS = {
    "Python": (PYTHON, "lib.py", "    def total", INIT),
    "a base of the same file": (
        {"lib.py": BASE, "pay.py": PAY.replace("Cart()", "Cart(1)")},
        "lib.py",
        "    def total",
        INIT.replace("self, x", "self, x, y"),
    ),
    "Ruby": (RUBY, "lib.rb", "  def total", "  def initialize(x)\n    @x = x\n  end\n\n  def total"),
    "Ruby, a private one": (RUBY, "lib.rb", "  def total", "  private_class_method :new\n\n  def total"),
    "Ruby, none": (RUBY, "lib.rb", "  def total", "  class << self\n    undef new\n  end\n\n  def total"),
    "Ruby, another": (RUBY, "lib.rb", "  def total", "  def self.new = nil\n\n  def total"),
    "PHP, a private one": (PHP, "src/Cart.php", "{\n    public", "{\n    private function __construct()\n    {\n    }\n\n    public"),
    "PHP, a protected one": (PHP, "src/Cart.php", "{\n    public", "{\n    protected function __construct()\n    {\n    }\n\n    public"),
    "PHP": (PHP, "src/Cart.php", "{\n    public", "{\n    public function __construct($x)\n    {\n    }\n\n    public"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "path", "old", "new"), CONSTRUCTORS.values(), ids=CONSTRUCTORS)
def test_a_class_that_gains_a_constructor_is_compared_with_the_one_it_had(
    repository: Repository, files: dict[str, str], path: str, old: str, new: str
) -> None:
    """Who makes an instance without what it asks for is a finding, or open."""
    pull = repository.change({**files}, {path: files[path].replace(old, new, 1)})

    assert look(pull) or open_uses(pull)


@pytest.mark.parametrize("parameters", ["self", "self, x=1", "self, *args, **kwargs"])
def test_a_constructor_that_asks_for_nothing_obliges_nobody(repository: Repository, parameters: str) -> None:
    """Every call that fitted fits."""
    after = CART.replace("    def total", f"    def __init__({parameters}):\n        pass\n\n    def total", 1)
    pull = repository.change(PYTHON, {"lib.py": after})

    assert (look(pull), open_uses(pull)) == ([], ())
