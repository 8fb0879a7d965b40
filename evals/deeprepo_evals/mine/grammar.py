"""The languages that cases are mined in, as syntax: what defines, what calls, what is a member, what imports."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import PurePosixPath

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser

MOST_BYTES = 400_000  # of a file that is parsed


@dataclass(frozen=True, slots=True)
class NodeNames:
    """What the nodes of one language are called."""

    name: str
    definitions: Mapping[str, str]  # node -> kind of what it defines
    owners: frozenset[str]  # nodes that hold members
    members: Mapping[str, tuple[str, str]]  # node -> (field of the object, field of the name)
    calls: frozenset[str]  # nodes whose first part is called
    named_calls: frozenset[str]  # nodes that hold the name and the arguments of a call
    imports: frozenset[str]
    words: frozenset[str]  # identifiers
    tolerant: bool = False  # calls with other arguments run


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


IDENTIFIERS = _set(
    "identifier type_identifier field_identifier property_identifier shorthand_property_identifier constant name "
    "shorthand_property_identifier_pattern namespace_identifier package_identifier private_property_identifier"
)
PYTHON = NodeNames(
    "python",
    {"function_definition": "function", "class_definition": "class", "assignment": "constant"},
    _set("class_definition"),
    {"attribute": ("object", "attribute")},
    _set("call"),
    frozenset(),
    _set("import_statement import_from_statement"),
    IDENTIFIERS,
)
JAVASCRIPT = NodeNames(
    "javascript",
    {
        "function_declaration": "function",
        "generator_function_declaration": "function",
        "class_declaration": "class",
        "abstract_class_declaration": "class",
        "interface_declaration": "type",
        "type_alias_declaration": "type",
        "enum_declaration": "class",
        "method_definition": "method",
        "method_signature": "method",
        "public_field_definition": "field",
        "property_signature": "field",
        "variable_declarator": "constant",
    },
    _set("class_declaration abstract_class_declaration interface_declaration enum_declaration class"),
    {"member_expression": ("object", "property")},
    _set("call_expression new_expression"),
    frozenset(),
    _set("import_statement"),
    IDENTIFIERS,
)
GO = NodeNames(
    "go",
    {
        "function_declaration": "function",
        "method_declaration": "method",
        "type_spec": "class",
        "const_spec": "constant",
        "var_spec": "constant",
        "field_declaration": "field",
    },
    _set("type_spec"),
    {"selector_expression": ("operand", "field"), "qualified_type": ("package", "name")},
    _set("call_expression"),
    frozenset(),
    _set("import_declaration"),
    IDENTIFIERS,
)
JAVA = NodeNames(
    "java",
    {
        "class_declaration": "class",
        "interface_declaration": "class",
        "enum_declaration": "class",
        "record_declaration": "class",
        "annotation_type_declaration": "class",
        "method_declaration": "method",
        "variable_declarator": "constant",
        "enum_constant": "constant",
    },
    _set("class_declaration interface_declaration enum_declaration record_declaration"),
    {
        "method_invocation": ("object", "name"),
        "field_access": ("object", "field"),
        "method_reference": ("", ""),
    },
    _set("object_creation_expression"),
    _set("method_invocation"),
    _set("import_declaration"),
    IDENTIFIERS,
)
KOTLIN = NodeNames(
    "kotlin",
    {
        "class_declaration": "class",
        "object_declaration": "class",
        "function_declaration": "function",
        "property_declaration": "constant",
        "type_alias": "type",
        "enum_entry": "constant",
    },
    _set("class_declaration object_declaration companion_object"),
    {"navigation_expression": ("", "")},
    _set("call_expression"),
    frozenset(),
    _set("import import_header"),
    IDENTIFIERS,
)
CSHARP = NodeNames(
    "csharp",
    {
        "class_declaration": "class",
        "interface_declaration": "class",
        "struct_declaration": "class",
        "enum_declaration": "class",
        "record_declaration": "class",
        "delegate_declaration": "type",
        "method_declaration": "method",
        "property_declaration": "field",
        "variable_declarator": "constant",
        "enum_member_declaration": "constant",
    },
    _set("class_declaration interface_declaration struct_declaration enum_declaration record_declaration"),
    {"member_access_expression": ("expression", "name"), "member_binding_expression": ("", "name")},
    _set("invocation_expression object_creation_expression"),
    frozenset(),
    _set("using_directive"),
    IDENTIFIERS,
)
PHP = NodeNames(
    "php",
    {
        "class_declaration": "class",
        "interface_declaration": "class",
        "trait_declaration": "class",
        "enum_declaration": "class",
        "method_declaration": "method",
        "function_definition": "function",
        "const_element": "constant",
    },
    _set("class_declaration interface_declaration trait_declaration enum_declaration"),
    {
        "member_call_expression": ("object", "name"),
        "member_access_expression": ("object", "name"),
        "nullsafe_member_call_expression": ("object", "name"),
        "scoped_call_expression": ("scope", "name"),
        "class_constant_access_expression": ("", ""),
    },
    _set("function_call_expression object_creation_expression"),
    _set("member_call_expression scoped_call_expression"),
    _set("namespace_use_declaration"),
    IDENTIFIERS,
)
RUBY = NodeNames(
    "ruby",
    {"method": "method", "singleton_method": "method", "class": "class", "module": "class", "assignment": "constant"},
    _set("class module"),
    {"call": ("receiver", "method"), "scope_resolution": ("scope", "name")},
    frozenset(),
    _set("call"),
    frozenset(),
    IDENTIFIERS,
)
RUST = NodeNames(
    "rust",
    {
        "function_item": "function",
        "function_signature_item": "function",
        "struct_item": "class",
        "enum_item": "class",
        "trait_item": "class",
        "type_item": "type",
        "const_item": "constant",
        "static_item": "constant",
        "macro_definition": "macro",
        "enum_variant": "constant",
        "field_declaration": "field",
    },
    _set("impl_item trait_item enum_item struct_item"),
    {
        "field_expression": ("value", "field"),
        "scoped_identifier": ("path", "name"),
        "scoped_type_identifier": ("path", "name"),
    },
    _set("call_expression"),
    frozenset(),
    _set("use_declaration"),
    IDENTIFIERS,
)
C = NodeNames(
    "c",
    {
        "function_definition": "function",
        "declaration": "function",
        "preproc_def": "constant",
        "preproc_function_def": "macro",
        "type_definition": "type",
        "struct_specifier": "class",
        "class_specifier": "class",
        "enum_specifier": "class",
        "enumerator": "constant",
        "field_declaration": "field",
    },
    _set("struct_specifier class_specifier"),
    {"field_expression": ("argument", "field"), "qualified_identifier": ("scope", "name")},
    _set("call_expression"),
    frozenset(),
    _set("preproc_include"),
    IDENTIFIERS,
)  # fmt: skip
CPP = NodeNames("c++", C.definitions, C.owners, C.members, C.calls, C.named_calls, C.imports, C.words)
SWIFT = NodeNames(
    "swift",
    {
        "class_declaration": "class",
        "protocol_declaration": "class",
        "typealias_declaration": "type",
        "function_declaration": "function",
        "protocol_function_declaration": "method",
        "property_declaration": "constant",
        "protocol_property_declaration": "field",
        "enum_entry": "constant",
    },
    _set("class_declaration protocol_declaration"),
    {"navigation_suffix": ("", "suffix")},
    _set("call_expression constructor_expression"),
    frozenset(),
    _set("import_declaration"),
    IDENTIFIERS | {"simple_identifier"},
)
SCALA = NodeNames(
    "scala",
    {
        "class_definition": "class",
        "trait_definition": "class",
        "object_definition": "class",
        "enum_definition": "class",
        "type_definition": "type",
        "function_definition": "function",
        "function_declaration": "function",
        "val_definition": "constant",
        "val_declaration": "constant",
        "var_definition": "constant",
        "var_declaration": "constant",
        "simple_enum_case": "constant",
        "full_enum_case": "constant",
    },
    _set("class_definition trait_definition object_definition enum_definition"),
    {
        "field_expression": ("value", "field"),
        "stable_identifier": ("", ""),
        "stable_type_identifier": ("", ""),
    },
    _set("call_expression"),
    frozenset(),
    _set("import_declaration"),
    IDENTIFIERS,
)
TYPESCRIPT = NodeNames(
    "typescript",
    JAVASCRIPT.definitions,
    JAVASCRIPT.owners,
    JAVASCRIPT.members,
    JAVASCRIPT.calls,
    JAVASCRIPT.named_calls,
    JAVASCRIPT.imports,
    JAVASCRIPT.words,
)
ELIXIR = NodeNames(
    "elixir", {}, frozenset(), {"dot": ("left", "right")}, _set("call"), frozenset(), frozenset(), _set("identifier")
)
LUA = NodeNames(
    "lua",
    {},
    frozenset(),
    {"dot_index_expression": ("table", "field"), "method_index_expression": ("table", "method")},
    _set("function_call"),
    frozenset(),
    frozenset(),
    _set("identifier"),
)
SUFFIXES: Mapping[str, tuple[NodeNames, str, str]] = {
    ".py": (PYTHON, "tree_sitter_python", "language"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), (JAVASCRIPT, "tree_sitter_javascript", "language")),
    **dict.fromkeys((".ts", ".mts", ".cts"), (TYPESCRIPT, "tree_sitter_typescript", "language_typescript")),
    ".tsx": (TYPESCRIPT, "tree_sitter_typescript", "language_tsx"),
    ".go": (GO, "tree_sitter_go", "language"),
    ".java": (JAVA, "tree_sitter_java", "language"),
    ".kt": (KOTLIN, "tree_sitter_kotlin", "language"),
    ".swift": (SWIFT, "tree_sitter_swift", "language"),
    ".scala": (SCALA, "tree_sitter_scala", "language"),
    **dict.fromkeys((".ex", ".exs"), (ELIXIR, "tree_sitter_elixir", "language")),
    ".lua": (LUA, "tree_sitter_lua", "language"),
    ".cs": (CSHARP, "tree_sitter_c_sharp", "language"),
    ".php": (PHP, "tree_sitter_php", "language_php"),
    ".rb": (RUBY, "tree_sitter_ruby", "language"),
    ".rs": (RUST, "tree_sitter_rust", "language"),
    ".c": (C, "tree_sitter_c", "language"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".h"), (CPP, "tree_sitter_cpp", "language")),
}
# Files of one row may use each other's names.
FAMILIES = (
    (".py", ".pyi"),
    (".js", ".jsx", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"),
    (".go",),
    (".java", ".kt", ".kts", ".groovy", ".scala"),
    (".cs",),
    (".swift",),
    (".ex", ".exs", ".eex", ".heex", ".leex"),
    (".lua",),
    (".php", ".phtml", ".inc"),
    (".rb", ".rake", ".gemspec", ".erb", ".haml"),
    (".rs",),
    (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".m", ".mm", ".y", ".l", ".in"),
)


def suffix(path: str) -> str:
    """The ending of a path, small."""
    return PurePosixPath(path).suffix.lower()


def node_names(path: str) -> NodeNames | None:
    """The language of a path; None if nothing is mined in such files."""
    found = SUFFIXES.get(suffix(path))
    return found[0] if found is not None else None


def family(path: str) -> tuple[str, ...]:
    """The endings of the files that may use the names of this one."""
    return next((row for row in FAMILIES if suffix(path) in row), ())


def root(path: str, source: bytes) -> Node:
    """The root of a file's syntax tree; its language must be known."""
    _, module, function = SUFFIXES[suffix(path)]
    return _parse(module, function, source)


@lru_cache(maxsize=128)
def _parse(module: str, function: str, source: bytes) -> Node:
    return Parser(_grammar(module, function)).parse(source[:MOST_BYTES]).root_node


@lru_cache(maxsize=16)
def _grammar(module: str, function: str) -> Grammar:
    return Grammar(getattr(import_module(module), function)())
