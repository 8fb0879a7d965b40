"""Code in other prompts about the same change, and definitions that changed lines call."""

import pytest
from beside import Files, beside, text
from fakes import Repository
from shop import Table

from bot.review.context import definitions
from bot.review.context.builder import NEARBY_TOKENS
from bot.review.context.cross_unit import MAX_PICKS
from bot.review.session import Session

BASE: Files = {"shop/__init__.py": "", "shop/rates.py": "RATE = 2\n", "shop/cart.py": "LIMIT = 3\n"}
RATES = "RATE = 2\n\n\ndef clamp(low: int, amount: int) -> int | None:\n    return amount if amount > low else None\n"
CART = (
    "from shop.rates import clamp\n\nLIMIT = 3\n\n\ndef total(rows):\n"
    + "".join(f"    step_{n} = {n}\n" for n in range(9))
    + "    return sum(clamp(row, 0) for row in rows)\n"
)
TOGETHER: Files = {"shop/rates.py": RATES, "shop/cart.py": CART}


def test_new_definition_is_shown_with_a_changed_call(repository: Repository) -> None:
    """A new definition is shown with a changed call of it, and the first line of the calling function."""
    found = [one for one in beside(repository, BASE, TOGETHER, "shop/rates.py") if one.path == "shop/cart.py"]
    assert any("16     return sum(clamp(row, 0) for row in rows)" in one.body for one in found)
    assert any(" 6 def total(rows):" in one.body for one in found)
    assert all(one.overlaps_change for one in found)


def test_changed_call_is_shown_with_the_new_definition(repository: Repository) -> None:
    """A changed call is shown with the new definition, which contains the parameter order."""
    assert " 4 def clamp(low: int, amount: int) -> int | None:" in text(
        beside(repository, BASE, TOGETHER, "shop/cart.py")
    )


def test_added_key_is_shown_with_its_changed_reader(repository: Repository) -> None:
    """A key that the change adds is shown with its changed reader in another language."""
    before: Files = {"api/answer.py": "def answer():\n    return {}\n", "web/page.ts": "export const fees = 0\n"}
    after: Files = {
        "api/answer.py": "def answer(fee):\n    return {'pump_fee_cents': fee}\n",
        "web/page.ts": "export const fees = (row) => row.pump_fee_cents / 100\n",
    }
    assert "1 export const fees = (row) => row.pump_fee_cents / 100" in text(
        beside(repository, before, after, "api/answer.py")
    )


def test_header_of_an_unchanged_called_definition_is_shown(repository: Repository) -> None:
    """A called definition's header is shown, because only it shows that the call must be awaited."""
    before: Files = {
        "lib/store.py": "# kept small\n\n\nasync def hold(\n    name: str,\n    seconds: int,\n) -> bool:\n    return True\n",
        "lib/other.py": "def hold(door):\n    return door\n",
        "app/view.py": "from lib.store import hold\n\n\ndef show(name):\n    return name\n",
    }
    after = {"app/view.py": str(before["app/view.py"]).replace("return name", "return hold(name, 3)")}
    found = text(beside(repository, before, after, "app/view.py"))
    assert " 4 async def hold(\n 5     name: str,\n 6     seconds: int,\n 7 ) -> bool:" in found
    assert "def hold(door)" not in found


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("a.py", "    async def load(self, name):", "load"),
        ("a.go", "func (s *Store) Hold(id string) error {", "Hold"),
        ("a.rs", "    pub(crate) fn largest(&self) -> usize {", "largest"),
        ("a.java", "    public static List<String> net(int amount, int rate) throws Broken {", "net"),
        ("a.c", "static int open_store(struct store *store,", "open_store"),
        ("a.ts", "  async load(id: string): Promise<Row[]> {", "load"),
        ("a.ts", "export const load = async (id: string) => {", "load"),
        ("a.kt", "    suspend fun load(id: String): Row {", "load"),
        ("a.rb", "  def self.load(id)", "load"),
        ("a.php", "    public function load(int $id): array", "load"),
        ("shop/Pay.java", "    private Reply payWithRetries(", "payWithRetries"),
    ],
)
def test_definition_is_recognized_in_each_language(path: str, line: str, name: str) -> None:
    """A definition's name is recognized in each language."""
    assert definitions.names(path, line) == {name}


def test_linked_excerpts_stay_within_the_token_limit(repository: Repository) -> None:
    """Only a few changed callers are shown, and all excerpts together stay within the token limit."""
    before: Files = {f"app/m{n}.py": "X = 1\n" for n in range(30)} | {"app/lib.py": "X = 1\n"}
    body = "".join(f"def fresh_rate_{n}(low, high):\n    return low\n\n\n" for n in range(30))
    call = "from app.lib import fresh_rate_{n}\n\n\ndef use(rows):\n    # why\n    return fresh_rate_{n}(1, 2)\n"
    after: Files = {f"app/m{n}.py": call.replace("{n}", str(n)) for n in range(30)} | {"app/lib.py": body}
    found = beside(repository, before, after, "app/lib.py", prompts=2)
    assert sum(one.size for one in found) <= NEARBY_TOKENS
    heads = [one for one in found if " 4 def use(rows):" in one.body]
    assert len(heads) >= MAX_PICKS
    assert beside(repository, {}, {}, "app/lib.py") == ()


def test_region_shown_next_to_another_does_not_count_as_read(repository: Repository) -> None:
    """A region that is only shown next to another one doesn't count as read."""
    table = Table(repository.change(BASE, TOGETHER))

    async def step(session: Session) -> tuple[str, set[str]]:
        await session.worker.review([unit for unit in session.units if unit.path == "shop/cart.py"])
        return session.worker.model.prompts[0].messages[1].text, {unit.path for unit in session.tracker.unread()}

    said, unread = table.run(step)
    assert "--- shop/rates.py · defines clamp (changed too, in another part) ---" in said
    assert "def clamp(low: int, amount: int) -> int | None:" in said
    assert unread == {"shop/rates.py"}
