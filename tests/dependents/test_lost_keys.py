import contextlib
import time

import pytest
from dependents_scene import find
from fakes import Repository

from bot.dependents import SearchLimits
from bot.dependents.keys import UnreadableSettingsError, parsed_places
from bot.review import coverage
from bot.values import Dependents

VIEW = 'def page(order):\n    return {"order_total": order.sum(), "paid": True}\n'
ENVIRONMENT = "import os\n\n\ndef key():\n    return os.environ['SHOP_API_KEY']\n"
TABLE = "CREATE TABLE post (\n  id INTEGER,\n  review_score INTEGER\n);\n"
# kind -> (file that renames, the key, the new name, files that still say it)
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
    "a route of one word": (
        ("views.py", '@app.get("/checkout")\ndef summary():\n    return {}\n'),
        ("/checkout", "/pay"),
        {"client.ts": "fetch(`/checkout`);\n", "admin.js": "go('/checkout');\n"},
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
    "a key of one word": (
        ("views.py", 'def page():\n    return {"nickname": 1}\n'),
        ("nickname", "alias"),
        {"a.js": "show(user['nickname']);\n", "b.html": "{{ nickname }}\n"},
    ),
    "a class of a page": (
        ("style.css", ".order-row-wide { color: red }\n"),
        ("order-row-wide", "order-row"),
        {"a.html": '<p class="order-row-wide">\n', "b.jsx": "x = <p className='order-row-wide' />;\n"},
    ),
}


CLIENT = "fetch('/api/orders/' + id + '/summary');\nfetch(`${API}/orders/summary`);\n"
# How a server writes a route -> (file, its text, the old word, the new one, a client that still says the old one)
ROUTES = {
    "a decorator without a slash": ("orders.ts", "@Controller('orders')\nclass Orders {\n  @Get('summary')\n  get() {}\n}\n", CLIENT),
    "Django": ("urls.py", "urlpatterns = [\n    path('summary/', view),\n]\n", CLIENT),
    "an expression": ("urls.py", "urlpatterns = [\n    re_path(r'^orders/summary/$', view),\n]\n", "go('/orders/summary/');\n"),
    "Spring": ("Orders.java", 'class Orders {\n  @GetMapping(value = "summary")\n  String get() { return ""; }\n}\n', CLIENT),
    "C#": ("Orders.cs", 'class Orders {\n  [HttpGet("summary")]\n  public string Get() => "";\n}\n', CLIENT),
    "Rails": ("routes.rb", "Rails.application.routes.draw do\n  get 'orders/summary', to: 'orders#summary'\nend\n", "go('/orders/summary');\n"),
    "a symbol of Rails": ("routes.rb", "Rails.application.routes.draw do\n  get :summary\nend\n", CLIENT),
    "Laravel": ("web.php", "<?php\nRoute::get('orders/summary', [A::class, 'b']);\n", "go('/orders/summary');\n"),
    "a group of Go": ("main.go", 'package a\n\nfunc f() { v1.GET("summary", get) }\n', CLIENT),
    "behind a parameter": ("app.js", "app.get('/orders/:id/summary', view);\n", "go(`/orders/${order.id}/summary`);\n"),
    "behind a parameter of Flask": ("app.py", "@app.route('/orders/<int:id>/summary')\ndef view(id):\n    pass\n", CLIENT),
    "behind a format": ("app.go", 'package a\n\nvar u = fmt.Sprintf("%s/orders/%s/summary", b, i)\n', "go(`/orders/${order.id}/summary`);\n"),
    "in front of a parameter": ("app.js", "app.get('/summary/:id', view);\n", "go('/summary/' + id);\n"),
    "a prefix": ("app.py", "bp = Blueprint('a', __name__, url_prefix='/summary')\n", "go('/api/summary/list');\n"),
    "a base in the client": ("app.py", "@app.get('/api/v1/orders/summary')\ndef view():\n    pass\n", CLIENT),
    "put together by the client": ("app.py", "@app.get('/summary/orders')\ndef view():\n    pass\n", "const base = '/summary';\nfetch(base + '/orders');\n"),
    "the client is renamed": ("client.ts", "export const get = () => api.post('orders/summary');\n", "app.post('/api/orders/summary', view);\n"),
    "beside another route with that segment": ("app.js", "app.get('/orders/summary', view);\napp.get('/products/summary', view);\n", "go('/orders/summary');\n"),
}  # fmt: skip


def _open(found: Dependents, path: str) -> list[str]:
    """The places that somebody has to look at because of what a file gave up."""
    del path
    return [f"{use.path}:{use.line}" for use in coverage.obliged_uses((), found)]


