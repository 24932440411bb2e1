"""Compares the quantity `retrieval` of SmolLM2 with transformers: retrieval.py PROGRAM CHECKPOINT.gguf [LENGTH...]

Needs torch, transformers, accelerate and gguf, and Debian's bible-kjv for the text. Prompts, held-out rows and keys are
built here from docs/quantities/retrieval.md and docs/training.md, with the tokenizer of transformers. Only the shares
of found keys come from farfield. Each line has the position scheme, the length, and the shares by depth. Ends with
status 1 if any share differs.
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from tokenizers import pre_tokenizers

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "study"))
import training  # noqa: E402

torch.set_default_dtype(torch.float32)
DEPTHS, CONTEXTS, DIGITS = (0, 0.25, 0.5, 0.75, 1), 4, 5
KEYS = 0x6B657973
HELD_OUT, BLOCK = 0.1, 65536
NEEDLE = "\nThe pass key is {key}. Remember it. {key} is the pass key.\n"
QUESTION = "\nWhat is the pass key? The pass key is"
SCHEMES = {
    "own": "",
    "window": '[scheme.window]\nextends = "rotary"\nmask = "q - k < 124 or k < 4"\n',
    "linear": '[scheme.linear]\nextends = "rotary-linear"\nparams = { factor = 2 }\n',
}


def held_out_rows(tokens, length):
    """Row i of CONTEXTS, by the rules for a text in blocks (docs/training.md, "Rows")."""
    block = min(BLOCK, math.floor(len(tokens) * HELD_OUT))
    stretches, last = [], -2
    for part in range(math.ceil(len(tokens) / block)):
        if math.floor((part + 1) * HELD_OUT) == math.floor(part * HELD_OUT):
            continue
        stretch = tokens[part * block:(part + 1) * block]
        if part == last + 1:
            stretches[-1] = stretches[-1] + stretch
        else:
            stretches.append(stretch)
        last = part
    starts = [stretch[i:i + length + 1] for stretch in stretches for i in range(max(len(stretch) - length, 0))]
    return [starts[math.floor((i + 0.5) * len(starts) / CONTEXTS)] for i in range(CONTEXTS)]


def key_of(place, context):
    random = training.Random(0, KEYS, place, context)
    return "".join([str(1 + random.below(9))] + [str(random.below(10)) for _ in range(DIGITS - 1)])


def allowed(scheme, count):
    """The mask of a scheme, [1, 1, count, count], or None for causal attention."""
    if scheme != "window":
        return None
    query, key = torch.arange(count)[:, None], torch.arange(count)[None]
    seen = (key <= query) & ((query - key < 124) | (key < 4))
    return torch.where(seen, 0.0, -math.inf)[None, None]


def main():
    program, file = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    lengths = [int(argument) for argument in sys.argv[3:]] or [128, 512]
    text = subprocess.run(["bible", "gen1:1-deut34:12"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "text.txt").write_text(text)
        study = '[study]\ntitle = "retrieval"\n[corpus.text]\nfiles = ["text.txt"]\n'
        for scheme, definition in SCHEMES.items():
            study += definition + f'[checkpoint.m-{scheme}]\nfile = "{file}"\ncorpus = "text"\n'
            study += f'scheme = "{scheme}"\n' if definition else ""
            study += f'[quantity.{scheme}]\nkind = "retrieval"\nof = "m-{scheme}"\nlengths = {lengths}\ncontexts = {CONTEXTS}\n'
        (folder / "study.toml").write_text(study)
        subprocess.run([program, "run", "study.toml", "-o", "out"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        results = next((folder / "out").rglob("results.json"))
        found = json.loads(results.read_text())["quantities"]

    # The GGUF reader of transformers ignores that single digits are separate pieces, which SmolLM2's tokenizer.json
    # requires.
    tokenizer = transformers.AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    encode = lambda part: tokenizer(part, add_special_tokens=False)["input_ids"]
    tokens = encode(text)
    networks = {}
    for scheme in SCHEMES:
        config = transformers.AutoConfig.from_pretrained(file.parent, gguf_file=file.name)
        if scheme == "linear":
            config.rope_parameters = dict(config.rope_parameters, rope_type="linear", factor=2.0)
        networks[scheme] = transformers.AutoModelForCausalLM.from_pretrained(
            file.parent, gguf_file=file.name, config=config, dtype=torch.float32, attn_implementation="eager").eval()

    differing = 0
    for scheme, network in networks.items():
        for at, length in enumerate(lengths):
            rows, shares = held_out_rows(tokens, length), []
            for depth, share in enumerate(DEPTHS):
                hits = 0
                for context in range(CONTEXTS):
                    key = key_of(at * len(DEPTHS) + depth, context)
                    needle, question, answer = encode(NEEDLE.replace("{key}", key)), encode(QUESTION), encode(" " + key)
                    room = rows[context][:length - len(needle) - len(question) - len(answer)]
                    before = math.floor(share * len(room) + 0.5)
                    prompt = room[:before] + needle + room[before:] + question + answer
                    with torch.no_grad():
                        logits = network(torch.tensor([prompt[:-1]]), attention_mask=allowed(scheme, len(prompt) - 1)).logits[0]
                    hits += logits[-len(answer):].argmax(dim=1).tolist() == answer
                shares.append(hits / CONTEXTS)
            ours = [found[scheme]["values"][f"accuracy[length={length},depth={share:g}]"] for share in DEPTHS]
            differing += ours != shares
            print(scheme, length, "transformers", shares, "farfield", ours, flush=True)
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
