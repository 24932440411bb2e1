"""transformers: the rotary tables of its utilities, three functions that build ALiBi, the buckets of T5 and MPNet, two
sinusoidal tables."""
import tempfile

import places
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor as bloom_alibi
from transformers.models.falcon.modeling_falcon import build_alibi_tensor as falcon_alibi
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions, rotate_every_two
from transformers.models.llama.modeling_llama import LlamaModel, LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention
from transformers.models.whisper.modeling_whisper import sinusoids

PACKAGE = "transformers"
WITH = ["torch"]

HEADS = 12
SHORT = 24
NEAR = 64  # the distances that are kept of a row

ROPES = {
    "default": {"rope_theta": 10000.0},
    "linear": {"rope_theta": 10000.0, "factor": 4.0},
    "dynamic": {"rope_theta": 10000.0, "factor": 2.0},
    "yarn": {"rope_theta": 10000.0, "factor": 16.0, "original_max_position_embeddings": 4096},
    "llama3": {"rope_theta": 500000.0, "factor": 8.0, "original_max_position_embeddings": 8192, "low_freq_factor": 1.0,
               "high_freq_factor": 4.0},
}

LENGTHS = {"yarn": 65536, "llama3": 65536}  # max_position_embeddings; 4096 elsewhere


def configured(kind):
    return LlamaConfig(hidden_size=places.WIDTH, num_attention_heads=1, head_dim=places.WIDTH, num_hidden_layers=1, intermediate_size=16,
                       vocab_size=8, max_position_embeddings=LENGTHS.get(kind, 4096), rope_parameters={"rope_type": kind, **ROPES[kind]})


def rotary(kind):
    return LlamaRotaryEmbedding(configured(kind))


def tiny():
    return LlamaModel(configured("default"))


def tables(module, dtype):
    cos, sin = module(torch.zeros(1, dtype=dtype), places.positions()[None])
    return cos[0], sin[0]


