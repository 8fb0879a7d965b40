"""Strings that still use what a change removes: keys, routes, columns, variables, paths and file names."""

import pytest
from dependents_scene import find
from fakes import Repository

from bot.values import Dependents

VIEW = 'def page(order):\n    return {"order_total": order.sum(), "paid": True}\n'
ENVIRONMENT = "import os\n\n\ndef key():\n    return os.environ['SHOP_API_KEY']\n"
TABLE = "CREATE TABLE post (\n  id INTEGER,\n  review_score INTEGER\n);\n"
# kind -> (file with the renamed key, old and new key, files that still use the old key)
RENAMED = {
    "a key of data that a template and a script read": (
        ("views.py", VIEW),
        ("order_total", "order_sum"),
        {"page.html": "<b>{{ order_total }}</b>\n", "app.js": "show(data.order_total);\nshow(data['order_total']);\n"},
    ),
    "a variable of the environment": (
        ("keys.py", ENVIRONMENT),
        ("SHOP_API_KEY", "SHOP_KEY"),
        {
            ".env.example": "SHOP_API_KEY=\n",
            "docker-compose.yml": "services:\n  web:\n    environment:\n      SHOP_API_KEY: ${SHOP_API_KEY}\n",
            "worker.ts": "export const key = process.env.SHOP_API_KEY;\n",
            "chart/deploy.yaml": "env:\n  - name: SHOP_API_KEY\n",
        },
    ),
    "a variable that settings set": (
        (".env.example", "SHOP_API_KEY=abc\n"),
        ("SHOP_API_KEY", "SHOP_KEY"),
        {"keys.py": ENVIRONMENT, "keys.go": 'package a\n\nvar key = os.Getenv("SHOP_API_KEY")\n'},
    ),
    "a route": (
        ("views.py", '@app.get("/order/summary")\ndef summary():\n    return {}\n'),
        ("/order/summary", "/order/digest"),
        {"client.ts": "fetch(`/order/summary`);\n", "admin.js": "go(base + '/api/order/summary?x=1');\n"},
    ),
    "a column": (
        ("schema.sql", TABLE),
        ("review_score", "score"),
        {"post.py": 'SQL = "SELECT review_score FROM post"\n', "post.rb": "Post.order(:review_score)\n"},
    ),
    "a key of settings": (
        ("app.yml", "limits:\n  max_model_tokens: 3\n"),
        ("max_model_tokens", "max_tokens"),
        {"a.py": "def most(s):\n    return s.max_model_tokens\n", "b.rb": "x = config[:max_model_tokens]\n"},
    ),
    "an event": (
        ("emit.js", "bus.emit('order-placed', 1);\n"),
        ("order-placed", "order-made"),
        {
            "a.js": "bus.on('order-placed', go);\n",
            "b.py": "on('order-placed')\n",
            "c.vue": "<script>\non('order-placed')\n</script>\n",
        },
    ),
    "a header": (
        ("send.go", 'package a\n\nfunc f() { h.Set("X-Shop-Signature", "1") }\n'),
        ("X-Shop-Signature", "X-Signature"),
        {"a.py": 'x = request.headers["X-Shop-Signature"]\n', "b.ts": "get('X-Shop-Signature');\n"},
    ),
    "a tag of a field": (
        ("a.go", 'package a\n\ntype T struct {\n\tName string `json:"display_name,omitempty"`\n}\n'),
        ("display_name", "label"),
        {"a.ts": "show(user.display_name);\n", "b.html": "{{ display_name }}\n"},
    ),
    "a class of a page": (
        ("style.css", ".order-row-wide { color: red }\n"),
        ("order-row-wide", "order-row"),
        {"a.html": '<p class="order-row-wide">\n', "b.jsx": "x = <p className='order-row-wide' />;\n"},
    ),
}


