"""attn-gym: PyTorch's examples for FlexAttention, evaluated like FlexAttention does, by vmap over the indices."""
import torch
from attn_gym.masks import generate_dilated_sliding_window, generate_sliding_window
from attn_gym.mods import generate_alibi_bias
from torch.nn.attention.flex_attention import create_mask, flex_attention

PACKAGE = "attn-gym"
WITH = ["torch"]

LENGTH = 24
WINDOW = 8


def bias(score_mod, heads, length):
    """The bias that a score_mod adds to a score of 0, for every head, query and key."""
    index = lambda count: torch.arange(count)
    call = score_mod
    for dims in ((None, None, None, None, 0), (None, None, None, 0, None), (None, None, 0, None, None)):
        call = torch.vmap(call, in_dims=dims)
    return call(torch.zeros(()), torch.tensor(0), index(heads), index(length), index(length))


def attention(score_mod, heads, length):
    """The attention weights that FlexAttention computes with this score_mod. Queries are zeros and values the identity
    matrix."""
    zeros = torch.zeros(1, heads, length, 16)
    return flex_attention(zeros, zeros, torch.eye(length).expand(1, heads, length, length), score_mod=score_mod)[0]


def tensors():
    for heads in (8, 12):
        mod = generate_alibi_bias(heads)
        arguments = {"H": heads, "queries": LENGTH, "keys": LENGTH}
        yield f"alibi-{heads}", bias(mod, heads, LENGTH), "generate_alibi_bias(H)(0, b, h, q_idx, kv_idx)", arguments
    for window in (WINDOW,):
        arguments = {"window_size": window, "queries": LENGTH, "keys": LENGTH}
        mask = create_mask(generate_sliding_window(window), None, None, LENGTH, LENGTH, device="cpu")[0, 0]
        yield "window", mask, "create_mask(generate_sliding_window(window_size), ...)", arguments
