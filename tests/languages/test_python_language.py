import pytest

from bot.languages import LANGUAGES, python


def signature(code: str, name: str = "f") -> str:
    """The parameters of a function as a short text: `a b? *c d! **e`, with `~` where they are unreliable."""
    symbol = next(s for s in python.outline("a.py", code.encode(), "head").symbols if s.name == name)
    assert symbol.signature is not None
    marks = {"varargs": "*", "kwargs": "**", "keyword-only": "=", "positional-only": "/", "positional": ""}
    told = " ".join(
        f"{marks[p.kind]}{p.name}{'' if p.is_required or p.kind in ('varargs', 'kwargs') else '?'}"
        for p in symbol.signature.parameters
    )
    return f"~{told}" if symbol.signature.opaque else told


def test_the_registry_names_each_language() -> None:
    """Each language is registered under its own name, and every suffix belongs to one language."""
    assert all(name == language.NAME for name, language in LANGUAGES.items())
    suffixes = [suffix for language in LANGUAGES.values() for suffix in language.SUFFIXES]
    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def f(): pass", ""),
        ("def f(a, b=1, *args, c, d=2, **kw): pass", "a b? *args =c =d? **kw"),
        ("def f(a, /, b, *, c): pass", "/a b =c"),
        ("def f(a: int, b: str = 'x', *args: int, **kw: int) -> None: pass", "a b? *args **kw"),
        ("async def f(a): pass", "a"),
        ("@functools.lru_cache(maxsize=None)\ndef f(a): pass", "a"),
        ("@app.route('/')\ndef f(a): pass", "~a"),
        ("def f(a): pass\ndef f(a, b): pass", "a"),
    ],
)
def test_signatures_tell_what_a_caller_has_to_know(code: str, told: str) -> None:
    """Every kind of parameter, its default, and whether a decorator makes them unreliable; a second definition is judged beside the first."""
    assert signature(code) == told


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("def f(self, a): pass", "a"),
        ("@staticmethod\n    def f(a): pass", "a"),
        ("@classmethod\n    def f(cls, a): pass", "a"),
        ("def f(*args): pass", "*args"),
        ("@property\n    def f(self): pass", "~"),
    ],
)
def test_the_receiver_of_a_method_is_left_out(code: str, told: str) -> None:
    """`self` and `cls` are not passed by callers; a static method has none."""
    assert signature(f"class A:\n    {code}\n", "A.f") == told


def test_everything_bound_at_the_top_can_be_imported() -> None:
    """Definitions, assignments, imports, loops and what a condition or a `try` binds."""
    code = """
import os.path, sys as system
from a import b, c as d
try:
    import fast
except ImportError:
    fast = None
if system:
    def f(): pass
    X, (Y, Z) = 1, (2, 3)
for i in X: pass
with open(X) as handle: pass
class K:
    inner = 1
A = B = 2
N: int = 3
"""
    outline = python.outline("a.py", code.encode(), "head")

    assert outline.complete
    assert outline.names >= {"os", "system", "b", "d", "fast", "f", "X", "Y", "Z", "i", "handle", "K", "A", "B", "N"}
    assert not outline.names & {"inner", "c", "sys", "path"}


@pytest.mark.parametrize(
    ("code", "complete", "stars"),
    [
        ("x = 1", True, 0),
        ("from a import *", True, 1),
        ("def __getattr__(name): pass", False, 0),
        ("class A:\n    def __getattr__(self, name): pass", True, 0),
        ("globals()[name] = 1", False, 0),
        ("def f(:", False, 0),
    ],
)
def test_a_module_whose_names_cannot_be_listed_says_so(code: str, complete: bool, stars: int) -> None:
    """Made on demand, put into the globals, or not parsed: then nothing is known to be missing."""
    outline = python.outline("a.py", code.encode(), "head")

    assert (outline.complete, outline.stars) == (complete, stars)


@pytest.mark.parametrize(
    ("body", "types"),
    [
        ("x = Box(1)\n    x.m()", ("Box",)),
        ("x = pkg.Box(1)\n    x.m()", ("pkg.Box",)),
        ("x: Box = make()\n    x.m()", ("Box",)),
        ("x = Box()\n    x = Other()\n    x.m()", ()),
        ("x = make()\n    x.m()", ()),
        ("Box().m()", ("Box",)),
        ("self.box.m()", ("Box",)),
        ("self.m()", ("K", "Base")),
        ("super().m()", ("Base",)),
        ("given.m()", ("Given",)),
    ],
)
def test_a_receivers_class_is_known_where_it_is_written(body: str, types: tuple[str, ...]) -> None:
    """Assignments, annotations, parameters, `self` and `super`; a name with two different classes has no type."""
    code = f"class K(Base):\n  def __init__(self, box: Box):\n    self.box = box\n  def f(self, given: 'Given'):\n    {body}\n"
    (use,) = [use for use in python.uses("a.py", code.encode(), {"m"}) if use.call]

    assert use.types == types


def test_strings_and_comments_hold_no_uses() -> None:
    """Only identifiers count, each with its form."""
    code = "from a import m\n# m()\n'm'\nm(1, *a, k=2)\nx.m\nf(m=1)\nm = 2\ndef g(m): pass\n"
    uses = python.uses("a.py", code.encode(), {"m"})

    assert [(use.line, use.form) for use in uses] == [
        (1, "import"),
        (4, "name"),
        (5, "member"),
        (6, "key"),
        (7, "definition"),
        (8, "definition"),
    ]
    call = uses[1].call
    assert call is not None
    assert (call.positional, call.keywords, call.spread) == (1, ("k",), True)


@pytest.mark.parametrize(
    ("code", "guarded"),
    [
        ("try:\n    from a import m\nexcept ImportError:\n    pass", True),
        ("try:\n    from a import m\nexcept ValueError:\n    pass", False),
        ("try:\n    x.m()\nexcept AttributeError:\n    pass", True),
        ("try:\n    x.m()\nexcept Exception:\n    pass", False),
        ("with pytest.raises(TypeError):\n    x.m()", True),
        ("if hasattr(x, 'm'):\n    x.m()", True),
        ("x.m()", False),
    ],
)
def test_code_that_foresees_an_absence_is_told(code: str, guarded: bool) -> None:
    """A `try` that catches just this failure, `suppress`, `raises`, or a test for existence."""
    assert [use.is_guarded for use in python.uses("a.py", code.encode(), {"m"})] == [guarded]


@pytest.mark.parametrize(
    "code",
    [
        "f(" * 5000 + ")" * 5000,
        "f = " * 3000 + "1",
        "".join(" " * level + "if f:\n" for level in range(1500)) + " " * 1500 + "f()",
        "x = 1" + " + f" * 5000,
        "f" + ".f" * 5000,
    ],
)
def test_nesting_that_no_person_writes_gives_less(code: str) -> None:
    """Neither the stack nor the clock is spent on it."""
    assert len(python.outline("a.py", code.encode(), "head").symbols) <= 3000
    assert len(python.uses("a.py", code.encode(), {"f"})) < 1500
