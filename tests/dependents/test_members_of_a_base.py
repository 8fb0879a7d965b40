"""Members that move from a class to its base class."""

import pytest
from dependents_scene import find
from fakes import Repository

JAVA = (
    "src/a/Base.java",
    "package a;\nclass Base {{\n{0}}}\n",
    "src/a/Kid.java",
    "package a;\nclass Kid extends Base {{\n{0}  int run() {{ return NL.length(); }}\n}}\n",
)
CSHARP = (
    "a/Base.cs",
    "namespace A;\nclass Base\n{{\n{0}}}\n",
    "a/Kid.cs",
    "namespace A;\nclass Kid : Base\n{{\n{0}  int Run() {{ return NL.Length; }}\n}}\n",
)
PHP = (
    "src/Base.php",
    "<?php\nnamespace A;\nclass Base {{\n{0}}}\n",
    "src/Kid.php",
    "<?php\nnamespace A;\nclass Kid extends Base {{\n{0}  function run() {{ return $this->NL; }}\n}}\n",
)
FIELDS = {
    JAVA: '  static final String NL = "x";\n',
    CSHARP: '  protected const string NL = "x";\n',
    PHP: "  protected $NL = 'x';\n",
}


@pytest.mark.parametrize("language", [JAVA, CSHARP, PHP])
@pytest.mark.parametrize("is_base_in_sight", [True, False])
def test_member_moved_to_a_base_class_is_not_removed(
    repository: Repository, language: tuple[str, str, str, str], *, is_base_in_sight: bool
) -> None:
    """Nothing is proven about a name that the class may inherit, from the repository or from a library."""
    base, base_text, kid, kid_text = language
    member = FIELDS[language]
    before: dict[str, str | bytes | None] = {kid: kid_text.format(member)}
    after: dict[str, str | bytes | None] = {kid: kid_text.format("")}
    if is_base_in_sight:
        before[base], after[base] = base_text.format(""), base_text.format(member)
    found = find(repository.change(before, after))
    assert [
        row for row in found.references if row.name == "NL" and (row.missing or (row.likely and is_base_in_sight))
    ] == []
