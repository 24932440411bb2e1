"""Tokens of texts by the rules in a GGUF file's header: tokens.py PROGRAM

The expected tokens are those of Hugging Face `tokenizers` (tests/references/checkpoint/tokens.py).
"""
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unicodedata

import tiny


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def keys_of(known, pre="smollm", **changes):
    """The texts and lists of the header."""
    types = [3] * known["controls"] + [1] * (len(known["tokens"]) - known["controls"])
    lists = {"tokenizer.ggml.tokens": known["tokens"], "tokenizer.ggml.token_type": types,
             "tokenizer.ggml.merges": known["merges"], **changes}
    return {"texts": [("tokenizer.ggml.model", "gpt2"), ("tokenizer.ggml.pre", pre)],
            "lists": [(key, values) for key, values in lists.items() if values]}


def is_refused(rule, text):
    """Whether the rule needs texts in Unicode normalization form C and this text may not be in that form."""
    return rule == "qwen2" and not unicodedata.is_normalized("NFC", text)


def tokens_of(program, folder, content, text):
    (folder / "model.gguf").write_bytes(content)
    (folder / "text").write_bytes(text.encode())
    (folder / "tokens.npy").unlink(missing_ok=True)
    done = subprocess.run([program, "tokens", "model.gguf", "text", "-o", "tokens.npy"], cwd=folder, capture_output=True,
                          text=True)
    if done.returncode != 0:
        return done, None
    data = (folder / "tokens.npy").read_bytes()
    size = 10 + struct.unpack("<H", data[8:10])[0]
    check(b"'<i4'" in data[:size] and size % 64 == 0, f"header of the tokens: {data[:size]}")
    return done, list(struct.unpack(f"<{(len(data) - size) // 4}i", data[size:]))


def check_endings(program, folder, known, model):
    """By the rules of Llama 3 and Qwen2, an ending such as 'll may also be in upper case or have a long s, and the
    letters behind it are another piece. Characters merge only within a piece."""
    own = [*known["tokens"][:-2], "Lx", "¿x"]  # the last byte of the long s is ¿
    text = "K'LLx K'ſx 'LLx ſx Lx"
    expected = []
    for piece in re.findall(r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|\w+| \w+| '", text):
        coded = piece.replace(" ", "Ġ").replace("ſ", "Å¿")
        expected += [own.index(part) for part in re.findall("Lx|¿x|.", coded)]
    for pre in ("llama-bpe", "qwen2"):
        keys = keys_of(known, pre, **{"tokenizer.ggml.tokens": own, "tokenizer.ggml.merges": ["L x", "¿ x"]})
        done, found = tokens_of(program, folder, model.bytes(**keys), text)
        check(found == expected, f"{pre} {text!r}: {found}, not {expected}; {done.stderr}")


def main():
    program = sys.argv[1]
    known = json.loads(pathlib.Path(__file__).with_name("tokens.json").read_text())
    model = tiny.Model(vocabulary=len(known["tokens"]), kinds=("F32",))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for pre in ("gpt-2", "smollm", "llama-bpe", "qwen2"):
            content = model.bytes(**keys_of(known, pre))
            for text, expected in zip(known["texts"], known[pre], strict=True):
                done, found = tokens_of(program, folder, content, text)
                if is_refused(pre, text):
                    check(done.returncode == 2 and "normal form C" in done.stderr, f"{pre} {text!r}: {done.stderr}")
                    continue
                check(found == expected, f"{pre} {text!r}: {found}, not {expected}; {done.stderr}")
        check_endings(program, folder, known, model)
        # The last token ends within a character.
        cut = model.bytes(**keys_of(known, **{"tokenizer.ggml.tokens": [*known["tokens"][:-1], "qz~"]})).replace(b"qz~", b"qz\xc3")
        done, found = tokens_of(program, folder, cut, "x")
        check(done.returncode == 2 and found is None and "token 399 of" in done.stderr, f"{done.returncode} {done.stderr}")
        good = known["tokens"]
        for keys, wanted in (
                ({"texts": [], "lists": []}, "there is no tokenizer"),
                ({"texts": [("tokenizer.ggml.model", "bert")]}, "unknown tokenizer 'bert'; expected gpt2"),
                (keys_of(known, "smolm"), "Did you mean 'smollm'"),
                (keys_of(known, **{"tokenizer.ggml.tokens": good[:-1], "tokenizer.ggml.merges": []}), "has 399 tokens"),
                (keys_of(known, **{"tokenizer.ggml.tokens": []}), "has 0 tokens"),
                (keys_of(known, **{"tokenizer.ggml.token_type": [3, 1]}), "has 2 values"),
                (keys_of(known, **{"tokenizer.ggml.merges": []}), "'tokenizer.ggml.merges' is missing or empty"),
                (keys_of(known, **{"tokenizer.ggml.merges": ["t h", "t qq"]}), "merge 1 of 'tokenizer.ggml.merges'"),
                (keys_of(known, **{"tokenizer.ggml.tokens": [*good[:-1], "世"]}), "token 399 of")):
            done, found = tokens_of(program, folder, model.bytes(**keys), "x")
            is_told = wanted in done.stderr and "model.gguf" in done.stderr
            check(done.returncode == 2 and found is None and is_told, f"{wanted}: {done.returncode} {done.stderr}")


if __name__ == "__main__":
    main()
