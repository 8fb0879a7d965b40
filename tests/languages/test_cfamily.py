import pytest

from deeprepo.impact import resolving
from deeprepo.impact.language import leading

CFAMILY = leading("cfamily")


@pytest.mark.parametrize(
    ("here", "line", "target"),
    [
        ("src/a.c", '#include "dict.h"', "src/dict.h"),
        ("tests/a.c", '#include "../src/dict.h"', "src/dict.h"),
        ("src/a.c", '#include "time.h"', "compat/time.h"),
        ("src/a.c", '/* old:\n#include "dict.h"\n*/', None),
        ("src/a.c", "#include MACRO", None),
    ],
)
def test_include_resolves_to_a_file(here: str, line: str, target: str | None) -> None:
    """The includer's folder comes first, then the nearest path with that ending."""
    paths = ["src/dict.h", "deps/lib/dict.h", "include/net/socket.h", "compat/time.h", here]
    found = resolving.project(CFAMILY, paths, {}).links(here, f"{line}\n".encode())

    assert [item.target for item in found] == ([target] if target else [])


def test_members_are_qualified_only_with_their_own_class() -> None:
    """Names contain only their own class. Prototypes of defined functions and include guards are left out."""
    source = (
        "#ifndef BOX_H\n#define BOX_H 1\nnamespace shop {\nclass Box : public Base<int> {\n  enum class Kind { SMALL };\n"
        "  class Lid { int lift(int by); };\n  Box(int *const rows[], int = 3);\n};\nint Box::Lid::lift(int by) { return by; }\n}\n#endif\n"
    )
    told = resolving.outline("box.h", source.encode(), "head")

    assert [(one.name, one.kind) for one in told.definitions] == [
        ("Box", "class"),
        ("Kind", "type"),
        ("Kind.SMALL", "variable"),
        ("Lid", "class"),
        ("Box.Box", "declaration"),
        ("Lid.lift", "method"),
    ]
    assert dict(told.bases) == {"Box": ("Base",), "Kind": (), "Lid": ()}
    assert {one.namespaces for one in told.definitions} == {("shop",)}
    made = next(one for one in told.definitions if one.name == "Box.Box")
    assert [(one.name, one.is_required) for one in made.parameters] == [("rows", True), ("int", False)]


def test_static_names_are_private_to_their_source_file() -> None:
    """Static names and names in an unnamed namespace are file-private in a source, but not in a header."""
    source = "namespace { int hidden(int a); }\nstatic int own(int a) { return a; }\nint offered(int a);\n"
    found = {
        path: {
            one.name for one in resolving.outline(path, source.encode(), "head").definitions if one.visible == "file"
        }
        for path in ("a.cpp", "a.hpp")
    }

    assert found == {"a.cpp": {"hidden", "own"}, "a.hpp": set()}


def test_receiver_types_of_members_are_found() -> None:
    """A receiver's type is found through initializers, `->`, casts, smart pointers and constructor lists."""
    c_source = b"struct job one = { .run = go };\nint f(struct job *a, void *b) { a->run(1); return ((struct job *)b)->run(2); }\n"
    cpp_source = b"Box::Box(Lid *a, std::unique_ptr<Lid> b) : run(1) { this->run(); a->run(); b->run(); b.run(); }\n"
    told = [resolving.uses(path, source, ["run"]) for path, source in (("a.c", c_source), ("a.cpp", cpp_source))]

    assert [one.types for one in told[0]] == [("job",), ("job",), ("job",)]
    assert [one.types for one in told[1]] == [("Box",), ("Box",), ("Lid",), ("Lid",), ("unique_ptr",)]
    assert {one.form for found in told for one in found} == {"member"}
