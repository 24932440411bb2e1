"""Writes config.json of small models with Hugging Face's transformers: folders.py

Adds the files of the installed version to tests/checkpoint/folders.json. Run it with versions 4.44.2 and 5.23.0.
"""
import json
import pathlib
import sys

import transformers

TESTS = pathlib.Path(__file__).resolve().parents[2] / "checkpoint"
sys.path[:0] = [str(TESTS), str(pathlib.Path(__file__).parent)]
import architectures  # noqa: E402

IS_OLD = transformers.__version__.startswith("4.")


def old_config_of(s, scaling):
    t = transformers
    name = s["architecture"]
    if name in ("llama", "qwen2", "gemma"):
        kind = {"llama": t.LlamaConfig, "qwen2": t.Qwen2Config, "gemma": t.GemmaConfig}[name]
        return kind(hidden_size=s["width"], intermediate_size=s["ffn"], num_hidden_layers=s["layers"],
                    num_attention_heads=s["heads"], num_key_value_heads=s["key_heads"], head_dim=s["head_dim"],
                    vocab_size=s["vocabulary"], max_position_embeddings=s["context"], rms_norm_eps=s["epsilon"],
                    rope_theta=s["base"], tie_word_embeddings=s["tied"], **({"rope_scaling": scaling} if scaling else {}))
    if name == "gemma2":
        more = s["more_keys"]
        return t.Gemma2Config(hidden_size=s["width"], intermediate_size=s["ffn"], num_hidden_layers=s["layers"],
                              num_attention_heads=s["heads"], num_key_value_heads=s["key_heads"], head_dim=s["head_dim"],
                              vocab_size=s["vocabulary"], max_position_embeddings=s["context"], rms_norm_eps=s["epsilon"],
                              rope_theta=s["base"], tie_word_embeddings=s["tied"],
                              sliding_window=more["attention.sliding_window"],
                              query_pre_attn_scalar=round(more["attention.scale"] ** -2),
                              attn_logit_softcapping=more["attn_logit_softcapping"],
                              final_logit_softcapping=more["final_logit_softcapping"])
    if name == "falcon":
        return t.FalconConfig(hidden_size=s["width"], num_hidden_layers=s["layers"], num_attention_heads=s["heads"],
                              num_kv_heads=s["key_heads"], ffn_hidden_size=s["ffn"], vocab_size=s["vocabulary"],
                              max_position_embeddings=s["context"], layer_norm_epsilon=s["epsilon"],
                              new_decoder_architecture=True, rope_theta=s["base"])
    if name == "gptneox":
        return t.GPTNeoXConfig(hidden_size=s["width"], num_hidden_layers=s["layers"], num_attention_heads=s["heads"],
                               intermediate_size=s["ffn"], vocab_size=s["vocabulary"], max_position_embeddings=s["context"],
                               rotary_emb_base=s["base"], rotary_pct=s["rotated"] / s["head_dim"],
                               layer_norm_eps=s["epsilon"], tie_word_embeddings=s["tied"])
    return None


def config_of(s, scaling=None):
    if IS_OLD and s["architecture"] in ("llama", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "gptneox", "falcon"):
        return old_config_of(s, scaling)
    import importlib.util
    place = importlib.util.spec_from_file_location("of_models", pathlib.Path(__file__).with_name("architectures.py"))
    of_models = importlib.util.module_from_spec(place)
    place.loader.exec_module(of_models)
    return of_models.config_of(s, scaling)


def main():
    path = TESTS / "folders.json"
    record = json.loads(path.read_text()) if path.exists() else {}
    found = {}
    for name in architectures.SHAPES:
        if config := config_of(architectures.model_of(name, 23).shape):
            found[name] = json.loads(config.to_json_string())
    for name, scaling in architectures.SCALINGS.items():
        config = config_of(architectures.model_of("llama", 23).shape, {"rope_type": name, **scaling})
        found[f"llama-{name}"] = json.loads(config.to_json_string())
    record[transformers.__version__] = found
    versions = []
    for version, configs in sorted(record.items()):
        lines = [f'  "{name}": {json.dumps(config, separators=(",", ":"))}' for name, config in configs.items()]
        versions.append(f'"{version}": {{\n' + ",\n".join(lines) + "\n}")
    path.write_text("{\n" + ",\n".join(versions) + "\n}\n")


if __name__ == "__main__":
    main()
