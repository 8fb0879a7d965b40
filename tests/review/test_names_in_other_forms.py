"""A name that a change takes away is open where another file, in another language or form, still has it."""

import pytest
from fakes import Repository

import deeprepo


def opened(repository: Repository, before: dict[str, str], edits: dict[str, tuple[str, str]]) -> list[str]:
    """Review the edits with static checks only, and return the places that stay open. An empty new text moves the file."""
    texts = {path: before[path].replace(*edit) for path, edit in edits.items() if edit[1]}
    moves = {path: None for path, edit in edits.items() if not edit[1]}
    news = {edit[0]: before[path] for path, edit in edits.items() if not edit[1]}
    repository.commit({"README.md": "shop\n", **before}, "before")
    repository.commit({**texts, **moves, **news}, "after")
    reviewed = deeprepo.review(repository.folder, "HEAD~1..HEAD", effort="none")
    return [one.split(" ")[0].rstrip(":") for one in reviewed.open]


# what is forgotten -> (files before, their edits, the place that stays behind)
LEFT = {
    "a method that settings call": ({"app/models/card.rb": "class Card < ApplicationRecord\n  def self.postpone_all_due\n    1\n  end\nend\n", "config/recurring.yml": 'production:\n  postpone:\n    command: "Card.postpone_all_due"\n    schedule: every hour\n'}, {"app/models/card.rb": ("postpone_all_due", "postpone_due")}, "config/recurring.yml:3"),
    "a function that a manifest names": ({"shop/__init__.py": "", "shop/cli.py": "def run_server():\n    return 1\n", "pyproject.toml": '[project]\nname=\'shop\'\nversion=\'1\'\n[project.scripts]\nshop = "shop.cli:run_server"\n'}, {"shop/cli.py": ("run_server", "serve_all")}, "pyproject.toml:5"),
    "a class that settings name with its package": ({"src/main/java/com/acme/OrderHandler.java": "package com.acme;\n\npublic class OrderHandler {\n    public void handle() {}\n}\n", "src/main/resources/application.yml": "logging:\n  level:\n    com.acme.OrderHandler: DEBUG\n"}, {"src/main/java/com/acme/OrderHandler.java": ("OrderHandler", "OrderProcessor")}, "src/main/resources/application.yml:3"),
    "a class that a manifest names without its package": ({"app/src/main/java/com/acme/DetailActivity.kt": "package com.acme\n\nclass DetailActivity : AppCompatActivity() {\n}\n", "app/src/main/AndroidManifest.xml": '<manifest package="com.acme">\n  <application>\n    <activity android:name=".DetailActivity" />\n  </application>\n</manifest>\n'}, {"app/src/main/java/com/acme/DetailActivity.kt": ("DetailActivity", "OrderDetailActivity")}, "app/src/main/AndroidManifest.xml:3"),
    "a method that a route of settings names": ({"composer.json": '{"autoload":{"psr-4":{"App\\\\":"src/"}}}\n', "src/Controller/OrderController.php": "<?php\nnamespace App\\Controller;\n\nclass OrderController {\n  public function showInvoice() {}\n}\n", "config/routes.yaml": "invoice:\n  path: /invoice\n  controller: App\\Controller\\OrderController::showInvoice\n"}, {"src/Controller/OrderController.php": ("showInvoice", "displayInvoice")}, "config/routes.yaml:3"),
    "an action that a route names": ({"app/controllers/orders_controller.rb": "class OrdersController < ApplicationController\n  def cancel_order\n    1\n  end\nend\n", "config/routes.rb": 'Rails.application.routes.draw do\n  post "/cancel", to: "orders#cancel_order"\nend\n'}, {"app/controllers/orders_controller.rb": ("cancel_order", "cancel")}, "config/routes.rb:2"),
    "a method that a class passes on as a symbol": ({"app/controllers/application_controller.rb": "class ApplicationController < ActionController::Base\n  def require_admin_user\n    1\n  end\nend\n", "app/controllers/orders_controller.rb": "class OrdersController < ApplicationController\n  before_action :require_admin_user\nend\n"}, {"app/controllers/application_controller.rb": ("require_admin_user", "require_admin")}, "app/controllers/orders_controller.rb:2"),
    "a class that settings name with its namespace": ({"src/OrderSink.cs": "namespace Shop.Logging;\n\npublic class OrderSink\n{\n}\n", "src/appsettings.json": '{\n  "Sinks": ["Shop.Logging.OrderSink, Shop"]\n}\n'}, {"src/OrderSink.cs": ("OrderSink", "InvoiceSink")}, "src/appsettings.json:2"),
    "a method in the data file of its class": ({"src/OrderMapper.java": "package shop;\n\npublic interface OrderMapper {\n    int countOpen(int x);\n}\n", "src/main/resources/OrderMapper.xml": '<mapper namespace="shop.OrderMapper">\n  <select id="countOpen">SELECT 1</select>\n</mapper>\n'}, {"src/OrderMapper.java": ("countOpen", "openCount")}, "src/main/resources/OrderMapper.xml:2"),
    "a property that a binding of a page names": ({"ViewModel.cs": "namespace Shop;\n\npublic class CartViewModel\n{\n    public int OrderTotal { get; set; }\n}\n", "Cart.xaml": '<Window>\n  <TextBlock Text="{Binding OrderTotal}"/>\n</Window>\n'}, {"ViewModel.cs": ("OrderTotal", "OrderSum")}, "Cart.xaml:2"),
    "the path of a moved script": ({"scripts/start_server.sh": "echo 1\n", "Dockerfile": "FROM a\nCOPY scripts/start_server.sh /x\n"}, {"scripts/start_server.sh": ("bin/start_server.sh", "")}, "Dockerfile:2"),
    "the path of a moved page from its folder": ({"src/app/cart/cart-page.component.html": "<b>x</b>\n", "src/app/cart/cart-page.component.ts": "@Component({\n  selector: 'app-cart',\n  templateUrl: './cart-page.component.html',\n})\nexport class CartPage {}\n"}, {"src/app/cart/cart-page.component.html": ("src/app/cart/cart-view.component.html", "")}, "src/app/cart/cart-page.component.ts:3"),
    "a key of an object that is given to a call": ({"src/server/polls.ts": "import { router, procedure } from 'trpc'\n\nexport const polls = router({\n  markAsDeleted: procedure.mutation(() => 1),\n  list: procedure.query(() => 2),\n})\n", "src/client/dialog.tsx": "import { trpc } from '../trpc'\n\nexport function Dialog() {\n  const remove = trpc.polls.markAsDeleted.useMutation()\n  return <b onClick={() => remove.mutate()} />\n}\n"}, {"src/server/polls.ts": ("markAsDeleted", "softDelete")}, "src/client/dialog.tsx:4"),
    "a function of an object, called by a path": ({"src/store/cart.js": "export default {\n  actions: {\n    fetchOrders({ commit }) {\n      commit('x')\n    },\n  },\n}\n", "src/views/Cart.vue": "<script>\nexport default {\n  mounted() {\n    this.$store.dispatch('cart/fetchOrders')\n  },\n}\n</script>\n"}, {"src/store/cart.js": ("fetchOrders", "loadOrders")}, "src/views/Cart.vue:4"),
    "a key that is taken out of an object": ({"a.js": "export const LIMITS = {\n  orderMax: 3,\n}\n", "b.js": "import { LIMITS } from './a'\n\nconst { orderMax } = LIMITS\n"}, {"a.js": ("orderMax", "maxOrders")}, "b.js:3"),
    "a message of an object": ({"src/i18n/en.js": "export default {\n  cart: {\n    emptyCart: 'Empty',\n  },\n}\n", "src/i18n/de.js": "export default {\n  cart: {\n    emptyCart: 'Leer',\n  },\n}\n", "src/views/Cart.vue": "<template>\n  <b>{{ $t('cart.emptyCart') }}</b>\n</template>\n"}, {"src/i18n/en.js": ("emptyCart", "cartIsEmpty"), "src/i18n/de.js": ("emptyCart", "cartIsEmpty")}, "src/views/Cart.vue:2"),
    "a variable of a style sheet": ({"a.css": ":root { --order-color: red }\n", "b.css": ".x { color: var(--order-color) }\n"}, {"a.css": ("--order-color", "--cart-color")}, "b.css:1"),
    "a mixin of a style sheet": ({"a.scss": "@mixin order-box { color: red }\n", "b.scss": "@use 'a';\n.x { @include a.order-box; }\n"}, {"a.scss": ("order-box", "cart-box")}, "b.scss:2"),
    "a placeholder that settings fill": ({"src/main/resources/application.yml": "spring:\n  flyway:\n    placeholders:\n      delete-empty-read-lists: true\n", "src/main/resources/db/migration/V1__a.sql": "DELETE FROM a WHERE ${delete-empty-read-lists};\n"}, {"src/main/resources/application.yml": ("delete-empty-read-lists", "delete-empty-readlists")}, "src/main/resources/db/migration/V1__a.sql:1"),
    "the name of an element": ({"src/app/cart.component.ts": "@Component({\n  selector: 'app-cart-total',\n  template: '<b></b>',\n})\nexport class CartTotal {}\n", "src/app/page.component.html": "<app-cart-total></app-cart-total>\n"}, {"src/app/cart.component.ts": ("app-cart-total", "app-cart-sum")}, "src/app/page.component.html:1"),
    "a target of a build file": ({"lib/CMakeLists.txt": "add_library(order_core a.c)\n", "app/CMakeLists.txt": "add_executable(app main.c)\ntarget_link_libraries(app order_core)\n"}, {"lib/CMakeLists.txt": ("order_core", "shop_core")}, "app/CMakeLists.txt:2"),
    "a task that a workflow runs": ({"lib/tasks/a.rake": "task :sync_orders do\nend\n", ".github/workflows/ci.yml": "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: bin/rake sync_orders\n"}, {"lib/tasks/a.rake": ("sync_orders", "import_orders")}, ".github/workflows/ci.yml:6"),
    "a function of the database": ({"db/f.sql": "CREATE FUNCTION order_total(id int) RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql;\n", "app/a.py": 'def f(c):\n    return c.execute("SELECT order_total(3)")\n'}, {"db/f.sql": ("order_total", "total_of_order")}, "app/a.py:2"),
    "a name of two parts": ({"a.js": "bus.emit('order:paid', 1)\n", "b.js": "bus.on('order:paid', f)\n"}, {"a.js": ("order:paid", "order:settled")}, "b.js:1"),
    "a variable of a shell script": ({"lib.sh": "ORDER_DIR=/x\n", "run.sh": "source ./lib.sh\nls $ORDER_DIR\n"}, {"lib.sh": ("ORDER_DIR", "SHOP_DIR")}, "run.sh:2"),
    "a route with a parameter, in a format": ({"server/api.go": 'package server\n\nfunc init() {\n\tr.POST("/repos/:id/move", move)\n}\n', "client/repo.go": 'package client\n\nconst pathMove = "%s/api/repos/%d/move"\n'}, {"server/api.go": ("/repos/:id/move", "/repos/:id/transfer")}, "client/repo.go:3"),
    "a route with a parameter, in a template literal": ({"api/orders.py": '@app.post("/orders/{order_id}/cancel")\ndef cancel(order_id):\n    return 1\n', "web/orders.ts": "export const cancel = (id: number) => fetch(`/orders/${id}/cancel`)\n"}, {"api/orders.py": ("/cancel", "/abort")}, "web/orders.ts:1"),
    "a route without parameters": ({"api/x.py": '@app.get("/billing/overview")\ndef overview():\n    return 1\n', "web/a.ts": "export const b = () => fetch('/api/billing/overview')\n"}, {"api/x.py": ("/billing/overview", "/billing/summary")}, "web/a.ts:1"),
    "a tag in another spelling": ({"models/list.go": 'package models\n\ntype List struct {\n\tCounts map[string]int `json:"subscriber_counts"`\n}\n', "web/src/Lists.vue": "<template>\n  <b>{{ list.subscriberCounts }}</b>\n</template>\n"}, {"models/list.go": ("subscriber_counts", "status_counts")}, "web/src/Lists.vue:2"),
    "a field of a model in another spelling": ({"api/models.py": "from pydantic import BaseModel\n\n\nclass Order(BaseModel):\n    total_cents: int\n", "web/order.ts": "export interface Order {\n  totalCents: number\n}\nexport const a = (o: Order) => o.totalCents\n"}, {"api/models.py": ("total_cents", "amount_cents")}, "web/order.ts:4"),
    "a getter that another language reads as a field": ({"src/OrderDto.java": "package shop;\n\npublic class OrderDto {\n    private int totalCents;\n    public int getTotalCents() { return totalCents; }\n}\n", "web/order.js": "export const a = (o) => o.totalCents\n"}, {"src/OrderDto.java": ("otalCents", "otalAmount")}, "web/order.js:1"),
    "a property in another spelling": ({"src/OrderDto.cs": "namespace Shop;\n\npublic class OrderDto\n{\n    public int TotalCents { get; set; }\n}\n", "web/order.ts": "export const a = (o: any) => o.totalCents\n"}, {"src/OrderDto.cs": ("TotalCents", "TotalAmount")}, "web/order.ts:1"),
}  # fmt: skip