def places(found: Dependents, word: str = "") -> set[str]:
    """Return the lines that still mention a removed name, or only those that mention this word."""
    rows = [row for row in found.references if not (row.is_bound or row.missing)]
    return {f"{row.path}:{row.line}" for row in rows if word in row.name}


@pytest.mark.parametrize("kind", RENAMED)
def test_every_reference_to_a_renamed_key_is_found(repository: Repository, kind: str) -> None:
    """Every line that still uses a renamed key is found, in any language."""
    (path, text), (old, new), readers = RENAMED[kind]
    found = find(repository.change({path: text, **readers}, {path: text.replace(old, new)}))

    wanted = {
        f"{name}:{at}" for name, body in readers.items() for at, line in enumerate(body.split("\n"), 1) if old in line
    }
    assert wanted <= places(found)


def test_only_a_removed_custom_css_property_has_dependents(repository: Repository) -> None:
    """Other style sheets don't depend on a removed CSS property, only on a removed custom property."""
    used = ".page { background-color: blue; color: var(--shop-blue) }\n"
    before = ".order {\n  background-color: red;\n  --shop-blue: blue;\n}\n"
    found = find(repository.change({"a.css": before, "b.css": used}, {"a.css": ".order {\n}\n"}))
    assert places(found, "background-color") == set()
    assert places(found, "shop-blue") == {"b.css:1"}


def test_removed_layout_element_has_no_dependents(repository: Repository) -> None:
    """Removed layout elements and attributes have no dependents, but removed IDs and settings do."""
    layout = '<EditText\n  app:scrollbarStyle="inside"\n  app:id="@+id/subject_line" />\n</EditText>\n'
    settings = "<retry>\n  <maximumRetries>3</maximumRetries>\n</retry>\n"
    readers = {"b.xml": '<EditText\n  app:scrollbarStyle="inside" />\n', "c.py": 'get("maximumRetries")\n', "D.kt": "find(R.id.subject_line)\n"}  # fmt: skip
    tree = {"a.xml": f"<x>\n{layout}</x>\n", "s.xml": settings, **readers}
    found = find(repository.change(tree, {"a.xml": "<x>\n</x>\n", "s.xml": "<retry>\n</retry>\n"}))
    assert (places(found, "EditText"), places(found, "scrollbarStyle")) == (set(), set())
    assert (places(found, "subject_line"), places(found, "maximumRetries")) == ({"D.kt:1"}, {"c.py:1"})


