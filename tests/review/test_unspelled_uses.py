"""What a name hands on: of a library, by a delegate, by a macro, through a store, a key or a call that loads a module."""

from collections.abc import Mapping

import pytest

FROM = {
    "compat.py": "from datetime import datetime\n",
    "use.py": "from compat import datetime\n\nprint(datetime.now())\n",
}
RENAMED = {
    "compat.py": "import requests as http\n\nclient = http\n",
    "use.py": "import compat\n\ncompat.client.get('x')\n",
}
UNNAMED = {"compat.py": "from attr import *\n", "use.py": "from compat import define\n\n\n@define\nclass A: ...\n"}
HUB = {
    "shop/__init__.py": "from shop.compat import loads\n",
    "shop/compat.py": "from simplejson import loads\n",
    "use.py": "from shop import loads\n\nprint(loads('1'))\n",
}
OWN = {
    "compat.py": "from json import loads\n\n\ndef f(x):\n    return loads(x)\n",
    "use.py": "from compat import f\n\nf('1')\n",
}
RESPELT = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total():\n    return 1\n",
    "shop/compat.py": "from .cart import total\n",
    "use.py": "from shop.compat import total\n\nprint(total())\n",
}
PACKAGE = {
    "compat.js": 'export { debounce } from "lodash";\n',
    "use.js": 'import { debounce } from "./compat";\n\ndebounce(() => 1);\n',
}
STARRED = {"compat.js": 'export * from "lodash";\n', "use.js": PACKAGE["use.js"]}
CLIENT = {
    "compat.ts": 'import axios from "axios";\nexport const client = axios;\n',
    "use.ts": 'import { client } from "./compat";\n\nclient.get("/x");\n',
}
BUILT_IN = {
    "compat.ts": 'import fs from "fs";\nexport { fs };\n',
    "use.ts": 'import { fs } from "./compat";\n\nfs.readFileSync("x");\n',
}
STORE = {
    "store.js": 'import { writable } from "svelte/store";\nexport const cart = writable([]);\nexport const size = writable(1);\n',
    "use.svelte": '<script>\nimport { cart } from "./store";\n</script>\n<p>{$cart.length}</p>\n',
}
WRITTEN = STORE | {
    "use.svelte": '<script>\nimport { cart as rows } from "./store";\nfunction add(x) { $rows = [...$rows, x]; }\n</script>\n'
}
ANOTHER_STORE = STORE | {
    "use.svelte": '<script>\nimport { size } from "./store";\nlet cart = 1;\n</script>\n<p>{$size}</p>\n'
}
STATE = {
    "st.py": "from enum import Enum\n\n\nclass State(Enum):\n    OPEN = 1\n    DONE = 2\n    ON = 3\n",
    "use.py": 'from st import State\n\nprint(State["DONE"], State["ON"])\n',
}
STATE_AS = STATE | {"use.py": 'from st import State as Step\n\nprint(Step["DONE"])\n'}
STATE_DATA = STATE | {"use.py": 'from st import State\n\nTABLE = {State.OPEN: 1}\nprint(TABLE["DONE"])\n'}
STATE_OTHER = STATE | {"use.py": 'from st import State\n\nprint(State["OPEN"])\n'}
COLOR = {
    "st.ts": "export enum Color { RED, BLUE }\nexport class Cart { static create() { return 1 } }\n",
    "use.ts": 'import { Cart, Color } from "./st";\n\nexport const c = [Color["RED"],\n  Cart["create"]()];\n',
}
BUTTON = "export default function Button() { return null }\n"
LAZY = {
    "Button.jsx": BUTTON,
    "use.jsx": 'import { lazy } from "react";\n\nexport const B = lazy(() => import("./Button"));\n',
}
LAZY_LINES = LAZY | {"use.jsx": "export const B = lazy(\n  () =>\n    import('./Button'),\n);\n"}
THEN = LAZY | {"use.jsx": 'export const b = import("./Button").then((m) => m.default);\n'}
THEN_TAKEN = LAZY | {"use.jsx": 'export const b = import("./Button").then(({ default: B }) => B);\n'}
AWAITED = LAZY | {"use.jsx": 'export async function f() {\n  return (await import("./Button")).default;\n}\n'}
TAKEN = LAZY | {
    "use.jsx": 'export async function f() {\n  const { default: B } = await import("./Button");\n  return B;\n}\n'
}
NAMED = {
    "Button.jsx": "export const one = 1;\nexport function Button() { return null }\nexport default Button;\n",
    "use.jsx": 'export const B = lazy(() => import("./Button").then((m) => ({ default: m.one })));\n',
}
LOADED = LAZY | {"use.jsx": 'export async function f() {\n  await import("./Button");\n}\n'}
MIX = {"mix.exs": "defmodule Shop.MixProject do\n  use Mix.Project\nend\n"}
DELEGATE = MIX | {
    "lib/shop/cart.ex": "defmodule Shop.Cart do\n  def total(a), do: a\n  def size(a), do: a\nend\n",
    "lib/shop/use.ex": "defmodule Shop.Use do\n  alias Shop.Cart\n\n  defdelegate total(a), to: Cart\nend\n",
}
DELEGATE_AS = DELEGATE | {
    "lib/shop/use.ex": "defmodule Shop.Use do\n  defdelegate sum(a), to: Shop.Cart, as: :total\nend\n"
}
HELP = MIX | {"lib/shop/help.ex": "defmodule Shop.Help do\n  def assist(x), do: x\n  def other(x), do: x\nend\n"}
QUOTED = """defmodule Shop.Cart do
  defmacro __using__(_) do
    quote do
      import Shop.Help
      alias Shop.Help
      import Outside.Page
      def sum(x), do: x
    end
  end
end
"""
USING = HELP | {
    "lib/shop/cart.ex": QUOTED,
    "lib/shop/use.ex": "defmodule Shop.Use do\n  use Shop.Cart\n\n  def f, do: assist(1)\nend\n",
}
USING_SUM = USING | {"lib/shop/use.ex": "defmodule Shop.Use do\n  use Shop.Cart\n\n  def f, do: sum(1)\nend\n"}
USING_ALIAS = USING | {"lib/shop/use.ex": "defmodule Shop.Use do\n  use Shop.Cart\n\n  def f, do: Help.other(1)\nend\n"}
USING_NONE = USING | {"lib/shop/use.ex": "defmodule Shop.Use do\n  use Shop.Cart\n\n  def f, do: 1\nend\n"}
USING_OWN = USING | {
    "lib/shop/use.ex": "defmodule Shop.Use do\n  use Shop.Cart\n  import Shop.Help\n\n  def f, do: assist(1)\nend\n"
}
WEB = """defmodule ShopWeb do
  def page do
    quote do
      unquote(helpers())
    end
  end

  def live do
    quote do
      import Shop.Help
    end
  end

  defp helpers do
    quote do
      import Shop.Help
    end
  end

  defmacro __using__(which), do: apply(__MODULE__, which, [])
end
"""
PAGE = HELP | {
    "lib/shop_web.ex": WEB,
    "lib/shop_web/one.ex": "defmodule ShopWeb.One do\n  use ShopWeb, :page\n\n  def f, do: assist(1)\nend\n",
}
LIVE = PAGE | {"lib/shop_web/one.ex": PAGE["lib/shop_web/one.ex"].replace(":page", ":live")}
HELPERS = "  defp helpers do\n    quote do\n      import Shop.Help\n"
CASES: Mapping[str, tuple[Mapping[str, str], str, str, bool]] = {
    "a class becomes its module": (FROM, "from datetime import datetime", "import datetime", True),
    "another library": (FROM, "from datetime", "from pendulum", True),
    "an own definition in its place": (FROM, "from datetime import datetime", "class datetime: ...", True),
    "one more import": (FROM, "from datetime import datetime", "import os\nfrom datetime import date, datetime", False),
    "an import in brackets": (FROM, "import datetime\n", "import (\n    datetime,\n)\n", False),
    "an alias of a library": (RENAMED, "requests", "httpx", True),
    "what a star brings": (UNNAMED, "attr", "attrs", True),
    "through a second file": (HUB, "simplejson", "json", True),
    "nobody takes it": (OWN, "json", "simplejson", False),
    "the same file by another path": (RESPELT, ".cart", "shop.cart", False),
    "another package": (PACKAGE, "lodash", "underscore", True),
    "another name of a package": (PACKAGE, "{ debounce }", "{ throttle as debounce }", True),
    "a package in other quotes": (PACKAGE, '"lodash"', "'lodash'", False),
    "a star of a package": (STARRED, "lodash", "underscore", True),
    "the whole package": (CLIENT, "import axios", "import * as axios", True),
    "one part of a package": (BUILT_IN, "import fs", "import { promises as fs }", True),
    "a module of Node by its long name": (BUILT_IN, '"fs"', '"node:fs"', False),
    "what a store holds": (STORE, "writable([])", "writable({ items: [] })", True),
    "a store that nobody writes": (WRITTEN, "cart = writable", "cart = readable", True),
    "another store": (ANOTHER_STORE, "writable([])", "writable({ items: [] })", False),
    "a key of data": (STATE_DATA, "DONE", "CLOSED", False),
    "another key": (STATE_OTHER, "DONE", "CLOSED", False),
    "a default that is loaded late": (LAZY, "default ", "", True),
    "a call over several lines": (LAZY_LINES, "default ", "", True),
    "a callback": (THEN, "default ", "", True),
    "a callback that takes it apart": (THEN_TAKEN, "default ", "", True),
    "what an await gives": (AWAITED, "default ", "", True),
    "what an await gives, taken apart": (TAKEN, "default ", "", True),
    "a name in the place of the default": (NAMED, "export default Button;\n", "", False),
    "loaded for what it does": (LOADED, "default ", "", False),
    "another body": (LAZY, "return null", "return 1", False),
    "a delegate": (DELEGATE, "def total(a)", "def amount(a)", True),
    "a delegate with another number of arguments": (DELEGATE, "total(a)", "total(a, _b)", True),
    "a delegate under another name": (DELEGATE_AS, "def total(a)", "def amount(a)", True),
    "a delegate under another name, called otherwise": (DELEGATE_AS, "total(a)", "total(a, _b)", True),
    "not the delegate": (DELEGATE, "def size(a)", "def width(a)", False),
    "an import of a macro": (USING, "      import Shop.Help\n", "", True),
    "an import of fewer functions": (USING, "import Shop.Help\n", "import Shop.Help, only: [other: 1]\n", True),
    "an import of all that is called": (USING, "import Shop.Help\n", "import Shop.Help, only: [assist: 1]\n", False),
    "a function of a macro": (USING_SUM, "def sum(x)", "def total(x)", True),
    "a function of a macro with another number of arguments": (USING_SUM, "sum(x)", "sum(x, _y)", True),
    "an alias of a macro": (USING_ALIAS, "      alias Shop.Help\n", "", True),
    "an import out of sight": (USING_NONE, "      import Outside.Page\n", "", True),
    "nothing that is called": (USING_NONE, "      import Shop.Help\n", "", False),
    "an import of its own": (USING_OWN, "      import Shop.Help\n", "", False),
    "a part of a macro's code": (PAGE, HELPERS, HELPERS.replace("import", "require"), True),
    "a part of another macro's code": (LIVE, HELPERS, HELPERS.replace("import", "require"), False),
}  # fmt: skip


@pytest.mark.parametrize(("files", "old", "new", "is_open"), CASES.values(), ids=CASES.keys())
def test_what_is_handed_on_opens_who_relies_on_it(
    places, files: Mapping[str, str], old: str, new: str, is_open: bool  # noqa: ANN001
) -> None:  # fmt: skip
    """A name keeps its place and means another thing, or goes where no import says so; what leaves it as it is opens nothing."""
    home = next(path for path, text in files.items() if old in text and path != "mix.exs" and "use" not in path)
    (user,) = [path for path in files if path.rpartition("/")[2].partition(".")[0] in ("use", "one")]
    assert (user in places(files, {home: files[home].replace(old, new)})) is is_open
