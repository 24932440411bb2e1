"""Measures the effect of each rotation recipe on the logits of SmolLM2, for the table of docs/smollm2.md.

Usage: recipes.py PROGRAM CHECKPOINT.gguf [TEXT]

Needs numpy. Without TEXT, the text is the first chapters of Genesis, printed by the command `bible` of Debian's
bible-kjv. Each line has the recipe, the safe length for the checkpoint's base and heads, the largest change of any
logit against the checkpoint's own rotation at tokens 0 to 7, 8 to 63, 64 to 255, 256 to 511 and 512 to 1023, the share
of tokens 512 to 1023 whose largest logit is the same, and the change of the mean loss in nats.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

TOKENS = 1024
STRETCHES = ((0, 8), (8, 64), (64, 256), (256, 512), (512, 1024))
RECIPES = {"all-bf16": "", "hf": "bf16", "fp64-tables": "bf16", "recurrence": "", "powf": "", "fp32": ""}


def losses(logits, tokens):
    top = logits.max(axis=1)
    total = top + numpy.log(numpy.exp(logits - top[:, None]).sum(axis=1))
    return (total[:-1] - logits[numpy.arange(len(tokens) - 1), tokens[1:]])


def main():
    program, checkpoint = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    text = pathlib.Path(sys.argv[3]).read_text() if len(sys.argv) > 3 else subprocess.run(
        ["bible", "gen1:1-gen4:26"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        schemes = "".join(f"[scheme.r-{recipe}]\nextends = \"rotary\"\nrecipe = \"{recipe}\"\n" + (f"format = \"{form}\"\n" if form else "")
                          for recipe, form in RECIPES.items())
        (folder / "recipes.toml").write_text(schemes)
        (folder / "text.txt").write_text(text)

        def run(*command):
            return subprocess.run([program, *command], cwd=folder, capture_output=True, text=True, check=True).stdout

        run("tokens", checkpoint, "text.txt", "-o", "all.npy")
        tokens = numpy.load(folder / "all.npy")[:TOKENS]
        assert len(tokens) == TOKENS, f"{len(tokens)} tokens of {TOKENS}"
        numpy.save(folder / "tokens.npy", tokens)

        def logits(*scheme):
            run("forward", checkpoint, "--tokens", "tokens.npy", "-o", "logits.npy", *scheme)
            return numpy.load(folder / "logits.npy").astype(numpy.float64)

        own = logits()
        own_losses = losses(own, tokens)
        for recipe in RECIPES:
            safe = json.loads(run("safe-length", "rotary", "--let", "base=100000", "--in", "bf16", "--recipe", recipe, "--json"))[0]
            found = logits("--scheme", f"r-{recipe}", "--from", "recipes.toml")
            changes = [numpy.abs(found[a:b] - own[a:b]).max() for a, b in STRETCHES]
            same = (found[512:].argmax(axis=1) == own[512:].argmax(axis=1)).mean()
            change = (losses(found, tokens) - own_losses).mean()
            length = f"{safe['length']}{'' if safe['is_longest'] else ' or more'}"
            print(f"{recipe}: {length};", " ".join(f"{each:.2g}" for each in changes), f"{100 * same:.1f} %", f"{change:.2g}", flush=True)


if __name__ == "__main__":
    main()
