import pytest

from deeprepo.impact.reading.faults import faults

SOUND = {
    "a.py": "def f(x):\n    return x\n",
    "a.js": "export const f = (x) => x;\n",
    "a.jsx": "const a = <b>{1}</b>;\n",
    "a.ts": "export function f(x: number): number { return x; }\n",
    "a.tsx": "const a: X = <b>{1}</b>;\n",
    "a.go": "package a\n\nfunc f(x int) int { return x }\n",
    "A.java": "class A { int f(int x) { return x; } }\n",
    "a.rs": "fn f(x: i32) -> i32 { x }\n",
    "a.rb": "def f(x)\n  x\nend\n",
    "a.php": "<?php\nfunction f($x) { return $x; }\n",
    "a.kt": "fun f(x: Int): Int { return x }\n",
    "A.cs": "class A { int F(int x) { return x; } }\n",
    "a.c": "int f(int x) { return x; }\n",
    "a.cpp": "template <class T> T f(T x) { return x; }\n",
    "a.json": '{"a": [1, 2]}\n',
    "a.toml": "[a]\nb = 1\n",
    "a.yml": "a:\n  - {b: 1}\n",
}


@pytest.mark.parametrize("path", sorted(SOUND))
def test_unmatched_bracket_is_a_syntax_fault(path: str) -> None:
    """Each language's parser reports an unmatched closing bracket."""
    assert faults(path, SOUND[path].encode()) == frozenset()
    assert faults(path, (SOUND[path] + "\n}])\n").encode())


def test_python_block_without_a_body_is_a_fault() -> None:
    """A Python block without a body is a fault, although the grammar accepts it."""
    assert faults("a.py", b"if x:\ny = 1\n") == {2}


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.json", "a.toml"])
def test_deep_nesting_and_arbitrary_bytes_do_not_crash_the_parser(path: str) -> None:
    """Input nested 100,000 levels deep, or arbitrary bytes, neither crashes nor raises."""
    assert faults(path, b"[" * 100_000)
    faults(path, bytes(range(256)))
