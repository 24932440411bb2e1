"""Logits and gradients of small random models by Hugging Face's transformers: architectures.py PROGRAM

Writes tests/checkpoint/architectures.json. Needs torch, numpy and transformers. Models compute in float64; weights are those
of tests/checkpoint/tiny.py, brought into the layout of each model class: GGUF has the queries, keys and values of a fused
tensor one after the other, GPT-NeoX and BLOOM by heads; GPT-2 has its matrices transposed; Gemma adds 1 to the weights of
norms, which a GGUF file has added; Llama's GGUF files have the rotated pairs side by side.
"""
import json
import pathlib
import sys
import tempfile

import numpy
import torch
import transformers

TESTS = pathlib.Path(__file__).resolve().parents[2] / "checkpoint"
sys.path.insert(0, str(TESTS))
import architectures  # noqa: E402


def llama_like(s):
    return {"hidden_size": s["width"], "intermediate_size": s["ffn"], "num_hidden_layers": s["layers"],
            "num_attention_heads": s["heads"], "num_key_value_heads": s["key_heads"], "head_dim": s["head_dim"],
            "vocab_size": s["vocabulary"], "max_position_embeddings": s["context"], "rms_norm_eps": s["epsilon"],
            "rope_parameters": {"rope_type": "default", "rope_theta": s["base"]}, "tie_word_embeddings": s["tied"]}


def config_of(s, scaling=None):
    t = transformers
    name = s["architecture"]
    if name in ("llama", "qwen2", "qwen3", "gemma"):
        kind = {"llama": t.LlamaConfig, "qwen2": t.Qwen2Config, "qwen3": t.Qwen3Config, "gemma": t.GemmaConfig}[name]
        return kind(**llama_like(s) | ({"rope_parameters": {"rope_theta": s["base"], **scaling}} if scaling else {}))
    if name == "gpt2":
        return t.GPT2Config(n_embd=s["width"], n_layer=s["layers"], n_head=s["heads"], n_inner=s["ffn"],
                            vocab_size=s["vocabulary"], n_positions=s["context"], layer_norm_epsilon=s["epsilon"])
    if name == "gptneox":
        return t.GPTNeoXConfig(hidden_size=s["width"], num_hidden_layers=s["layers"], num_attention_heads=s["heads"],
                               intermediate_size=s["ffn"], vocab_size=s["vocabulary"], max_position_embeddings=s["context"],
                               rope_parameters={"rope_type": "default", "rope_theta": s["base"],
                                                "partial_rotary_factor": s["rotated"] / s["head_dim"]},
                               layer_norm_eps=s["epsilon"], tie_word_embeddings=s["tied"])
    if name == "bloom":
        return t.BloomConfig(hidden_size=s["width"], n_layer=s["layers"], n_head=s["heads"], vocab_size=s["vocabulary"],
                             layer_norm_epsilon=s["epsilon"])
    return t.MptConfig(d_model=s["width"], n_layers=s["layers"], n_heads=s["heads"], vocab_size=s["vocabulary"],
                       max_seq_len=s["context"], expansion_ratio=s["ffn"] // s["width"], layer_norm_epsilon=s["epsilon"],
                       attn_config={"alibi": True})


LLAMA = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head", "blk": "model.layers",
         "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
         "attn_v": "self_attn.v_proj", "attn_q_norm": "self_attn.q_norm", "attn_k_norm": "self_attn.k_norm",
         "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
         "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
NAMES = {
    "llama": LLAMA, "qwen2": LLAMA, "qwen3": LLAMA, "gemma": LLAMA,
    "gpt2": {"token_embd": "transformer.wte", "position_embd": "transformer.wpe", "output_norm": "transformer.ln_f",
             "blk": "transformer.h", "attn_norm": "ln_1", "attn_qkv": "attn.c_attn", "attn_output": "attn.c_proj",
             "ffn_norm": "ln_2", "ffn_up": "mlp.c_fc", "ffn_down": "mlp.c_proj"},
    "gptneox": {"token_embd": "gpt_neox.embed_in", "output_norm": "gpt_neox.final_layer_norm", "output": "lm_head",
                "blk": "gpt_neox.layers", "attn_norm": "input_layernorm", "attn_qkv": "attention.query_key_value",
                "attn_output": "attention.dense", "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.dense_h_to_4h",
                "ffn_down": "mlp.dense_4h_to_h"},
    "bloom": {"token_embd": "transformer.word_embeddings", "token_embd_norm": "transformer.word_embeddings_layernorm",
              "output_norm": "transformer.ln_f", "blk": "transformer.h", "attn_norm": "input_layernorm",
              "attn_qkv": "self_attention.query_key_value", "attn_output": "self_attention.dense",
              "ffn_norm": "post_attention_layernorm", "ffn_up": "mlp.dense_h_to_4h", "ffn_down": "mlp.dense_4h_to_h"},
    "mpt": {"token_embd": "transformer.wte", "output_norm": "transformer.norm_f", "blk": "transformer.blocks",
            "attn_norm": "norm_1", "attn_qkv": "attn.Wqkv", "attn_output": "attn.out_proj", "ffn_norm": "norm_2",
            "ffn_up": "ffn.up_proj", "ffn_down": "ffn.down_proj"},
}


