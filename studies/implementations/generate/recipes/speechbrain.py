"""speechbrain: sinusoidal tables and the tables of its rotary attention."""
import bare
import places
import torch

bare.package("speechbrain", "speechbrain.nnet", "speechbrain.dataio", "speechbrain.utils")
bare.stand_in("speechbrain.dataio.dataio", length_to_mask=None)
from speechbrain.nnet.attention import PrecomputedRoPESinusoids, RelPosEncXL

PACKAGE = "speechbrain"
WITH = ["torch"]

SHORT = 24


def tensors():
    yield "positions", places.positions(), "where the rotary tables are looked at", {}
    module = PrecomputedRoPESinusoids(places.LONGEST, places.WIDTH, torch.float32, torch.device("cpu"))
    about = {"max_length": places.LONGEST, "input_size": places.WIDTH, "dtype": "float32"}
    yield "cos", module.cosines[places.positions()], "PrecomputedRoPESinusoids(max_length, input_size, dtype, device).cosines", about
    yield "sin", module.sines[places.positions()], "PrecomputedRoPESinusoids(max_length, input_size, dtype, device).sines", about
    table = RelPosEncXL(places.WIDTH).make_pe(SHORT)[0]
    about = {"emb_dim": places.WIDTH, "seq_len": SHORT}
    yield "relative-past", table[:SHORT].flip(0), "RelPosEncXL(emb_dim).make_pe(seq_len), the rows of earlier keys by distance", about
    yield "relative-future", table[SHORT - 1:], "RelPosEncXL(emb_dim).make_pe(seq_len), the rows of later keys by distance", about
