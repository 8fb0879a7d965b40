"""Files of a repository that enables runs, and a change that removes a check."""

RATE = "def apply(rate, amount):\n    if amount < 0:\n        raise ValueError(amount)\n    return amount * rate\n"
BEFORE: dict[str, str | bytes | None] = {
    ".deeprepo.yml": "run: {image: 'python:3.13-slim', test: 'python3 -m unittest -v {file}', seconds: 20}\n",
    "shop/__init__.py": "",
    "shop/rate.py": RATE,
    "tests/test_rate.py": "import unittest\nfrom shop.rate import apply\n\n\nclass Rate(unittest.TestCase):\n    def test_plain(self):\n        self.assertEqual(apply(2, 3), 6)\n",
}
AFTER: dict[str, str | bytes | None] = {"shop/rate.py": "def apply(rate, amount):\n    return amount * rate\n"}
