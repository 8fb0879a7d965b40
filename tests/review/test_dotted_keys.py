"""A path of settings that goes while a placeholder or a text still reads it: the line is open. A path that is found elsewhere is not."""

from collections.abc import Mapping

import pytest

HOME = "src/main/resources/application.properties"
NEAR = "src/main/java/shop/Pager.java"
VALUE = "package shop;\n\npublic class Pager {\n    %s\n}\n"


def field(text: str) -> str:
    """Return a class of Java with a field that the text annotates."""
    return VALUE.replace("%s", f"{text}\n    int n;")


SPLIT = "shop.x=1\nshop.retries=3\n"
LEFT = "shop.x=1\n"
OPEN: Mapping[str, tuple[str, str, str, str, str]] = {
    "word": (HOME, SPLIT, LEFT, NEAR, field('@Value("${shop.retries}")')),
    "word with a default in another": (HOME, SPLIT, LEFT, NEAR, field('@Value("${a.b:${shop.retries:5}}")')),
    "renamed": (HOME, SPLIT, "shop.x=1\nshop.tries=3\n", NEAR, field('@Value("${shop.retries}")')),
    "hyphen": (HOME, "shop.page-size=3\nshop.x=1\n", "shop.max-rows=3\nshop.x=1\n", NEAR, field('@Value("${shop.page-size}")')),
    "camel": (HOME, "shop.pageSize=3\nshop.x=1\n", "shop.maxRows=3\nshop.x=1\n", NEAR, field('@Value("${shop.pageSize}")')),
    "read in the other style": (HOME, "shop.pageSize=3\nshop.x=1\n", LEFT, NEAR, field('@Value("${shop.page-size}")')),
    "written in the style that is not found": (
        HOME, "shop.pageSize=3\nshop.x=1\n", "shop.page-size=3\nshop.x=1\n", NEAR, field('@Value("${shop.pageSize}")'),
    ),
    "text": (HOME, SPLIT, LEFT, NEAR, VALUE.replace("%s", 'String f(Env e) { return e.getProperty("shop.retries"); }')),
    "YAML": (
        "src/main/resources/application.yml", "shop:\n  x: 1\n  retries: 3\n", "shop:\n  x: 1\n", NEAR, field('@Value("${shop.retries}")'),
    ),
    "Kotlin": (HOME, SPLIT, LEFT, "src/main/kotlin/Pager.kt", 'class Pager(@Value("\\${shop.retries}") val n: Int)\n'),
    "settings": (HOME, SPLIT, LEFT, "src/main/resources/beans.xml", '<beans>\n<bean n="${shop.retries}"/>\n</beans>\n'),
    "message": (
        "src/main/resources/messages.properties", "order.title=x\ny=1\n", "y=1\n",
        "src/main/resources/templates/o.html", '<b th:text="#{order.title}"></b>\n',
    ),
    "message with a value": (
        "src/main/resources/messages.properties", "order.confirmText=x\ny=1\n", "order.acceptText=x\ny=1\n",
        "src/main/resources/templates/o.html", '<b th:text="#{order.confirmText(${n})}"></b>\n',
    ),
    "tag of a message": (
        "src/main/resources/messages.properties", "order.title=x\ny=1\n", "y=1\n",
        "src/main/webapp/o.jsp", '<b><spring:message code="order.title"/></b>\n',
    ),
}  # fmt: skip
QUIET: Mapping[str, tuple[str, str, str, str, str]] = {
    "style that is found": (
        HOME, "shop.pageSize=3\nshop.x=1\n", "shop.page-size=3\nshop.x=1\n", NEAR, field('@Value("${shop.page-size}")'),
    ),
    "longer path": (HOME, SPLIT, LEFT, NEAR, field('@Value("${shop.retries.most:3} ${my.shop.retries:3}")')),
    "member of a variable": (HOME, SPLIT, LEFT, "web/a.js", "export const f = (shop) => `${shop.retries}`;\n"),
    "member of a variable of Kotlin": (HOME, SPLIT, LEFT, "src/main/kotlin/P.kt", 'fun f(shop: Shop) = "${shop.retries}"\n'),
    "same value": (HOME, SPLIT, SPLIT.replace("3", "4"), NEAR, field('@Value("${shop.retries}")')),
    "comment": (HOME, SPLIT, LEFT, NEAR, field('// @Value("${shop.retries}")')),
    "profile": (
        "src/main/resources/application-dev.properties", SPLIT, LEFT, NEAR, field('@Value("${shop.other}")'),
    ),
}  # fmt: skip
ROWS = [
    pytest.param(*case, is_open, id=name)
    for cases, is_open in ((OPEN, True), (QUIET, False))
    for name, case in cases.items()
]


@pytest.mark.parametrize(("home", "old", "new", "path", "text", "is_open"), ROWS)
def test_a_path_of_settings_that_goes_and_is_still_read_is_open(
    places, home: str, old: str, new: str, path: str, text: str, is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """A placeholder, a text and a tag read the whole path; a longer path and a member of a variable are others."""
    assert (path in places({home: old, path: text}, {home: new})) is is_open


@pytest.mark.parametrize(
    ("home", "other", "is_open"),
    [
        ("src/main/resources/application-dev.properties", HOME, False),
        (HOME, "src/main/resources/application-dev.properties", True),
        (HOME, "src/main/resources/application.yml", False),
        (HOME, "other/src/main/resources/application.properties", True),
    ],
)
def test_the_file_that_falls_back_still_defines_a_path(places, home: str, other: str, is_open: bool) -> None:  # noqa: ANN001
    """A profile falls back to the settings without one, and not the other way round; another program's settings help nobody."""
    text = "shop:\n  retries: 3\n" if other.endswith(".yml") else SPLIT
    before = {home: SPLIT, other: text, NEAR: field('@Value("${shop.retries}")')}
    assert (NEAR in places(before, {home: LEFT})) is is_open


def test_a_path_that_moves_is_still_defined(places) -> None:  # noqa: ANN001
    """What the change writes into another file of settings is found there."""
    before = {HOME: SPLIT, NEAR: field('@Value("${shop.retries}")')}
    assert NEAR not in places(before, {HOME: LEFT, "common/defaults.properties": "shop.retries=3\n"})
