"""diffusers: rotary tables of one and two dimensions, and the embedding of timesteps."""
import bare
import numpy
import places
import torch

bare.package("diffusers", "diffusers.models", "diffusers.utils")
bare.stand_in("diffusers.utils", deprecate=None)
bare.stand_in("diffusers.utils.torch_utils", maybe_adjust_dtype_for_device=None)
bare.stand_in("diffusers.models.activations", FP32SiLU=None, get_activation=None)
bare.stand_in("diffusers.models.attention_processor", Attention=None)
from diffusers.models.embeddings import get_1d_rotary_pos_embed, get_timestep_embedding

PACKAGE = "diffusers"
WITH = ["torch"]

SHORT = 24


def tensors():
    half = places.WIDTH // 2
    yield "positions", places.positions(), "where the tables are looked at", {}
    where = numpy.array(places.POSITIONS)
    for name, settings in (("default", {}), ("linear", {"linear_factor": 4.0}), ("ntk", {"ntk_factor": 8.0})):
        cos, _ = get_1d_rotary_pos_embed(places.WIDTH, where, use_real=True, **settings)
        yield f"{name}-cos", cos[:, 0::2], "get_1d_rotary_pos_embed(dim, pos, use_real=True), cosines, every other column", {"dim": places.WIDTH, **settings}
    for name, shift in (("shift-1", 1), ("shift-0", 0)):
        table = get_timestep_embedding(torch.arange(SHORT), places.WIDTH, downscale_freq_shift=shift)
        call = "get_timestep_embedding(timesteps, embedding_dim, downscale_freq_shift)"
        about = {"embedding_dim": places.WIDTH, "downscale_freq_shift": shift}
        yield f"{name}-sin", table[:, :half], call + ", first half of the columns", about
        yield f"{name}-cos", table[:, half:], call + ", second half of the columns", about
