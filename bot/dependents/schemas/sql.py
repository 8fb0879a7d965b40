"""SQL: what statements of a migration, or the difference of two dumps, take away from those who select and insert.

Every dialect writes these few statements alike, and the rest of its grammar decides nothing here. Therefore this reads tokens instead
of a grammar: a statement of an unknown dialect costs nothing, and a file of any size takes linear time.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.dependents.schemas import breaks, migrations, sql_uses

NAME = "sql"
_FILE = re.compile(r"\.(?:sql|ddl|psql)$", re.IGNORECASE)
_BACKWARD = re.compile(
    r"(?:[._-]|(?<=/)|^)(?:down|rollback|undo|revert)(?:[._-]\w+)?\.sql$|/(?:down|rollback)/", re.IGNORECASE
)
_DOWN_PART = re.compile(
    r"^[ \t]*+(?:--|#)[ \t]*+(?:\+(?:goose|migrate)|@|=+|-+)?[ \t]*+(?:migrate:)?(?:down\b|create above / drop below|rollback\b|\(down\))",
    re.IGNORECASE | re.MULTILINE,
)
_UP_PART = re.compile(r"^[ \t]*+--[ \t]*+(?:\+(?:goose|migrate)[ \t]++|migrate:|@)?up\b", re.IGNORECASE | re.MULTILINE)
_TOKEN = re.compile(
    r"(?P<skip>\s++|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r"|(?P<body>\$(?P<tag>\w{0,40})\$)"
    r"|(?P<text>'(?:[^'\\]|\\.|'')*+'?)"
    r"|\"(?P<double>[^\"\n]{0,200})\"|`(?P<tick>[^`\n]{0,200})`|\[(?P<square>[A-Za-z_][^\]\n]{0,200})\]"
    r"|(?P<word>[A-Za-z_@#][\w$@#]*+)|(?P<number>\d[\w.]*+)|(?P<mark>.)",
    re.DOTALL,
)
_NOT_COLUMNS = frozenset(
    [
        "CONSTRAINT",
        "INDEX",
        "KEY",
        "PRIMARY",
        "FOREIGN",
        "CHECK",
        "PARTITION",
        "DEFAULT",
        "UNIQUE",
        "FULLTEXT",
        "SPATIAL",
        "EXCLUDE",
        "NOT",
        "EXPRESSION",
        "IDENTITY",
        "PERIOD",
        "SYSTEM",
        "LIKE",
        "TRIGGER",
        "OWNER",
        "TABLESPACE",
        "TO",
    ]
)
_FILLS = frozenset(
    [
        "DEFAULT",
        "GENERATED",
        "AUTO_INCREMENT",
        "AUTOINCREMENT",
        "SERIAL",
        "BIGSERIAL",
        "SMALLSERIAL",
        "IDENTITY",
        "AS",
        "NEXTVAL",
        "ROWVERSION",
    ]
)
_MOST_STATEMENTS = 50_000
_USUAL_SCHEMAS = frozenset(["", "public", "dbo", "main"])


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word (as written), a quoted name, a mark; of a text only that it is one."""

    text: str
    line: int
    quoted: bool = False

    @property
    def upper(self) -> str:
        """The keyword that it may be; of a quoted name none."""
        return "" if self.quoted else self.text.upper()


Statement = list[Lexeme]


def wants(path: str) -> bool:
    """Whether it holds statements, or is a migration that calls functions for them."""
    if not breaks.is_product(path):
        return False
    return (bool(_FILE.search(path)) and not _BACKWARD.search(path)) or migrations.is_migration(path)


def is_schema(document: breaks.Document) -> bool:
    """Any file of such a name: what defines no table breaks none."""
    return wants(document.path)


def compare(before: Sequence[breaks.Document], after: Sequence[breaks.Document]) -> list[breaks.SchemaBreak]:
    """What the new statements take away, and what a dump no longer creates."""
    old = {document.successor: document for document in before}
    effects: list[migrations.MigrationStep] = []
    for document in after:
        if _FILE.search(document.path):
            effects += _effects(document)
            if document.path in old:
                effects += _difference(old[document.path], document)
        else:
            effects += migrations.effects(document, _of_text)
    return migrations.breaks(effects)


def searched_words(one: breaks.SchemaBreak) -> frozenset[str]:
    """The spellings of the column or the table."""
    return sql_uses.searched_words(one)


