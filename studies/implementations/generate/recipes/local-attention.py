"""local-attention: its rotary embedding and xPos, as LocalAttention configures them."""
import places
import torch
from local_attention import LocalAttention
from local_attention.rotary import apply_rotary_pos_emb

PACKAGE = "local-attention"
WITH = ["torch"]

WINDOW = 128


def tensors():
    q, k = places.vectors(2 * WINDOW).reshape(2, 1, WINDOW, places.WIDTH)
    yield "q", q[0], "queries before the rotation", {}
    yield "k", k[0], "keys before the rotation", {}
    module = LocalAttention(window_size=WINDOW, dim=places.WIDTH, use_xpos=True, causal=True)
    rotated = apply_rotary_pos_emb(q, k, *module.rel_pos(k))
    for name, tensor in zip("qk", rotated):
        yield (f"xpos-{name}", tensor[0], "apply_rotary_pos_emb(q, k, *LocalAttention(window_size, dim, use_xpos=True, causal=True).rel_pos(k))",
               {"window_size": WINDOW, "dim": places.WIDTH, "sequence": WINDOW})
