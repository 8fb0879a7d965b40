"""The words that only the experiments use."""

from pathlib import Path

from bot import render

text = render.texts(Path(__file__).with_name("templates"))
