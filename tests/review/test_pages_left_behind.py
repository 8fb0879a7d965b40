"""Templates, attributes, elements and services that are connected with code only by a convention about names."""

import json

import pytest
from fakes import Repository

import deeprepo

MAILER = "class OrderMailer < ApplicationMailer\n  def {}(order)\n    mail to: order.email\n  end\nend\n"
CONTROLLER = "namespace Shop;\n\npublic class OrdersController : Controller\n{{\n    public IActionResult {}(int id) => View();\n}}\n"
PHOENIX = "defmodule Shop.PageController do\n  use Shop, :controller\n\n  def {}(conn, _params) do\n    render(conn)\n  end\nend\n"
VUE = '<template>\n  <b :style="{{ background: {0} }}" />\n</template>\n\n<script setup lang="ts">\ndefineProps<{{\n  {0}: string\n}}>()\n</script>\n'
SVELTE = "<script>\n  export let {0}\n</script>\n\n<b>{{{0}}}</b>\n"
PAGE = '<script setup lang="ts">\nimport ColorDot from "./ColorDot.vue"\n</script>\n\n<template>\n  <ColorDot\n    v-if="show"\n    :shade="own"\n  />\n</template>\n'
SCRIPT = "export class Total {}\n"
STARTUP = "namespace Shop;\n\npublic class Startup\n{{\n    public void Start(IServiceCollection services)\n    {{\n        services.AddScoped<ICart, Cart>();\n        {}\n    }}\n}}\n"
REGISTERED = STARTUP.format("services.AddScoped<IMailQueue, MailQueue>();")
ORDERS = "namespace Shop;\n\npublic class Orders\n{\n    public Orders(ICart cart, IMailQueue queue)\n    {\n    }\n}\n"
QUEUE = "namespace Shop;\n\npublic interface IMailQueue\n{\n}\n\npublic class MailQueue : IMailQueue\n{\n}\n"
SERVICES = {"Startup.cs": REGISTERED, "Orders.cs": ORDERS, "MailQueue.cs": QUEUE}
# what -> (files before, files after, None if deleted, the line that is left behind)
LEFT: dict[str, tuple[dict[str, str], dict[str, str | None], str]] = {
    "a mail's template": ({"app/mailers/order_mailer.rb": MAILER.format("receipt_mail"), "app/views/order_mailer/receipt_mail.html.erb": "<p>\n"}, {"app/mailers/order_mailer.rb": MAILER.format("bill_mail")}, "app/views/order_mailer/receipt_mail.html.erb:1"),
    "a view in ASP.NET": ({"Controllers/OrdersController.cs": CONTROLLER.format("ShowReceipt"), "Views/Orders/ShowReceipt.cshtml": "<p>\n"}, {"Controllers/OrdersController.cs": CONTROLLER.format("ShowBill")}, "Views/Orders/ShowReceipt.cshtml:1"),
    "a template in Phoenix": ({"lib/shop/page_controller.ex": PHOENIX.format("show_receipt"), "lib/shop/page_html/show_receipt.html.heex": "<p>\n"}, {"lib/shop/page_controller.ex": PHOENIX.format("show_bill")}, "lib/shop/page_html/show_receipt.html.heex:1"),
    "an attribute in Vue": ({"src/ColorDot.vue": VUE.format("shade"), "src/Page.vue": PAGE}, {"src/ColorDot.vue": VUE.format("tint")}, "src/Page.vue:8"),
    "an attribute in Svelte": ({"src/Dot.svelte": SVELTE.format("shade"), "src/Page.svelte": '<script>\n  import Dot from "./Dot.svelte"\n</script>\n\n<Dot shade={own} />\n'}, {"src/Dot.svelte": SVELTE.format("tint")}, "src/Page.svelte:5"),
    "a script's name": ({"js/cart_total_controller.js": SCRIPT, "page.html": '<p data-controller="clock cart-total">\n'}, {"js/cart_total_controller.js": None, "js/cart_sum_controller.js": SCRIPT}, "page.html:1"),
    "an element in Blade": ({"resources/views/components/cart-total.blade.php": "<b>\n", "resources/views/page.blade.php": '<p>\n<x-cart-total :all="$all" />\n'}, {"resources/views/components/cart-total.blade.php": None, "resources/views/components/cart-sum.blade.php": "<b>\n"}, "resources/views/page.blade.php:2"),
    "a service that nothing registers": (SERVICES, {"Startup.cs": STARTUP.format("")}, "Orders.cs:5"),
}  # fmt: skip


