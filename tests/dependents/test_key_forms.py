import pytest
from dependents_scene import find
from fakes import Repository

from bot.review import coverage

# what -> (file, its text, what goes, the other files, of which the first one reads)
ENTRIES = {
    "lib.py at the root": ("lib.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from lib import summarize\nprint(summarize(1)["amount"])\n'}),
    "import main": ("main.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'import main\nprint(main.summarize(1)["amount"])\n'}),
    "from . import main": ("shop/main.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"shop/pay.py": 'from . import main\nprint(main.summarize(1)["amount"])\n'}),
    "from .. import": ("shop/__init__.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"shop/a/pay.py": 'from .. import summarize\nprint(summarize(1)["amount"])\n'}),
    "index.js at the root": ("index.js", "export const f = o => ({ amount: o, rows: 1 })\n", "amount: o, ", {"pay.js": 'import { f } from "./index.js"\nshow(f(1).amount)\n'}),
    "a folder's index": ("src/index.js", "export const f = o => ({ amount: o, rows: 1 })\n", "amount: o, ", {"src/pay.js": 'import { f } from "."\nshow(f(1).amount)\n'}),
    "an index without suffix": ("src/index.ts", "export const f = (o: any) => ({ amount: o, rows: 1 })\n", "amount: o, ", {"src/pay.ts": 'import { f } from "./index"\nshow(f(1).amount)\n'}),
    "main.rb": ("main.rb", "def load_it(o)\n  { amount: o.a, rows: [] }\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "main"\nputs load_it(1)[:amount]\n'}),
    "init.lua": ("init.lua", "local M = {}\nfunction M.load(o)\n  return { amount = o.a, rows = {} }\nend\nreturn M\n", "amount = o.a, ", {"pay.lua": 'local T = require("init")\nprint(T.load(1).amount)\n'}),
    "lib.rs": ("src/lib.rs", 'pub fn f() -> M { json!({"amount": 1, "rows": 2}) }\n', '"amount": 1, ', {"src/pay.rs": 'use crate::f;\nfn g() { f()["amount"]; }\n'}),
    "mod.rs": ("src/shop/mod.rs", 'pub fn f() -> M { json!({"amount": 1, "rows": 2}) }\n', '"amount": 1, ', {"src/shop/pay.rs": 'use super::f;\nfn g() { f()["amount"]; }\n', "src/lib.rs": "mod shop;\n"}),
    "main.php": ("main.php", "<?php\nfunction f() { return ['amount' => 1, 'rows' => 2]; }\n", "'amount' => 1, ", {"pay.php": "<?php\nrequire 'main.php';\necho f()['amount'];\n"}),
}  # fmt: skip
# the same
FORMS = {
    "rust insert": ("src/totals.rs", 'pub fn f() -> M { m.insert("amount".to_string(), 1);\nm }\n', 'm.insert("amount".to_string(), 1);', {"src/pay.rs": 'use crate::totals::f;\nfn g() { f()["amount"]; }\n'}),
    "Ruby, fetch": ("totals.rb", "class Totals\n  def self.load(o)\n    { amount: o.a, rows: [] }\n  end\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "totals"\nputs Totals.load(1).fetch(:amount)\n'}),
    "Ruby, dig": ("totals.rb", "class Totals\n  def self.load(o)\n    { amount: o.a, rows: [] }\n  end\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "totals"\nputs Totals.load(1).dig(:amount, 0)\n'}),
    "Ruby, a pattern with a type": ("totals.rb", "class Totals\n  def self.load(o)\n    { amount: o.a, rows: [] }\n  end\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "totals"\ncase Totals.load(1)\nin {amount: Integer}\n  1\nend\n'}),
    "Ruby, a pattern": ("totals.rb", "class Totals\n  def self.load(o)\n    { amount: o.a, rows: [] }\n  end\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "totals"\ncase Totals.load(1)\nin {amount:}\n  1\nend\n'}),
    "Ruby, fetch without brackets": ("totals.rb", "class Totals\n  def self.load(o)\n    { amount: o.a, rows: [] }\n  end\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "totals"\nputs Totals.load(1).fetch :amount\n'}),
    "Ruby, handed on by name": ("totals.rb", "class Totals\n  def self.load(o)\n    { amount: o.a, rows: [] }\n  end\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "totals"\ndef show(amount:, rows:)\n  1\nend\nshow(**Totals.load(1))\n'}),
    "ruby out[:amount]=": ("totals.rb", "class Totals\n  def self.load(o)\n    out[:amount] = 1\n    out\n  end\nend\n", "out[:amount] = 1", {"pay.rb": 'require_relative "totals"\nputs Totals.load(1)[:amount]\n'}),
    "Elixir, a member": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  alias Shop.Totals\n  def go(o), do: Totals.load(o).amount\nend\n"}),
    "Elixir, an index": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  alias Shop.Totals\n  def go(o), do: Totals.load(o)[:amount]\nend\n"}),
    "Elixir, fetched": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  alias Shop.Totals\n  def go(o), do: Map.fetch!(Totals.load(o), :amount)\nend\n"}),
    "Elixir, with a default": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  alias Shop.Totals\n  def go(o), do: Totals.load(o) |> Map.get(:amount, 0)\nend\n"}),
    "elixir pattern": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  alias Shop.Totals\n  def go(o) do\n    %{amount: a} = Totals.load(o)\n    a\n  end\nend\n"}),
    "elixir head": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  alias Shop.Totals\n  def go(o), do: show(Totals.load(o))\n  def show(%{amount: a}) do\n    a\n  end\nend\n"}),
    "elixir full": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  def go(o), do: Shop.Totals.load(o).amount\nend\n"}),
    "elixir put": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    Map.put(o, :amount, 1)\n  end\nend\n", "Map.put(o, :amount, 1)", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  def go(o), do: Shop.Totals.load(o)[:amount]\nend\n"}),
    "lua lines": ("totals.lua", "local M = {}\nfunction M.load(o)\n  return {\n    amount = o.a,\n    rows = {}\n  }\nend\nreturn M\n", "    amount = o.a,\n", {"pay.lua": 'local T = require("totals")\nprint(T.load(1).amount)\n'}),
    "lua member": ("totals.lua", "local M = {}\nfunction M.load(o)\n  o.amount = 1\n  return o\nend\nreturn M\n", "  o.amount = 1\n", {"pay.lua": 'local T = require("totals")\nprint(T.load(1)["amount"])\n'}),
    "scala": ("src/Totals.scala", 'package shop\nobject Totals { def load() = Map("amount" -> 1, "rows" -> 2) }\n', '"amount" -> 1, ', {"src/Pay.scala": 'package shop\nobject Pay { def go() = Totals.load()("amount") }\n'}),
    "csharp": ("Totals.cs", 'class Totals { object Load() { return new Dictionary<string,int> { { "amount", 1 }, { "rows", 2 } }; } }\n', '{ "amount", 1 }, ', {"Pay.cs": 'class Pay { int Go(Totals t) { return t.Load()["amount"]; } }\n'}),
    "java of": ("src/Totals.java", 'package shop;\nclass Totals {\n  Map<String, Integer> load() {\n    return Map.of("amount", 1, "rows", 2);\n  }\n}\n', '"amount", 1, ', {"src/Pay.java": 'package shop;\nclass Pay { int go(Totals t) { return t.load().get("amount"); } }\n'}),
    "java of lines": ("src/Totals.java", 'package shop;\nclass Totals {\n  Map<String, Integer> load() {\n    return Map.of(\n      "amount", 1,\n      "rows", 2);\n  }\n}\n', '      "amount", 1,\n', {"src/Pay.java": 'package shop;\nclass Pay { int go(Totals t) { return t.load().get("amount"); } }\n'}),
    "java put": ("src/Totals.java", 'package shop;\nclass Totals {\n  Map<String, Integer> load() {\n    m.put("amount", 1);\n    return m;\n  }\n}\n', '    m.put("amount", 1);\n', {"src/Pay.java": 'package shop;\nclass Pay { int go(Totals t) { return t.load().get("amount"); } }\n'}),
    "cpp": ("totals.h", 'inline std::map<std::string,int> load() { return {{"amount", 1}, {"rows", 2}}; }\n', '{"amount", 1}, ', {"pay.cpp": '#include "totals.h"\nint go() { return load().at("amount"); }\n'}),
    "go same folder": ("shop/totals.go", 'package shop\n\nfunc Load() map[string]int { return map[string]int{"amount": 1, "rows": 2} }\n', '"amount": 1, ', {"shop/pay.go": 'package shop\n\nfunc Go() int { return Load()["amount"] }\n'}),
    "swift": ("Sources/A/Totals.swift", 'func load() -> [String: Int] { return ["amount": 1, "rows": 2] }\n', '"amount": 1, ', {"Sources/A/Pay.swift": 'func go() -> Int { return load()["amount"]! }\n'}),
    "kotlin toplevel": ("src/Totals.kt", 'package shop\nfun load() = mapOf(\n  "amount" to 1,\n  "rows" to 2)\n', '  "amount" to 1,\n', {"src/Pay.kt": 'package shop\nfun go() = load()["amount"]\n'}),
    "Python, a pattern": ("totals.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from totals import summarize\nmatch summarize(1):\n    case {"amount": a}:\n        print(a)\n'}),
    "Python, handed on by name": ("totals.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": "from totals import summarize\ndef show(amount, count):\n    pass\n\n\nshow(**summarize(1))\n"}),
    "a page of Astro, which is not parsed": ("totals.js", "export const f = o => ({ amount: o, rows: 1 })\n", "amount: o, ", {"pay.astro": '---\nimport { f } from "./totals"\n---\n<p>{f(1).amount}</p>\n'}),
    "Python, percent": ("totals.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from totals import summarize\nprint("%(amount)s" % summarize(1))\n'}),
    "Python, format": ("totals.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from totals import summarize\nprint("{amount}".format(**summarize(1)))\n'}),
    "Python, format_map": ("totals.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from totals import summarize\nprint("{amount:.2f}".format_map(summarize(1)))\n'}),
}  # fmt: skip
# the same
SILENT = {
    "another file of the name": ("totals.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from other.totals import summarize\nprint(summarize(1)["amount"])\n'}),
    "a module of the package": ("shop/__init__.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from shop.cart import summarize\nprint(summarize(1)["amount"])\n', "shop/cart.py": "def summarize(order):\n    return {}\n"}),
    "f-string": ("totals.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from totals import summarize\n\n\ndef go(amount):\n    print(f"{amount}")\n'}),
    "ruby macro": ("totals.rb", "class Totals\n  def self.load(o)\n    { amount: o.a, rows: [] }\n  end\nend\n", "amount: o.a, ", {"pay.rb": 'require_relative "totals"\nclass A\n  attr_reader :amount\nend\n'}),
    "other import": ("main.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"pay.py": 'from other.main import summarize\nprint(summarize(1)["amount"])\n'}),
    "other index": ("a/index.js", "export const f = o => ({ amount: o, rows: 1 })\n", "amount: o, ", {"b/pay.js": 'import { f } from "./index.js"\nshow(f(1).amount)\n'}),
    "from . elsewhere": ("a/__init__.py", 'def summarize(order):\n    return {"amount": order, "count": 1}\n', '"amount": order, ', {"b/pay.py": 'from . import summarize\nprint(summarize(1)["amount"])\n'}),
    "elixir set elsewhere": ("lib/shop/totals.ex", "defmodule Shop.Totals do\n  def load(o) do\n    %{amount: o.a, rows: []}\n  end\nend\n", "amount: o.a, ", {"lib/shop/pay.ex": "defmodule Shop.Pay do\n  alias Shop.Totals\n  def go(o), do: Totals.load(o).amount\nend\n", "lib/c.ex": "defmodule C do\n  def a, do: %{amount: 1}\nend\n"}),
    "kotlin text": ("src/Totals.kt", 'package shop\nclass Totals { fun f() = mapOf("amount" to 1, "rows" to 2) }\n', '"amount" to 1, ', {"other/Pay.kt": 'package other\nfun go() = label("amount")\n'}),
    "java arg": ("src/Totals.java", 'package shop;\nclass Totals {\n  int load() {\n    log("amount", 1);\n    return 1;\n  }\n}\n', '    log("amount", 1);\n', {"src/Pay.java": 'package shop;\nclass Pay { int go(Totals t) { return t.load().get("amount"); } }\n'}),
}  # fmt: skip


def _open(repository: Repository, path: str, text: str, gone: str, others: dict[str, str]) -> set[str]:
    assert gone in text
    found = find(repository.change({path: text, **others}, {path: text.replace(gone, "")}))
    return {use.path for use in coverage.obliged_uses((), found)}


@pytest.mark.parametrize("what", ENTRIES)
def test_a_file_with_the_name_of_many_is_tied_by_what_imports_mean(repository: Repository, what: str) -> None:
    """Its folder's name, and the place of who imports it, tell which one an import means."""
    path, text, gone, others = ENTRIES[what]
    assert _open(repository, path, text, gone, others) == {next(iter(others))}


@pytest.mark.parametrize("what", FORMS)
def test_each_language_sets_and_reads_keys_in_its_own_forms(repository: Repository, what: str) -> None:
    """A key of one word that a literal or a call no longer sets is missed by who reads it in any of them."""
    path, text, gone, others = FORMS[what]
    assert _open(repository, path, text, gone, others) == {next(iter(others))}


@pytest.mark.parametrize("what", SILENT)
def test_a_word_in_another_place_is_no_key(repository: Repository, what: str) -> None:
    """Another file of that name, another setter, a variable and a symbol of a macro read nothing that went."""
    path, text, gone, others = SILENT[what]
    assert not _open(repository, path, text, gone, others)
