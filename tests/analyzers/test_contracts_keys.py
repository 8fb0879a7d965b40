"""A dictionary that loses a key, and the code that still asks for it."""

import pytest
from contract_findings import causes
from fakes import Repository

CORE = 'CONFIG = {"page_size": 20, "name": "x"}\n'
NOW = CORE.replace("page_size", "per_page")
ASKS = 'from shop.core import CONFIG\n\n\ndef page():\n    return CONFIG["page_size"]\n'


def titles_of(repository: Repository, base: dict[str, str], head: dict[str, str]) -> list[str]:
    return [finding.title for finding in causes(repository.change({"shop/__init__.py": "", **base}, head))]


def test_a_key_that_is_gone_is_one_finding_with_all_its_places(repository: Repository) -> None:
    """It names the key that took its place with the same value, and says what the line raises."""
    base = {
        "shop/core.py": f'{CORE}\n\ndef own():\n    return CONFIG["page_size"]\n',
        "shop/page.py": ASKS,
        "shop/list.py": 'from shop import core\n\nSIZE = core.CONFIG["page_size"] + len(core.CONFIG.keys())\n',
        "tests/test_page.py": ASKS,
    }
    after = {"shop/core.py": base["shop/core.py"].replace('"page_size": 20', '"per_page": 20')}
    [one] = causes(repository.change({"shop/__init__.py": "", **base}, after))
    says = "CONFIG has no key 'page_size' any more (now 'per_page'), but shop/core.py still reads it (and 3 more files)"
    assert (one.title, one.rule) == (says, "removed-key")
    assert one.consequence == "This line raises KeyError when it runs. 4 lines of 4 files are affected."
    places = {(item.path, item.line) for item in one.evidence}
    assert places >= {("shop/page.py", 5), ("shop/list.py", 3), ("tests/test_page.py", 5)}


def test_what_took_its_place_is_said_only_where_it_is_certain(repository: Repository) -> None:
    """A key elsewhere may be another setting."""
    after = 'CONFIG: dict[str, object] = {\n    # none\n    "name": "x",\n    1: 2,\n    "per_page": 20,\n}\n'
    titles = titles_of(repository, {"shop/core.py": CORE, "shop/page.py": ASKS}, {"shop/core.py": after})
    assert titles == ["CONFIG has no key 'page_size' any more, but shop/page.py still reads it"]


AFTER = [
    'CONFIG = {"page_size": 5}\n',
    "CONFIG = {}\n",
    'PAGE = "page_size"\nCONFIG = {PAGE: 20}\n',
    'CONFIG = {**BASE, "name": "x"}\n',
    f'{NOW}CONFIG["page_size"] = 20\n',
    f"{NOW}CONFIG.update(page_size=20)\n",
    f'{NOW}CONFIG |= {{"page_size": 20}}\n',
    f"{NOW}CONFIG = load(CONFIG)\n",
    f"{NOW}\n\ndef load(more):\n    global CONFIG\n    CONFIG = more\n",
    f"{NOW}\n\ndef load(more):\n    for key in more:\n        CONFIG[key] = more[key]\n",
    f"if DEBUG:\n    {NOW}else:\n    {CORE}",
]
FILLING = [
    'from shop import core\n\ncore.CONFIG["page_size"] = 20\n',
    'from shop.core import CONFIG as settings\n\nsettings.setdefault("page_size", 20)\n',
    "from shop import core\n\ncore.CONFIG = read()\n",
    "from shop.core import CONFIG\n\nread(CONFIG)\n",
    "from shop.core import CONFIG\n\nmine = CONFIG\n",
    "from shop.core import CONFIG\n\n\ndef settings():\n    return CONFIG\n",
    'from shop.core import CONFIG\n\nMINE = {**CONFIG, "page_size": 20}\n',
    'def test_page(monkeypatch):\n    monkeypatch.setattr("shop.core.CONFIG", {"page_size": 20})\n',
]
ASKING = [
    'SIZE = CONFIG.get("page_size")\n',
    'SIZE = CONFIG["page_size"] if "page_size" in CONFIG else 20\n',
    'try:\n    SIZE = CONFIG["page_size"]\nexcept KeyError:\n    SIZE = 20\n',
    'with suppress(LookupError):\n    SIZE = CONFIG["page_size"]\n',
    'SIZE = CONFIG["name"], CONFIG[f"page_{size}"], CONFIG[b"page_size"], OTHER["page_size"]\n',
    'def page(CONFIG):\n    return CONFIG["page_size"]\n',
    'CONFIG = {"page_size": 20}\nSIZE = CONFIG["page_size"]\n',
]