def opened(repository: Repository, before: dict[str, str], after: dict[str, str | None]) -> list[str]:
    """Return the lines that a static review of the change leaves open."""
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit({**after}, "after")
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    return [f"{row['path']}:{row['line']}" for row in json.loads(reviewed.to_json())["coverage"]["open"]]


@pytest.mark.parametrize("what", LEFT)
def test_page_with_a_former_name_is_open(repository: Repository, what: str) -> None:
    """A page is open if it is named after, or names, what the change renamed in code only."""
    before, after, line = LEFT[what]
    assert opened(repository, before, after) == [line]


MAIL = LEFT["a mail's template"][0]
FINE: dict[str, tuple[dict[str, str], dict[str, str | None]]] = {
    "a template that moved along": (MAIL, {"app/mailers/order_mailer.rb": MAILER.format("bill_mail"), "app/views/order_mailer/receipt_mail.html.erb": None, "app/views/order_mailer/bill_mail.html.erb": "<p>\n"}),
    "a template that the action names": (MAIL, {"app/mailers/order_mailer.rb": MAILER.format("bill_mail").replace("mail to", "mail template_name: 'receipt_mail', to")}),
    "a template of another class": ({**MAIL, "app/models/cart.rb": "class Cart\n  def receipt_mail\n    1\n  end\nend\n"}, {"app/models/cart.rb": "class Cart\n  def bill_mail\n    1\n  end\nend\n"}),
    "attributes that a component passes on": ({"src/ColorDot.vue": VUE.format("shade"), "src/Page.vue": PAGE}, {"src/ColorDot.vue": VUE.format("tint").replace("<b ", '<b v-bind="$attrs" ')}),
    "an attribute of every element": ({"src/ColorDot.vue": VUE.format("title"), "src/Page.vue": PAGE.replace("shade", "title")}, {"src/ColorDot.vue": VUE.format("tint")}),
    "a class of the name of a script": ({"js/cart-total.js": SCRIPT, "page.html": '<p class="cart-total">\n'}, {"js/cart-total.js": None, "js/cart-sum.js": SCRIPT}),
    "a script that moved": ({"js/cart-total.js": SCRIPT, "page.html": '<p data-controller="cart-total">\n'}, {"js/cart-total.js": None, "js/all/cart-total.js": SCRIPT}),
    "an id that a script gives": ({"app/views/_box.html.erb": '<div>\n# <button type="button" class="btn btn-warning" id="confirmMerge">Merge</button>\n</div>\n', "js/box.js": "export function show() {\n  $('#confirmMerge').hide();\n}\n"}, {"app/views/_box.html.erb": None, "js/box.js": "export function show() {\n  $('body').append(`\n    <button type=\"button\" class=\"btn btn-success\" id=\"confirmMerge\">Merge</button>\n  `);\n  $('#confirmMerge').hide();\n}\n"}),
    "a service that is registered elsewhere": ({**SERVICES, "More.cs": REGISTERED.replace("Startup", "More")}, {"Startup.cs": STARTUP.format("")}),
    "a service that code builds itself": ({**SERVICES, "Jobs.cs": "namespace Shop;\n\npublic class Jobs\n{\n    Orders All() => new Orders(new Cart(), new MailQueue());\n}\n"}, {"Startup.cs": STARTUP.format("")}),
    "a service that is registered with a factory": (SERVICES, {"Startup.cs": STARTUP.format("services.AddScoped<IMailQueue>(_ => new MailQueue());")}),
}  # fmt: skip


@pytest.mark.parametrize("what", FINE)
def test_page_that_still_fits_is_not_open(repository: Repository, what: str) -> None:
    """A page is not open if its name still has a meaning, or may have one."""
    before, after = FINE[what]
    assert opened(repository, before, after) == []


def test_service_without_a_registration_may_be_registered_in_another_way(repository: Repository) -> None:
    """Code can register types by a pattern of their names, so the review doesn't claim to know."""
    repository.commit({"README.md": "shop\n", **SERVICES}, "before")
    repository.commit({"Startup.cs": STARTUP.format("services.Scan(Everything);")}, "after")
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    (row,) = json.loads(reviewed.to_json())["coverage"]["open"]
    assert row["reason"] == "IMailQueue may no longer be registered"
