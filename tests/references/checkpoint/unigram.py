"""Writes the expected tokens of tests/checkpoint/unigram.py, by SentencePiece and Hugging Face `tokenizers`.

python3 unigram.py > ../../checkpoint/unigram.json

Unigram models are trained on the text of sentences.py, with or without a character table. "files" has the contents of
tokenizer.json without its vocabulary, in forms that transformers writes for such models.
"""
import io
import json
import pathlib
import tempfile

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

from sentences import CONTROLS, MORE, WORDS, type_of
from tokens import CASES

# Characters and their replacements: blanks, nothing, several characters, and one for a letter with its mark.
RULES = {"\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u200b": "", "\ufb01": "fi", "\u00bd": "1\u20442", "e\u0301": "\u00e9",
         "a\u0301": "\u00e1", "\uff21": "A", "\u2026": "...", "\u00e9\u0323": "\u1eb9\u0301"}
CLUSTERS = ["a\u0301b", "e\u0301\u0323x", "\ufb01\u0301x", "\r\n", "a\r\nb", "\u2026\u0301y", "a\u200b\u0301", "\u0600a\u0301", "\U0001d165e\u0301", "\uff21\u0300",
            "\ufb01 \u00bd\u00a0\u3000 ", "  two   blanks  ", "\t", "\u200b", "\u200b x", "x \u200b y", "\u00a9\u200de\u0301", "1\ufe0f\u20e3", "<0x41>", "\u2581a\u2581\u2581b"]


def trained(rules, bytes_, blank, merges_blanks):
    model = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "rules.tsv"
        table.write_text("".join(" ".join(f"{ord(c):X}" for c in key) + "\t" + " ".join(f"{ord(c):X}" for c in value) + "\n"
                                 for key, value in rules.items()))
        rule = {"normalization_rule_tsv": str(table)} if rules else {"normalization_rule_name": "identity"}
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(WORDS.splitlines()), model_writer=model, model_type="unigram", vocab_size=450 if bytes_ else 180,
            byte_fallback=bytes_, character_coverage=0.99, add_dummy_prefix=blank, remove_extra_whitespaces=merges_blanks,
            allow_whitespace_only_pieces=True, minloglevel=2, num_threads=1, hard_vocab_limit=False, **rule)
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def charsmap_of(processor):
    """The bytes of ModelProto.normalizer_spec.precompiled_charsmap: fields 3 and 2."""
    def field(data, wanted):
        at, found = 0, b""
        def number():
            nonlocal at
            value = shift = 0
            while True:
                value |= (data[at] & 127) << shift
                at, shift = at + 1, shift + 7
                if data[at - 1] < 128:
                    return value
        while at < len(data):
            key = number()
            size = number() if key & 7 in (0, 2) else 4 if key & 7 == 5 else 8
            if key & 7 == 0:
                continue
            if key >> 3 == wanted:
                found = data[at:at + size]
            at += size
        return found
    return field(field(processor.serialized_model_proto(), 3), 2)


def main():
    metaspace = pre_tokenizers.Metaspace
    strip = normalizers.Strip(left=False, right=True)
    result = {"texts": CASES + MORE + CLUSTERS, "controls": CONTROLS, "models": {}, "files": {}}
    for name, rules, bytes_, blank, merges_blanks in (("t5", RULES, False, True, True), ("bytes", {}, True, False, False),
                                                      ("both", RULES, True, True, False)):
        processor = trained(rules, bytes_, blank, merges_blanks)
        count = processor.get_piece_size()
        pieces = [processor.id_to_piece(i) for i in range(count)]
        scores = [processor.get_score(i) for i in range(count)]
        charsmap = charsmap_of(processor)
        result["models"][name] = {
            "blank": blank, "merges_blanks": merges_blanks, "tokens": pieces, "scores": scores, "charsmap": list(charsmap),
            "types": [type_of(processor, i) for i in range(count)], "expected": [processor.encode(text) for text in result["texts"]]}
        table = [normalizers.Precompiled(charsmap)] if charsmap else []
        repeats = [normalizers.Replace(Regex(" {2,}"), each) for each in ("\u2581", " ")]
        forms = {
            "transformers": (normalizers.Sequence([*table, strip, repeats[0]]), metaspace("\u2581", prepend_scheme="always", split=True)),
            "words": (normalizers.Sequence([*table, repeats[1]]),
                      pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), metaspace("\u2581", prepend_scheme="always")])),
            "first": (table[0] if table else None, metaspace("\u2581", prepend_scheme="first", split=False)),
            "never": (normalizers.Sequence([normalizers.Strip(left=True, right=True)]), metaspace("\u2581", prepend_scheme="never", split=True)),
            "llama": (normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]), None),
        }
        for form, (normalizer, rule) in forms.items():
            model = Tokenizer(models.Unigram(list(zip(pieces, scores)), unk_id=0, byte_fallback=bytes_))
            if normalizer is not None:
                model.normalizer = normalizer
            if rule is not None:
                model.pre_tokenizer = rule
            model.add_special_tokens([AddedToken(each, special=True, normalized=False) for each in ("<unk>", "<s>", "</s>")])
            file = json.loads(model.to_str())
            del file["model"]["vocab"]
            result["files"][f"{name} {form}"] = {"model": name, "file": file, "expected": [
                model.encode(text, add_special_tokens=False).ids for text in result["texts"] + CONTROLS]}
    print(json.dumps(result, ensure_ascii=True))


if __name__ == "__main__":
    main()
