import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

EMIT = {
    "a.js": 'io.emit("%s", order)\n',
    "a.py": 'bus.publish("%s", order)\n',
    "a.rb": 'instrument("%s", 1)\n',
    "a.php": "<?php\n$bus->emit('%s', 1);\n",
    "a.go": 'package a\n\nvar x = New("%s")\n',
    "lib/a.ex": 'defmodule A do\n  def f, do: PubSub.broadcast("%s", 1)\nend\n',
}
LISTEN = {
    "b.js": ('socket.on("%s", draw)\n', 1),
    "b.py": ('bus.subscribe("%s", send)\n', 1),
    "b.vue": ('<script>\non("%s")\n</script>\n', 2),
    "b.yml": ('on:\n  event: "%s"\n', 2),
    "c.yml": ("on:\n  event: %s\n", 2),
    "b.json": ('{"expr": "%s"}\n', 1),
}
NAMES = ("order.created", "order:created", "order::created", "shop:order:created", "shop.order-created")
SILENT = {
    "members": ({"a.py": "def f(order):\n    return order.created\n", "b.py": "def g(order):\n    return order.created\n"}, "order.created", "order.placed_at"),
    "a file": ({"a.js": 'load("rows.csv")\n', "b.js": 'save("rows.csv")\n'}, "rows.csv", "lines.csv"),
    "classes of a stylesheet": ({"a.jsx": 'export const A = () => <b className="md:hidden">x</b>;\n', "b.jsx": 'export const B = () => <b className="md:hidden">y</b>;\n'}, "md:hidden", "lg:hidden"),
    "a parameter and its type": ({"a.ts": "export const f = (order:created) => 1;\n", "b.ts": "export const g = (order:created) => 1;\n"}, "order:created", "order:placed"),
    "a name that the tree has": ({"a.js": 'emit("order:created", 1)\n', "b.js": 'on("order:created", d); on("order:updated", d)\n'}, "order:created", "order:updated"),
    "a comment": ({"a.js": 'emit("order:created", 1)\n', "b.js": '// on("order:created", d)\n'}, "order:created", "order:placed"),
}  # fmt: skip


def _open(repository: Repository, before: dict[str, str], after: dict[str, str | None]) -> set[str]:
    found = find(repository.change(before, after))
    return {f"{use.path}:{use.line}" for use in coverage.obliged_uses((), found)}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", EMIT)
def test_a_text_of_joined_words_is_missed_where_it_is_still_said(repository: Repository, path: str, name: str) -> None:
    """Whatever joins the words of an event, a topic, a permission or a metric, few other texts are like it."""
    readers = {reader: text % name for reader, (text, _) in LISTEN.items()}
    new = name.replace("created", "placed")
    lines = {f"{reader}:{line}" for reader, (_, line) in LISTEN.items()}
    assert _open(repository, {path: EMIT[path] % name, **readers}, {path: EMIT[path] % new}) == lines


@pytest.mark.parametrize(("old", "new"), [("order:created", "orderPlaced"), ("order_created", "order:placed")])
def test_a_text_of_joined_words_may_be_joined_otherwise(repository: Repository, old: str, new: str) -> None:
    """The listener waits for the old one all the same."""
    before = {"a.js": f'io.emit("{old}", 1)\n', "b.js": f's.on("{old}", d)\n'}
    assert _open(repository, before, {"a.js": f'io.emit("{new}", 1)\n'}) == {"b.js:1"}


def test_a_handler_that_goes_is_missed_by_who_sends(repository: Repository) -> None:
    """Nothing in the tree sets the key any more."""
    text = 'H = {\n    "cart.empty": 1,\n    "cart.full": 2,\n}\n'
    before = {"a.py": text, "b.py": 'emit("cart.empty")\n'}
    assert _open(repository, before, {"a.py": text.replace('    "cart.empty": 1,\n', "")}) == {"b.py:1"}


@pytest.mark.parametrize("what", SILENT)
def test_joined_words_that_are_no_text_of_their_own_mean_nothing(repository: Repository, what: str) -> None:
    """Members, files, classes and types are looked up elsewhere, or by nobody."""
    files, old, new = SILENT[what]
    path = next(iter(files))
    assert not _open(repository, dict(files), {path: files[path].replace(old, new)})


@pytest.mark.parametrize("new", ["dataset.sid", "dataset.short"])
def test_a_member_that_takes_the_place_of_a_text_is_its_replacement(repository: Repository, new: str) -> None:
    """Who still writes the attribute is open: the code reads it no more."""
    before = {"a.js": 'send(li.getAttribute("data-shortid"))\n', "b.html": '<li data-shortid="1">a</li>\n'}
    assert _open(repository, before, {"a.js": f"send(li.{new})\n"}) == {"b.html:1"}


RENAMED = {
    "an event of a page, behind a colon": ({"a.vue": '<template><cart v-on:order-placed="x" /></template>\n', "b.js": 'this.$emit("order-placed")\n'}, "order-placed", "order-made"),
    "a slot": ({"a.vue": '<b v-slot:row-total="x" />\n', "b.vue": '<slot name="row-total" />\n'}, "row-total", "line-total"),
    "a setting with a default": ({"A.java": 'class A {\n  @Value("${shop.page-size:auto}") int a;\n}\n', "application.properties": "shop.page-size=3\n"}, "page-size", "page-length"),
    "an image with a tag": ({"a.yml": "image: shop-server:latest\n", "b.sh": "docker build -t shop-server .\n"}, "shop-server", "shop-web"),
    "hyphens become points": ({"a.js": 'emit("chat-message", 1)\n', "b.js": 'on("chat-message", d)\n'}, "chat-message", "chat.message"),
    "slashes become points": ({"a.py": 'TOPIC = "sensor/room/temp"\n', "b.py": 'listen("sensor/room/temp")\n'}, "sensor/room/temp", "sensor.room.temp"),
    "points become hyphens": ({"a.js": 'emit("chat.message", 1)\n', "b.js": 'on("chat.message", d)\n'}, "chat.message", "chat-message"),
    "a value of a data file": ({"a.json": '{"topic": "order.created"}\n', "b.js": 'bus.on("order.created", f)\n'}, "order.created", "order.placed"),
    "a value of settings": ({"a.yml": "topic: order:created\n", "b.js": 'bus.on("order:created", f)\n'}, "order:created", "order:placed"),
    "an entry of a list": ({"a.yml": "roles:\n  - orders:write\n", "b.js": 'has("orders:write")\n'}, "orders:write", "orders:edit"),
}  # fmt: skip


@pytest.mark.parametrize("what", RENAMED)
def test_words_beside_points_and_colons_are_missed_when_they_are_renamed(repository: Repository, what: str) -> None:
    """Each part of a joined word is one by itself, a text of another form takes its place, and data has such values."""
    before, old, new = RENAMED[what]
    path, reader = before
    assert _open(repository, before, {path: before[path].replace(old, new)}) == {f"{reader}:1"}
