"""A path in a Rust attribute string, such as `#[serde(default = "order::expand")]`, is a reference."""

import pytest
from small_changes import Files, Places

CARGO = '[package]\nname = "shop"\nversion = "1.0.0"\n'
ORDER = "pub fn expand() -> i32 {\n    1\n}\n\npub fn serialize() {}\n\npub struct Total;\n\npub fn keep() {}\n"
FIELD = "pub struct Row {\n    %s\n    total: i32,\n}\n"
U = "src/row.rs"
USES = {
    "path": ("expand", FIELD % '#[serde(default = "crate::order::expand")]'),
    "imported": ("expand", "use crate::order::expand;\n\n" + FIELD % '#[serde(deserialize_with = "expand")]'),
    "several lines": ("expand", FIELD % '#[serde(\n        rename = "sum",\n        skip_serializing_if = "crate::order::expand",\n    )]'),
    "under a condition": ("expand", FIELD % '#[cfg_attr(feature = "serde", serde(default = "crate::order::expand"))]'),
    "another crate's attribute": ("expand", FIELD % '#[validate(custom(function = "crate::order::expand"))]'),
    "module of a pair": ("serialize", FIELD % '#[serde(with = "crate::order")]'),
}  # fmt: skip
LABELS = {
    "rename": ("expand", "use crate::order::keep;\n\n" + FIELD % '#[serde(rename = "expand")]'),
    "feature": ("expand", "use crate::order;\n\n" + FIELD % '#[cfg(feature = "expand")]'),
    "another module": ("expand", "use crate::order;\nuse crate::till;\n\n" + FIELD % '#[serde(default = "till::expand")]'),
    "a text of code": ("expand", 'use crate::order;\n\npub fn run() -> &\'static str {\n    order::keep();\n    let default = "till::expand";\n    default\n}\n'),
}  # fmt: skip


def _files(code: str) -> Files:
    till = ORDER.replace("pub fn keep() {}\n", "")
    return {
        "Cargo.toml": CARGO,
        "src/lib.rs": "mod order;\nmod row;\nmod till;\n",
        "src/order.rs": ORDER,
        "src/till.rs": till,
        U: code,
    }


@pytest.mark.parametrize("case", USES)
def test_path_in_an_attribute_is_a_reference(case: str, places: Places) -> None:
    """If the function in the path is renamed, the attribute's file is reported."""
    name, code = USES[case]
    assert U in places(_files(code), {"src/order.rs": ORDER.replace(name, f"{name}s")})


@pytest.mark.parametrize("case", LABELS)
def test_other_string_in_an_attribute_is_not_a_reference(case: str, places: Places) -> None:
    """A string with the same word that is not a path to the function is not reported."""
    name, code = LABELS[case]
    assert U not in places(_files(code), {"src/order.rs": ORDER.replace(name, f"{name}s")})
