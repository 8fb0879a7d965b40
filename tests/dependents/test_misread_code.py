"""Files in which a parser and the language may see different code: nothing about them is proven, and they are open."""

import pytest
from dependents_scene import find
from fakes import Repository

TOTAL = "def total(cart):\n    return sum(cart)\n"
CART = "package a;\n\npublic class Cart {\n    BEFOREpublic int totalPrice() {\n        return 1;\n    }AFTER\n}\n"
JAVA = {
    "a/Cart.java": CART.replace("BEFORE", "").replace("AFTER", ""),
    "a/Pay.java": "package a;\n\nclass Pay {\n    int pay(Cart cart) {\n        return cart.totalPrice();\n    }\n}\n",
}
PYTHON = {"cart.py": TOTAL, "pay.py": "from cart import total\n\ntotal([])\n"}
ODD = {
    "a carriage return of Python": (PYTHON, "cart.py", f'# totals\r"""\n{TOTAL}# end\r"""\n'),
    "an encoding of Python": (PYTHON, "cart.py", f"# -*- coding: utf-7 -*-\n# +AAo-'''\n{TOTAL}# +AAo-'''\n"),
    "letters of Python": (PYTHON, "cart.py", TOTAL.replace("total", "ｔｏｔａｌ")),  # noqa: RUF001 - Python reads them as `total`
    "an escape of Java": (
        JAVA,
        "a/Cart.java",
        CART.replace("BEFORE", "// \\u000a/*\n").replace("AFTER", "// \\u000a*/"),
    ),
    "a carriage return of Java": (
        JAVA,
        "a/Cart.java",
        CART.replace("BEFORE", "// x\r/*\n").replace("AFTER", "// y\r*/"),
    ),
    "a line end of C#": (
        {"Cart.cs": "class Cart {\n int Total() { return 1; }\n}\n"},
        "Cart.cs",
        "class Cart {\n // x\u2028/*\n int Total() { return 1; }\n // y\u2028*/\n}\n",
    ),
    "an encoding of Ruby": ({"cart.rb": "def total\nend\n"}, "cart.rb", "# encoding: utf-7\ndef total\nend\n"),
}


@pytest.mark.parametrize(("files", "path", "text"), ODD.values(), ids=ODD)
def test_a_file_that_can_be_read_in_two_ways_is_open(
    repository: Repository, files: dict[str, str | bytes | None], path: str, text: str
) -> None:
    """It is not compared, and the review says why."""
    found = find(repository.change(files, {path: text}))

    assert [sentence.startswith(f"{path}: ") for sentence in found.missed_uses] == [True]
    assert found.symbols == ()


@pytest.mark.parametrize(
    ("files", "path", "text"),
    [
        (PYTHON, "cart.py", f"# -*- coding: utf-8 -*-\r\n{TOTAL}".replace("\n", "\r\n").replace("\r\r", "\r")),
        (PYTHON, "cart.py", f"# vim: set fileencoding=latin-1 :\n{TOTAL}"),
        (JAVA, "a/Cart.java", CART.replace("BEFORE", 'String eacute = "\\u00e9 \\\\u0022";\n').replace("AFTER", "")),
    ],
)
def test_usual_encodings_and_escapes_are_compared(
    repository: Repository, files: dict[str, str | bytes | None], path: str, text: str
) -> None:
    """Windows line ends, encodings that only add letters, and escapes in strings say nothing else than they show."""
    assert find(repository.change(files, {path: text})).missed_uses == ()
