"""llm-foundry: the biases of ALiBi."""
import ast
import importlib.util
import math
import pathlib
from typing import Optional

import torch

PACKAGE = "llm-foundry"
WITH = ["torch"]

HEADS = 12
SHORT = 24


def functions(*names):
    """Functions of llmfoundry/models/layers/attention.py without its imports, because some of the imported packages
    cannot be installed here."""
    root = pathlib.Path(importlib.util.find_spec("llmfoundry").origin).parent
    tree = ast.parse((root / "models/layers/attention.py").read_text())
    tree.body = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name in names]
    space = {"torch": torch, "math": math, "Optional": Optional}
    exec(compile(tree, "attention.py", "exec"), space)
    return [space[name] for name in names]


def tensors():
    _, build = functions("gen_slopes", "build_alibi_bias")
    for heads in (8, HEADS):
        yield (f"alibi-{heads}", build(heads, SHORT, full=True, dtype=torch.float32)[0], "build_alibi_bias(n_heads, seq_len, full=True, dtype)",
               {"n_heads": heads, "seq_len": SHORT, "dtype": "float32"})
    yield ("alibi-last", build(8, SHORT, dtype=torch.float32)[0], "build_alibi_bias(n_heads, seq_len, dtype)", {"n_heads": 8, "seq_len": SHORT, "dtype": "float32"})
