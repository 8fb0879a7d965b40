"""What a component gives its users, and the markup that still asks for what it gives no more."""

import pytest
from dependents_scene import find
from fakes import Repository

PRICE = """<script setup lang="ts">
const props = defineProps<{ amountDue: number; currency?: string }>();
const emit = defineEmits<{ (e: 'picked', id: number): void }>();
defineExpose({ reset });
</script>
<template><slot name="suffix" /></template>
"""
CART = """<script setup lang="ts">
import Tag from './Price.vue';
const again = () => tag.value?.reset();
</script>
<template>
  <Tag
    :amount-due="a > b ? 1 : 2"
    @picked="picked"
  ><template #suffix>x</template></Tag>
  <Other :amount-due="3" />
</template>
"""
BADGE = "<script>\n  let { label, tone = 'info' } = $props();\n</script>\n"
PAGE = "<script>\n  import Badge from './Badge.svelte';\n</script>\n<Badge {label} tone=\"warn\" />\n"


@pytest.mark.parametrize(
    ("files", "change", "asking"),
    [
        ({"Price.vue": PRICE, "Cart.vue": CART}, ("Price.vue", "amountDue", "value"), ["Cart.vue:7"]),
        ({"Price.vue": PRICE, "Cart.vue": CART}, ("Price.vue", "picked", "chosen"), ["Cart.vue:8"]),
        ({"Price.vue": PRICE, "Cart.vue": CART}, ("Price.vue", "suffix", "after"), ["Cart.vue:9"]),
        ({"Price.vue": PRICE, "Cart.vue": CART}, ("Price.vue", "reset }", "clear }"), ["Cart.vue:3"]),
        ({"Price.vue": PRICE, "Cart.vue": CART}, ("Price.vue", "currency", "money"), []),
        ({"Price.vue": PRICE, "Cart.vue": CART}, ("Price.vue", "amountDue: number;", "...Rest;"), []),
        ({"Badge.svelte": BADGE, "Page.svelte": PAGE}, ("Badge.svelte", "label", "text"), ["Page.svelte:4"]),
    ],
)
def test_who_asks_a_component_for_what_it_gives_no_more(
    repository: Repository, files: dict[str, str], change: tuple[str, str, str], asking: list[str]
) -> None:
    """A property, an event, a slot, a method; not where the component passes on what it does not know."""
    path, old, new = change
    found = find(repository.change({**files}, {path: files[path].replace(old, new)}))

    assert sorted({f"{row.path}:{row.line}" for row in found.references if row.asks and row.path != path}) == asking
