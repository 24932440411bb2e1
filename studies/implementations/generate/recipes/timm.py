"""timm: rotary tables of an image's grid."""
import torch
from timm.layers import build_rotary_pos_embed

PACKAGE = "timm"
WITH = ["torch"]

GRID = (4, 6)
WIDTH = 32


def tensors():
    for name, pixels in (("language", False), ("pixels", True)):
        sin, cos = build_rotary_pos_embed(list(GRID), dim=WIDTH, in_pixels=pixels)
        call = "build_rotary_pos_embed(feat_shape, dim, in_pixels)"
        about = {"feat_shape": list(GRID), "dim": WIDTH, "in_pixels": pixels}
        yield f"{name}-cos", torch.as_tensor(cos), call + ", cosines", about
        yield f"{name}-sin", torch.as_tensor(sin), call + ", sines", about
