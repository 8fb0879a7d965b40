"""Lines that still use a removed name keep a review from being clean."""

import json

import pytest
from fakes import Repository

import deeprepo

SETTINGS = "from pydantic_settings import BaseSettings\n\n\nclass Settings(BaseSettings):\n    LIMIT: int = 1\n    {}\n\n\nsettings = Settings()\n"
TAG = 'package shop\n\ntype Order struct {{\n\tPaid bool `json:"{}"`\n}}\n'
PRISMA = "model User {{\n  id Int @id\n  {} DateTime?\n}}\n"
# kind -> (file, its template, the removed text, the new text, the file with the reference, its text)
GONE = {
    "a field of settings": ("api/config.py", SETTINGS, "RESET_HOURS: int = 2", "", "mail.html", "<b>{{ settings.RESET_HOURS }}</b>\n"),
    "a field of a schema": ("prisma/schema.prisma", PRISMA, "paidUntil", "paidTill", "lib/pay.ts", "export const a = (user: any) => user.paidUntil\n"),
    "a tag": ("order.go", TAG, "paid_at,omitempty", "payed,omitempty", "ui/order.ts", "export const a = (order: any) => order.paid_at\n"),
    "one of the tags of a field": ("order.go", 'package shop\n\ntype Order struct {{\n\tPaid bool `form:"paid_at" json:"{}"`\n}}\n', "paid_at", "payed", "ui/order.ts", "export const a = (order: any) => order.paid_at\n"),
    "a key of settings": ("app.yml", "limits:\n  {}\n", "max_tokens: 3", "most: 3", "a.rb", "x = config[:max_tokens]\n"),
    "an option that a class no longer has": ("Options.cs", "namespace Shop;\n\npublic class OrderOptions\n{{\n    public int {} {{ get; set; }}\n}}\n", "ResetHours", "RetryHours", "appsettings.json", '{\n  "Order": {\n    "ResetHours": 3\n  }\n}\n'),
    "an option in another spelling": ("src/options.rs", "pub struct OrderOptions {{\n    pub {}: u32,\n}}\n", "reset_hours", "retry_hours", "config.yml", "order:\n  reset-hours: 3\n"),
    "a value that a page is given": ("views.py", "def page(order):\n    return {{{}}}\n", '"order_sum": order.sum', "", "page.html", "<b>{{ order_sum }}</b>\n"),
}  # fmt: skip
WORDS = {"heading", "RESET_HOURS", "paidUntil", "paid_at", "max_tokens", "order_sum", "ResetHours", "reset-hours"}


