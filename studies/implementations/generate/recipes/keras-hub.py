"""keras-hub: rotary with its scalings, ALiBi and sinusoids, under Keras on PyTorch."""
import os

os.environ["KERAS_BACKEND"] = "torch"

import places
import torch
from keras_hub.layers import AlibiBias, RotaryEmbedding, SinePositionEncoding

PACKAGE = "keras-hub"
WITH = ["keras", "torch"]

HEADS = 12
SHORT = 24
ROPES = {
    "default": {},
    "linear": {"scaling_factor": 4.0, "rope_type": "linear"},
    "dynamic": {"scaling_factor": 8.0, "rope_type": "dynamic"},
}


def far(layer, dtype):
    q = places.vectors(len(places.POSITIONS)).to(dtype)
    return layer(q[None, :, None], positions=places.positions())[0, :, 0]


def tensors():
    yield "positions", places.positions(), "where the far tensors stand", {}
    yield "q", places.vectors(len(places.POSITIONS)), "queries before the rotation", {}
    for kind, arguments in ROPES.items():
        yield f"{kind}-q", far(RotaryEmbedding(**arguments), torch.float32), "RotaryEmbedding(...)(q, positions)", arguments
    for dtype in (torch.float16, torch.bfloat16):
        name = places.name_of(dtype)
        yield f"q-{name}", far(RotaryEmbedding(dtype=name), dtype), "RotaryEmbedding(dtype)(q, positions)", {"dtype": name}
    yield ("alibi", AlibiBias()(torch.zeros(1, HEADS, SHORT, SHORT))[0, :, -1:], "AlibiBias()(attention_scores) of zeros, the last query's row",
           {"heads": HEADS, "sequence": SHORT})
    far_row = AlibiBias(dtype="bfloat16")(torch.zeros(1, 8, 1, places.LONGEST, dtype=torch.bfloat16))[0, :, 0]
    yield ("alibi-bfloat16", far_row.flip(-1)[:, places.positions()].T, "AlibiBias(dtype)(attention_scores) of zeros, by distance",
           {"heads": 8, "keys": places.LONGEST, "dtype": "bfloat16"})
    for name in ("float32", "bfloat16"):
        x = torch.zeros(1, places.LONGEST, 8, dtype=getattr(torch, name))
        table = SinePositionEncoding(dtype=name)(x)[0, places.positions()]
        yield f"sine-{name}", table[:, ::2], "SinePositionEncoding(dtype)(x), even columns", {"dtype": name, "width": 8, "sequence": places.LONGEST}
        yield f"cosine-{name}", table[:, 1::2], "the same, odd columns", {"dtype": name, "width": 8, "sequence": places.LONGEST}
