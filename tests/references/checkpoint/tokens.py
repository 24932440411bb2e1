"""Writes the expected tokens of tests/checkpoint/tokens.py, by Hugging Face `tokenizers`.

python3 tokens.py > ../../checkpoint/tokens.json

A vocabulary of 399 tokens is trained on the text below. It lacks the bytes 4 and 6, like SmolLM2's. No merges lead to
the last token, which Llama 3's rule uses nevertheless. "files" has the contents of each rule's tokenizer.json without
its vocabulary.
"""
import json

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

TEXT = """The attention of a head falls with the distance; the distances 1, 12 and 2024 don't matter, they're all the same.
    for (std::size_t i = 0; i < length; ++i) sum += weights[i] * values[i];
We'll see what it'd do: naïve Straße мир 世界 हिन्दी.  Two blanks,\tone tab.
"""
CASES = [
    "", " ", "a", "the distance", "  the  distances ", "don't they're WE'LL it'd I'm we've 's", "1", "12 2024 ½ Ⅷ ٣x9",
    "\n\n\n  x\n", "a \n b\r\n\tc   ", "naïve Straße мир 世界 हिन्दी 🤗🚀 e\u0301", "\u00a0\u3000x\u2003\u2003y\u200bz\u0085",
    "<|end|>x<|end|><|endo", "x<|im|>y <|im|>", "\x04\x06a\x04b", "for (i = 0; i < 10; ++i) { sum[i] += 'd'; }",
    "a'sb 'tc ''re '", "\n\n\t x\r\n\r\n  y \n", "+-\n\nx ++\r\n\r\n y_z (a) \"b\" \t\tc ...\n", "1234567 12ab34 \u00bd\u00bd\u00bd\u00bd",
    "I'S we'RE'Ve 'LLama '\u017f 'K 'Z", " \u3000\n\u3000x \n\n \u2028a", "____ --- ...!?\u201cquote\u201d\u2014dash", "zqz zqzq 1zqz",
]


# From the tokenizer.json of Llama 3. In that of Qwen2, numbers are single digits.
LLAMA_3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def main():
    rules = {"gpt-2": "", "smollm": "digits", "llama-bpe": LLAMA_3, "qwen2": LLAMA_3.replace("{1,3}", "")}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = [c for c in pre_tokenizers.ByteLevel.alphabet() if c not in ("\u0104", "\u0106")]
    tokenizer.train_from_iterator([TEXT] * 5, trainers.BpeTrainer(vocab_size=397, initial_alphabet=sorted(alphabet)))
    trained = json.loads(tokenizer.to_str())["model"]
    controls = ["<|end|>", "<|im|>"]
    tokens = controls + sorted(trained["vocab"], key=trained["vocab"].get) + ["zqz"]
    merges = [tuple(m) if not isinstance(m, str) else tuple(m.split(" ")) for m in trained["merges"]]
    result = {"tokens": tokens, "controls": len(controls), "merges": [" ".join(m) for m in merges], "texts": CASES, "files": {}}
    for name, rule in rules.items():
        model = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges,
                                     ignore_merges=name == "llama-bpe"))
        model.normalizer = normalizers.NFC() if name == "qwen2" else None
        bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
        if rule == "digits":
            bytes_ = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), bytes_])
        elif rule:
            bytes_ = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(rule), "isolated"),
                                              pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
        model.pre_tokenizer = bytes_
        model.decoder = decoders.ByteLevel()
        model.add_special_tokens([AddedToken(control, special=True) for control in controls])
        result[name] = [model.encode(text).ids for text in CASES]
        file = json.loads(model.to_str())
        del file["model"]["vocab"], file["model"]["merges"]
        result["files"][name] = file
    print(json.dumps(result, ensure_ascii=True))


if __name__ == "__main__":
    main()