def review(repository: Repository, before: dict[str, str], after: dict[str, str]) -> deeprepo.Review:
    """Commit the files and the change, and review the change with static checks only."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit(dict(after), "after")
    return deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")


@pytest.mark.parametrize("kind", GONE)
def test_line_that_uses_a_removed_name_is_in_the_headline(repository: Repository, kind: str) -> None:
    """A line that still uses a removed name is in the headline, and the review is incomplete."""
    path, text, old, new, reader, asks = GONE[kind]
    reviewed = review(repository, {path: text.format(old), reader: asks}, {path: text.format(new)})
    (word,) = {word for word in WORDS if word in asks}
    at = next(number for number, line in enumerate(asks.split("\n"), 1) if word in line)
    comment, sentence = reviewed.to_markdown(), "1 location still mentions `"
    assert sentence in comment.partition("\n")[0]
    assert f"{word.replace('-', '_')}`" in comment.partition("\n")[0]
    above, place, _ = comment.partition(f"{reader}:{at}")
    assert place
    assert above.count("<details>") == above.count("</details>")
    assert json.loads(reviewed.to_json())["conclusion"] == "incomplete"
    assert sentence in reviewed.to_sarif()
    assert any(f"{reader}:{at}" in place for place in reviewed.open)


def test_line_like_the_edited_ones_is_in_the_headline(repository: Repository) -> None:
    """`settings.LIMIT` is open where the change forgets it, although code has an entry of the name."""
    views = 'from django.conf import settings\n\n\ndef page():\n    return {"RESET_HOURS": settings.RESET_HOURS}\n'
    edited = "from django.conf import settings\n\n\ndef mail():\n    return settings.RESET_HOURS\n"
    before = {
        "shop/settings.py": 'RESET_HOURS = number("RESET_HOURS")\n',
        "shop/views.py": views,
        "shop/mail.py": edited,
    }
    after = {
        "shop/settings.py": 'RETRY_HOURS = number("RESET_HOURS")\n',
        "shop/mail.py": edited.replace("RESET", "RETRY"),
    }
    (place,) = review(repository, before, after).open
    assert "shop/views.py:5" in place


QUIET = {
    "a word of a text": ("a.tsx", 'export const a = <p className="{}" />\n', "rounded-full", "rounded-md", "b.tsx", 'export const b = <p className="rounded-full" />\n'),
    "a value": ("a.ts", 'export const theme = "{}"\n', "dark-mode", "light-mode", "b.ts", 'export const c = (x: string) => x === "dark-mode"\n'),
    "a key that another file gives, too": ("a.py", "x = {{{}}}\n", '"order_sum": 1', '"total": 1', "b.py", 'y = {"order_sum": 2}\nz = y["order_sum"]\n'),
    "a property that a component takes with the rest": ("row.tsx", "export function Row({{ {}, ...rest }}: any) {{\n  return <b />\n}}\n", "heading", "title", "a.tsx", 'import { Row } from "./row"\nexport const a = <Row heading="x" />\n'),
    "a property of an element inside": ("row.tsx", "export function Row({{ {} }}: any) {{\n  return <b />\n}}\n", "heading", "title", "a.tsx", 'import { Row } from "./row"\nexport const a = <Row title={<B heading="x" />}><B heading="y" /></Row>\n'),
    "a constant that its package alone can name": ("a/a.go", 'package a\n\nconst {} = "x"\n', "defaultKind", "usualKind", "b/b.go", 'package b\n\nfunc f(p path) {\n\tp.Child("defaultKind")\n}\n'),
    "a key of a tool that code has for something of its own": ("project.json", '{{\n{}  "a": 1\n}}\n', '  "commitMessage": "x",\n', "", "a.kt", "data class Apply(val commitMessage: String)\n\nfun go(it: Apply) = it.commitMessage\n"),
    "a key that another file stores": ("a.py", "x = {{{}}}\n", '"order_sum": 1', '"total": 1', "b.py", 'def go(y):\n    y["order_sum"] = 2\n    return y["order_sum"]\n'),
    "a property that a schema describes": ("a.schema.json", '{{\n  "$schema": "http://json-schema.org/draft-07/schema",\n  "properties": {{\n{}    "other": {{}}\n  }}\n}}\n', '    "REMOTE_FILES": {},\n', "", "a.go", 'package a\n\nvar Remote = newReleased("REMOTE_FILES")\n'),
    "an entry that one of its users no longer refers to": ("a.schema.json", '{{\n  "definitions": {{\n    "task_call": {{}},\n{}\n    }}\n  }}\n}}\n', '    "defer": {\n      "$ref": "#/definitions/task_call"', '    "deferred_task_call": {},\n    "defer": {\n      "$ref": "#/definitions/deferred_task_call"', "README.md", "shop\n"),
    "a part of somebody else's name": ("gradle/libs.versions.toml", '[versions]\n{0} = "4.0.0"\n\n[libraries]\nlogger = {{ module = "a:b", version.ref = "{0}" }}\n', "test-logger", "plugin-test-logger", "build.gradle.kts", 'plugins {\n    id("com.adarshr.test-logger")\n}\n'),
    "a function of another package": ("tax/tax.go", "package tax\n\nfunc {}() {{}}\n", "WithTimeout", "TaxWithTimeout", "tax/use.go", 'package tax\n\nimport "context"\n\nfunc use() {\n\tcontext.WithTimeout(nil, 3)\n}\n'),
    "a value in the history of a database": ("a.py", "x = {{{}}}\n", '"order_sum": 1', '"total": 1', "shop/migrations/0013_auto.py", 'y = go("order_sum")\n'),
    "a part of a longer dotted name": ("a.php", "<?php\nreturn [\n    '{}',\n    'number',\n];\n", "orders.owner", "firstOrders.owner", "b.ts", "export const b = (t: any) => t('core.lib.orders.owner.key')\n"),
    "a part of a longer name with colons": ("a.js", "start({{\n  hooks: {{\n    '{}': () => 1,\n  }},\n}})\n", "page:viewed", "page:seen", "b.js", "window.addEventListener('swup:page:viewed', update)\n"),
    "an environment variable that code only sets": ("a.cs", "class A\n{{\n    void Go()\n    {{\n{}    }}\n}}\n", '        Environment.SetEnvironmentVariable("SHOP_ENVIRONMENT", "smoke");\n', "", "launch.json", '{\n  "SHOP_ENVIRONMENT": "Development"\n}\n'),
    "a method of the name of an entry": ("a.py", "LABELS = {{{}}}\n", '"is_folder": "folder"', '"folder": "folder"', "b.py", "def go(path):\n    return path.is_folder()\n"),
    "a function that the language has, too": ("lib/ast.ex", "defmodule Ast do\n  def {}(x), do: x\nend\n", "to_string", "to_html", "lib/page.ex", 'defmodule Page do\n  def go(x), do: to_string(x)\n  def name(x), do: "#{Atom.to_string(x)}"\nend\n'),
    "a name of a file": ("flatten.ts", 'assert.equal(to("./{0}"), "./x")\nassert.equal(to("../{0}"), "./y")\n', "add.d.ts", "add.d.js", "package.json", '{\n  "types": "./add.d.ts"\n}\n'),
    "a route of a page": ("CartTotal.cs", "namespace Shop;\n\npublic class {} {{ public int Sum {{ get; set; }} }}\n", "CartTotal", "CartSum", "Page.razor", '@page "/parts/CartTotal"\n<b></b>\n'),
    "a method that takes other arguments": ("Texts.cs", "namespace Shop;\n\npublic static class Texts\n{{\n    public static string {}(this string text, string end) => text;\n}}\n", "TrimStart", "TrimPrefix", "Use.cs", "namespace Shop;\n\nclass Use\n{\n    string Far(string[] all) => all[1].TrimStart();\n}\n"),
    "an option that code still mentions": ("Options.cs", "namespace Shop;\n\npublic class OrderOptions\n{{\n    public int {} {{ get; set; }}\n}}\n", "ResetHours", '[Key("ResetHours")] public int RetryHours', "appsettings.json", '{\n  "ResetHours": 3\n}\n'),
    "a member of something else": ("a.php", "<?php\nreturn [\n{}];\n", "    'seen_at' => $key->seen_at(),\n", "    'used_at' => 1,\n", "page.vue", "<template>\n  <b>{{ session.seen_at }}</b>\n</template>\n"),
    "a value that another page is given": ("a.py", "x = {{{}}}\n", '"order_sum": 1', '"total": 1', "b.php", "<?php\nreturn $page->with('order_sum', $sum);\n"),
    "a package": ("package.json", '{{"dependencies": {{\n    "{}": "^1.0"\n}}}}\n', "form-data", "formdata", "a.js", 'send(kind, ["form-data"])\n'),
}  # fmt: skip


@pytest.mark.parametrize("what", QUIET)
def test_name_that_is_still_defined_is_not_in_the_headline(repository: Repository, what: str) -> None:
    """Only a removed name that nothing else defines is reported."""
    path, text, old, new, reader, asks = QUIET[what]
    reviewed = review(repository, {path: text.format(old), reader: asks}, {path: text.format(new)})
    assert (json.loads(reviewed.to_json())["conclusion"], reviewed.open) == ("clean", ())


@pytest.mark.parametrize(("page", "code"), [("{}.razor", "{}.razor.cs"), ("{}.component.html", "{}.component.ts")])
def test_name_in_the_code_of_a_page_is_not_in_the_headline(repository: Repository, page: str, code: str) -> None:
    """Each page has its own code file, so removing a name from another page's code breaks nothing here."""
    use = "<b>\n@(CurrentSum) {{ CurrentSum }}\n</b>\n"
    text = (
        "public partial class {0} {{\n    public int CurrentSum = 1;\n}}\n"
        if code.endswith("cs")
        else "export class {0} {{\n  CurrentSum = 1;\n}}\n"
    )
    names = ("Cart", "Total")
    before = {page.format(name): use for name in names} | {code.format(name): text.format(name) for name in names}
    after = {
        page.format("Total"): "<b>\n</b>\n",
        code.format("Total"): text.format("Total").replace("CurrentSum", "Other"),
    }
    assert review(repository, before, after).open == ()


