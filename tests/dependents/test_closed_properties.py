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


PROPS = "interface Props {{ heading: string{more}\n}}\nexport function Row({{ heading{taken} }}: Props) {{ return heading; }}\n{end}"


@pytest.mark.parametrize(
    ("more", "use", "end", "lines"),
    [
        ("; size: number", '<Row heading="x" />', "", [3]),
        ("; size: number", '<Row\n  heading="x"\n/>', "", [3]),
        (";\n  onPick: (row: number, at: number) => void;\n", '<Row heading="x" onPick={pick} />', "", []),
        ("; size?: { width: number; height: number }", '<Row heading="x" />', "", []),
        (";  // for lists, size: what it was", '<Row heading="x" />', "", []),
        ("; size: number", '<Row heading="x" {...rest} />', "", []),
        ("; size: number", '<Row heading="x" size={1} />', "", []),
        ("; size: number", "<Row />", "", []),  # it lacked something before: it is not understood
        ("; size: number", '<Row heading="x" />', "Row.defaultProps = { size: 1 };\n", []),
        ("; size: number", '<Row heading="x" />', "export default connect(state)(Row);\n", []),
    ],
)
def test_an_element_that_leaves_out_what_the_type_requires_now(
    repository: Repository, more: str, use: str, end: str, lines: list[int]
) -> None:
    """It compiled before. Where something else may give the property, nothing is said."""
    use = f"import {{ Row }} from './row';\nconst rest = pick();\nexport const A = () => {use};\n"
    before = PROPS.format(more="", taken="", end=end)
    after = PROPS.format(more=more, taken=", size", end=end)
    found = find(repository.change({"row.tsx": before, "use.tsx": use}, {"row.tsx": after}))
    assert [row.line for row in found.references if row.misuse is not None] == lines