def tensors():
    yield "positions", places.positions(), "where the far tensors stand", {}
    for kind, parameters in ROPES.items():
        cos, sin = tables(rotary(kind), torch.float32)
        half = places.WIDTH // 2
        yield f"{kind}-cos", cos[:, :half], "LlamaRotaryEmbedding(config)(x, position_ids)[0], first half of the columns", {"rope_type": kind, **parameters, "max_position_embeddings": LENGTHS.get(kind, 4096)}
        if kind == "default":
            yield "default-sin", sin[:, :half], "LlamaRotaryEmbedding(config)(x, position_ids)[1], first half of the columns", {"rope_type": kind, **parameters}
    yield from low_precision()
    q = places.vectors(SHORT)
    cos, sin = rotary("default")(q, torch.arange(SHORT)[None])
    yield "q", q, "queries before the rotation", {}
    yield "llama-q", apply_rotary_pos_emb(q[None, None], q[None, None], cos, sin)[0][0, 0], "apply_rotary_pos_emb(q, k, cos, sin)[0] of Llama", {"width": places.WIDTH, "sequence": SHORT}
    table = create_sinusoidal_positions(SHORT, places.WIDTH)
    sin, cos = torch.repeat_interleave(table[:, : places.WIDTH // 2], 2, -1), torch.repeat_interleave(table[:, places.WIDTH // 2 :], 2, -1)
    yield "gptj-q", q * cos + rotate_every_two(q[None, :, None])[0, :, 0] * sin, "q * cos + rotate_every_two(q) * sin of GPT-J, tables by create_sinusoidal_positions", {"width": places.WIDTH, "sequence": SHORT}
    yield from alibis()
    yield from buckets()
    yield from sinusoidal()


def low_precision():
    """A model that is loaded in a format, and one that is converted to the format after loading."""
    half = places.WIDTH // 2
    with tempfile.TemporaryDirectory() as folder:
        tiny().save_pretrained(folder)
        for dtype in (torch.float16, torch.bfloat16):
            name = places.name_of(dtype)
            loaded = LlamaModel.from_pretrained(folder, dtype=dtype)
            yield f"loaded-cos-{name}", tables(loaded.rotary_emb, dtype)[0][:, :half], "LlamaModel.from_pretrained(folder, dtype).rotary_emb(x, position_ids)[0]", {"dtype": name}
            put = LlamaModel.from_pretrained(folder).to(dtype)
            yield f"put-cos-{name}", tables(put.rotary_emb, dtype)[0][:, :half], "LlamaModel.from_pretrained(folder).to(dtype).rotary_emb(x, position_ids)[0]", {"dtype": name}


def alibis():
    mask = torch.ones(1, SHORT, dtype=torch.long)
    arguments = {"num_heads": HEADS, "sequence": SHORT}
    yield "bloom-alibi", bloom_alibi(mask, HEADS, torch.float32), "build_alibi_tensor(attention_mask, num_heads, dtype) of BLOOM", {**arguments, "dtype": "float32"}
    yield "falcon-alibi", falcon_alibi(mask, HEADS, torch.float32), "build_alibi_tensor(attention_mask, num_heads, dtype) of Falcon", {**arguments, "dtype": "float32"}
    yield "mpt-alibi", build_mpt_alibi_tensor(HEADS, SHORT), "build_mpt_alibi_tensor(num_heads, sequence_length)", arguments
    for query in (255, 1023, 4095):
        mask = torch.ones(1, query + 1, dtype=torch.long)
        for name, builder in (("bloom", bloom_alibi), ("falcon", falcon_alibi)):
            for dtype in (torch.bfloat16,) if name == "bloom" else (torch.float32,):
                row = builder(mask, 8, dtype)[:, 0].float()
                seen = (row - row[:, -1:]).flip(-1)[:, :NEAR].T
                yield (f"{name}-seen-{query}", seen, f"build_alibi_tensor(attention_mask, num_heads, dtype) of {name}: the bias at a key less that at the last query's own, which is what its softmax sees, by distance",
                       {"num_heads": 8, "sequence": query + 1, "dtype": str(dtype).removeprefix("torch.")})


def buckets():
    """Bucket numbers by distance. The public code takes key minus query."""
    for name, bidirectional, count in (("t5-decoder", False, 400), ("t5-encoder", True, 400)):
        distance = torch.arange(count)
        bucket = T5Attention._relative_position_bucket(-distance, bidirectional=bidirectional, num_buckets=32, max_distance=128)
        yield name, bucket.float(), "T5Attention._relative_position_bucket(key - query, bidirectional, num_buckets, max_distance)", {"bidirectional": bidirectional, "num_buckets": 32, "max_distance": 128, "distances": count}
    for name, sign in (("mpnet-earlier", -1), ("mpnet-later", 1)):
        bucket = MPNetEncoder.relative_position_bucket(sign * torch.arange(400), num_buckets=32)
        yield name, bucket.float(), "MPNetEncoder.relative_position_bucket(key - query, num_buckets)", {"num_buckets": 32, "distances": 400}
    yield "weight", torch.arange(32.0), "the numbers of the buckets", {}


def sinusoidal():
    half = places.WIDTH // 2
    table = M2M100SinusoidalPositionalEmbedding.get_embedding(SHORT, places.WIDTH)
    yield "m2m-sin", table[:, :half], "M2M100SinusoidalPositionalEmbedding.get_embedding(num_embeddings, embedding_dim), first half of the columns", {"embedding_dim": places.WIDTH}
    yield "m2m-cos", table[:, half:], "the same, second half of the columns", {"embedding_dim": places.WIDTH}
    table = sinusoids(SHORT, places.WIDTH)
    yield "whisper-sin", table[:, :half], "sinusoids(length, channels) of Whisper, first half of the columns", {"channels": places.WIDTH}
    yield "whisper-cos", table[:, half:], "the same, second half of the columns", {"channels": places.WIDTH}