GONE = {
    "a route without a slash": ("orders.ts", "@Get('summary')\nget() {}\n", "main.js", "fetch(`${API}/orders/summary`);\n"),
    "a route with a parameter": ("a.py", "@app.get('/orders/{id}/summary')\ndef f():\n    pass\n", "main.js", "go('/x/' + id + '/summary');\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", GONE)
def test_client_of_a_removed_route_is_found(repository: Repository, what: str) -> None:
    """A client of a removed route is found, even if its path has a prefix or other parameters."""
    path, text, reader, asks = GONE[what]
    found = find(repository.change({path: text, reader: asks}, {path: text.replace("summary", "digest")}))
    assert f"{reader}:{len(asks.splitlines())}" in places(found)


FILES = {
    "a script": ("scripts/start-shop.sh", "Dockerfile", "COPY scripts/start-shop.sh /\n"),
    "a module by its dotted name": ("shop/tasks.py", "celery.yml", "task: shop.tasks.send\n"),
    "a partial of Rails": ("app/views/orders/_row.html.erb", "app/views/a.html.erb", '<%= render "orders/row" %>\n'),
}  # fmt: skip


@pytest.mark.parametrize("what", FILES)
def test_references_to_a_deleted_file_are_found(repository: Repository, what: str) -> None:
    """References to a deleted file are found by path, module name or a framework's naming rule."""
    path, reader, text = FILES[what]
    found = find(repository.change({path: "x = 1\n", reader: text}, {path: None}))
    assert f"{reader}:1" in places(found)


def test_removed_function_name_is_found_in_strings_and_settings(repository: Repository) -> None:
    """A removed function's name is found in strings in code and in settings."""
    files = {
        "a.py": "def order_total(x):\n    return x\n",
        "b.yml": "run: order_total\n",
        "c.py": 'f = getattr(m, "order_total")\n',
    }
    found = find(repository.change(dict(files), {"a.py": "def order_sum(x):\n    return x\n"}))
    assert {"b.yml:1", "c.py:1"} <= places(found)


LEFT_BEHIND: dict[str, tuple[dict[str, str], dict[str, str | None], str]] = {
    "a topic whose name begins with a version": (
        {"a.yml": 'topic: "v1-order-placed"\n', "b.json": '{"topic": "v1-order-placed"}\n', "c.yml": 'topics: "v1-order-placed"\n'},
        {"a.yml": 'topic: "v1-order-made"\n', "b.json": '{"topic": "v1-order-made"}\n'},
        "c.yml:1",
    ),
    "an id of a page": (
        {"page.html": '<p id="order-summary"></p>\n', "main.js": '$("#order-summary").show();\n'},
        {"page.html": '<p id="order-total"></p>\n'},
        "main.js:1",
    ),
    "the description of an input": (
        {"a.html": '<p id="rate-help"></p>\n', "b.html": '<input aria-describedby="rate-help">\n'},
        {"a.html": "<p></p>\n"},
        "b.html:1",
    ),
    "a text of Android": (
        {"res/values/a.xml": '<resources>\n <string name="all_orders">All</string>\n</resources>\n', "A.kt": "fun f() = R.string.all_orders\n"},
        {"res/values/a.xml": "<resources>\n</resources>\n"},
        "A.kt:1",
    ),
    "a view's id of Android": (
        {"res/layout/a.xml": '<View android:id="@+id/order_list"/>\n', "A.kt": "fun f() = find(R.id.order_list)\n"},
        {"res/layout/a.xml": '<View android:id="@+id/orders"/>\n'},
        "A.kt:1",
    ),
    "a key with the key around it": (
        {"values.yaml": "loki:\n  rulerConfig:\n    a: 1\n", "templates/_helpers.tpl": "{{ toYaml .Values.loki.rulerConfig }}\n"},
        {"values.yaml": "loki:\n  rulerSettings:\n    a: 1\n"},
        "templates/_helpers.tpl:1",
    ),
    "a method that a template calls": (
        {"user.rb": "class User\n  def may_see_requests?\n    true\n  end\nend\n", "a.html.erb": "<% if user.may_see_requests? %>\n"},
        {"user.rb": "class User\n  def may_review_requests?\n    true\n  end\nend\n"},
        "a.html.erb:1",
    ),
    "a method that a Razor page calls": (
        {"Cart.cs": "class Cart\n{\n    public int OrderTotal() => 1;\n}\n", "a.cshtml": "<b>@Model.Cart.OrderTotal()</b>\n"},
        {"Cart.cs": "class Cart\n{\n    public int OrderSum() => 1;\n}\n"},
        "a.cshtml:1",
    ),
    "a getter that a page reads as a property": (
        {"Vet.java": "class Vet {\n    public int getSkillCount() {\n        return 1;\n    }\n}\n", "vets.html": '<b th:if="${vet.skillCount == 0}">none</b>\n'},
        {"Vet.java": "class Vet {\n    public int getSkills() {\n        return 1;\n    }\n}\n"},
        "vets.html:1",
    ),
    "a filter that one of two templates still uses": (
        {"tags.py": "def mask_phone(s):\n    return s\n", "a.html": "{{ to|mask_phone }}\n", "b.html": "{{ to|mask_phone }}\n"},
        {"tags.py": "def hide_phone(s):\n    return s\n", "a.html": "{{ to|hide_phone }}\n"},
        "b.html:1",
    ),
    "a message that a page shows, next to a method of this name": (
        {
            "messages.properties": "addVisit=Add a visit\n",
            "a.html": '<p th:text="#{addVisit}">Add</p>\n',
            "b.html": '<p th:text="#{addVisit}">Add</p>\n',
            "Pet.java": "class Pet {\n    public void addVisit(int at) {\n    }\n}\n",
            "Owner.java": "class Owner {\n    void plan(Pet pet) {\n        pet.addVisit(1);\n    }\n}\n",
        },
        {"messages.properties": "bookVisit=Add a visit\n", "a.html": '<p th:text="#{bookVisit}">Add</p>\n'},
        "b.html:1",
    ),
    "a route that two files call by another name": (
        {
            "web.php": "<?php\nRoute::get('x', f)->name('orders.summary');\n",
            "a.php": "<?php\n$a = route('orders.summary');\n",
            "b.php": "<?php\n$b = route('orders.summary');\n",
        },
        {
            "web.php": "<?php\nRoute::get('x', f)->name('orders.digest');\n",
            "a.php": "<?php\n$a = route('orders.digest');\n",
        },
        "b.php:2",
    ),
    "an event": (
        {
            "order.rb": "Bus.publish :order_canceled, order: self\n",
            "engine.rb": "EVENTS = %i[\n  order_canceled\n]\n",
            "mailer.rb": "handle :order_canceled, with: :mail\n",
        },
        {"order.rb": "Bus.publish :order_cancelled, order: self\n", "engine.rb": "EVENTS = %i[\n  order_cancelled\n]\n"},
        "mailer.rb:1",
    ),
    "a text where functions are called by their names": (
        {"a.py": "class Stream:\n    def timed_out(self):\n        return True\n", "b.py": 'def f(stream):\n    return getattr(stream, "timed_out")()\n'},
        {"a.py": "class Stream:\n    pass\n"},
        "b.py:2",
    ),
    "a text that says its class": (
        {"src/group.h": "class Group\n{\npublic:\n    int findEntryRecursive(int a);\n};\n", "src/other.cpp": 'void Other::go()\n{\n    invoke("Group::findEntryRecursive", 1);\n}\n'},
        {"src/group.h": "class Group\n{\npublic:\n};\n"},
        "src/other.cpp:3",
    ),
    "a key that a class loses": (
        {"a/Reply.kt": 'class Reply(\n    @SerialName("device_id")\n    val deviceId: String,\n)\n', "a/Report.kt": 'fun f(body: Body) = body.getString("device_id")\n'},
        {"a/Reply.kt": "class Reply()\n"},
        "a/Report.kt:1",
    ),
    "an entry of a dictionary": (
        {"a.rb": 'LABELS = { "order-total" => 1 }\n', "b.rb": 'x = LABELS.fetch("order-total")\n'},
        {"a.rb": "LABELS = {}\n"},
        "b.rb:1",
    ),
    "a route that one edited line renames": (
        {
            "api.ts": 'router.post("pins.list", f);\n',
            "store.ts": 'const r = client.post("/pins.list");\n',
            "api.test.ts": 'describe("#pins.list", () => {\n  server.post("/api/pins.list");\n});\n',
        },
        {
            "api.ts": 'router.post("pins.index", f);\n',
            "api.test.ts": 'describe("#pins.list", () => {\n  server.post("/api/pins.index");\n});\n',
        },
        "store.ts:1",
    ),
    "a class that only a script asks for": (
        {"a.html.erb": '<a class="btn js-empty-cart">a</a>\n', "cart.js": "$('.js-empty-cart').on('click', f);\n"},
        {"a.html.erb": '<a class="btn js-clear-cart">a</a>\n'},
        "cart.js:1",
    ),
    "an option that its own file reads": (
        {"a.rs": 'let c = arg!(--"input-path" <P>);\nlet p = m.remove_one::<P>("input-path");\n', "b.rs": 'let c = arg!(--"input-path" <P>);\n'},
        {"a.rs": 'let c = arg!(--"input-file" <F>);\nlet p = m.remove_one::<P>("input-path");\n'},
        "a.rs:2",
    ),
    "an event that one edited line renames": (
        {"order.ts": 'bus.emit("orderWithdrawn", id);\n', "mail.ts": 'bus.on("orderWithdrawn", f);\n'},
        {"order.ts": 'bus.emit("orderTakenBack", id);\n'},
        "mail.ts:1",
    ),
    "a symbol of an event": (
        {"order.rb": "Bus.publish(:order_withdrawn, order: self)\n", "mailer.rb": "handle(:order_withdrawn, with: :mail)\n"},
        {"order.rb": "Bus.publish(:order_taken_back, order: self)\n"},
        "mailer.rb:1",
    ),
    "a partial": (
        {"app/views/shop/_no_orders.html.erb": "a\n", "app/views/a.html.erb": "<%= render 'shop/no_orders' %>\n"},
        {"app/views/shop/_no_orders.html.erb": None, "app/views/shop/_nothing.html.erb": "a\n"},
        "app/views/a.html.erb:1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", LEFT_BEHIND)
def test_reference_to_an_undefined_name_is_open(repository: Repository, what: str) -> None:
    """A line is open if it uses a removed name that nothing else defines and that is unambiguous."""
    base, change, place = LEFT_BEHIND[what]
    found = find(repository.change(dict(base), dict(change)))
    assert {f"{row.path}:{row.line}" for row in found.references if row.asks} == {place}


KEPT: dict[str, tuple[dict[str, str], dict[str, str | None]]] = {
    "another page has the id": (
        {"a.html": '<p id="order-total"></p>\n', "b.html": '<p id="order-total"></p>\n', "c.js": '$("#order-total");\n'},
        {"a.html": "<p></p>\n"},
    ),
    "one caller goes elsewhere": (
        {"a.js": "get('orders.summary');\n", "b.js": "get('orders.summary');\n", "c.js": "router.get('orders.summary', f);\n"},
        {"a.js": "get('orders.digest');\n"},
    ),
    "a value that is exchanged for another one": (
        {"a.js": 'show({ tone: "warn-light" });\n', "b.js": 'paint("warn-light", "warn-dark");\n'},
        {"a.js": 'show({ tone: "warn-dark" });\n'},
    ),
    "a version": (
        {"a.yml": 'runs: "ubuntu-22.04"\n', "b.yml": 'image: "ubuntu-22.04"\n'},
        {"a.yml": 'runs: "ubuntu-24.04"\n'},
    ),
    "a version in several files": (
        {"a.yml": 'go: "1.26.3"\n', "b.json": '{"golang": "1.26.3"}\n', "c.yml": 'go-version: "1.26.3"\n'},
        {"a.yml": 'go: "1.26.4"\n', "b.json": '{"golang": "1.26.4"}\n'},
    ),
    "an address that is called like a template": (
        {"views/settings/features.html": "a\n", "a.py": "redirect('/settings/features')\n"},
        {"views/settings/features.html": None, "views/settings/parts/features.html": "a\n"},
    ),
    "the template moved to another root": (
        {"app/views/shop/_orders.html.erb": "a\n", "a.html.erb": "<%= render 'shop/orders' %>\n"},
        {"app/views/shop/_orders.html.erb": None, "engine/views/shop/_orders.html.erb": "a\n"},
    ),
    "classes of a stylesheet": (
        {"a.vue": '<i class="text-high-light" />\n<b class="x text-high-light" />\n', "b.vue": '<i class="text-high-light" />\n'},
        {"a.vue": '<i class="text-low-light" />\n<b class="x text-low-light" />\n'},
    ),
    "another layout of the folder has the id": (
        {
            "res/layout/a.xml": '<View android:id="@+id/sbPosition"/>\n',
            "res/layout/b.xml": '<View android:id="@+id/sbPosition"/>\n',
            "A.kt": "fun f() = find(R.id.sbPosition)\n",
        },
        {"res/layout/a.xml": '<View android:id="@+id/sbOther"/>\n'},
    ),
    "a text where no function is called by its name": (
        {"src/a.rs": "impl Stream {\n    fn timed_out(&self) -> bool {\n        true\n    }\n}\n", "src/b.rs": 'fn f(code: &mut String) {\n    code.push_str("timed_out");\n}\n'},
        {"src/a.rs": "impl Stream {}\n"},
    ),
    "a text that says which class has it": (
        {"src/group.h": "class Group\n{\npublic:\n    int findEntryRecursive(int a);\n};\n", "src/other.cpp": 'void Other::go()\n{\n    fail("Database::findEntryRecursive", "no such entry");\n}\n'},
        {"src/group.h": "class Group\n{\npublic:\n};\n"},
    ),
    "the name of a check that is suppressed": (
        {"a/A.kt": 'fun f() = g(\n    @Suppress("MagicNumber")\n    h(7),\n)\n', "a/B.kt": 'fun i() = g(@Suppress("MagicNumber") 8)\n'},
        {"a/A.kt": "fun f() = g(\n    h(SEVEN),\n)\n"},
    ),
    "a key of a class that goes with its file": (
        {"a/Reply.kt": 'class Reply(\n    @SerialName("device_id")\n    val deviceId: String,\n)\n', "a/Report.kt": 'fun f(body: Body, id: String) = body.addFormDataPart("device_id", id)\n'},
        {"a/Reply.kt": None},
    ),
    "two lines of one file rename a value of their own": (
        {"a.js": 'make("my-source");\nrows.get("my-source");\n', "b.js": 'open("my-source");\n'},
        {"a.js": 'make("kafka-stream");\nrows.get("kafka-stream");\n'},
    ),
    "a case of a match": (
        {"src/a.rs": 'fn f(name: &str) -> u8 {\n    match name {\n        "hide-env" => 1,\n        _ => 2,\n    }\n}\n', "src/b.rs": 'fn g() -> S {\n    S::build("hide-env")\n}\n'},
        {"src/a.rs": "fn f(name: &str) -> u8 {\n    2\n}\n"},
    ),
    "a class in lists of classes": (
        {"a.tsx": 'export const A = () => <li className="text-red-500 wide">x</li>;\n', "b.tsx": "export const B = (c) => <p className={cn('text-red-500 small', c)}>x</p>;\n", "c.tsx": 'export const C = () => <p className="text-red-500">x</p>;\n'},
        {"a.tsx": 'export const A = () => <li className="text-destructive wide">x</li>;\n', "b.tsx": "export const B = (c) => <p className={cn('text-destructive small', c)}>x</p>;\n"},
    ),
    "a pattern that takes an answer apart": (
        {"a.ex": 'defmodule A do\n  def f(body) do\n    with %{"HideEnv" => user} <- body do\n      user\n    end\n  end\nend\n', "b.cs": "class B {\n  string F() => Env.Folder(Special.HideEnv);\n}\n"},
        {"a.ex": "defmodule A do\n  def f(body) do\n    body\n  end\nend\n"},
    ),
    "the parameters of a function": (
        {"a.ex": 'defmodule A do\n  def f(%{"HideEnv" => user}) do\n    user\n  end\nend\n', "b.cs": "class B {\n  string F() => Env.Folder(Special.HideEnv);\n}\n"},
        {"a.ex": "defmodule A do\n  def f(body) do\n    body\n  end\nend\n"},
    ),
    "an assignment that takes a row apart": (
        {"a.php": '<?php\nfunction f($row) {\n    ["HideEnv" => $user] = $row;\n    return $user;\n}\n', "b.php": '<?php\nreturn open("HideEnv");\n'},
        {"a.php": "<?php\nfunction f($row) {\n    return $row;\n}\n"},
    ),
    "a case of a switch": (
        {"a.go": 'package a\n\nfunc f(s string) int {\n\tswitch s {\n\tcase "hide-env":\n\t\treturn 1\n\t}\n\treturn 2\n}\n', "b.go": 'package a\n\nfunc g() S {\n\treturn build("hide-env")\n}\n'},
        {"a.go": "package a\n\nfunc f(s string) int {\n\treturn 2\n}\n"},
    ),
    "a condition": (
        {"a.py": 'def f(s):\n    if s == "hide-env":\n        return 1\n    return 2\n', "b.py": 'x = build("hide-env")\n'},
        {"a.py": "def f(s):\n    return 2\n"},
    ),
    "one of two texts": (
        {"a.ts": 'export const f = (on: boolean) => g(on ? "hide-env" : "none");\n', "b.ts": 'build("hide-env");\n'},
        {"a.ts": 'export const f = (on: boolean) => g("none");\n'},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", KEPT)
def test_name_still_defined_or_ambiguous_is_not_open(repository: Repository, what: str) -> None:
    """A line is not open if the name is still defined or may mean something else."""
    base, change = KEPT[what]
    found = find(repository.change(dict(base), dict(change)))
    assert not [row for row in found.references if row.asks]


QUIET = {
    "the same file still says it": ('{"order_total": 1}\n', '{"other": 2, "order_total": 1}\n', "{{ order_total }}\n"),
    "another changed line says it": ('a = "order_total"\n', 'b = "order_total"\n', "{{ order_total }}\n"),
    "a part of a longer word": ('a = "order_total"\n', 'a = "order_sum"\n', "{{ my_order_totals }}\n"),
    "a word of many trees": ('a = "user_name"\n', "\n", "{{ user_name }}\n"),
    "a route with its parameter written out": (
        "go(f'{base}/jobs/nightly/${name}/run')\ngo(`/jobs/nightly/${name}`)\n",
        "go(f'{base}/jobs/nightly/first/run')\ngo(`/jobs/nightly/first`)\n",
        "{{ /jobs/nightly }}\n",
    ),
    "one word of a text": ('a = "total"\n', 'a = "sum"\n', "The total of it.\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", QUIET)
def test_word_that_is_still_present_or_too_common_is_not_reported(repository: Repository, what: str) -> None:
    """A word that the change still contains, or that is too common, is not reported."""
    before, after, page = QUIET[what]
    found = find(repository.change({"a.py": before, "page.html": page}, {"a.py": after}))
    assert not any(place.startswith("page.html") for place in places(found))


def test_word_found_in_many_files_is_not_reported(repository: Repository) -> None:
    """If more than six files contain a removed word, none of them is reported."""
    readers = {f"page{number}.html": "{{ order_total }}\n" for number in range(8)}
    found = find(repository.change({"a.py": 'a = "order_total"\n', **readers}, {"a.py": "\n"}))
    assert places(found, "order_total") == set()


def test_removed_reference_or_comment_does_not_remove_a_name(repository: Repository) -> None:
    """A removed reference to `$(NetTargets)` or a removed comment defines nothing, so nothing is missing."""
    project = "<Project>\n  <TargetFrameworks>$(NetTargets);net9.0</TargetFrameworks>\n  <!-- HttpClientRules -->\n</Project>\n"
    props = "<Project>\n  <NetTargets>net48</NetTargets>\n  <Rules>HttpClientRules</Rules>\n</Project>\n"
    after = "<Project>\n  <TargetFrameworks>net9.0</TargetFrameworks>\n</Project>\n"
    files = {"a/A.csproj": project, "Directory.Build.props": props}
    assert places(find(repository.change(files, {"a/A.csproj": after}))) == set()
