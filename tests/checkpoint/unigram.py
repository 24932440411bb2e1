"""Tokens by SentencePiece's unigram model, from GGUF files and folders: unigram.py PROGRAM

The expected tokens of files are SentencePiece's; those of folders are Hugging Face's `tokenizers`
(tests/references/checkpoint/unigram.py).
"""
import base64
import copy
import pathlib
import struct
import sys
import tempfile

import architectures
import folders
import tiny
import tokens
from tokens import check


def content_of(model, lists=None, **changes):
    """A file with the tokenizer of a model, with some keys changed."""
    lists = {"tokenizer.ggml.tokens": model["tokens"], "tokenizer.ggml.token_type": model["types"],
             "tokenizer.ggml.scores": model["scores"], "tokenizer.ggml.precompiled_charsmap": model["charsmap"], **(lists or {})}
    flags = [("tokenizer.ggml.add_space_prefix", model["blank"]),
             ("tokenizer.ggml.remove_extra_whitespaces", model["merges_blanks"])]
    return tiny.Model(vocabulary=len(model["tokens"]), kinds=("F32",)).bytes(
        texts=[("tokenizer.ggml.model", "t5")], lists=[(key, values) for key, values in lists.items() if values], flags=flags, **changes)


def check_file(program, folder, name, model, texts):
    content = content_of(model)
    for text, expected in zip(texts, model["expected"], strict=True):
        done, found = tokens.tokens_of(program, folder, content, text)
        check(found == expected, f"{name} {text!r}: {found}, not {expected}; {done.stderr}")


def check_far_units(program, folder, model):
    """Units of the character table can refer to units more than 2^14 away, in a form for far references in steps of 2^8
    units."""
    leaf = 1 << 31
    units = [0] * (1 << 15)
    units[ord("x")] = 1 << 14 << 10 | 1 << 8 | ord("x")
    units[ord("x") ^ 1 << 14] = leaf | 0
    units[ord("y")] = 1 << 10 | 1 << 9 | 1 << 8 | ord("y")
    units[ord("y") ^ 1 << 8] = leaf | 2
    charsmap = struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + b"a\0e\0"
    content = content_of(model, {"tokenizer.ggml.precompiled_charsmap": list(charsmap)})
    _, found = tokens.tokens_of(program, folder, content, "xy yx x")
    _, expected = tokens.tokens_of(program, folder, content, "ae ea a")
    check(found and found == expected, f"by far units: {found}, not {expected}")


def check_unknown(program, folder):
    """An unknown character has a score 10 below the lowest one, also where a longer token begins with it."""
    model = {"tokens": ["<unk>", "ab", "bcd", "c", "d"], "types": [2, 1, 1, 1, 1], "charsmap": [], "blank": False, "merges_blanks": False}
    # a and bcd have -60 - 1, and ab, c and d one more or one less.
    for score, expected in ((-5.5, [0, 2]), (-5.0, [1, 3, 4])):
        content = content_of({**model, "scores": [0.0, -50.0, -1.0, score, score - 0.25]})
        done, found = tokens.tokens_of(program, folder, content, "abcd")
        check(found == expected, f"c of {score}: {found}, not {expected}; {done.stderr}")


