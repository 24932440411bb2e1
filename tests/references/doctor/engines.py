"""Computes positions from configurations by the engines' own code: engines.py ENGINE FOLDER_OF_CONFIGURATIONS
FACTS.json [VARIANTS.json]

Adds to FACTS.json, under "ENGINE", the inverse frequencies and the attention factor of every layer type, at position
max_position_embeddings - 1. VARIANTS.json has configurations with some keys replaced. Their answers are at position
"served" - 1 if it is given. A configuration for which the engine's code raises an error is "refused".

ENGINE is transformers-4.44 (transformers==4.44.2), transformers-5 (transformers==5.23.0) or vllm (transformers==5.23.0
and, on PYTHONPATH, the Python files of vllm==0.33.0). Or it is one of these, with the package's Python files on
PYTHONPATH: mlx-lm (mlx_lm==0.32.2, with mlx[cpu]==0.32.4), litgpt (0.5.13) and torchtune (0.6.1). All but mlx-lm need
torch. The tests do not run this script; they compare `farfield doctor` with the facts.

For litgpt and torchtune, only the positional code runs, without the packages around it. Neither reads a config.json, so
the script passes the values that their own model configurations contain. For mlx-lm, its classes build attention
modules from a config.json, without the package's loading of weights and tokenizers.
"""
import dataclasses
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import inspect
import json
import pathlib
import sys
import types
import unittest.mock

try:
    import torch
    Module = torch.nn.Module
except ImportError:
    Module = object


class NoWeights(Module):
    """Replaces projections, because only the rotary embedding is needed."""

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
    """The inverse frequencies and the attention factor after a forward pass to the last position."""
    x = torch.zeros(1, 1, 2, 8)
    arguments = {} if layer_type is None else {"layer_type": layer_type}
    positions = torch.tensor([[0, length - 1]])
    names = inspect.signature(rotary.forward).parameters
    if "position_ids" not in names:
        # The older classes scale positions instead of frequencies.
        cosine, sine = (table[1].double() for table in rotary(x, seq_len=length))
        half = len(cosine) // 2
        return {"inv_freq": torch.atan2(sine[:half], cosine[:half]).tolist(), "attention_factor": 1.0}
    made = rotary(x, positions, **arguments)
    # DeepSeek V2 returns complex numbers.
    cosine = made.abs() if isinstance(made, torch.Tensor) else made[0]
    factor = float(cosine.float().flatten()[0])
    prefix = "" if layer_type is None else layer_type + "_"
    return {"inv_freq": getattr(rotary, prefix + "inv_freq").float().tolist(), "attention_factor": factor}


def transformers_4(keys, served=None):
    config = config_of(keys)
    modeling = modeling_of(config)
    names = [name for name in dir(modeling) if name.endswith("Attention") and name[0].isupper()]
    name = min((n for n in names if "Flash" not in n and "Sdpa" not in n), key=len)
    torch.nn.Linear = NoWeights
    kind = getattr(modeling, name)
    takes_layer = "layer_idx" in inspect.signature(kind.__init__).parameters
    attention = kind(config, layer_idx=0) if takes_layer else kind(config)
    rotary = attention.rotary_emb if hasattr(attention, "rotary_emb") else modeling.NemotronRotaryEmbedding(config=config)
    return {"": rotate(rotary, served or config.max_position_embeddings)}


def softmax_factor(modeling, config):
    """The factor by which the attention module multiplies all logits."""
    if not hasattr(modeling, "yarn_apply_mscale"):
        return {}
    return {"softmax_factor": modeling.yarn_apply_mscale(config.rope_parameters, 1.0)}


