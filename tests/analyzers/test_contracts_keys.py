"""Members removed from a TypeScript object or type that other code still uses."""

import pytest
from contract_findings import causes
from fakes import Repository

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


@pytest.mark.parametrize(
    ("home", "asks", "after"),
    [
        *((home, asks, home.replace("pageSize", "perPage")) for home, asks in OPEN.items()),
        ("export const config = { pageSize: 20 }\n", OBJECT, 'export const config = { "pageSize": 20 }\n'),
        ([*MEMBERS][2], PAGE, "type Base = { pageSize: number }\nexport type Page = Base & { more: number }\n"),
    ],
)
def test_typescript_member_that_may_still_exist_is_not_proven_missing(
    repository: Repository, home: str, asks: str, after: str
) -> None:
    """Nothing is proven if a type, a spread or a computed key may provide the member, or if it is quoted."""
    assert of_typescript(repository, home, asks, after) == []