@pytest.mark.parametrize("kind", RENAMED)
def test_every_reader_of_a_renamed_key_is_open(repository: Repository, kind: str) -> None:
    """However many files still say it, in whatever language: each of their lines obliges somebody to read it."""
    (path, text), (old, new), readers = RENAMED[kind]
    found = find(repository.change({path: text, **readers}, {path: text.replace(old, new)}))

    wanted = {
        f"{name}:{at}" for name, body in readers.items() for at, line in enumerate(body.split("\n"), 1) if old in line
    }
    assert wanted <= {*_open(found, path)}


@pytest.mark.parametrize("kind", ROUTES)
def test_a_route_is_the_same_however_it_is_written(repository: Repository, kind: str) -> None:
    """With or without a slash, in parts, behind a prefix or a parameter: who still says the old segment is open."""
    path, text, client = ROUTES[kind]
    found = find(repository.change({path: text, "main.js": client}, {path: text.replace("summary", "digest", 1)}))

    assert [place for place in _open(found, path) if place.startswith("main.js:")]


KEEPS_NOTHING = {
    "a longer text": "raise KeyError('order_total is not offered any more')\n",
    "another reader": "def show(data):\n    return data.order_total\n",
}


@pytest.mark.parametrize("line", KEEPS_NOTHING)
def test_an_added_line_that_does_not_set_a_key_keeps_it_for_nobody(repository: Repository, line: str) -> None:
    """What a view offered is offered by who sets it, and not by who says its old name."""
    readers = {"page.html": "{{ order_total }}\n"}
    after = {"views.py": VIEW.replace("order_total", "order_sum"), "note.py": KEEPS_NOTHING[line]}
    found = find(repository.change({"views.py": VIEW, **readers}, after))

    assert "page.html:1" in _open(found, "views.py")


BEGINS_TO_SET = {
    "notes.yml": "order_total: 1\n",
    ".env.example": "order_total=1\n",
    "other.py": 'def old(order):\n    return {"order_total": order["order_sum"]}\n',
    "data.json": '{"order_total": 1}\n',
    "table.sql": "alter table notes add column order_total int;\n",
}


@pytest.mark.parametrize("path", BEGINS_TO_SET)
def test_another_file_that_begins_to_set_the_old_key_offers_it_to_nobody(repository: Repository, path: str) -> None:
    """Whether it reaches the readers of the renamed key is for who reads them to say."""
    after = {"views.py": VIEW.replace("order_total", "order_sum"), path: BEGINS_TO_SET[path]}
    found = find(repository.change({"views.py": VIEW, "page.html": "{{ order_total }}\n"}, after))

    assert "page.html:1" in _open(found, "views.py")


@pytest.mark.parametrize("readers", [1, 2, 5, 20, 40])
def test_the_number_of_readers_does_not_matter(repository: Repository, readers: int) -> None:
    """From one file to forty, none is left out."""
    others = {f"r{number:02}.js": "show(data.order_total);\n" for number in range(readers)}
    found = find(
        repository.change({"views.py": VIEW, **others}, {"views.py": VIEW.replace("order_total", "order_sum")})
    )

    assert len(_open(found, "views.py")) == readers


def test_lines_above_the_limit_are_counted(repository: Repository) -> None:
    """Forty lines of one key are named; a sentence tells how many there are, and that is open, too."""
    others = {"r.js": "show(data.order_total);\n" * 47}
    found = find(
        repository.change({"views.py": VIEW, **others}, {"views.py": VIEW.replace("order_total", "order_sum")})
    )

    assert len(_open(found, "views.py")) == 40
    assert "views.py: 40 of the 47 lines that still say order_total are listed" in found.cut


def test_a_key_that_is_gone_and_set_nowhere_is_open(repository: Repository) -> None:
    """Nothing takes its place: whoever reads it gets nothing."""
    readers = {"page.html": "{{ order_total }}\n", "app.js": "show(data.order_total);\n"}
    found = find(
        repository.change({"views.py": VIEW, **readers}, {"views.py": VIEW.replace('"order_total": order.sum(), ', "")})
    )

    assert {*_open(found, "views.py")} == {"page.html:1", "app.js:1"}


