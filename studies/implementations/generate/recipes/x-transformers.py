"""x-transformers: ALiBi, T5's buckets, rotary embedding, xPos and scaled sinusoids."""
import places
import torch
from x_transformers.x_transformers import (AlibiPositionalBias, Decoder, RelativePositionBias, RotaryEmbedding,
                                           ScaledSinusoidalEmbedding, apply_rotary_pos_emb)

PACKAGE = "x-transformers"
WITH = ["torch", "einx", "einops"]

HEADS = 12
SHORT = 24


def far_alibi(dtype):
    """The last query's row at the distances places.POSITIONS, [distances, heads]."""
    row = AlibiPositionalBias(8).to(dtype)(1, places.LONGEST)[:, 0]
    return row.flip(-1)[:, places.positions()].T


def far_rotary(dtype):
    index = places.positions()
    freqs, scale = RotaryEmbedding(places.WIDTH).to(dtype)(index)
    return apply_rotary_pos_emb(places.vectors(len(index)).to(dtype)[None, None], freqs, scale)[0, 0]


def tensors():
    yield "positions", places.positions(), "where the far tensors stand", {}
    yield "q", places.vectors(len(places.POSITIONS)), "queries before the rotation", {}
    yield "alibi", AlibiPositionalBias(HEADS)(SHORT, SHORT), "AlibiPositionalBias(heads)(i, j)", {"heads": HEADS, "i": SHORT, "j": SHORT}
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        name = places.name_of(dtype)
        to = "" if dtype == torch.float32 else f".to({name})"
        yield (f"alibi-{name}", far_alibi(dtype), f"AlibiPositionalBias(heads){to}(i, j)",
               {"heads": 8, "i": 1, "j": places.LONGEST, "kept": "the last query's row, by distance"})
        call = f"apply_rotary_pos_emb(q, *RotaryEmbedding(dim){to}(positions))"
        arguments = {"dim": places.WIDTH, "q": name}
        if dtype != torch.float16:
            yield f"q-{name}", far_rotary(dtype), call, arguments
            continue
        for each, tensor in places.finite_part("q-float16", far_rotary(dtype)):
            yield each, tensor, call, {**arguments, "kept": "up to the first that is not finite"}
    decoder = Decoder(dim=128, depth=1, heads=2, attn_dim_head=places.WIDTH, rotary_pos_emb=True)
    yield ("decoder-angle", decoder.rotary_pos_emb(torch.arange(SHORT))[0][0], "Decoder(dim, depth, heads, attn_dim_head, rotary_pos_emb=True).rotary_pos_emb(arange(sequence))[0]",
           {"attn_dim_head": places.WIDTH, "sequence": SHORT})
    yield from buckets()
    index = torch.arange(SHORT)
    freqs, scale = RotaryEmbedding(places.WIDTH, use_xpos=True)(index)
    yield "xpos-angle", freqs[0], "RotaryEmbedding(dim, use_xpos=True)(arange(sequence))[0]", {"dim": places.WIDTH, "sequence": SHORT}
    yield "xpos-scale", scale[0], "RotaryEmbedding(dim, use_xpos=True)(arange(sequence))[1]", {"dim": places.WIDTH, "sequence": SHORT}
    freqs, _ = RotaryEmbedding(places.WIDTH, base_rescale_factor=8)(index)
    yield "ntk-angle", freqs[0], "RotaryEmbedding(dim, base_rescale_factor)(arange(sequence))[0]", {"dim": places.WIDTH, "base_rescale_factor": 8, "sequence": SHORT}
    module = ScaledSinusoidalEmbedding(places.WIDTH)
    table = module(torch.zeros(1, SHORT, places.WIDTH)) / module.scale
    half = places.WIDTH // 2
    yield "sinusoidal-sin", table[:, :half], "ScaledSinusoidalEmbedding(dim)(x) / scale, first half of the columns", {"dim": places.WIDTH, "sequence": SHORT}
    yield "sinusoidal-cos", table[:, half:], "ScaledSinusoidalEmbedding(dim)(x) / scale, second half of the columns", {"dim": places.WIDTH, "sequence": SHORT}
    yield "sinusoidal-scale", module.scale.reshape(1), "ScaledSinusoidalEmbedding(dim).scale", {"dim": places.WIDTH}


def buckets():
    """The weight of each bucket is its number, so that the bias is the bucket number of a distance."""
    decoder = Decoder(dim=64, depth=1, heads=1, attn_dim_head=places.WIDTH, rel_pos_bias=True)
    module = decoder.rel_pos
    module.relative_attention_bias.weight.copy_(torch.arange(32.0)[:, None])
    yield "weight", torch.arange(32.0), "the weights put into RelativePositionBias", {}
    yield ("t5", module(1, 400)[0, 0].flip(-1), "Decoder(dim, depth, heads, attn_dim_head, rel_pos_bias=True).rel_pos(i, j)",
           {"attn_dim_head": places.WIDTH, "heads": 1, "i": 1, "j": 400,
            "kept": "the last query's row, by distance"})