@pytest.mark.parametrize(
    ("after", "asks", "other"),
    [
        *((after, ASKS, "") for after in AFTER),  # something spreads into it, fills it, or takes its place
        *((NOW, ASKS, other) for other in FILLING),  # another file may
        *(
            (NOW, f"from shop.core import CONFIG\n\n{asks}", "") for asks in ASKING
        ),  # it is foreseen, or another is asked
    ],
)
def test_a_key_that_may_be_there_or_is_not_needed(repository: Repository, after: str, asks: str, other: str) -> None:
    """Of that nothing is said."""
    base = {"shop/core.py": CORE, "shop/page.py": asks, "shop/other.py": other}
    assert titles_of(repository, base, {"shop/core.py": after}) == []


LOAD = 'def load():\n    return {"page_size": 20, "name": "x"}\n'


@pytest.mark.parametrize(
    ("call", "is_told"),
    [
        ('SIZE = load()["page_size"]\n', True),
        ('def page():\n    found = load()\n    print(found["name"])\n    return found["page_size"]\n', True),
        ('def page():\n    found = load()\n    found["page_size"] = 20\n    return found["page_size"]\n', False),
        ('def page():\n    found = load()\n    fill(found)\n    return found["page_size"]\n', False),
        ('def page():\n    found = load()\n    return found.get("page_size") and found["page_size"]\n', False),
        (
            'def page():\n    found = load()\n    if late:\n        found = load_more()\n    return found["page_size"]\n',
            False,
        ),
    ],
)
def test_the_keys_of_a_dictionary_that_a_function_returns(repository: Repository, call: str, *, is_told: bool) -> None:
    """They are asked of the call, or of the one variable that holds its result."""
    base = {"shop/core.py": LOAD, "shop/page.py": f"from shop.core import load\n\n\n{call}"}
    titles = titles_of(repository, base, {"shop/core.py": LOAD.replace("page_size", "per_page")})
    assert (
        titles
        == ["load() returns no key 'page_size' any more (now 'per_page'), but shop/page.py still reads it"] * is_told
    )


OBJECT, PAGE = "const pageSize = config.pageSize\n", "export const size = (page: Page) => page.pageSize\n"
MEMBERS = {
    "export const config = {\n  pageSize: 20,\n  db: [1],\n} as const\n": OBJECT,
    "const config = { pageSize: 20 }\nexport default config\n": OBJECT,
    "export type Page = { pageSize: number }\n": PAGE,
    "export interface Page { pageSize: number }\n": PAGE,
}
OPEN = {
    "export const config: Config = { pageSize: 20 }\n": OBJECT,
    "export const config = { pageSize: 20 } as Config\n": OBJECT,
    "export const config = { pageSize: 20, ...base }\n": OBJECT,
    "export const config = { pageSize: 20, [key]: 1 }\n": OBJECT,
    "export interface Page { [key: string]: number; pageSize: number }\n": PAGE,
    "export type Page = { [key: string]: number; pageSize: number }\n": PAGE,
}


def of_typescript(repository: Repository, home: str, asks: str, after: str) -> list[str]:
    name = "config" if "config" in home else "Page"
    taken = name if "default" in home else f"{{ {name} }}"
    base = {"src/page.ts": f'import {taken} from "./config"\n\n{asks}', "tsconfig.json": "{}", "src/config.ts": home}
    return [item.title for item in causes(repository.change(base, {"src/config.ts": after})) if item.proven]


@pytest.mark.parametrize("home", MEMBERS)
def test_a_member_that_is_gone_in_typescript(repository: Repository, home: str) -> None:
    """Nothing can give a member to an object that is written out, or to a type: it does not matter who else bears the name."""
    [title] = of_typescript(repository, home, MEMBERS[home], home.replace("pageSize", "perPage"))
    assert title.endswith("pageSize was removed, but src/page.ts still uses it")


@pytest.mark.parametrize(
    ("home", "asks", "after"),
    [
        *((home, asks, home.replace("pageSize", "perPage")) for home, asks in OPEN.items()),
        ("export const config = { pageSize: 20 }\n", OBJECT, 'export const config = { "pageSize": 20 }\n'),
        ([*MEMBERS][2], PAGE, "type Base = { pageSize: number }\nexport type Page = Base & { more: number }\n"),
    ],
)
def test_a_member_that_may_still_be_there_in_typescript(
    repository: Repository, home: str, asks: str, after: str
) -> None:
    """A type that is written elsewhere, a spread, and a key that is computed may have it; quotes around it change nothing."""
    assert of_typescript(repository, home, asks, after) == []
