"""Long texts: is a fact found, wherever it stands, however long the text is, and is nothing made up where there is none?

The experiments of the paper's reproduction (needle, positions, JSON, several needles, decoys, no answer, hops, counting,
comparing) and its labelled lines, made again from a seed, or one's own problems, asked of several methods. `methods` lists
them; those that orchestrate run on the product's own engine.
"""