def test_changed_setting_value_is_not_a_removed_name(repository: Repository) -> None:
    """A setting that changes from `false` to `true` doesn't affect `false` elsewhere."""
    project = '<Project>\n  <Reference Output="false" />\n</Project>\n'
    reviewed = review(repository, {"app.yml": "cancel: false\n", "lib.csproj": project}, {"app.yml": "cancel: true\n"})
    assert json.loads(reviewed.to_json())["coverage"]["relying"] == []


MODELS = "from pydantic import BaseModel\n\n\nclass ItemBase(BaseModel):\n    {}\n\n\nclass ItemCreate(ItemBase):\n    owner: int = 0\n"
ROWS = "from dataclasses import dataclass\n\n\n@dataclass\nclass Row:\n    {}\n    size: int = 0\n"
CREATES = "from shop.models import ItemCreate\n\n\ndef create():\n    return ItemCreate(\n        owner=1,\n        title='a',\n    )\n\n\ndef show(item: ItemCreate):\n    return item.title\n"


@pytest.mark.parametrize(
    "after",
    [
        "owner: str | None",  # optional in pydantic 1
        "owner: str = Field(default_factory=str)",
        "owner: str = Field(min_length=1, alias='number')",
        "owner: str\n\n    @model_validator(mode='before')\n    def fill(cls, data):\n        return {'owner': '', **data}",
        "owner: str\n\n    def __init__(self, **data):\n        super().__init__(owner='', **data)",
        "owner: ClassVar[str]",
        "_owner: str",
    ],
)
def test_constructor_call_that_a_default_may_complete_is_not_reported(repository: Repository, after: str) -> None:
    """A call without the new field is not reported if a default, alias or validator may provide it."""
    text = "from typing import ClassVar\n\nfrom pydantic import BaseModel, Field, model_validator\n\n\nclass Order(BaseModel):\n    number: int\n    {}\n"
    before = {"models.py": text.format("note: str = ''"), "use.py": "from models import Order\n\nA = Order(number=1)\n"}
    reviewed = review(repository, before, {"models.py": text.format("note: str = ''\n    " + after)})
    assert (reviewed.findings, reviewed.open) == ((), ())