def test_a_note_about_the_old_name_changes_nothing(repository: Repository) -> None:
    """A comment, a changelog or a test that says the old name keeps it alive for nobody."""
    readers = {"page.html": "{{ order_total }}\n", "app.js": "show(data.order_total);\n"}
    after = {
        "views.py": f"# order_total is order_sum now\n{VIEW.replace('order_total', 'order_sum')}",
        "CHANGELOG.md": "order_total is order_sum now\n",
        "tests/test_page.py": 'assert "order_total" not in page()\n',
    }
    found = find(repository.change({"views.py": VIEW, **readers}, dict(after)))

    assert {"page.html:1", "app.js:1"} <= {*_open(found, "views.py")}


def test_files_of_the_change_itself_make_no_key_common(repository: Repository) -> None:
    """Thirty new files that say the key do not hide the one that was left behind."""
    fresh = {f"n{number:02}.html": "{{ paid_total }}\n" for number in range(30)}
    readers = {"page.html": "{{ order_total }}\n"}
    found = find(
        repository.change(
            {"views.py": VIEW, **readers}, {"views.py": VIEW.replace("order_total", "paid_total"), **fresh}
        )
    )

    assert "page.html:1" in _open(found, "views.py")


ENV = "SHOP_URL=https://a\n"
READS = {  # a line that reads a variable of the environment, by the file that has it
    "run.sh": 'curl "$SHOP_URL/x"\n',
    "Makefile": "go:\n\tcurl $$SHOP_URL\n",
    "Dockerfile": "FROM a\nWORKDIR $SHOP_URL\n",
    "nginx.conf": "proxy_pass $SHOP_URL;\n",
    "bin/go": '#!/bin/sh\ncurl "$HOME$SHOP_URL"\n',
    "go.rb": "system 'curl $SHOP_URL'\n",
}


@pytest.mark.parametrize("path", READS)
def test_a_variable_is_found_behind_its_dollar(repository: Repository, path: str) -> None:
    """It is the most usual form in which a shell, a Makefile and an image's file read one."""
    found = find(repository.change({".env": ENV, path: READS[path]}, {".env": ENV.replace("SHOP_URL", "STORE_URL")}))

    assert [place.partition(":")[0] for place in _open(found, ".env")] == [path]


def test_a_variable_in_the_file_that_renames_it_is_open(repository: Repository) -> None:
    """One line of an image's file is edited, and another one still reads the old name."""
    text = "FROM a\nENV SHOP_HOME=/srv\nWORKDIR $SHOP_HOME\n"
    found = find(repository.change({"Dockerfile": text}, {"Dockerfile": text.replace("ENV SHOP_HOME", "ENV HOME_DIR")}))

    assert _open(found, "Dockerfile") == ["Dockerfile:3"]


SHORT = [("surcharge", "fee"), ("surcharge", "x"), ("tax", "vat"), ("tax", "duties"), ("order_total", "sum")]


@pytest.mark.parametrize(("old", "new"), SHORT)
def test_a_short_name_is_a_name(repository: Repository, old: str, new: str) -> None:
    """A key that becomes a word of three letters is renamed, and one of three letters can be."""
    view = 'def page():\n    return {"KEY": 1}\n'
    reader = 'def show(page):\n    return page["KEY"]\n'
    found = find(
        repository.change(
            {"views.py": view.replace("KEY", old), "app.py": reader.replace("KEY", old)},
            {"views.py": view.replace("KEY", new)},
        )
    )
    assert _open(found, "views.py") == ["app.py:2"]


@pytest.mark.parametrize(
    ("old", "new", "other"),
    [
        ("is the sum", "of the sum", 'TEXT = "is it"\n'),  # words of a text
        ("%s and tax", "%s and vat", 'TEXT = "no tax here"\n'),
        ("surcharge", "fee", 'A = {"fee": 1}\nB = ["surcharge"]\n'),  # the new name was a key before
    ],
)
def test_a_short_word_of_a_text_is_no_key(repository: Repository, old: str, new: str, other: str) -> None:
    """Only a word that the line writes as a key takes the place of one."""
    view = 'def page():\n    return ask("KEY")\n'
    found = find(
        repository.change(
            {"views.py": view.replace("KEY", old), "app.py": other}, {"views.py": view.replace("KEY", new)}
        )
    )
    assert _open(found, "views.py") == []


HEADERS = ["x-shop-token", "X-Shop-Token", "X-SHOP-TOKEN", "HTTP_X_SHOP_TOKEN"]


@pytest.mark.parametrize("one", HEADERS)
@pytest.mark.parametrize("other", HEADERS)
def test_the_case_of_a_header_means_nothing(repository: Repository, one: str, other: str) -> None:
    """Both ends may write it in their own way, also as CGI hands it on."""
    new = one.replace("SHOP", "STORE").replace("Shop", "Store").replace("shop", "store")
    server = 'def read(request):\n    return request.headers["KEY"]\n'
    client = 'call({ "KEY": token });\n'
    before = {"app.py": server.replace("KEY", one), "web.js": client.replace("KEY", other)}
    found = find(repository.change(before, {"app.py": server.replace("KEY", new)}))

    assert _open(found, "app.py") == ["web.js:1"]


