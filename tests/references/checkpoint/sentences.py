"""Writes the expected tokens of tests/checkpoint/sentences.py, by SentencePiece and Hugging Face `tokenizers`.

python3 sentences.py > ../../checkpoint/sentences.json

Two models are trained on the text below, one with a blank before the text and one without. They keep all blanks of a
text, like Llama's and Gemma's. "files" has the contents of each model's tokenizer.json without its vocabulary, in the
forms of Llama 2, transformers 4.44 and Gemma. Merges are derived from the scores in the same way as in transformers.
"""
import io
import json

import sentencepiece
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from tokens import CASES, TEXT

WORDS = (TEXT + "What is merged late is merged last, and 'aaaaaaa' again and again: banana, ananas, an anagram of nag a ram.\n") * 5
MORE = ["aaaaaaaaaaaaaaa aaaa", "ananananas", "  \u2581 x\u2581y", "\U0001f917\U0001f917 \U0001f680z", "\x00\x7f\x80", "\u4e16\u4e17\u4e18",
        "x" * 40, " ", "  ", "\n", "a\u0301 b", "anagram of the attention of an anagram"]
CONTROLS = ["<s>x</s> y<s></s>", "<s>", "x <unk> y", "<unk>\u4e17\u4e18<unk>", "</s><s"]


def trained(blank, bytes_):
    """A model with or without a blank before the text, and with or without byte tokens for missing characters."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(WORDS.splitlines()), model_writer=model, model_type="bpe", vocab_size=420 if bytes_ else 160,
        byte_fallback=bytes_, character_coverage=0.99, normalization_rule_name="identity", add_dummy_prefix=blank,
        remove_extra_whitespaces=False, split_digits=True, allow_whitespace_only_pieces=True, minloglevel=2, num_threads=1)
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def type_of(processor, token):
    """The token's type, as numbered by GGUF and SentencePiece."""
    types = {2: processor.is_unknown, 3: processor.is_control, 5: processor.is_unused, 6: processor.is_byte}
    return next((number for number, holds in types.items() if holds(token)), 1)


def merges_of(pieces, scores):
    """The merges that transformers derives from scores: for every token, each pair of tokens that it can be split into."""
    index = {piece: i for i, piece in enumerate(pieces)}
    found = []
    for piece, score in zip(pieces, scores):
        pairs = [(piece[:i], piece[i:]) for i in range(1, len(piece)) if piece[:i] in index and piece[i:] in index]
        found += [(*pair, score) for pair in sorted(pairs, key=lambda pair: (index[pair[0]], index[pair[1]]))]
    return [pair[:2] for pair in sorted(found, key=lambda each: each[2], reverse=True)]


def main():
    result = {"texts": CASES + MORE, "controls": CONTROLS, "models": {}, "files": {}}
    for name, blank, bytes_ in (("llama", True, True), ("gemma", False, True), ("unknown", True, False)):
        processor = trained(blank, bytes_)
        count = processor.get_piece_size()
        pieces = [processor.id_to_piece(i) for i in range(count)]
        scores = [processor.get_score(i) for i in range(count)]
        result["models"][name] = {
            "blank": blank, "tokens": pieces, "scores": scores, "types": [type_of(processor, i) for i in range(count)],
            "expected": [processor.encode(text) for text in result["texts"]]}
        if name == "unknown":
            continue
        merges = merges_of(pieces, scores)
        forms = {"gemma": (normalizers.Replace(" ", "\u2581"), pre_tokenizers.Split(" ", "merged_with_previous"))} if name == "gemma" else {
            "llama-2": (normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]), None),
            "llama-first": (None, pre_tokenizers.Metaspace("\u2581", prepend_scheme="first", split=False)),
            "llama-always": (None, pre_tokenizers.Metaspace("\u2581", prepend_scheme="always", split=False))}
        for form, (normalizer, rule) in forms.items():
            model = Tokenizer(models.BPE(vocab={piece: i for i, piece in enumerate(pieces)}, merges=merges, unk_token="<unk>",
                                         fuse_unk=True, byte_fallback=True))
            if normalizer is not None:
                model.normalizer = normalizer
            if rule is not None:
                model.pre_tokenizer = rule
            model.add_special_tokens([AddedToken(each, special=True, normalized=False) for each in ("<unk>", "<s>", "</s>")])
            file = json.loads(model.to_str())
            del file["model"]["vocab"], file["model"]["merges"]
            result["files"][form] = {"model": name, "file": file,
                                     "expected": [model.encode(text).ids for text in result["texts"] + CONTROLS]}
        result["models"][name]["merges"] = [list(pair) for pair in merges]
    print(json.dumps(result, ensure_ascii=True))


if __name__ == "__main__":
    main()
