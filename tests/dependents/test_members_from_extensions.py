"""Members that move from a type to an extension."""

import pytest
from dependents_scene import find
from fakes import Repository

from deeprepo.impact.uses.breaks import broken

CSHARP = (
    (
        "src/ICart.cs",
        "namespace Shop;\npublic interface ICart\n{{\n    Task SendAsync<T>(T thing);\n{0}}}\n",
        "    Task DispatchParcelAsync(int id) => SendAsync(id);\n",
    ),
    (
        "src/CartExtensions.cs",
        "namespace Shop;\npublic static class CartExtensions\n{{\n{0}}}\n",
        "    public static Task DispatchParcelAsync(this ICart cart, int id) => cart.SendAsync(id);\n",
    ),
    (
        "src/Pay.cs",
        "using Shop;\nnamespace Pays;\npublic class Pay\n{\n    private readonly ICart _cart;\n    public Pay(ICart cart) { _cart = cart; }\n    public Task Run() { return _cart.DispatchParcelAsync(1); }\n}\n",
    ),
)
KOTLIN = (
    (
        "src/shop/Cart.kt",
        "package shop\n\nclass Cart {{\n    fun send(id: Int) {{}}\n{0}}}\n",
        "    fun dispatchParcel(id: Int) = send(id)\n",
    ),
    ("src/shop/CartExtensions.kt", "package shop\n\n{0}", "fun Cart.dispatchParcel(id: Int) = send(id)\n"),
    (
        "src/shop/Pay.kt",
        "package shop\n\nclass Pay(private val cart: Cart) {\n    fun run() = cart.dispatchParcel(1)\n}\n",
    ),
)
SCALA = (
    (
        "src/shop/Cart.scala",
        "package shop\n\nclass Cart {{\n  def send(id: Int): Unit = ()\n{0}}}\n",
        "  def dispatchParcel(id: Int): Unit = send(id)\n",
    ),
    (
        "src/shop/Extensions.scala",
        "package shop\n\n{0}",
        "extension (cart: Cart) def dispatchParcel(id: Int): Unit = cart.send(id)\n",
    ),
    ("src/shop/Pay.scala", "package shop\n\nclass Pay(cart: Cart) {\n  def run(): Unit = cart.dispatchParcel(1)\n}\n"),
)
SWIFT = (
    (
        "Sources/Shop/Cart.swift",
        "public final class Cart {{\n    func send(_ id: Int) {{}}\n{0}}}\n",
        "    func dispatchParcel(_ id: Int) {{ send(id) }}\n",
    ),
    (
        "Sources/Shop/Cart+Push.swift",
        "import Foundation\n\n{0}",
        "extension Cart {{\n    func dispatchParcel(_ id: Int) {{ send(id) }}\n}}\n",
    ),
    (
        "Sources/Shop/Pay.swift",
        "final class Pay {\n    let cart: Cart\n    init(cart: Cart) { self.cart = cart }\n    func run() { cart.dispatchParcel(1) }\n}\n",
    ),
)
RUST = (
    (
        "src/cart.rs",
        "pub struct Cart;\nimpl Cart {{\n    pub fn send(&self, id: u8) {{}}\n{0}}}\n",
        "    pub fn dispatchParcel(&self, id: u8) {{ self.send(id) }}\n",
    ),
    (
        "src/push.rs",
        "use crate::cart::Cart;\n{0}",
        "pub trait Push {{\n    fn dispatchParcel(&self, id: u8);\n}}\nimpl Push for Cart {{\n    fn dispatchParcel(&self, id: u8) {{ self.send(id) }}\n}}\n",
    ),
    (
        "src/pay.rs",
        "use crate::cart::Cart;\nuse crate::push::*;\npub fn run(cart: Cart) {\n    cart.dispatchParcel(1);\n}\n",
    ),
)


@pytest.mark.parametrize("language", [CSHARP, KOTLIN, SCALA, SWIFT, RUST])
@pytest.mark.parametrize("is_extended", [True, False])
def test_member_moved_to_an_extension_is_not_removed(
    repository: Repository,
    language: tuple[tuple[str, str, str], tuple[str, str, str], tuple[str, str]],
    *,
    is_extended: bool,
) -> None:
    """Callers are reported only if no extension provides the member."""
    (home, text, member), (beside, beside_text, extension), (user, call) = language
    cargo = {"Cargo.toml": '[package]\nname = "shop"\n', "src/lib.rs": "mod cart;\nmod push;\nmod pay;\n"}
    before: dict[str, str | bytes | None] = {
        **cargo,
        home: text.format(member.replace("{{", "{").replace("}}", "}")),
        beside: beside_text.format(""),
        user: call,
    }
    after: dict[str, str | bytes | None] = {home: text.format("")}
    if is_extended:
        after[beside] = beside_text.format(extension.replace("{{", "{").replace("}}", "}"))
    found = find(repository.change(before, after))
    told = [row for row in found.references if row.path == user and (row.missing or row.likely)]
    assert bool(told) is not is_extended


@pytest.mark.parametrize("language", [CSHARP, KOTLIN, SWIFT])
@pytest.mark.parametrize("is_extended", [True, False])
def test_call_that_an_extension_accepts_is_not_broken(
    repository: Repository,
    language: tuple[tuple[str, str, str], tuple[str, str, str], tuple[str, str]],
    *,
    is_extended: bool,
) -> None:
    """The member requires more arguments; callers are reported only if no extension accepts the old ones."""
    (home, text, member), (beside, beside_text, extension), (user, call) = language
    member, extension = (one.replace("{{", "{").replace("}}", "}") for one in (member, extension))
    wider = member.replace("int id)", "int id, int more)").replace("id: Int)", "id: Int, more: Int)")
    before: dict[str, str | bytes | None] = {home: text.format(member), beside: beside_text.format(""), user: call}
    after: dict[str, str | bytes | None] = {home: text.format(wider)}
    if is_extended:
        after[beside] = beside_text.format(extension)
    told = [row for row in broken(find(repository.change(before, after))) if row.reference.path == user]
    assert bool(told) is not is_extended