def name_of(architecture, name):
    parts = name.split(".")
    names = NAMES[architecture]
    if parts[0] == "blk":
        return f"{names['blk']}.{parts[1]}.{names[parts[2]]}.{parts[3]}"
    return f"{names[parts[0]]}.{parts[1]}"


def converted(s, name, numbers):
    """A tensor of a GGUF file as the model class has it."""
    architecture, part = s["architecture"], name.split(".")[-2]
    heads, dim = s["heads"], s["head_dim"]
    if architecture == "llama" and part in ("attn_q", "attn_k"):
        # Row 2i + j of a head is row j d/2 + i of the class.
        return numpy.swapaxes(numbers.reshape(-1, dim // 2, 2, s["width"]), 1, 2).reshape(numbers.shape)
    if architecture in ("gptneox", "bloom") and part == "attn_qkv":
        return numpy.swapaxes(numbers.reshape(3, heads, dim, *numbers.shape[1:]), 0, 1).reshape(numbers.shape)
    if architecture == "gemma" and part.endswith("norm"):
        return numbers - 1
    if architecture == "gpt2" and numbers.ndim == 2 and part not in ("token_embd", "position_embd"):
        return numbers.T
    return numbers


def network_of(model, scaling=None):
    s = model.shape
    network = transformers.AutoModelForCausalLM.from_config(config_of(s, scaling), attn_implementation="eager").double().eval()
    state = {}
    for name, (_, shape, _) in model.tensors.items():
        numbers = numpy.array(model.weights[name], dtype=numpy.float64).reshape(shape)
        state[name_of(s["architecture"], name)] = torch.from_numpy(converted(s, name, numbers).copy())
    missing, unexpected = network.load_state_dict(state, strict=False)
    lacking = [name for name in missing if name != "lm_head.weight"]  # tied to the embedding
    if lacking or unexpected:
        raise SystemExit(f"{s['architecture']}: without {lacking}, unknown {unexpected}")
    network.tie_weights()
    return network


def logits_of(network, tokens):
    with torch.no_grad():
        return network(torch.tensor([tokens])).logits[0]


def shares_of(network, row):
    """Cumulative shares by distance of the gradient of the last loss by what enters the first layer."""
    kept = []

    def keep(module, arguments, keywords):
        stream = arguments[0] if arguments else keywords["hidden_states"]
        stream.retain_grad()
        kept.append(stream)

    layers = next(part for name, part in network.named_modules() if isinstance(part, torch.nn.ModuleList))
    hook = layers[0].register_forward_pre_hook(keep, with_kwargs=True)
    loss = torch.nn.functional.cross_entropy(network(torch.tensor([row[:-1]])).logits[0, -1:], torch.tensor([row[-1]]))
    loss.backward()
    hook.remove()
    norms = kept[0].grad[0].norm(dim=-1).flip(0)
    return norms / norms.sum()


def main():
    program = sys.argv[1]
    known = architectures.known_tokens()
    with tempfile.TemporaryDirectory() as name:
        rows = architectures.contexts(program, pathlib.Path(name), known)
    record = {"contexts": rows}
    for architecture in architectures.SHAPES:
        network = network_of(architectures.model_of(architecture, 23))
        logits = logits_of(network, architectures.TOKENS).tolist()
        network = network_of(architectures.model_of(architecture, len(known["tokens"])))
        shares = sum(shares_of(network, row) for row in rows) / len(rows)
        record[architecture] = {"logits": [[float(f"{x:.9g}") for x in row] for row in logits],
                                "gradient": [float(f"{x:.9g}") for x in shares.cumsum(0).tolist()]}
    record["scaled"] = {}
    for name, scaling in architectures.SCALINGS.items():
        network = network_of(architectures.model_of("llama", 23), {"rope_type": name, **scaling})
        record["scaled"][name] = [[float(f"{x:.9g}") for x in row] for row in logits_of(network, architectures.TOKENS).tolist()]
    lines = [f'"{name}": {json.dumps(value, separators=(",", ":"))}' for name, value in record.items()]
    (TESTS / "architectures.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
