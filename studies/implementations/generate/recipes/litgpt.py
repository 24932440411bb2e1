"""litgpt: the rotary tables of its models, with the scalings of Llama 3 and YaRN."""
import places
from litgpt.model import build_rope_cache

PACKAGE = "litgpt"
WITH = ["torch"]

LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_seq_len": 8192}
YARN = {"factor": 16.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_seq_len": 4096}


def tensors():
    half = places.WIDTH // 2
    yield "positions", places.positions(), "where the tables are looked at", {}
    for name, base, config in (("default", 10000, None), ("llama3", 500000, LLAMA3), ("yarn", 10000, YARN)):
        cos, _ = build_rope_cache(places.LONGEST, places.WIDTH, base=base, extra_config=config)
        yield (f"{name}-cos", cos[places.positions(), :half], "build_rope_cache(seq_len, n_elem, base, extra_config), cosines, first half of the columns",
               {"seq_len": places.LONGEST, "n_elem": places.WIDTH, "base": base, "extra_config": config})
