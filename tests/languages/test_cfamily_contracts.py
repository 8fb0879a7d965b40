import pytest
from fakes import Repository
from told import Row, Tree, rows

HEADER = "#ifndef SDS_H\n#define SDS_H\ntypedef char *sds;\nsds sdsnew(const char *init, int len);\nint sdslen(sds s);\n#endif\n"
SOURCE = (
    '#include "sds.h"\nsds sdsnew(const char *init, int len) {\n    sds made = alloc(len);\n    return fill(made, init);\n}\n'
    "int sdslen(sds s) {\n    return s[-1];\n}\n"
)
CALLER = '#include <stdio.h>\n#include "sds.h"\nint main(void) {\n    sds one = sdsnew("a", 1);\n    return sdslen(one);\n}\n'
BEFORE: Tree = {"src/sds.h": HEADER, "src/sds.c": SOURCE, "src/main.c": CALLER}
NO_LEN: Tree = {
    "src/sds.h": HEADER.replace("int sdslen(sds s);\n", ""),
    "src/sds.c": SOURCE[: SOURCE.index("int sdslen")],
}
WIDER: Tree = {
    "src/sds.h": HEADER.replace("int len)", "int len, int flags)"),
    "src/sds.c": SOURCE.replace("int len)", "int len, int flags)"),
}
MACROS = "#pragma once\n#define MAX_ITEMS 10\n#define AREA(w, h) ((w) * (h))\nenum color { COLOR_RED, COLOR_BLUE };\n"
ROOM = '#include "m.h"\nint room(int n) {\n    return AREA(n, 2);\n}\n'
STRUCT = "typedef struct client {\n    int fd;\n    int reply_len;\n} client;\n"
READER = '#include "s.h"\nint size(client *c) {\n    return c->reply_len;\n}\n'
BOX = (
    "#pragma once\nnamespace ui {\nclass Box {\n public:\n  Box(int width, int height = 1);\n  int grow(int by);\n  int area() const;\n"
    " private:\n  int w_, h_;\n};\n}\n"
)
DRAW = '#include "box.hpp"\nint draw(ui::Box &other) {\n  Box box(1);\n  box.grow(2);\n  return box.area();\n}\n'

