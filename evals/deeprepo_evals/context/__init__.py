"""Long texts: is a fact found, wherever it stands, however long the text is, and is nothing made up where there is none?

The experiments of the paper's reproduction (needle, positions, JSON, several needles, decoys, no answer, hops, counting,
comparing), made again from a seed and asked of seven methods. `methods` lists them; the three that orchestrate run on the
product's own engine.
"""
