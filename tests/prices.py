"""A library, a change that breaks its users, and one user."""

LIBRARY = {
    "pyproject.toml": '[project]\nname = "shop-prices"\nversion = "1.4.0"\n',
    "shop_prices/__init__.py": "def total(items, tax):\n    return sum(items) * (1 + tax)\n",
}
BROKEN = {"shop_prices/__init__.py": "def total(items):\n    return sum(items)\n"}
USER = {
    "requirements.txt": "shop-prices>=1.2,<2\n",
    "zanzibar/checkout.py": "from shop_prices import total\n\nprint(total([77123], 0.2))\n",
}
