"""A word that nothing gives any more and that lines still ask for: no review says that all is well above them."""

import json

import pytest
from fakes import Repository

import deeprepo

SETTINGS = "from pydantic_settings import BaseSettings\n\n\nclass Settings(BaseSettings):\n    LIMIT: int = 1\n    {}\n\n\nsettings = Settings()\n"
TAG = 'package shop\n\ntype Order struct {{\n\tPaid bool `json:"{}"`\n}}\n'
PRISMA = "model User {{\n  id Int @id\n  {} DateTime?\n}}\n"
# kind -> (file, what it gives, the word, the new one, the file that asks, its line)
GONE = {
    "a field of settings": ("api/config.py", SETTINGS, "RESET_HOURS: int = 2", "", "mail.html", "<b>{{ settings.RESET_HOURS }}</b>\n"),
    "a field of a schema": ("prisma/schema.prisma", PRISMA, "paidUntil", "paidTill", "lib/pay.ts", "export const a = (user: any) => user.paidUntil\n"),
    "a tag": ("order.go", TAG, "paid_at,omitempty", "payed,omitempty", "ui/order.ts", "export const a = (order: any) => order.paid_at\n"),
    "one of the tags of a field": ("order.go", 'package shop\n\ntype Order struct {{\n\tPaid bool `form:"paid_at" json:"{}"`\n}}\n', "paid_at", "payed", "ui/order.ts", "export const a = (order: any) => order.paid_at\n"),
    "a property of a component": ("row.tsx", "export function Row({{ {} }}: any) {{\n  return <b />\n}}\n", "heading", "title", "a.tsx", 'import { Row } from "./row"\nexport const a = <Row onClick={() => go({ title: 1 })}\n  heading="x" />\n'),
    "a key of the one object that a function takes": ("row.ts", "export function row({{ {}, n = 1 }}: any) {{\n  return n\n}}\n", "heading", "title", "a.ts", 'import { row } from "./row"\nexport const a = row({ heading: 1 })\n'),
    "a key of settings": ("app.yml", "limits:\n  {}\n", "max_tokens: 3", "most: 3", "a.rb", "x = config[:max_tokens]\n"),
    "a value that a page is given": ("views.py", "def page(order):\n    return {{{}}}\n", '"order_sum": order.sum', "", "page.html", "<b>{{ order_sum }}</b>\n"),
}  # fmt: skip
WORDS = {"heading", "RESET_HOURS", "paidUntil", "paid_at", "max_tokens", "order_sum"}


def review(repository: Repository, before: dict[str, str], after: dict[str, str]) -> deeprepo.Review:
    """A review by code of one commit."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


@pytest.mark.parametrize("kind", GONE)
def test_a_line_that_still_asks_for_what_is_gone_is_in_the_headline(repository: Repository, kind: str) -> None:
    """Of whatever framework: the conclusion is neutral, the sentence has the word, the line stands in sight."""
    path, text, old, new, reader, asks = GONE[kind]
    reviewed = review(repository, {path: text.format(old), reader: asks}, {path: text.format(new)})
    (word,) = {word for word in WORDS if word in asks}
    at = next(number for number, line in enumerate(asks.split("\n"), 1) if word in line)
    comment, sentence = reviewed.to_markdown(), "1 place still says `"
    assert sentence in comment.partition("\n")[0]
    assert f"{word}`" in comment.partition("\n")[0]
    above, place, _ = comment.partition(f"{reader}:{at}")
    assert place
    assert above.count("<details>") == above.count("</details>")
    assert json.loads(reviewed.to_json())["conclusion"] == "incomplete"
    assert sentence in reviewed.to_sarif()
    assert any(f"{reader}:{at}" in place for place in reviewed.open)


QUIET = {
    "a word of a text": ("a.tsx", 'export const a = <p className="{}" />\n', "rounded-full", "rounded-md", "b.tsx", 'export const b = <p className="rounded-full" />\n'),
    "a value": ("a.ts", 'export const theme = "{}"\n', "dark-mode", "light-mode", "b.ts", 'export const c = (x: string) => x === "dark-mode"\n'),
    "a key that another file gives, too": ("a.py", "x = {{{}}}\n", '"order_sum": 1', '"total": 1', "b.py", 'y = {"order_sum": 2}\nz = y["order_sum"]\n'),
    "a property that a component takes with the rest": ("row.tsx", "export function Row({{ {}, ...rest }}: any) {{\n  return <b />\n}}\n", "heading", "title", "a.tsx", 'import { Row } from "./row"\nexport const a = <Row heading="x" />\n'),
    "a property of an element inside": ("row.tsx", "export function Row({{ {} }}: any) {{\n  return <b />\n}}\n", "heading", "title", "a.tsx", 'import { Row } from "./row"\nexport const a = <Row title={<B heading="x" />}><B heading="y" /></Row>\n'),
    "a package": ("package.json", '{{"dependencies": {{\n    "{}": "^1.0"\n}}}}\n', "form-data", "formdata", "a.js", 'send(kind, ["form-data"])\n'),
}  # fmt: skip


@pytest.mark.parametrize("what", QUIET)
def test_a_word_that_means_something_else_is_in_no_headline(repository: Repository, what: str) -> None:
    """Only a name that was given, and that nothing gives any more, is missed."""
    path, text, old, new, reader, asks = QUIET[what]
    reviewed = review(repository, {path: text.format(old), reader: asks}, {path: text.format(new)})
    assert (json.loads(reviewed.to_json())["conclusion"], reviewed.open) == ("clean", ())
