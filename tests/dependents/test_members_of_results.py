"""Calls of a member on a function's result, resolved by the declared return type."""

import pytest
from fakes import Repository

import deeprepo

# language -> (definitions, their file, the parameter before and after, the calling code, its file)
DECLARED = {
    "java": ("public class Health {\n    public static Checker get() { return new Checker(); }\n}\nclass Checker {\n    public void put(int n) { }\n}\n", "Health.java", ("int n", "int n, String why"), "public class Main {\n    void run() { Health.get().put(3); }\n}\n", "Main.java"),
    "csharp": ("public class Health {\n    public static Checker Get() { return new Checker(); }\n}\npublic class Checker {\n    public void Put(int n) { }\n}\n", "Health.cs", ("int n", "int n, string why"), "public class Main {\n    void Run() { Health.Get().Put(3); }\n}\n", "Main.cs"),
    "rust": ("pub struct Checker { n: i32 }\nimpl Checker {\n    pub fn put(&self, n: i32) { }\n}\npub fn get() -> Checker { Checker { n: 0 } }\n", "src/health.rs", ("n: i32) {", "n: i32, why: &str) {"), "mod health;\nfn main() { health::get().put(3); }\n", "src/main.rs"),
    "go": ("package main\n\ntype Checker struct{ n int }\n\nfunc (c *Checker) Put(n int) { c.n = n }\nfunc get() *Checker  { return &Checker{} }\n", "health.go", ("n int) {", "n int, why string) {"), "package main\n\nfunc main() { get().Put(3) }\n", "main.go"),
    "kotlin": ("class Checker {\n    fun put(n: Int) { }\n}\nfun fetch(): Checker = Checker()\n", "Health.kt", ("n: Int)", "n: Int, why: String)"), "fun run() { fetch().put(3) }\n", "Main.kt"),
    "php": ("<?php\nclass Checker {\n    public function put(int $n): void { }\n}\nfunction fetch(): Checker { return new Checker(); }\n", "Health.php", ("int $n", "int $n, string $why"), "<?php\nrequire 'Health.php';\nfetch()->put(3);\n", "main.php"),
    "python": ("class Checker:\n    def put(self, n: int) -> None:\n        self.n = n\n\n\nONE = Checker()\n\n\ndef get() -> Checker:\n    return ONE\n", "health.py", ("n: int", "n: int, why: str"), "from health import get\n\nget().put(3)\n", "main.py"),
}  # fmt: skip


def findings(repository: Repository, language: str, *change: tuple[str, str]) -> list[tuple[str, str]]:
    """Review a change of the parameter after these replacements; return verdicts and rules."""
    text, path, parameter, caller, user = DECLARED[language]
    for pair in change:
        text = text.replace(*pair)
    repository.commit({path: text, user: caller}, "before")
    repository.commit({path: text.replace(*parameter, 1)}, "after")
    review = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    return [(one.verdict, one.rule) for one in review.findings if one.path == user]


@pytest.mark.parametrize("language", DECLARED)
def test_call_on_a_result_is_checked_against_the_declared_return_type(repository: Repository, language: str) -> None:
    """A call on a function's result is checked against the class that the function declares to return."""
    assert findings(repository, language) == [("proven", "required-parameter")]


@pytest.mark.parametrize(
    ("language", "change"),
    [
        ("java", ("public static Checker get()", "public static <T> T get()")),
        ("java", ("    public static", "    public static Other get(int n) { return null; }\n    public static")),
        ("csharp", ("public static Checker Get()", "public static Other Get()")),
        ("rust", ("-> Checker {", "-> Box<Checker> {")),
        ("kotlin", ("fetch(): Checker", "fetch(): List<Checker>")),
        ("php", ("fetch(): Checker", "fetch(): Checker|Other")),
    ],
)
def test_result_of_uncertain_type_is_not_reported(
    repository: Repository, language: str, change: tuple[str, str]
) -> None:
    """Nothing is reported if the declared return type is generic, overloaded, wrapped or a union."""
    assert findings(repository, language, change) == []