def test_a_header_that_was_there_in_another_case_is_no_new_name(repository: Repository) -> None:
    """The file asks for another header of the tree now: nobody renamed one."""
    before = {"app.py": 'x = h["X-Shop-Token"]\n', "a.js": 'get("x-store-token"); get("x-shop-token");\n'}
    assert _open(find(repository.change(before, {"app.py": 'x = h["X-Store-Token"]\n'})), "app.py") == []


AGREE = {
    "both ends renamed": ({"page.html": "{{ order_total }}\n"}, {"page.html": "{{ order_sum }}\n"}),
    "a comment": ({"page.js": "// order_total is read here\n"}, {}),
    "prose": ({"guide.md": "`order_total` is the sum\n"}, {}),
    "a name of a program's own": ({"other.py": "def add(order_total):\n    return order_total + 1\n"}, {}),
    "the old name is still offered": (
        {"page.html": "{{ order_total }}\n"},
        {
            "views.py": VIEW.replace("order_total", "order_sum")
            + 'def old(order):\n    return {"order_total": order["order_sum"]}\n'
        },
    ),
}


@pytest.mark.parametrize("why", AGREE)
def test_nothing_is_open_where_nobody_is_left_behind(repository: Repository, why: str) -> None:
    """Ordinary changes stay clean."""
    others, after = AGREE[why]
    found = find(
        repository.change({"views.py": VIEW, **others}, {"views.py": VIEW.replace("order_total", "order_sum"), **after})
    )
    assert _open(found, "views.py") == []


def test_who_reads_another_known_key_has_renamed_nothing(repository: Repository) -> None:
    """The new name stood in the tree before: the file asks for something else now."""
    script = "show(data.order_total);\n"
    before = {"views.py": VIEW, "data.py": 'X = {"order_count": 1}\n', "a.js": script, "b.js": script}
    found = find(repository.change(dict(before), {"a.js": script.replace("order_total", "order_count")}))

    assert _open(found, "a.js") == []


DROPPED = "exports.up = async (knex) => {\n  await knex.schema.alterTable('orders', (t) => {\n    t.dropColumn('order_total');\n  });\n};\n"
BACK = "  await knex.schema.alterTable('orders', (t) => {\n    t.text('order_total');\n  });\n"
OLDER = "exports.up = (knex) => knex.schema.alterTable('orders', (t) => { t.integer('order_total') })\n"
READER = 'def show(row):\n    return row["order_total"]\n'


@pytest.mark.parametrize(
    ("migration", "open_uses"),
    [
        (DROPPED, ["views.py:2"]),
        (DROPPED.replace("};\n", f"{BACK}}};\n"), []),
        (DROPPED.replace("};\n", f"  if (late) {{\n{BACK}  }}\n}};\n"), ["views.py:2"]),
        ("exports.up = async (knex) => {\n};\n\n" + DROPPED.replace("exports.up", "exports.down"), []),
    ],
)
def test_an_older_migration_reads_no_dropped_column(
    repository: Repository, migration: str, open_uses: list[str]
) -> None:
    """Code that reads it does, unless the same migration brings the column back or drops it on its way back alone."""
    before = {"views.py": READER, "db/knex_migrations/1.js": OLDER}
    found = find(repository.change(before, {"db/knex_migrations/2.js": migration}))

    assert _open(found, "db/knex_migrations/2.js") == open_uses


STAYS = {
    "the file still sets the key": (
        "class A:\n    def __init__(self):\n        self.shop_slug = None\n\n    def url(self):\n        return 'a/' + self.shop_slug + '/b'\n",
        "'a/' + self.shop_slug + '/b'",
        "'a/' + quote(self.owner_name) + '/b'",
        "class B:\n    def url(self):\n        return self.shop_slug\n",
    ),
    "a function is called behind a closed text": (
        "def f(log):\n    log({'error': 1, 'trace': shop.format_trace()})\n",
        "shop.format_trace()",
        "shop.short_trace()",
        "def g(log):\n    log({'error': 2, 'trace': shop.format_trace()})\n",
    ),
}


