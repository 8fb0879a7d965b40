"""Definitions whose text stays, and that a statement elsewhere, a class, a module or a package takes away."""

import pytest
from contract_findings import look, open_uses
from fakes import Repository
from families import few

Files = dict[str, str | bytes | None]
F = "def f(x):\n    return x\n"
FUNCTION: Files = {"a.py": F, "z.py": "from a import f\nf(1)\n", "o.py": "f = 1\n"}
AGAIN = {
    "an import": "import os as f", "an import in brackets": "from o import (\n    g,\n    h as f,\n)", "a star import": "from o import *",
    "a loop": "for g, f in ():\n    pass", "with": 'with open("x") as g, open("y") as f:\n    pass',
    "except": 'try:\n    int("x")\nexcept ValueError as f:\n    pass', "a walrus": "print(f := 1)",
    "a match": "match 1:\n    case int() as f:\n        pass", "a starred match": "match [1]:\n    case [*f]:\n        pass",
    "global": "def zz():\n    global f\n    f = None\n\n\nzz()", "its module": "import sys\nsys.modules[__name__] = None",
    "globals()": 'globals()["f"] = None', "a computed name": 'for n in ("f",):\n    globals()[n] = None', "exec": 'exec("f = None")',
    "setattr of its module": 'import sys\nsetattr(sys.modules[__name__], "f", None)', "a type": "type f = int",
}  # fmt: skip
METHOD: Files = {
    "a.py": "class A:\n    def mmm(self):\n        return 1\n", "b.py": "from a import A\nprint(A().mmm())\n", "c.py": "import a\nX = 1\n",
}  # fmt: skip
PACKAGE: Files = {"p/__init__.py": "", "p/u.py": F, "b.py": "from p import u\nprint(u.f(1))\n"}
LISTED = "__all__ = ['f', 'g']\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"
STAR: Files = {"u.py": LISTED, "b.py": "from u import *\nprint(f())\n"}
HEIR: Files = {
    "u.py": "class B:\n    def __call__(self):\n        return 1\n", "v.py": "from u import B\n\n\nclass A(B):\n    pass\n",
    "b.py": "from v import A\nprint(A())\n",
}  # fmt: skip
DATA: Files = {
    "u.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass A:\n    x: int\n    z: int = 1\n", "b.py": "from u import A\nprint(A(1))\n",
}  # fmt: skip
ABSTRACT: Files = {
    "u.py": "import abc\n\n\nclass B(abc.ABC):\n    @abc.abstractmethod\n    def a(self): ...\n",
    "v.py": "from u import B\n\n\nclass A(B):\n    def a(self):\n        return 1\n",
}
COMMON: Files = {"u.js": "exports.f = function (x) { return x }\n", "b.js": "const { f } = require('./u')\nf(1)\n"}
CLASS: Files = {
    "u.js": "export class A {\n  mmm() { return 1 }\n}\n",
    "b.js": "import { A } from './u'\nnew A().mmm()\n",
}
EXPORTED: Files = {
    "u.js": "function f(x) { return x }\nfunction g() {}\nexport { f, g }\n", "b.js": "import { f } from './u'\nf(1)\n",
}  # fmt: skip
SPACE: Files = {
    "u.ts": "export namespace N {\n  export function f(x: number) { return x }\n}\n", "b.ts": "import { N } from './u'\nN.f(1)\n",
}  # fmt: skip
PHP: Files = {
    "t.php": "<?php\ntrait T { public function mmmName($x) { return $x; } }\n", "a.php": '<?php\nrequire "t.php";\nclass A { use T; }\n',
    "z.php": '<?php\nrequire "a.php";\n(new A())->mmmName(1);\n',
}  # fmt: skip
RUST: Files = {
    "Cargo.toml": '[package]\nname="a"\nversion="0.1.0"\n', "src/lib.rs": "pub mod u;\npub mod v;\n", "src/w.rs": "pub fn zz() {}\n",
    "src/u.rs": "pub fn ffff(x: i32) -> i32 { x }\n", "src/v.rs": "use crate::u::ffff;\npub fn g() -> i32 { ffff(1) }\n",
}  # fmt: skip
TRAIT: Files = {
    **RUST, "src/u.rs": "pub trait T {\n    fn name_of(&self) -> i32 { 1 }\n}\n#[derive(Clone)]\npub struct S;\nimpl T for S {}\n",
    "src/v.rs": "use crate::u::{S, T};\npub fn g() -> i32 { S.name_of() }\n",
}  # fmt: skip
GO: Files = {
    "go.mod": "module a\n\ngo 1.21\n", "v/v.go": 'package v\n\nimport "a/u"\n\nfunc X() { u.A{}.Mmmm() }\n',
    "u/u.go": "package u\n\ntype B struct{}\n\nfunc (B) Mmmm() {}\n\ntype A struct {\n\tB\n}\n",
}  # fmt: skip
RUBY: Files = {
    "t.rb": "module T\n  def mmmm_it(x)\n    x\n  end\nend\n", "a.rb": "require_relative 't'\nclass A\n  include T\nend\n",
    "b.rb": "require_relative 'a'\nA.new.mmmm_it(1)\n",
}  # fmt: skip
JAVA: Files = {
    "p/B.java": "package p;\npublic interface B {\n  int a();\n}\n",
    "p/A.java": "package p;\npublic class A implements B {\n  public int a() { return 1; }\n}\n",
}
KOTLIN: Files = {
    "p/R.kt": "package p\nclass R {\n  operator fun plus(o: R): R = o\n}\n", "q/Z.kt": "package q\nimport p.R\nfun r(a: R, b: R) = a + b\n",
}  # fmt: skip
CPP: Files = {
    "b.hpp": "class B {\npublic:\n  int mmm_name() { return 1; }\n};\n", "a.hpp": '#include "b.hpp"\nclass A : public B {\n};\n',
    "m.cpp": '#include "a.hpp"\nint r(A a) { return a.mmm_name(); }\n',
}  # fmt: skip