@pytest.mark.parametrize("what", LEFT)
def test_name_that_another_file_still_has_is_open(repository: Repository, what: str) -> None:
    """The only line that still has the former name is open."""
    before, edits, place = LEFT[what]
    assert opened(repository, before, edits) == [place]


POLLS = "export const polls = router({\n  markAsDeleted: procedure.mutation(() => 1),\n})\n"
QUIET = {
    "a method of another class": ({"card.rb": "class Card\n  def self.postpone_all\n    1\n  end\nend\n", "jobs.yml": 'command: "Orders.postpone_all"\n'}, {"card.rb": ("postpone_all", "postpone")}),
    "the path of another file": ({"a/bin/start.sh": "echo 1\n", "b/bin/start.sh": "echo 2\n", "b/Dockerfile": "COPY bin/start.sh /x\n"}, {"a/bin/start.sh": ("a/run.sh", "")}),
    "a key that another object has": ({"a.ts": POLLS, "b.ts": "export const b = { markAsDeleted: 1 }\nexport const c = b.markAsDeleted\n"}, {"a.ts": ("markAsDeleted", "softDelete")}),
    "a class that another style sheet defines": ({"a.css": ".cart-row {\n}\n", "b.css": ".cart-row {\n}\n", "a.js": "add('cart-row')\n"}, {"a.css": ("cart-row", "cart-line")}),
    "a route that another router defines": ({"a.js": "router.get('/users/:id/bills', list)\n", "b.js": "admin.get('/users/:id/bills', list)\n"}, {"a.js": ("/bills", "/invoices")}),
    "a route whose parameter has another name now": ({"a.js": "router.get('/users/:id/bills', list)\n", "b.js": "fetch(`/users/${id}/bills`)\n"}, {"a.js": (":id", ":user")}),
    "a field that the other language sets": ({"a.py": "class Order(BaseModel):\n    total_cents: int\n", "b.ts": "export class Cart { totalCents = 3 }\nexport const b = (c: Cart) => c.totalCents\n"}, {"a.py": ("total_cents", "amount")}),
    "a field that another class has": ({"a.py": "class Order(BaseModel):\n    total_cents: int\n", "c.py": "class Bill(BaseModel):\n    total_cents: int\n", "b.ts": "export const b = (c: any) => c.totalCents\n"}, {"a.py": ("total_cents", "amount")}),
}  # fmt: skip


@pytest.mark.parametrize("what", QUIET)
def test_name_that_something_else_provides_is_not_open(repository: Repository, what: str) -> None:
    """Nothing is open if the line means something else, or something else provides the name."""
    assert opened(repository, *QUIET[what]) == []
