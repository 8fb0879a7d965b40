"""Where Java, Kotlin and Scala name a member or a class without a dot: case labels, annotations, patterns."""

from bot.languages.dotless_rows import NAMELESS, dotless

DOTLESS = {
    "switch_label": (dotless("", "switch_expression switch_statement", "condition", value=True),),
    "element_value_pair": (dotless("key", "annotation", "name"),),
    "record_pattern": (dotless("first", "record_pattern", "first", kind="pattern"),),
    "case_class_pattern": (dotless("type", "case_class_pattern", "type", kind="pattern"),),
    "stable_type_identifier": (dotless("", "case_class_pattern", "type", kind="pattern"),),
    NAMELESS: (dotless("", "multi_variable_declaration tuple_pattern tuple_expression"),),
}