@pytest.mark.parametrize("why", STAYS)
def test_who_stops_using_a_name_takes_it_from_nobody(repository: Repository, why: str) -> None:
    """It reads something else now; who goes on with the old name has lost nothing."""
    source, old, new, other = STAYS[why]
    found = find(repository.change({"a.py": source, "b.py": other}, {"a.py": source.replace(old, new)}))

    assert _open(found, "a.py") == []


def test_a_name_in_prose_or_a_test_is_no_known_key(repository: Repository) -> None:
    """The new name stood in a document only: nothing sets or reads it there."""
    before = {
        "views.py": VIEW,
        "page.html": "{{ order_total }}\n",
        "plan.md": "`order_sum`\n",
        "tests/test_a.py": "order_sum = 1\n",
    }
    found = find(repository.change(before, {"views.py": VIEW.replace("order_total", "order_sum")}))

    assert "page.html:1" in _open(found, "views.py")


def test_a_search_that_takes_too_long_is_open(repository: Repository) -> None:
    """What was left out is said, and is no clean review."""
    files = {f"v{number}.py": VIEW.replace("order_total", f"order_total{number}") for number in range(3)}
    after = {path: text.replace("order_total", "order_sum") for path, text in files.items()}
    found = find(repository.change(files, after), SearchLimits(keys=-1.0))

    assert any("renamed keys stopped" in sentence for sentence in found.cut)


WHOLE = {
    "shop.yml": "http:\n  limit: 1\n",
    "shop.toml": "[http]\nlimit = 1\n",
    "shop.json": '{"limit": 1}\n',
    ".env.example": "OTHER_NAME=1\n",
}
BROKEN = {"shop.yml": "http: [\n", "shop.toml": "[http\n", "shop.json": "{\n", ".env.example": 'OTHER_NAME="\n'}


@pytest.mark.parametrize("path", BROKEN)
def test_a_file_of_settings_that_no_longer_parses_is_open(repository: Repository, path: str) -> None:
    """Which keys it still defines nobody knows, whatever its lines look like."""
    missed = find(repository.change(dict(WHOLE), {path: f"{WHOLE[path]}{BROKEN[path]}"})).cut

    assert [sentence for sentence in missed if sentence.startswith(f"{path} does not parse")]


@pytest.mark.parametrize("path", ["shop.yml", "shop.json", "shop.toml", "app.ini", "app.properties", ".env"])
def test_large_settings_cost_little(path: str) -> None:
    """A megabyte of nesting, of marks or of ordinary keys is read or refused within seconds of processor time."""
    texts = [
        "[" * 10**6,
        "a: &a [*a, *a]\n" * 60_000,
        '"' * 10**6,
        "a=b\\\n" * 150_000,
        " " * 10**6,
        '{"a":' * 200_000,
        "[a." + "a." * 10**5,
    ]
    begin = time.process_time()
    for text in texts:
        with contextlib.suppress(UnreadableSettingsError):
            parsed_places(path, text[: 1 << 20])

    assert time.process_time() - begin < 30


@pytest.mark.parametrize(
    "text",
    [
        'timeout_limit: 3\nretry_count: 2\n"<<": {timeout_seconds: 3}\n',
        "timeout_limit: 3\nretry_count: 2\n'<<': [{timeout_seconds: 3}]\n",
        "timeout_seconds.ms: 3\nretry_count: 2\n",
        "- timeout_limit: 3\n  retry_count: 2\n- timeout_seconds: 3\n",
        "- timeout_seconds: 3\n  retry_count: 2\n",
    ],
)
def test_a_key_that_only_looks_as_if_it_was_there_is_gone(repository: Repository, text: str) -> None:
    """A merge in quotes, a longer name, and a list in the place of the mapping define another key than the one that is read."""
    reader = 'import yaml\n\nC = yaml.safe_load(open("config.yml"))\n\n\ndef f():\n    return C["timeout_seconds"]\n'
    before = {"config.yml": "timeout_seconds: 3\nretry_count: 2\n", "app.py": reader}
    rows = find(repository.change(before, {"config.yml": text})).references

    assert ("app.py", 7) in {(row.path, row.line) for row in rows if row.name == "timeout_seconds"}


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("<<: {timeout_seconds: 3}\n", True),
        ("<<: [{timeout_seconds: 3}]\n", True),
        ('"<<": {timeout_seconds: 3}\n', False),
        ("? '<<'\n: {timeout_seconds: 3}\n", False),
    ],
)
def test_only_a_plain_mark_merges(text: str, is_there: bool) -> None:
    """What a mapping merges is in the section around it."""
    some_places = parsed_places("config.yml", f"retry_count: 2\n{text}") or frozenset()

    assert any(one[1:] == ("timeout_seconds",) for one in some_places) is is_there
