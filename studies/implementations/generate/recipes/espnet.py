"""espnet: sinusoidal tables of its encoders."""
import places
import torch
from espnet.nets.pytorch_backend.transformer.embedding import PositionalEncoding, RelPositionalEncoding

PACKAGE = "espnet"
WITH = ["torch"]

SHORT = 24


def tensors():
    yield "positions", places.positions(), "where the long table is looked at", {}
    table = PositionalEncoding(places.WIDTH, 0.0, max_len=places.LONGEST).pe[0]
    yield "sinusoidal", table[places.positions()], "PositionalEncoding(d_model, 0, max_len).pe", {"d_model": places.WIDTH, "max_len": places.LONGEST}
    _, table = RelPositionalEncoding(places.WIDTH, 0.0)(torch.zeros(1, SHORT, places.WIDTH))
    yield "relative", table[0], "RelPositionalEncoding(d_model, 0)(x), the second result", {"d_model": places.WIDTH, "sequence": SHORT}
    yield "distances", torch.arange(SHORT - 1, -SHORT, -1), "query less key of each row of the relative table", {}
