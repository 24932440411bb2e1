"""Tokens by SentencePiece's byte pair encoding, from GGUF files and folders: sentences.py PROGRAM

The expected tokens of files are SentencePiece's; those of folders are Hugging Face's `tokenizers`
(tests/references/checkpoint/sentences.py).
"""
import copy
import pathlib
import sys
import tempfile

import architectures
import folders
import tiny
import tokens
from tokens import check


def keys_of(model, **changes):
    """The texts, flags and lists of a header."""
    lists = {"tokenizer.ggml.tokens": model["tokens"], "tokenizer.ggml.token_type": model["types"],
             "tokenizer.ggml.scores": model["scores"], **changes.pop("lists", {})}
    return {"texts": [("tokenizer.ggml.model", "llama")], "lists": [(key, values) for key, values in lists.items() if values],
            "flags": [("tokenizer.ggml.add_space_prefix", model["blank"]), *changes.pop("flags", [])], **changes}


def check_file(program, folder, name, model, texts):
    content = tiny.Model(vocabulary=len(model["tokens"]), kinds=("F32",)).bytes(**keys_of(model))
    for text, expected in zip(texts, model["expected"], strict=True):
        done, found = tokens.tokens_of(program, folder, content, text)
        check(found == expected, f"{name} {text!r}: {found}, not {expected}; {done.stderr}")
    return content


def check_unused(program, folder, model):
    """An unused token takes part in merges into longer tokens, but is not itself a result."""
    text = "the attention"
    _, plain = tokens.tokens_of(program, folder, tiny.Model(vocabulary=len(model["tokens"]), kinds=("F32",)).bytes(
        **keys_of(model)), text)
    longest = max(plain, key=lambda token: len(model["tokens"][token]))
    types = list(model["types"])
    types[longest] = 5
    content = tiny.Model(vocabulary=len(types), kinds=("F32",)).bytes(**keys_of({**model, "types": types}))
    _, found = tokens.tokens_of(program, folder, content, text)
    check(longest not in found, f"{found} has the unused {longest}")
    joined = "".join(model["tokens"][token] for token in found)
    check(joined == "".join(model["tokens"][token] for token in plain), f"{found} is another text than {plain}")


def check_file_faults(program, folder, model):
    scores, types = model["scores"], model["types"]
    def with_byte(text):
        return [text if token == "<0x00>" else token for token in model["tokens"]]
    faults = (
        ({"lists": {"tokenizer.ggml.scores": []}}, "'tokenizer.ggml.scores' is missing or empty"),
        ({"lists": {"tokenizer.ggml.scores": scores[:-1]}}, f"'tokenizer.ggml.scores' has {len(scores) - 1} values"),
        ({"lists": {"tokenizer.ggml.scores": [float("nan"), *scores[1:]]}}, "value 0 of 'tokenizer.ggml.scores' is nan"),
        ({"lists": {"tokenizer.ggml.token_type": types[:-1]}}, f"has {len(types) - 1} values"),
        *(({"lists": {"tokenizer.ggml.tokens": with_byte(bad)}}, f"'{bad}', of the type of bytes")
          for bad in ("<0xG0>", "<0x000>", "<0x0>", "abc00>", "<0x000")),
        ({"flags": [("tokenizer.ggml.remove_extra_whitespaces", True)]}, "remove_extra_whitespaces' is true"),
        *(({"numbers": [("tokenizer.ggml.unknown_token_id", bad)]}, f"'tokenizer.ggml.unknown_token_id' is {bad:g}; expected 0 to {len(types) - 1}")
          for bad in (0.5, -1.0, len(types))),
    )
    for change, wanted in faults:
        content = tiny.Model(vocabulary=len(types), kinds=("F32",)).bytes(**keys_of(model, **change))
        done, found = tokens.tokens_of(program, folder, content, "x")
        check(done.returncode == 2 and found is None and wanted in done.stderr, f"{wanted}: {done.returncode} {done.stderr}")


def tokenizer_of(known, form):
    file = copy.deepcopy(known["files"][form]["file"])
    model = known["models"][known["files"][form]["model"]]
    file["model"]["vocab"] = {token: i for i, token in enumerate(model["tokens"])}
    file["model"]["merges"] = model["merges"]
    return file


def check_folders(program, folder, known, config):
    rows = len(known["models"]["llama"]["tokens"])
    weights = {"model.safetensors": folders.safetensors(folders.arrays_of(architectures.model_of("llama", rows)))}
    for form, given in known["files"].items():
        folders.write(folder / "model", {**config, "vocab_size": rows}, weights, tokenizer_of(known, form))
        for text, expected in zip(known["texts"] + known["controls"], given["expected"], strict=True):
            done, found = folders.tokens_of(program, folder, text)
            check(found == expected, f"{form} {text!r}: {found}, not {expected}; {done.stderr}")
    good = tokenizer_of(known, "llama-2")
    # A character that is a token needs no merges, and is not split into bytes.
    more = {**good, "model": {**good["model"], "vocab": {**good["model"]["vocab"], "🤗": rows}}}
    larger = {"model.safetensors": folders.safetensors(folders.arrays_of(architectures.model_of("llama", rows + 1)))}
    folders.write(folder / "model", {**config, "vocab_size": rows + 1}, larger, more)
    _, found = folders.tokens_of(program, folder, "🤗")
    check(found == [good["model"]["vocab"]["▁"], rows], f"a token of one character of four bytes: {found}")
    rule = known["files"]["llama-first"]["file"]["pre_tokenizer"]
    vocabulary = good["model"]["vocab"]
    letters = [token for token in vocabulary if len(token) == 1]
    apart = next([a, b] for a in letters for b in letters if a + b not in vocabulary)
    faults = (
        ({**good, "normalizer": {"type": "NFKC"}}, "which is not supported with byte_fallback"),
        ({**good, "normalizer": None}, "which is not supported with byte_fallback"),
        ({**good, "normalizer": None, "pre_tokenizer": {**rule, "split": True}}, "which is not supported with byte_fallback"),
        ({**good, "model": {**good["model"], "ignore_merges": True}}, "'ignore_merges' is true"),
        ({**good, "model": {**good["model"], "unk_token": "<none>"}}, "'unk_token' is \"<none>\""),
        *(({**good, "model": {**good["model"], "merges": [merge]}}, "merge 0 of") for merge in (["t", "qq"], ["qq", "t"], apart)),
        # With this flag, "<s>" would be recognized only after a blank.
        ({**good, "added_tokens": [{**good["added_tokens"][1], "normalized": True}]}, "'normalized' of the added token \"<s>\""),
    )
    folders.check_tokenizer_faults(program, folder, {**config, "vocab_size": rows}, weights, faults)


def main():
    program = sys.argv[1]
    known, config = folders.record("sentences.json")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind, model in known["models"].items():
            check_file(program, folder, kind, model, known["texts"])
        check_unused(program, folder, known["models"]["llama"])
        check_file_faults(program, folder, known["models"]["llama"])
        check_folders(program, folder, known, config)


if __name__ == "__main__":
    main()