TRUE: list[tuple[str, Tree, Tree, list[Row]]] = [
    ("a function is gone with its prototype", BEFORE, NO_LEN, [("src/main.c", 5, "removed-symbol")]),
    ("a call has too few arguments", BEFORE, WIDER, [("src/main.c", 4, "required-parameter")]),
    (
        "a kernel of CUDA calls it beside a launch",
        {
            **BEFORE,
            "src/main.c": "",
            "src/sum.cu": '#include "sds.h"\n__global__ void add(int *a) { a[0] += 1; }\nint run(int *a) {\n    add<<<1, 256>>>(a);\n    return sdslen(0);\n}\n',
        },
        NO_LEN,
        [("src/sum.cu", 5, "removed-symbol")],
    ),
    (
        "a header in between hands the names on",
        {**BEFORE, "src/all.h": '#include "sds.h"\n', "src/main.c": CALLER.replace("sds.h", "all.h")},
        NO_LEN,
        [("src/main.c", 5, "removed-symbol")],
    ),
    (
        "a macro is gone",
        {"m.h": MACROS, "a.c": '#include "m.h"\nint room(void) {\n    return MAX_ITEMS;\n}\n'},
        {"m.h": MACROS.replace("#define MAX_ITEMS 10\n", "")},
        [("a.c", 3, "removed-symbol")],
    ),
    (
        "an enumerator is renamed",
        {"m.h": MACROS, "a.c": '#include "m.h"\nint paint(void) {\n    return COLOR_BLUE;\n}\n'},
        {"m.h": MACROS.replace("COLOR_BLUE", "COLOR_GREEN")},
        [("a.c", 3, "removed-symbol")],
    ),
    (
        "a member of a struct is gone",
        {"s.h": STRUCT, "a.c": READER},
        {"s.h": STRUCT.replace("    int reply_len;\n", "")},
        [("a.c", 3, "removed-symbol")],
    ),
    (
        "a method of C++ wants more",
        {"box.hpp": BOX, "draw.cpp": DRAW},
        {"box.hpp": BOX.replace("grow(int by)", "grow(int by, int most)")},
        [("draw.cpp", 4, "required-parameter")],
    ),
    (
        "a macro takes one more argument",
        {"m.h": MACROS, "a.c": ROOM},
        {"m.h": MACROS.replace("AREA(w, h)", "AREA(w, h, d)")},
        [("a.c", 3, "required-parameter")],
    ),
]
FALSE: list[tuple[str, Tree, Tree]] = [
    ("the definition is left", BEFORE, {"src/sds.h": NO_LEN["src/sds.h"]}),
    (
        "the function moved to another file of the same header",
        BEFORE,
        {"src/sds.c": NO_LEN["src/sds.c"], "src/len.c": '#include "sds.h"\n' + SOURCE[SOURCE.index("int sdslen") :]},
    ),
    (
        "the function became a macro",
        BEFORE,
        {
            "src/sds.h": HEADER.replace("int sdslen(sds s);", "#define sdslen(s) ((s)[-1])"),
            "src/sds.c": NO_LEN["src/sds.c"],
        },
    ),
    (
        "a variadic function takes what it is given",
        {"l.h": "void say(const char *fmt, ...);\n", "a.c": '#include "l.h"\nvoid f(void) { say("a", 1, 2); }\n'},
        {"l.h": "void say(const char *fmt, int level, ...);\n"},
    ),
    (
        "alternatives of the preprocessor",
        {
            "l.h": "#ifdef FAST\nint go(int a);\n#else\nint go(int a);\n#endif\n",
            "a.c": '#include "l.h"\nint f(void) { return go(1); }\n',
        },
        {"l.h": "#ifdef FAST\nint go(int a, int b);\n#else\nint go(int a);\n#endif\n"},
    ),
    (
        "one alternative is left",
        {
            "l.h": "#ifdef FAST\n#define GO 1\n#else\n#define GO 2\n#endif\n",
            "a.c": '#include "l.h"\nint f(void) { return GO; }\n',
        },
        {"l.h": "#ifndef FAST\n#define GO 2\n#endif\n"},
    ),
    (
        "a macro takes any number of arguments",
        {"m.h": MACROS, "a.c": ROOM},
        {"m.h": MACROS.replace("AREA(w, h)", "AREA(w, ...)")},
    ),
    (
        "the only argument of a macro is empty",
        {"m.h": "#define NOW() 1\n", "a.c": '#include "m.h"\nint f(void) { return NOW(); }\n'},
        {"m.h": "#define NOW(zone) 1 + 0##zone\n"},
    ),
    (
        "a method defined below its class, which keeps the default argument",
        {
            "t.h": "#pragma once\nclass Total {\npublic:\n    int weigh(int limit = 0) const { return limit; }\n};\n",
            "a.cc": '#include "t.h"\nint f(const Total &t) { return t.weigh(); }\n',
        },
        {
            "t.h": "#pragma once\nclass Total {\npublic:\n    int weigh(int limit = 0) const;\n};\n\ninline int Total::weigh(int limit) const {\n    return limit;\n}\n"
        },
    ),
    (
        "the use stands under a condition",
        {"m.h": MACROS, "a.c": '#include "m.h"\n#ifdef MAX_ITEMS\nint n = MAX_ITEMS;\n#endif\n'},
        {"m.h": MACROS.replace("#define MAX_ITEMS 10\n", "")},
    ),
    (
        "a static function of the same name",
        {
            **BEFORE,
            "src/main.c": '#include "sds.h"\nstatic int sdslen(sds s) { return 0; }\nint main(void) { return sdslen(0); }\n',
        },
        NO_LEN,
    ),
    (
        "a parameter with a default",
        {"box.hpp": BOX, "draw.cpp": DRAW},
        {"box.hpp": BOX.replace("grow(int by)", "grow(int by, int most = 3)")},
    ),
    (
        "the method stands in a base",
        {"box.hpp": BOX, "base.hpp": "class Base {\n public:\n  int area() const;\n};\n", "draw.cpp": DRAW},
        {
            "box.hpp": '#include "base.hpp"\n'
            + BOX.replace("class Box {", "class Box : public Base {").replace("  int area() const;\n", "")
        },
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), [row[1:] for row in TRUE], ids=[row[0] for row in TRUE])
def test_broken_reference_is_reported(repository: Repository, before: Tree, after: Tree, expected: list[Row]) -> None:
    """A call or reference that the change breaks is reported at its line with the right rule."""
    assert rows(repository.change(before, after)) == expected


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in FALSE], ids=[row[0] for row in FALSE])
def test_uncertain_reference_is_not_reported(repository: Repository, before: Tree, after: Tree) -> None:
    """Nothing is reported if the name may still be defined some other way."""
    assert rows(repository.change(before, after)) == []
