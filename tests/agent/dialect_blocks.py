"""Short code blocks as root models write them, for the change in shop.py.

Each fails with an error whose hint contains the given words. The rewrite runs and prints the given text.
"""

REFUSED: dict[str, tuple[str, str, str, str]] = {  # name -> (block, words of the hint, rewrite, output)
    "a package": ("!pip install numpy\nprint(1)", "no packages can be installed", "import statistics\nprint(statistics.mean([1, 2, 3]))", "2"),
    "requests": ("import requests\nrequests.get('http://127.0.0.1')", "There is no network here", "print('shop/cart.py' in tree)", "True"),
    "subprocess": ("import subprocess\nsubprocess.run(['git', 'log'])", "no processes", "print(len(search('total')) > 1)", "True"),
    "opening a file": ("print(open('shop/cart.py').read())", "There are no files", "print(read('shop/cart.py', 1, 1))", "    1 from shop.price import total"),
    "listing a folder": ("import os\nprint(os.listdir('.'))", "There are no files", "print([p for p in tree if p.startswith('docs/')])", "['docs/notes.txt']"),
    "the environment": ("import os\nprint(os.environ['HOME'])", "no environment", "print(pr['base'])", "main"),
    "a file that is not in files": ("print(files['docs/notes.txt'])", "docs/notes.txt", "print(read('docs/notes.txt', 1, 1)[:13])", "--- docs/note"),
    "the old name of the data": ("print(list(codebase))", "'codebase' is not defined", "print(len(files))", "3"),
    "a name of a failed block": ("print(hits_of_last_time)", "'hits_of_last_time' is not defined", "hits = search('total')\nprint(len(hits) > 0)", "True"),
    "one prompt for a batch": ("print(llm_batch('What is wrong?'))", "llm_query takes one", "print(llm_query('What is wrong?') != '')", "True"),
    "an f-string with a comment": ("print(f'{1 # one}')", "Build the inner text first", "part = 1\nprint(f'{part}')", "1"),
    "an open quote": ("p = 'it's wrong'\nprint(p)", "triple-quoted", "p = \"it's wrong\"\nprint(p)", "it's wrong"),
    "an open bracket": ("print((1, 2)", "bracket", "print((1, 2))", "(1, 2)"),
}  # fmt: skip
