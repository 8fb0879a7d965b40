import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

FASTAPI = ("app/api.py", 'router = APIRouter()\n\n\n@router.%s("/bills/void")\ndef void():\n    return {}\n')
SPRING = (
    "src/Bills.java",
    'package shop;\n\n@RestController\n@RequestMapping("/bills")\nclass Bills {\n    @%sMapping("/void")\n    void end() {}\n}\n',
)
# what -> (file, its text, the words before and after); each gives up POST
DECLARED = {
    "FastAPI": (*FASTAPI, "post", "delete"),
    "FastAPI over two lines": ("app/api.py", '@router.%s(\n    "/bills/void",\n    status_code=204,\n)\ndef void():\n    return {}\n', "post", "put"),
    "FastAPI below a prefix": ("app/api.py", 'router = APIRouter(prefix="/bills")\n\n\n@router.%s("/void")\ndef void():\n    return {}\n', "post", "put"),
    "Flask": ("app/api.py", '@app.route("/bills/void", methods=["%s"])\ndef void():\n    return {}\n', "POST", "PUT"),
    "Flask, one of two": ("app/api.py", '@app.route("/bills/void", methods=["GET"%s])\ndef void():\n    return {}\n', ', "POST"', ""),
    "Spring": (*SPRING, "Post", "Delete"),
    "Spring by an option": ("src/Bills.java", '@RequestMapping(value = "/bills/void", method = RequestMethod.%s)\nvoid end() {}\n', "POST", "PATCH"),
    "JAX-RS": ("src/Bills.java", 'class Bills {\n    @%s\n    @Path("/bills/void")\n    void end() {}\n}\n', "POST", "PUT"),
    "ASP.NET": ("src/Bills.cs", 'class Bills {\n    [Http%s("bills/void")]\n    public void End() {}\n}\n', "Post", "Put"),
    "Rails": ("config/routes.rb", 'Rails.application.routes.draw do\n  %s "bills/void", to: "bills#void"\nend\n', "post", "delete"),
    "Laravel": ("routes/web.php", "<?php\nRoute::%s('/bills/void', [Bills::class, 'void']);\n", "post", "delete"),
    "Symfony": ("src/Bills.php", "<?php\n#[Route('/bills/void', methods: ['%s'])]\nfunction end() {}\n", "POST", "PUT"),
    "Gin": ("main.go", 'package main\n\nfunc main() {\n\tr.%s("/bills/void", end)\n}\n', "POST", "PUT"),
    "Go": ("main.go", 'package main\n\nfunc main() {\n\tmux.HandleFunc("%s /bills/void", end)\n}\n', "POST", "PUT"),
    "Express": ("src/app.js", 'app.%s("/bills/void", end)\n', "post", "delete"),
    "Next.js": ("app/(shop)/bills/void/route.ts", "export async function %s() { return Response.json({}) }\n", "POST", "DELETE"),
    "SvelteKit": ("src/routes/bills/void/+server.ts", "export const %s = () => end()\n", "POST", "PUT"),
}  # fmt: skip
# who asks by POST, and the line
ASKING = {
    "axios": ("web/a.ts", 'export const go = () => axios.post("/bills/void")\n', 1),
    "fetch": ("web/a.js", 'fetch("/api/bills/void", { method: "POST" })\n', 1),
    "fetch over lines": ("web/a.js", 'const getVoid = () => fetch(`${base}/bills/void`, {\n  method: "POST",\n})\n', 1),
    "jQuery": ("web/a.js", '$.ajax({\n  type: "POST",\n  url: "/bills/void",\n})\n', 3),
    "a library of Python": ("jobs/a.py", 'requests.post(f"{BASE}/bills/void", timeout=3)\n', 1),
    "a library of Java": ("src/A.java", 'class A { void a() { rest.postForEntity(base + "/bills/void", x, X.class); } }\n', 1),
    "a form": ("web/a.html", '<p>\n<form action="/bills/void" method="post">\n', 2),
    "a script": ("run.sh", "curl -X POST http://localhost/bills/void\n", 1),
    "a test": ("tests/test_a.py", 'def test_a(client):\n    client.post("/bills/void")\n', 2),
    "a text that tells no method": ("web/a.js", 'export const VOID = "/bills/void"\n', 1),
}  # fmt: skip
UNCONCERNED = {
    "a redirect": ("web/a.py", 'def a():\n    return redirect("/bills/void")\n'),
    "another method": ("web/a.ts", 'axios.get("/bills/void")\n'),
    "another method of a request": ("web/a.js", 'fetch("/bills/void", {\n  method: "PUT",\n})\n'),
    "a request without a method": ("web/a.js", 'fetch("/bills/void")\n'),
    "a longer path": ("web/a.ts", 'axios.post("/bills/void/all")\n'),
    "another path": ("web/a.ts", 'axios.post("/bills/avoid")\naxios.post("/void")\n'),
    "a comment": ("web/a.ts", '// axios.post("/bills/void")\n'),
}
KEPT = {
    "the method in another file": ("app/other.py", '@router.post("/bills/void")\ndef void():\n    return {}\n'),
    "the method over two lines": ("app/other.py", '@router.post(\n    "/bills/void",\n)\ndef void():\n    return {}\n'),
}


def _open(repository: Repository, before: dict[str, str], after: dict[str, str | None]) -> set[str]:
    found = find(repository.change(before, after))
    return {f"{use.path}:{use.line}" for use in coverage.obliged_uses((), found)}


@pytest.mark.parametrize("what", DECLARED)
def test_a_method_that_a_route_loses_is_missed_by_who_asks_by_it(repository: Repository, what: str) -> None:
    """The path stays, so no key is lost: the framework answers 405."""
    path, text, old, new = DECLARED[what]
    reader, asks, line = ASKING["axios"]
    assert _open(repository, {path: text % old, reader: asks}, {path: text % new}) == {f"{reader}:{line}"}


@pytest.mark.parametrize("what", ASKING)
def test_who_asks_tells_the_method_in_many_ways(repository: Repository, what: str) -> None:
    """By a call, an option, an attribute; a line that tells none may ask by any."""
    path, text = FASTAPI
    reader, asks, line = ASKING[what]
    assert f"{reader}:{line}" in _open(repository, {path: text % "post", reader: asks}, {path: text % "delete"})


@pytest.mark.parametrize("what", UNCONCERNED)
def test_who_asks_by_another_method_or_path_is_not_concerned(repository: Repository, what: str) -> None:
    """A path of another method is another route."""
    path, text = FASTAPI
    reader, asks = UNCONCERNED[what]
    assert not _open(repository, {path: text % "post", reader: asks}, {path: text % "delete"})


@pytest.mark.parametrize("what", KEPT)
def test_a_method_that_another_file_declares_is_not_lost(repository: Repository, what: str) -> None:
    """It may have been there for a while."""
    path, text = FASTAPI
    reader, asks, _ = ASKING["axios"]
    other, declares = KEPT[what]
    before = {path: text % "post", reader: asks, other: declares}
    assert not _open(repository, before, {path: text % "delete"})


def test_one_more_method_takes_none_away(repository: Repository) -> None:
    """Who asked by the old one asks still."""
    path, text, _, _ = DECLARED["Flask"]
    reader, asks, _ = ASKING["axios"]
    assert not _open(repository, {path: text % "POST", reader: asks}, {path: text % 'POST", "PUT'})
