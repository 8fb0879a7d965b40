"""Properties of which a type says that there are no others."""

import pytest
from dependents_scene import find
from fakes import Repository

HEAD = "export function Row({{ heading }}: {type}) {{ return heading; }}\n"
USE = "import {{ Row }} from './row';\nexport const A = () => <Row heading=\"x\" />;\n".replace("{{", "{").replace(
    "}}", "}"
)


@pytest.mark.parametrize(
    ("types", "written", "is_proven"),
    [
        ("interface Props { heading: string; wide?: boolean }\n", "Props", True),
        ("type Props = { heading: string };\n", "Props", True),
        ("", "{ heading: string }", True),
        ("interface Props extends Base { heading: string }\n", "Props", False),
        ("type Props = { heading: string } & Base;\n", "Props", False),
        ("interface Props { heading: string; [other: string]: string }\n", "Props", False),
        ("interface Props { heading: string }\ninterface Props { wide?: string }\n", "Props", False),
    ],
)
def test_an_element_that_gives_what_the_type_has_no_more(
    repository: Repository, types: str, written: str, *, is_proven: bool
) -> None:
    """A compiler refuses it where the type is closed; anywhere else it may be passed on."""
    before = types + HEAD.format(type=written)
    files: dict[str, str | bytes | None] = {"row.tsx": before, "use.tsx": USE}
    found = find(repository.change(files, {"row.tsx": before.replace("heading", "title")}))

    rows = [row for row in found.references if row.name == "heading" and row.path == "use.tsx"]
    assert [(row.line, row.missing, row.asks) for row in rows] == [(2, is_proven, not is_proven)]