def transformers_5(keys, served=None):
    config = config_of(keys)
    modeling = modeling_of(config)
    names = [name for name in dir(modeling) if name.endswith("RotaryEmbedding") and "Vision" not in name]
    rotary = getattr(modeling, min(names, key=len))(config)
    nested = [name for name, value in config.rope_parameters.items() if isinstance(value, dict)]
    return {name or "": rotate(rotary, served or config.max_position_embeddings, name) | softmax_factor(modeling, config)
            for name in nested or [None]}


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Mocks all of vLLM except its rotary embeddings."""

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


def vllm(keys, served=None):
    if not any(isinstance(finder, Absent) for finder in sys.meta_path):
        sys.meta_path.insert(0, Absent())
    config = config_of(keys)
    rotary = importlib.import_module(Absent.real)
    length = config.max_position_embeddings
    current = unittest.mock.MagicMock()
    current.model_config.max_model_len = served or length
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


def file_of(name):
    for folder in sys.path:
        if (pathlib.Path(folder) / name).is_file():
            return pathlib.Path(folder) / name
    raise FileNotFoundError(name)


def width_of(keys):
    width = keys.get("qk_rope_head_dim") or keys.get("head_dim") or keys["hidden_size"] // keys["num_attention_heads"]
    return int(width * keys.get("partial_rotary_factor", keys.get("rotary_pct", 1)))


def base_of(keys):
    """The base that a configuration written for the model would have. Configurations without a base are skipped."""
    if "rope_theta" not in keys:
        raise KeyError("no rope_theta")
    return keys["rope_theta"]


def of_first_row(cosine, sine):
    return {"inv_freq": torch.atan2(sine[1].double(), cosine[1].double()).tolist(), "attention_factor": float(cosine[0][0])}


def litgpt(keys):
    """Runs build_rope_cache and its helper alone, because litgpt.model cannot be imported without lightning."""
    import ast
    import math
    tree = ast.parse(file_of("litgpt/model.py").read_text())
    wanted = [node for node in tree.body if getattr(node, "name", "") in ("build_rope_cache", "yarn_get_mscale")]
    names = {"torch": torch, "math": math}
    exec(compile(ast.Module(wanted, []), "litgpt/model.py", "exec"), names)
    scaling = keys.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    original = scaling.get("original_max_position_embeddings")
    adjustments = {"default": None, "linear": {"factor": scaling.get("factor")},
                   "llama3": {"factor": scaling.get("factor"), "low_freq_factor": scaling.get("low_freq_factor"),
                              "high_freq_factor": scaling.get("high_freq_factor"), "original_max_seq_len": original},
                   "yarn": {"factor": scaling.get("factor"), "beta_fast": scaling.get("beta_fast", 32),
                            "beta_slow": scaling.get("beta_slow", 1), "original_max_seq_len": original,
                            **{name: scaling[name] for name in ("mscale", "mscale_all_dim", "truncate") if name in scaling}}}[kind]
    width = width_of(keys)
    local = keys.get("rope_local_base_freq")
    cosine, sine = names["build_rope_cache"](2, width, base=base_of(keys), extra_config=adjustments, rope_local_base_freq=local)
    half = width // 2
    if local is None:
        return {"": of_first_row(cosine[:, :half], sine[:, :half])}
    return {name: of_first_row(cosine[:, :half, at], sine[:, :half, at])
            for at, name in enumerate(("full_attention", "sliding_attention"))}


def torchtune(keys):
    """The two classes of rotary embeddings in torchtune's Llama models."""
    def made_from(name, path):
        spec = importlib.util.spec_from_file_location(path.replace("/", "_"), file_of(path))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, name)
    scaling = keys.get("rope_scaling") or {}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if "rope_local_base_freq" in keys:
        raise KeyError("two bases")
    if kind == "llama3":
        rotary = made_from("Llama3ScaledRoPE", "torchtune/models/llama3_1/_position_embeddings.py")(
            width_of(keys), 2, base_of(keys), scaling["factor"], scaling["low_freq_factor"], scaling["high_freq_factor"],
            scaling["original_max_position_embeddings"])
    elif kind == "default":
        rotary = made_from("RotaryPositionalEmbeddings", "torchtune/modules/position_embeddings.py")(width_of(keys), 2, base_of(keys))
    else:
        raise KeyError(f"no scaling of type {kind}")
    return {"": {"inv_freq": rotary.theta.tolist(), "attention_factor": float(rotary.cache[0][0][0])}}


