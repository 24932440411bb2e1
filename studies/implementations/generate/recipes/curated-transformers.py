"""curated-transformers: rotary tables, and ALiBi."""
import places
import torch
from curated_transformers.layers import RotaryEmbeddings
from curated_transformers.layers.attention import AttentionLinearBiases

PACKAGE = "curated-transformers"
WITH = ["torch"]

HEADS = 12
SHORT = 24


def tensors():
    yield "positions", places.positions(), "where the rotated vectors stand", {}
    yield "q", places.vectors(len(places.POSITIONS)), "vectors before the rotation", {}
    module = RotaryEmbeddings(places.WIDTH, seq_len=places.LONGEST)
    q = places.vectors(len(places.POSITIONS))[None, None]
    yield "q-float32", module(q, positions=places.positions()[None])[0, 0], "RotaryEmbeddings(width, seq_len)(input, positions)", {"width": places.WIDTH}
    for name, causal in (("causal", True), ("both-ways", False)):
        module = AttentionLinearBiases(n_attention_heads=HEADS, is_causal=causal, is_inverted=False)
        bias = module.calculate_biases(SHORT)
        yield (f"alibi-{name}", torch.as_tensor(bias).reshape(HEADS, *bias.shape[-2:]),
               "AttentionLinearBiases(n_attention_heads, is_causal, is_inverted=False).calculate_biases(seq_len)",
               {"n_attention_heads": HEADS, "is_causal": causal, "seq_len": SHORT})
