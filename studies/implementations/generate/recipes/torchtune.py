"""torchtune: queries rotated by its rotary modules."""
import bare
import places
import torch

bare.package("torchtune", "torchtune.modules", "torchtune.models", "torchtune.models.llama3_1")
from torchtune.models.llama3_1._position_embeddings import Llama3ScaledRoPE
from torchtune.modules.position_embeddings import RotaryPositionalEmbeddings

PACKAGE = "torchtune"
WITH = ["torch"]

FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def rotated(module, dtype):
    q = places.vectors(len(places.POSITIONS))[None, :, None].to(dtype)
    return module(q, input_pos=places.positions()[None])[0, :, 0]


def tensors():
    yield "positions", places.positions(), "where the rotated queries stand", {}
    yield "q", places.vectors(len(places.POSITIONS)), "queries before the rotation", {}
    module = RotaryPositionalEmbeddings(places.WIDTH, max_seq_len=places.LONGEST)
    for name, dtype in FORMATS.items():
        yield f"q-{name}", rotated(module, dtype), "RotaryPositionalEmbeddings(dim, max_seq_len)(q, input_pos)", {"dim": places.WIDTH, "q": name}
    module = Llama3ScaledRoPE(places.WIDTH, max_seq_len=places.LONGEST)
    yield "q-llama3", rotated(module, torch.float32), "Llama3ScaledRoPE(dim, max_seq_len)(q, input_pos)", {"dim": places.WIDTH, "q": "float32"}