def check_file_faults(program, folder, model):
    scores, types, charsmap = model["scores"], model["types"], model["charsmap"]
    no_unknown = [1 if each == 2 else each for each in types]
    outside = [*charsmap[:4], *[255] * int.from_bytes(bytes(charsmap[:4]), "little"), *charsmap[4 + int.from_bytes(bytes(charsmap[:4]), "little"):]]
    units = [0] * 256
    units[ord("x")] = 1 << 10 | 1 << 8 | ord("x")
    units[ord("x") ^ 1] = 1 << 31 | 2
    behind = list(struct.pack("<I256I", 1024, *units) + b"a\0")  # x becomes the text from byte 2 on
    faults = (
        ({"tokenizer.ggml.precompiled_charsmap": behind}, "'precompiled_charsmap' refers to byte 2 of texts of 2"),
        ({"tokenizer.ggml.scores": []}, "'tokenizer.ggml.scores' has 0 values"),
        ({"tokenizer.ggml.scores": scores[:-1]}, f"'tokenizer.ggml.scores' has {len(scores) - 1} values"),
        ({"tokenizer.ggml.scores": [*scores[:-1], float("inf")]}, f"value {len(scores) - 1} of 'tokenizer.ggml.scores' is inf"),
        ({"tokenizer.ggml.token_type": no_unknown}, "no token for unknown characters"),
        ({"tokenizer.ggml.precompiled_charsmap": [1, 2]}, "'precompiled_charsmap' of 2 bytes has an array of 0"),
        ({"tokenizer.ggml.precompiled_charsmap": [0, 0, 0, 0, 0]}, "has an array of 0"),
        ({"tokenizer.ggml.precompiled_charsmap": charsmap[:200]}, "'precompiled_charsmap' of 200 bytes has an array of"),
        ({"tokenizer.ggml.precompiled_charsmap": charsmap[:-1]}, "the last text of 'precompiled_charsmap' does not end"),
        ({"tokenizer.ggml.precompiled_charsmap": outside}, "'precompiled_charsmap' refers to unit"),
    )
    count = len(model["tokens"])
    ids = [({}, f"'tokenizer.ggml.unknown_token_id' is {bad:g}; expected 0 to {count - 1}", bad) for bad in (0.5, -1.0, count)]
    for lists, wanted, *unknown in (*faults, *ids):
        numbers = [("tokenizer.ggml.unknown_token_id", each) for each in unknown]
        done, found = tokens.tokens_of(program, folder, content_of(model, lists, numbers=numbers), "x")
        check(done.returncode == 2 and found is None and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def tokenizer_of(known, form):
    file = copy.deepcopy(known["files"][form]["file"])
    model = known["models"][known["files"][form]["model"]]
    file["model"]["vocab"] = [list(pair) for pair in zip(model["tokens"], model["scores"])]
    return file


def check_folders(program, folder, known, config):
    for form, given in known["files"].items():
        rows = len(known["models"][given["model"]]["tokens"]) + 3  # without names
        weights = {"model.safetensors": folders.safetensors(folders.arrays_of(architectures.model_of("llama", rows)))}
        folders.write(folder / "model", {**config, "vocab_size": rows}, weights, tokenizer_of(known, form))
        for text, expected in zip(known["texts"] + known["controls"], given["expected"], strict=True):
            done, found = folders.tokens_of(program, folder, text)
            check(found == expected, f"{form} {text!r}: {found}, not {expected}; {done.stderr}")
    good = tokenizer_of(known, "t5 transformers")
    steps = good["normalizer"]["normalizers"]
    model = good["model"]
    rows = len(model["vocab"])
    weights = {"model.safetensors": folders.safetensors(folders.arrays_of(architectures.model_of("llama", rows)))}
    faults = (
        ({**good, "normalizer": {"type": "NFKC"}}, "a step of 'normalizer' is {\"type\":\"NFKC\"}"),
        ({**good, "normalizer": {"type": "Sequence", "normalizers": [steps[0], steps[0]]}}, "a step of 'normalizer' is"),
        ({**good, "normalizer": {**steps[0], "precompiled_charsmap": "A?=="}}, "character 1 of 'precompiled_charsmap'"),
        ({**good, "normalizer": {**steps[0], "precompiled_charsmap": ""}}, "'precompiled_charsmap' is empty"),
        ({**good, "normalizer": {**steps[0], "precompiled_charsmap": "AA==AA"}}, "'precompiled_charsmap' goes on behind its end"),
        ({**good, "normalizer": {**steps[0], "precompiled_charsmap": base64.b64encode(b"abcd").decode()}},
         f"of 4 bytes has an array of {0x64636261}"),
        ({**good, "pre_tokenizer": {"type": "Whitespace"}}, "'pre_tokenizer' is {\"type\":\"Whitespace\"}"),
        ({**good, "model": {**model, "unk_id": None}}, "'unk_id' is null"),
        ({**good, "model": {**model, "unk_id": rows}}, f"'unk_id' is {rows}"),
        ({**good, "model": {**model, "vocab": {}}}, "'vocab' is not a vocabulary"),
        ({**good, "model": {**model, "vocab": [*model["vocab"][:-1], ["x"]]}}, "an entry of 'vocab' is [\"x\"]"),
        ({**good, "model": {**model, "vocab": [*model["vocab"], ["x", 0.0]]}}, f"token 'x' has the number {rows}"),
        ({**good, "added_tokens": [{**good["added_tokens"][1], "normalized": True}]}, "is set, which is not supported with a normalizer"),
        ({**good, "model": {**model, "type": "WordPiece"}}, "the tokenizer is \"WordPiece\"; expected BPE, byte pair encoding, or Unigram"),
    )
    folders.check_tokenizer_faults(program, folder, {**config, "vocab_size": rows}, weights, faults)


def main():
    program = sys.argv[1]
    known, config = folders.record("unigram.json")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, model in known["models"].items():
            check_file(program, folder, kind, model, known["texts"])
        check_far_units(program, folder, known["models"]["t5"])
        check_unknown(program, folder)
        check_file_faults(program, folder, known["models"]["t5"])
        check_folders(program, folder, known, config)


if __name__ == "__main__":
    main()
