"""Runs one recipe inside the environment that make.py built, and writes its tensors.

Usage: record.py RECIPE FILE

Writes FILE (.safetensors) and FILE.json in the same folder. FILE.json has the call and its arguments for each tensor.
"""
import hashlib
import importlib.metadata
import importlib.util
import json
import pathlib
import sys
import warnings

import torch
from safetensors.torch import save_file


def load(path):
    spec = importlib.util.spec_from_file_location("recipe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def digest(tensor):
    return hashlib.sha256(tensor.contiguous().view(torch.uint8).numpy().tobytes()).hexdigest()


def main():
    recipe_path, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    recipe = load(recipe_path)
    tensors, entries = {}, {}
    with torch.no_grad():
        for name, tensor, call, arguments in recipe.tensors():
            if name in tensors:
                raise SystemExit(f"{recipe_path.name} yields '{name}' twice")
            tensor = torch.as_tensor(tensor).detach().clone().contiguous()
            tensors[name] = tensor
            entries[name] = {"call": call, "arguments": arguments, "type": str(tensor.dtype).removeprefix("torch."),
                             "shape": list(tensor.shape), "sha256": digest(tensor)}
    save_file(tensors, target)
    about = {"package": recipe.PACKAGE, "version": importlib.metadata.version(recipe.PACKAGE),
             "with": {name: importlib.metadata.version(name) for name in recipe.WITH}, "tensors": entries}
    target.with_suffix(".json").write_text(json.dumps(about))


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    main()
