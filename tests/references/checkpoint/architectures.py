"""Logits and gradients of small random models by Hugging Face's transformers: architectures.py PROGRAM

Writes tests/checkpoint/architectures.json. Needs torch, numpy and transformers. Models compute in float64. The weights
are those of tests/checkpoint/tiny.py, converted to the layout of each model class. In a fused tensor, GGUF has the
queries, keys and values one after another; GPT-NeoX and BLOOM have them by heads. GPT-2 has transposed matrices. Gemma
adds 1 to the weights of norms, which a GGUF file already contains. In Llama's GGUF files, the two rows of a rotated
pair are adjacent.
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
import folders  # noqa: E402


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
    if name == "gemma2":
        more = s["more_keys"]
        return t.Gemma2Config(**llama_like(s), sliding_window=more["attention.sliding_window"],
                              query_pre_attn_scalar=round(more["attention.scale"] ** -2),
                              attn_logit_softcapping=more["attn_logit_softcapping"],
                              final_logit_softcapping=more["final_logit_softcapping"])
    if name == "gemma3":
        more = s["more_keys"]
        return t.Gemma3TextConfig(**llama_like(s) | {
            "rope_parameters": {"full_attention": {"rope_type": "linear", "rope_theta": s["base"], "factor": more["rope.scaling.factor"]},
                                "sliding_attention": {"rope_type": "default", "rope_theta": more["rope.freq_base_swa"]}},
            "sliding_window": more["attention.sliding_window"], "query_pre_attn_scalar": round(more["attention.scale"] ** -2),
            "layer_types": ["sliding_attention", "full_attention"] * (s["layers"] // 2)})
    if name == "gpt2":
        return t.GPT2Config(n_embd=s["width"], n_layer=s["layers"], n_head=s["heads"], n_inner=s["ffn"],
                            vocab_size=s["vocabulary"], n_positions=s["context"], layer_norm_epsilon=s["epsilon"])
    if name == "gptneox":
        return t.GPTNeoXConfig(hidden_size=s["width"], num_hidden_layers=s["layers"], num_attention_heads=s["heads"],
                               intermediate_size=s["ffn"], vocab_size=s["vocabulary"], max_position_embeddings=s["context"],
                               rope_parameters={"rope_type": "default", "rope_theta": s["base"],
                                                "partial_rotary_factor": s["rotated"] / s["head_dim"]},
                               layer_norm_eps=s["epsilon"], tie_word_embeddings=s["tied"])
    if name == "falcon":
        return t.FalconConfig(hidden_size=s["width"], num_hidden_layers=s["layers"], num_attention_heads=s["heads"],
                              num_kv_heads=s["key_heads"], ffn_hidden_size=s["ffn"], vocab_size=s["vocabulary"],
                              max_position_embeddings=s["context"], layer_norm_epsilon=s["epsilon"],
                              new_decoder_architecture=True, rope_parameters={"rope_type": "default", "rope_theta": s["base"]})
    if name == "bloom":
        return t.BloomConfig(hidden_size=s["width"], n_layer=s["layers"], n_head=s["heads"], vocab_size=s["vocabulary"],
                             layer_norm_epsilon=s["epsilon"])
    return t.MptConfig(d_model=s["width"], n_layers=s["layers"], n_heads=s["heads"], vocab_size=s["vocabulary"],
                       max_seq_len=s["context"], expansion_ratio=s["ffn"] // s["width"], layer_norm_epsilon=s["epsilon"],
                       attn_config={"alibi": True})


def network_of(model, scaling=None):
    s = model.shape
    network = transformers.AutoModelForCausalLM.from_config(config_of(s, scaling), attn_implementation="eager").double().eval()
    state = {}
    for name, (_, shape, _) in model.tensors.items():
        changed = folders.converted(s, name, numpy.array(model.weights[name], dtype=numpy.float64).reshape(shape))
        name = folders.name_of(s["architecture"], name).replace("embed_out.", "lm_head.")  # in the layout of the class's files
        state[name] = torch.from_numpy(changed.copy())
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
    """Cumulative shares by distance of the gradient of the last loss with respect to the input of the first layer."""
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
