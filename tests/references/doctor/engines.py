"""What engines compute from configurations, by their own code: engines.py ENGINE FOLDER_OF_CONFIGURATIONS FACTS.json

Adds to FACTS.json, under "ENGINE", the inverse frequencies and the attention factor of every layer type, at position
max_position_embeddings - 1. ENGINE is transformers-4.44 (transformers==4.44.2), transformers-5 (transformers==5.23.0) or
vllm (transformers==5.23.0 and, on PYTHONPATH, the Python files of vllm==0.33.0). Needs torch. Not run by the tests, which
compare `farfield doctor` with the facts.
"""
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import inspect
import json
import pathlib
import sys
import types
import unittest.mock

import torch


class NoWeights(torch.nn.Module):
    """In place of projections: only the rotary embedding is wanted."""

    def __init__(self, *unused, **also_unused):
        super().__init__()
        self.weight = None


def config_of(keys):
    from transformers import AutoConfig
    keys = {key: value for key, value in keys.items() if key not in ("_facts", "transformers_version", "torch_dtype", "dtype")}
    part = keys.get("text_config")
    keys = part if part else keys
    return AutoConfig.for_model(**keys)


def modeling_of(config):
    name = type(config).__module__.replace(".configuration_", ".modeling_")
    return importlib.import_module(name)


def rotate(rotary, length, layer_type=None):
    """Inverse frequencies and attention factor after a forward pass to the last position."""
    x = torch.zeros(1, 1, 2, 8)
    arguments = {} if layer_type is None else {"layer_type": layer_type}
    positions = torch.tensor([[0, length - 1]])
    names = inspect.signature(rotary.forward).parameters
    if "position_ids" in names:
        made = rotary(x, positions, **arguments)
        # DeepSeek V2 gives complex numbers.
        cosine = made.abs() if isinstance(made, torch.Tensor) else made[0]
        factor = float(cosine.float().flatten()[0])
    else:
        factor = 1.0
    prefix = "" if layer_type is None else layer_type + "_"
    return {"inv_freq": getattr(rotary, prefix + "inv_freq").float().tolist(), "attention_factor": factor}


def transformers_4(keys):
    config = config_of(keys)
    modeling = modeling_of(config)
    names = [name for name in dir(modeling) if name.endswith("Attention") and name[0].isupper()]
    name = min((n for n in names if "Flash" not in n and "Sdpa" not in n), key=len)
    torch.nn.Linear = NoWeights
    attention = getattr(modeling, name)(config, layer_idx=0)
    return {"": rotate(attention.rotary_emb, config.max_position_embeddings)}


def transformers_5(keys):
    config = config_of(keys)
    modeling = modeling_of(config)
    names = [name for name in dir(modeling) if name.endswith("RotaryEmbedding") and "Vision" not in name]
    rotary = getattr(modeling, min(names, key=len))(config)
    nested = [name for name, value in config.rope_parameters.items() if isinstance(value, dict)]
    return {name or "": rotate(rotary, config.max_position_embeddings, name) for name in nested or [None]}


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """All of vLLM but its rotary embeddings: mocks."""

    real = "vllm.model_executor.layers.rotary_embedding"

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "vllm" and not name.startswith(self.real):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__path__ = []
        if spec.name == "vllm.model_executor.layers":
            for folder in sys.path:
                if (pathlib.Path(folder) / "vllm/model_executor/layers").is_dir():
                    module.__path__ = [str(pathlib.Path(folder) / "vllm/model_executor/layers")]
        mock = unittest.mock.MagicMock()
        module.__getattr__ = lambda attribute: getattr(mock, attribute)
        if spec.name == "vllm.model_executor.custom_op":
            class CustomOp(torch.nn.Module):
                @staticmethod
                def register(*unused, **also_unused):
                    return lambda wrapped: wrapped

                def enabled(self):
                    return False

                def __init__(self, *unused, **also_unused):
                    super().__init__()
            module.CustomOp = CustomOp
            module.PluggableLayer = CustomOp
        return module

    def exec_module(self, module):
        pass


def vllm(keys):
    if not any(isinstance(finder, Absent) for finder in sys.meta_path):
        sys.meta_path.insert(0, Absent())
    config = config_of(keys)
    rotary = importlib.import_module(Absent.real)
    length = config.max_position_embeddings
    current = unittest.mock.MagicMock()
    current.model_config.max_model_len = length
    for name, module in list(sys.modules.items()):
        if name.startswith(Absent.real) and hasattr(module, "get_current_vllm_config"):
            module.get_current_vllm_config = lambda: current
    width = getattr(config, "qk_rope_head_dim", None) or getattr(config, "head_dim", None)
    width = width or config.hidden_size // config.num_attention_heads
    found = {}
    nested = [name for name, value in config.rope_parameters.items() if isinstance(value, dict)]
    for name in nested or [None]:
        parameters = config.rope_parameters if name is None else config.rope_parameters[name]
        made = rotary.get_rope(width, length, is_neox_style=True, rope_parameters=dict(parameters), dtype=torch.float32)
        if hasattr(made, "long_short_cos_sin_cache"):
            original = parameters["original_max_position_embeddings"]
            cache = made.long_short_cos_sin_cache[original if length > original else 0:]
        else:
            cache = made.cos_sin_cache
        cosine, sine = cache[1].double().chunk(2)
        found[name or ""] = {"inv_freq": torch.atan2(sine, cosine).tolist(), "attention_factor": float(cache[0][0])}
    return found


ENGINES = {"transformers-4.44": transformers_4, "transformers-5": transformers_5, "vllm": vllm}


def main():
    engine, folder, facts = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    answers, lists = {}, {}
    for path in sorted(folder.glob("*.json")):
        try:
            answers[path.stem] = ENGINES[engine](json.loads(path.read_text()))
        except Exception as error:
            print(f"{path.stem}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)
    known = json.loads(facts.read_text()) if facts.exists() else {}
    known[engine] = {"packages": {name: importlib.metadata.version(name) for name in ("torch", "transformers")}, "answers": {}}
    if engine == "vllm":
        known[engine]["packages"]["vllm"] = "0.33.0"
    for name, types_of in answers.items():
        for layer_type, answer in types_of.items():
            rounded = [float(f"{value:.9g}") for value in answer["inv_freq"]]
            answer["inv_freq"] = rounded
        known[engine]["answers"][name] = types_of
    lines = json.dumps(known, sort_keys=True)
    facts.write_text(lines.replace('"inv_freq"', '\n"inv_freq"') + "\n")


if __name__ == "__main__":
    main()