def at(files: Files, path: str) -> str:
    """The text of a file of a scene."""
    text = files[path]
    assert isinstance(text, str)
    return text


ATTACKS: dict[str, tuple[Files, str, str]] = {
    **{f"bound again by {name}": (FUNCTION, "a.py", f"{F}\n\n{text}\n") for name, text in AGAIN.items()},
    "a method set from outside": (METHOD, "a.py", f"{at(METHOD, 'a.py')}\n\nA.mmm = None\n"),
    "a method set by a function": (METHOD, "a.py", f"{at(METHOD, 'a.py')}\n\ndef zz():\n    A.mmm = None\n"),
    "a method set by setattr": (METHOD, "a.py", f'{at(METHOD, "a.py")}\n\nsetattr(A, "mmm", None)\n'),
    "a method bound by its class": (METHOD, "a.py", f"{at(METHOD, 'a.py')}\n    import os as mmm\n"),
    "a method set by another file": (METHOD, "c.py", "import a as q\nq.A.mmm = None\n"),
    "a class deleted by another file": (METHOD, "c.py", "import a\ndel a.A\n"),
    "a module behind a name of its package": (PACKAGE, "p/__init__.py", "u = 3\n"),
    "a module behind a function of its package": (PACKAGE, "p/__init__.py", "from .u import f as u\n"),
    "left out of __all__": (STAR, "u.py", LISTED.replace("'f', ", "")),
    "removed from __all__": (STAR, "u.py", f"{LISTED}\n\n__all__.remove('f')\n"),
    "a base dropped": (HEIR, "v.py", "class A:\n    pass\n"),
    "an operator removed": (HEIR, "u.py", "class B:\n    def kall(self):\n        return 1\n"),
    "a required field": (DATA, "u.py", at(DATA, "u.py").replace("    z", "    y: int\n    z")),
    "a field that is required now": (DATA, "u.py", at(DATA, "u.py").replace("z: int = 1", "z: int")),
    "an abstract method": (ABSTRACT, "u.py", at(ABSTRACT, "u.py") + "\n    @abc.abstractmethod\n    def b(self): ...\n"),
    "exports replaced": (COMMON, "u.js", at(COMMON, "u.js") + "module.exports = {}\n"),
    "exports replaced in a function": (COMMON, "u.js", at(COMMON, "u.js") + "(() => { module.exports = {} })()\n"),
    "an export deleted": (COMMON, "u.js", at(COMMON, "u.js") + 'Reflect.deleteProperty(exports, "f")\n'),
    "every export deleted": (COMMON, "u.js", at(COMMON, "u.js") + "for (const k in exports) delete exports[k]\n"),
    "a method of JavaScript deleted": (CLASS, "u.js", at(CLASS, "u.js") + "delete A.prototype.mmm\n"),
    "a method of JavaScript set": (CLASS, "u.js", at(CLASS, "u.js") + "A.prototype.mmm = null\n"),
    "an export for another": (EXPORTED, "u.js", at(EXPORTED, "u.js").replace("f, g", "g as f")),
    "a function of JavaScript set": (EXPORTED, "u.js", at(EXPORTED, "u.js") + "f = null\n"),
    "a member of a namespace": (SPACE, "u.ts", at(SPACE, "u.ts").replace("  export function", "  function")),
    "a broken tag of PHP": (PHP, "t.php", at(PHP, "t.php").replace("<?php", "<?ph")),
    "a trait of PHP": (PHP, "a.php", at(PHP, "a.php").replace("use T;", "")),
    "no mod line": (RUST, "src/lib.rs", "pub mod v;\n"),
    "a mod with a body": (RUST, "src/lib.rs", "pub mod u {}\npub mod v;\n"),
    "a mod under cfg": (RUST, "src/lib.rs", "#[cfg(test)]\npub mod u;\npub mod v;\n"),
    "a mod with a path": (RUST, "src/lib.rs", '#[path = "w.rs"]\npub mod u;\npub mod v;\n'),
    "a mod in a comment": (RUST, "src/lib.rs", "/*\npub mod u;\n*/\npub mod v;\n"),
    "a trait no longer implemented": (TRAIT, "src/u.rs", at(TRAIT, "src/u.rs").replace("impl T for S {}\n", "")),
    "a trait no longer derived": (TRAIT, "src/u.rs", at(TRAIT, "src/u.rs").replace("#[derive(Clone)]\n", "")),
    "an embedded type": (GO, "u/u.go", at(GO, "u/u.go").replace("\tB\n", "")),
    "an included module": (RUBY, "a.rb", "require_relative 't'\nclass A\nend\n"),
    "a module that extends": (RUBY, "a.rb", at(RUBY, "a.rb").replace("include", "extend")),
    "a member of an interface": (JAVA, "p/B.java", at(JAVA, "p/B.java").replace("a();", "a();\n  int b();")),
    "an operator of Kotlin": (KOTLIN, "p/R.kt", at(KOTLIN, "p/R.kt").replace("operator ", "")),
    "a base of C++": (CPP, "a.hpp", "class A {\n};\n"),
    "a macro over a function": (CPP, "b.hpp", at(CPP, "b.hpp") + "#define mmm_name() bad()\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", few(ATTACKS, *range(0, len(ATTACKS), 4)))
def test_what_takes_a_definition_away_leaves_no_user_silent(repository: Repository, name: str) -> None:
    """Each use is a finding or open."""
    files, path, text = ATTACKS[name]
    pull = repository.change(files, {path: text})

    assert look(pull) or open_uses(pull)


HARMLESS: dict[str, tuple[Files, str, str]] = {
    "another name": (FUNCTION, "a.py", f"{F}\n\nimport os as g\n\nfor h in ():\n    pass\n"),
    "an import above": (FUNCTION, "a.py", f"from o import *\n\n\n{F}"),
    "a module of its package": (PACKAGE, "p/__init__.py", "from . import u\n"),
    "one more in __all__": (STAR, "u.py", LISTED.replace("'g'", "'g', 'h'") + "\n\ndef h():\n    return 3\n"),
    "an optional field at the end": (DATA, "u.py", at(DATA, "u.py") + "    w: int = 2\n"),
    "one more base": (HEIR, "u.py", at(HEIR, "u.py") + "\n    def __len__(self):\n        return 0\n"),
    "one more embedded type": (GO, "u/u.go", at(GO, "u/u.go") + "\ntype C struct {\n\tB\n}\n"),
    "one more mod": (RUST, "src/lib.rs", "pub mod u;\npub mod v;\nmod w;\n"),
    "one more export": (COMMON, "u.js", at(COMMON, "u.js") + "exports.g = 1\n"),
}


@pytest.mark.parametrize("name", few(HARMLESS, *range(0, len(HARMLESS), 4)))
def test_what_takes_nothing_away_obliges_nobody(repository: Repository, name: str) -> None:
    """What a class offers more, and what another name means, is nobody's loss."""
    files, path, text = HARMLESS[name]
    pull = repository.change(files, {path: text})

    assert (look(pull), open_uses(pull)) == ([], ())


def test_an_inherited_constructor_is_held_against_the_calls_of_the_heir(repository: Repository) -> None:
    """A class without a constructor is called like its base, also two files away."""
    files: Files = {
        "u.py": "class B:\n    def __init__(self, x):\n        self.x = x\n",
        "v.py": "from u import B\n\n\nclass A(B):\n    pass\n",
        "w.py": "from v import A\n\n\nclass Z(A):\n    pass\n",
        "b.py": "from w import Z\nprint(Z(1))\n",
    }
    pull = repository.change(files, {"u.py": at(files, "u.py").replace("self, x", "self, x, y")})

    assert [finding.path for finding in look(pull)]