def mlx_lm(keys, served=None):
    """Runs the attention module of the first layer and, for Gemma 3, that of a layer with full attention. The angles
    come from rotated unit vectors."""
    import math
    import mlx.core as mx
    if "mlx_lm" not in sys.modules:
        package = types.ModuleType("mlx_lm")
        package.__path__ = [str(file_of("mlx_lm/__init__.py").parent)]
        sys.modules["mlx_lm"] = package
    keys = keys.get("text_config", keys)
    # As MODEL_REMAPPING of mlx_lm/utils.py. SmolLM3 uses the layers of Llama.
    module = importlib.import_module("mlx_lm.models." + {"mistral": "llama"}.get(keys["model_type"], keys["model_type"]))
    # Facts lack the sizes of other parts, on which positions do not depend.
    class_of = getattr(module, "TextArgs", module.ModelArgs)
    for field in dataclasses.fields(class_of):
        is_given = field.name in keys or field.default is not dataclasses.MISSING
        if not is_given and not any(word in field.name for word in ("rope", "rotary", "head", "position", "hidden_s")):
            keys[field.name] = 8
    arguments = class_of.from_dict(keys) if hasattr(class_of, "from_dict") else class_of(
        **{field.name: keys[field.name] for field in dataclasses.fields(class_of) if field.name in keys})
    attention_of = importlib.import_module("mlx_lm.models.llama") if keys["model_type"] == "smollm3" else module
    kind = min((getattr(attention_of, name) for name in dir(attention_of) if name.endswith("Attention")),
               key=lambda each: len(each.__name__))
    layers = {"gemma3_text": {"full_attention": 5, "sliding_attention": 0}, "smollm3": {"full_attention": 0},
              "llama4_text": {"chunked_attention": 0}}.get(keys["model_type"], {"": 0})
    found = {}
    for name, layer in layers.items():
        takes_layer = "layer_idx" in inspect.signature(kind.__init__).parameters
        attention = kind(arguments, layer) if takes_layer else kind(arguments)
        # A module is an empty dict, and therefore false in a condition.
        rotary = attention.rope if hasattr(attention, "rope") else attention.rotary_emb
        dims = next((getattr(rotary, each) for each in ("dims", "dim") if hasattr(rotary, each)), keys.get("qk_rope_head_dim"))
        is_interleaved = rotary.traditional if hasattr(rotary, "traditional") else keys["model_type"] in ("deepseek_v2", "deepseek_v3")
        # Positions 0 and 1 of a text with the served length.
        row = [0.0] * dims
        for i in range(dims // 2):
            row[2 * i if is_interleaved else i] = 1.0
        turned = rotary(mx.broadcast_to(mx.array(row), (1, 1, served or 2, dims)))
        first = float(turned[0, 0, 0, 0])
        at_one = [float(value) for value in turned[0, 0, 1]]
        cosine = at_one[0::2] if is_interleaved else at_one[:dims // 2]
        sine = at_one[1::2] if is_interleaved else at_one[dims // 2:]
        angles = [math.atan2(s, c) for c, s in zip(cosine, sine)]
        found[name] = {"inv_freq": angles, "attention_factor": first}
        if hasattr(attention, "q_head_dim"):
            found[name]["softmax_factor"] = attention.scale * attention.q_head_dim ** 0.5
    return found


ENGINES = {"transformers-4.44": transformers_4, "transformers-5": transformers_5, "vllm": vllm, "litgpt": litgpt,
           "torchtune": torchtune, "mlx-lm": mlx_lm}


PACKAGES = {"mlx-lm": ("mlx",), "litgpt": ("torch",), "torchtune": ("torch",)}
PACKAGES.update({name: ("torch", "transformers") for name in ("transformers-4.44", "transformers-5", "vllm")})
# Packages whose files are read without an installation.
FILES = {"vllm": "0.33.0", "litgpt": "0.5.13", "torchtune": "0.6.1", "mlx-lm": "0.32.2"}


def answers_of_variants(engine, folder, path):
    for variant in json.loads(path.read_text()):
        keys = json.loads((folder / f"{variant['of']}.json").read_text()) | variant["set"]
        try:
            yield variant["name"], ENGINES[engine](keys, variant.get("served"))
        except Exception as error:
            is_refusal = isinstance(error, (ValueError, KeyError, AssertionError)) or "Validation" in type(error).__name__
            if "Unrecognized model" in str(error) or isinstance(error, ModuleNotFoundError):
                continue  # the engine lacks the model
            if not is_refusal:
                raise
            print(f"{variant['name']}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)
            yield variant["name"], {"refused": True}


def main():
    engine, folder, facts = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    answers = {}
    for path in sorted(folder.glob("*.json")):
        try:
            answers[path.stem] = ENGINES[engine](json.loads(path.read_text()))
        except Exception as error:
            print(f"{path.stem}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)
    known = json.loads(facts.read_text()) if facts.exists() else {}
    known[engine] = {"packages": {name: importlib.metadata.version(name) for name in PACKAGES[engine]}, "answers": {}}
    if engine in FILES:
        known[engine]["packages"][engine] = FILES[engine]
    for name, types_of in answers.items():
        for layer_type, answer in types_of.items():
            rounded = [float(f"{value:.9g}") for value in answer["inv_freq"]]
            answer["inv_freq"] = rounded
        known[engine]["answers"][name] = types_of
    if len(sys.argv) > 4:
        known[engine]["variants"] = {}
        for name, types_of in answers_of_variants(engine, folder, pathlib.Path(sys.argv[4])):
            for answer in types_of.values():
                if isinstance(answer, dict):
                    answer["inv_freq"] = [float(f"{value:.9g}") for value in answer["inv_freq"]]
            known[engine]["variants"][name] = types_of
    lines = json.dumps(known, sort_keys=True)
    facts.write_text(lines.replace('"inv_freq"', '\n"inv_freq"') + "\n")


if __name__ == "__main__":
    main()