def test_dataclass_call_with_a_removed_field_is_proven_to_fail(repository: Repository) -> None:
    """The type checker proves it, because the class lists everything that its constructor takes."""
    before = {
        "rows.py": ROWS.format("label: str"),
        "use.py": "from rows import Row as Line\n\nFIRST = Line(label='a')\n",
    }
    findings = review(repository, before, {"rows.py": ROWS.format("caption: str")}).findings
    assert {(one.path, one.start, one.verdict) for one in findings} == {("use.py", 3, "proven")}
    assert "`label`" in findings[0].title


@pytest.mark.parametrize(
    "after",
    [
        MODELS.format("headline: str = ''").replace("owner: int", "title: str = ''\n    owner: int"),
        MODELS.format("headline: str = ''\n    model_config = {'extra': 'allow'}"),
        MODELS.format("headline: str = ''\n\n    def __getattr__(self, name):\n        return name"),
        MODELS.format("headline: str = ''").replace("(BaseModel)", "(Titled)").replace("\n\n\nclass ItemB", "\nfrom titles import Titled\n\n\nclass ItemB"),
    ],
)  # fmt: skip
def test_inherited_pydantic_field_is_not_proven_missing(repository: Repository, after: str) -> None:
    """A removed pydantic field is not proven missing if a subclass or a base may provide it."""
    shows = "from shop.models import ItemCreate\n\n\ndef show(item: ItemCreate):\n    return item.title\n"
    before = {"shop/models.py": MODELS.format("title: str = ''"), "shop/use.py": shows}
    reviewed = review(repository, before, {"shop/models.py": after})
    assert [one for one in reviewed.findings if one.verdict == "proven"] == []


@pytest.mark.parametrize(
    "after",
    [
        MODELS.format("headline: str = Field(alias='title')"),  # the call is valid through the alias
        MODELS.format("headline: str\n    model_config = {'extra': 'allow'}"),
        MODELS.format("headline: str").replace("owner: int", "title: str = ''\n    owner: int"),  # inherited
        MODELS.format("headline: str\n\n    def __init__(self, **data):\n        super().__init__(headline=data.pop(next(iter(data))))"),
        MODELS.format("headline: str").replace("ItemBase(BaseModel)", "ItemBase(Titled)").replace("import BaseModel", "import BaseModel\nfrom titles import Titled"),
    ],
)  # fmt: skip
def test_aliased_pydantic_field_is_not_in_the_headline(repository: Repository, after: str) -> None:
    """A renamed pydantic field is not in the headline if an alias or a constructor may accept it."""
    creates = CREATES.partition("def show")[0]
    reviewed = review(
        repository, {"shop/models.py": MODELS.format("title: str"), "shop/use.py": creates}, {"shop/models.py": after}
    )
    assert not any("shop/use.py" in place for place in reviewed.open)
    assert "still mention" not in reviewed.to_markdown().partition("\n")[0]