def likeness(one: breaks.SchemaBreak, place: breaks.SchemaPlace) -> breaks.Likeness:
    """Whether the line selects, writes or maps it."""
    return sql_uses.likeness(one, place)


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text; a body between dollar signs is one token."""
    current: Statement = []
    line, at, count = 1, 0, 0
    while match := _TOKEN.match(text, at):
        end = match.end()
        if match["body"]:
            close = text.find(match["body"], end)
            end = close + len(match["body"]) if close >= 0 else end
            current.append(Lexeme("$", line, quoted=True))
        elif match["skip"] is None:
            mark = match["mark"]
            if mark == ";":
                if current:
                    yield current
                count += 1
                if count > _MOST_STATEMENTS:
                    return
                current = []
            else:
                name = match["double"] or match["tick"] or match["square"]
                text_of = name or ("'" if match["text"] is not None else match[0])
                current.append(Lexeme(text_of, line, quoted=name is not None))
        line += text.count("\n", at, end)
        at = end
    if current:
        yield current


def _effects(document: breaks.Document) -> list[migrations.MigrationStep]:
    """Those of statements that the change brings, the part that takes a migration back left out."""
    return [
        one
        for statement in statements(_forward(document.text))
        if any(token.line in document.added_lines for token in statement)
        for one in _of_statement(statement, document.path)
        if one.line in document.added_lines or one.does in ("create", "add")
    ]


def _forward(text: str) -> str:
    """A text whose part that takes a migration back is blank; lines stay where they are."""
    if down := _DOWN_PART.search(text):
        up = _UP_PART.search(text, down.end())
        last = up.start() if up else len(text)
        text = text[: down.start()] + "\n" * text.count("\n", down.start(), last) + text[last:]
    return text


def _of_text(text: str, line: int, path: str) -> list[migrations.MigrationStep]:
    """The effects of statements in a literal of code that begins on this line."""
    return [one for statement in statements(text) for one in _of_statement(statement, path, line - 1)]


def _difference(old: breaks.Document, new: breaks.Document) -> list[migrations.MigrationStep]:
    """The tables and columns that a dump created before the change and no longer creates."""
    before, after = created_tables(_forward(old.text)), created_tables(_forward(new.text))
    lost_tables = [table for table in before if table not in after]
    effects = [
        migrations.MigrationStep("drop-table", _short(table), "", old.path, before[table][0], side="base")
        for table in lost_tables
    ]
    for table, (_, columns) in before.items():
        if table in after and after[table][1]:
            effects += [
                migrations.MigrationStep("drop-column", _short(table), column, old.path, line, side="base")
                for column, line in columns.items()
                if column not in after[table][1]
            ]
    return effects


def created_tables(text: str) -> dict[str, tuple[int, dict[str, int]]]:
    """Table -> its line, and its columns with theirs.

    The first statement that creates a table defines it: a second one fails or does nothing, and a temporary table is another one.
    """
    tables: dict[str, tuple[int, dict[str, int]]] = {}
    for statement in statements(text):
        words = [token.upper for token in statement[:6]]
        if words[:1] == ["DROP"] and words[1:2] == ["TABLE"]:
            for part in _actions(statement[2:]):
                tables.pop(_full_name(part, 0)[1], None)
        elif words[:1] == ["CREATE"] and "TABLE" in words and not _is_temporary(statement):
            at, name = _full_name(statement, words.index("TABLE") + 1)
            if name and (name not in tables or words[1:3] == ["OR", "REPLACE"]):
                tables[name] = statement[0].line, dict(_columns(statement, at))
    return tables


def tables_with(column: str, text: str) -> frozenset[str]:
    """The tables that a file creates with a column of this name."""
    name = column.lower()
    return frozenset(table for table, (_, columns) in created_tables(_forward(text)).items() if name in columns)


def _is_temporary(statement: Statement) -> bool:
    """Whether a statement creates a table that only its own session sees."""
    head = [token.upper for token in statement[:6]]
    at = head.index("TABLE") if "TABLE" in head else len(head)
    name = _full_name(statement, at + 1)[1] or "".join(token.text for token in statement[at + 1 : at + 2])
    return not {"TEMP", "TEMPORARY", "VOLATILE"}.isdisjoint(head[:at]) or name.startswith(
        ("#", "@", "pg_temp", "temp.")
    )


def _is_conditional(statement: Statement) -> bool:
    """Whether it leaves alone what is there already, or replaces it."""
    head = {token.upper for token in statement[:8] if not token.quoted}
    return {"NOT", "EXISTS"} <= head or {"OR", "REPLACE"} <= head


def _renamed(table: str, new: str) -> str:
    """The new name of a table, which stays in its schema."""
    schema = table.rpartition(".")[0]
    return f"{schema}.{new}" if schema and "." not in new else new


def _short(name: str) -> str:
    return name.rpartition(".")[2]


def _full_name(statement: Statement, at: int) -> tuple[int, str]:
    """As `_name`, with the schema unless that is the usual one."""
    start = at
    at, name = _name(statement, start)
    while start < at and statement[start].upper in ("IF", "NOT", "EXISTS", "ONLY"):
        start += 1
    schema = ".".join(token.text.lower() for token in statement[start : at - 1] if token.text != ".")
    return at, name if schema in _USUAL_SCHEMAS else f"{schema}.{name}"


def _columns(statement: Statement, at: int) -> Iterator[tuple[str, int]]:
    depth, begins = 0, False
    for token in statement[at:]:
        if token.text == "(" and not token.quoted:
            depth += 1
            begins = depth == 1
            continue
        if token.text == ")" and not token.quoted:
            depth -= 1
            if not depth:
                return
        elif token.text == "," and depth == 1:
            begins = True
            continue
        elif begins and depth == 1 and (token.quoted or token.upper not in _NOT_COLUMNS):
            yield token.text.lower(), token.line
        begins = False


def _name(statement: Statement, at: int) -> tuple[int, str]:
    """The name behind a position, without its schema and in lower case, and the position behind it."""
    while at < len(statement) and statement[at].upper in ("IF", "NOT", "EXISTS", "ONLY", "COLUMN"):
        at += 1
    name = ""
    while at < len(statement) and (
        statement[at].quoted or statement[at].text[:1].isalpha() or statement[at].text[:1] == "_"
    ):
        name = statement[at].text.lower()
        at += 1
        if at < len(statement) and statement[at].text == ".":
            at += 1
        else:
            break
    return at, name


def _of_statement(statement: Statement, path: str, above: int = 0) -> Iterator[migrations.MigrationStep]:
    first = [token.upper for token in statement[:8]]
    while first and first[0] in ("BEGIN", "GO", "TRANSACTION", "UTF8"):  # a batch without semicolons
        statement, first = statement[1:], first[1:]
    line = statement[0].line + above if statement else 0
    if first[:2] == ["ALTER", "TABLE"]:
        at, table = _full_name(statement, 2)
        for action in _actions(statement[at:]):
            yield from _of_action(action, table, path, above)
    elif (first[:1] == ["DROP"] and first[1:2] in (["TABLE"], ["VIEW"])) or first[:3] == [
        "DROP",
        "MATERIALIZED",
        "VIEW",
    ]:
        at = 3 if first[1] == "MATERIALIZED" else 2
        for part in _actions(statement[at:]):
            name = _full_name(part, 0)[1]
            if name:
                yield migrations.MigrationStep("drop-table", name, "", path, line)
    elif first[:2] == ["RENAME", "TABLE"]:
        at, table = _full_name(statement, 2)
        yield migrations.MigrationStep("rename-table", table, "", path, line, new=_full_name(statement, at + 1)[1])
    elif first[:1] == ["CREATE"] and ("TABLE" in first or "VIEW" in first) and not _is_temporary(statement):
        at = first.index("TABLE" if "TABLE" in first else "VIEW") + 1
        at, table = _full_name(statement, at)
        columns = tuple(name for name, _ in _columns(statement, at)) if "TABLE" in first else ()
        yield migrations.MigrationStep(
            "create", table, "", path, line, columns=columns, is_conditional=_is_conditional(statement)
        )
    elif first[:1] in (["EXEC"], ["EXECUTE"]) and "SP_RENAME" in [token.upper for token in statement]:
        return  # its names are texts


def _actions(tokens: Statement) -> Iterator[Statement]:
    """The parts between commas that are in no bracket."""
    depth, part = 0, list[Lexeme]()
    for token in tokens:
        mark = "" if token.quoted else token.text
        depth += (mark == "(") - (mark == ")")
        if mark == "," and depth <= 0:
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _of_action(action: Statement, table: str, path: str, above: int) -> Iterator[migrations.MigrationStep]:
    words = [token.upper for token in action]
    if not action or not table:
        return
    line = action[0].line + above

    def effect(does: migrations.Does, column: str, new: str = "") -> migrations.MigrationStep:
        return migrations.MigrationStep(
            does, table, column, path, line, new=new, is_conditional=_is_conditional(action)
        )

    start = 2 if words[1:2] == ["COLUMN"] else 1
    behind = words[start] if start < len(words) else ""
    at, name = _name(action, start)
    if words[0] == "DROP" and (start > 1 or behind not in _NOT_COLUMNS) and name:
        yield effect("drop-column", name)
    elif words[0] == "RENAME" and behind == "TO":
        yield effect("rename-table", "", _renamed(table, _full_name(action, start + 1)[1]))
    elif words[0] == "RENAME" and behind not in _NOT_COLUMNS and words[at : at + 1] == ["TO"]:
        yield effect("rename-column", name, _name(action, at + 1)[1])
    elif words[0] == "CHANGE" and name:
        new = _name(action, at)[1]
        if new and new != name:
            yield effect("rename-column", name, new)
    elif words[0] == "ADD" and words[start : start + 1] != ["("] and (start > 1 or behind not in _NOT_COLUMNS) and name:
        must = ("NOT", "NULL") in pairwise(words) and _FILLS.isdisjoint(words)
        yield effect("require-column" if must else "add", name)
