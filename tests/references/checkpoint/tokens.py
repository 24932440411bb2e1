"""Expected tokens of tests/checkpoint/tokens.py, by Hugging Face `tokenizers`: python3 tokens.py > ../../checkpoint/tokens.json

A vocabulary of 400 tokens is trained on the text below; the bytes 4 and 6 are left out of it, as SmolLM2 has it.
"""
import json

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

TEXT = """The attention of a head falls with the distance; the distances 1, 12 and 2024 don't matter, they're all the same.
    for (std::size_t i = 0; i < length; ++i) sum += weights[i] * values[i];
We'll see what it'd do: naïve Straße мир 世界 हिन्दी.  Two blanks,\tone tab.
"""
CASES = [
    "", " ", "a", "the distance", "  the  distances ", "don't they're WE'LL it'd I'm we've 's", "1", "12 2024 ½ Ⅷ ٣x9",
    "\n\n\n  x\n", "a \n b\r\n\tc   ", "naïve Straße мир 世界 हिन्दी 🤗🚀 e\u0301", "\u00a0\u3000x\u2003\u2003y\u200bz\u0085",
    "<|end|>x<|end|><|endo", "x<|im|>y <|im|>", "\x04\x06a\x04b", "for (i = 0; i < 10; ++i) { sum[i] += 'd'; }",
    "a'sb 'tc ''re '", "____ --- ...!?\u201cquote\u201d\u2014dash",
]


def main():
    rules = {"gpt-2": False, "smollm": True}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = [c for c in pre_tokenizers.ByteLevel.alphabet() if c not in ("\u0104", "\u0106")]
    tokenizer.train_from_iterator([TEXT] * 5, trainers.BpeTrainer(vocab_size=398, initial_alphabet=sorted(alphabet)))
    trained = json.loads(tokenizer.to_str())["model"]
    controls = ["<|end|>", "<|im|>"]
    tokens = controls + sorted(trained["vocab"], key=trained["vocab"].get)
    merges = [tuple(m) if not isinstance(m, str) else tuple(m.split(" ")) for m in trained["merges"]]
    result = {"tokens": tokens, "controls": len(controls), "merges": [" ".join(m) for m in merges], "texts": CASES}
    for name, single in rules.items():
        model = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
        bytes_ = pre_tokenizers.ByteLevel(add_prefix_space=False)
        digits = pre_tokenizers.Digits(individual_digits=True)
        model.pre_tokenizer = pre_tokenizers.Sequence([digits, bytes_]) if single else bytes_
        model.decoder = decoders.ByteLevel()
        model.add_special_tokens([AddedToken(control, special=True) for control in controls])
        result[name] = [model.encode(text).ids for text in CASES]
    print(json.dumps(result, ensure_ascii=True))


if __name__ == "__main__":
    main()