def test_line_with_the_old_name_of_a_renamed_method_is_listed(repository: Repository) -> None:
    """A line that uses a renamed method is listed with the old name, in the headline and below."""
    model = "class Order\n  def refresh_rates_of_all\n    1\n  end\nend\n"
    caller = "class OrdersController\n  def update\n    @order = Order.find(params[:id])\n    @order.refresh_rates_of_all\n  end\nend\n"
    stub = "describe OrdersController do\n  it 'works' do\n    allow(order).to receive_messages(refresh_rates_of_all: true)\n  end\nend\n"
    path = "app/models/order.rb"
    before = {path: model, "app/controllers/orders_controller.rb": caller, "spec/orders_controller_spec.rb": stub}
    reviewed = review(repository, before, {path: model.replace("refresh_", "renew_")})
    comment = reviewed.to_markdown()
    assert "still mentions `Order.refresh_rates_of_all`" in comment.partition("\n")[0]
    assert "`Order.refresh_rates_of_all` was renamed and is used or imported in" in comment


# what is forgotten -> (files before, their edits, the file and line that stay behind)
LEFT_BEHIND = {
    "the key of a file that a dotted name leads to": (
        {
            "lang/en/settings.php": "<?php\n\nreturn [\n    'settings_saved' => 'Saved.',\n];\n",
            "lang/de/settings.php": "<?php\n\nreturn [\n    'settings_saved' => 'Gespeichert.',\n];\n",
            "app/UserPage.php": "<?php\n\nfunction saveUser()\n{\n    flash(trans('settings.settings_saved'), 'success');\n}\n",
            "app/Page.php": "<?php\n\nfunction save()\n{\n    flash(trans('settings.settings_saved'));\n}\n",
        },
        {
            "lang/en/settings.php": ("settings_saved'", "saved'"),
            "lang/de/settings.php": ("settings_saved'", "saved'"),
            "app/UserPage.php": ("settings.settings_saved", "settings.saved"),
        },
        "app/Page.php:5",
    ),
    "a function that a HEEx template calls": (
        {
            "lib/shop_web/view_helpers.ex": "defmodule ShopWeb.ViewHelpers do\n  def pretty_datetime(at), do: to_string(at)\nend\n",
            "lib/shop_web/order.html.heex": "<dl>\n  <dd>{pretty_datetime(@order.paid_at)}</dd>\n</dl>\n",
        },
        {"lib/shop_web/view_helpers.ex": ("pretty_datetime(at)", "full_datetime(at)")},
        "lib/shop_web/order.html.heex:2",
    ),
    "a name that only a comment keeps": (
        {
            "Cargo.toml": '[package]\nname = "shop"\n\n# self-update: replaces the program\n[features]\nself-update = []\n',
            "src/main.rs": '#[cfg(feature = "self-update")]\nmod update;\nfn main() {}\n',
            "dist.toml": '[dist]\nfeatures = ["self-update"]\n',
        },
        {"Cargo.toml": ("self-update = []", "updater = []"), "src/main.rs": ("self-update", "updater")},
        "dist.toml:2",
    ),
    "an override under the old name": (
        {
            "task.py": "class Task:\n    def build_help(self, files):\n        return ''\n\n    def show(self, files):\n        return self.build_help(files)\n",
            "lint.py": "from task import Task\n\n\nclass Lint(Task):\n    def build_help(self, files):\n        return 'lint'\n",
        },
        {"task.py": ("build_help(", "help_message(")},
        "lint.py:5",
    ),
    "an override in a nested class": (
        {
            "IBalancer.cs": "namespace Shop;\n\npublic interface IBalancer\n{\n    void ReleaseLease(string host);\n}\n",
            "Tests.cs": "namespace Shop;\n\npublic class Tests\n{\n    private class Custom : IBalancer\n    {\n        public void ReleaseLease(string host) { }\n    }\n}\n",
        },
        {"IBalancer.cs": ("ReleaseLease", "ReturnLease")},
        "Tests.cs:7",
    ),
}


@pytest.mark.parametrize("what", LEFT_BEHIND)
def test_line_that_a_rename_left_behind_is_open(repository: Repository, what: str) -> None:
    """The only line that still uses the old name is open, in whatever form it uses it."""
    before, edits, place = LEFT_BEHIND[what]
    reviewed = review(repository, before, {path: before[path].replace(*edit) for path, edit in edits.items()})
    assert [one.split(" ")[0].rstrip(":") for one in reviewed.open] == [place]


def test_string_with_the_name_of_a_removed_member_is_not_open(repository: Repository) -> None:
    """The key of a translation is no use of a returned object's member of the same name."""
    hook = (
        "export function useChecks() {\n  return {\n    validEmail: (value: string) => value.includes('@'),\n  };\n}\n"
    )
    form = "export const show = (t: (key: string) => string) => t('validEmail');\n"
    reviewed = review(
        repository, {"checks.ts": hook, "form.ts": form}, {"checks.ts": hook.replace("validEmail", "email")}
    )
    assert reviewed.open == ()
