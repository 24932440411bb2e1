"""Compares the time of prompt processing of a checkpoint with PyTorch's: bench_checkpoint.py FILE.gguf [TOKENS [TURNS]]

Needs torch, transformers, accelerate and gguf. Both programs process the same random tokens, in float32, with the same
dequantized weights and the same number of threads, in turns. farfield's time is that of `farfield forward` minus that
of a run with one token, which excludes reading the weights. An untimed run with one token precedes both, because a
virtual machine may have to take the memory for the weights from its host, and PyTorch has its weights in memory.
PyTorch's time is that of one call. Neither writes its logits to a file: farfield's go to /dev/null, except in the last
run, whose logits are compared with PyTorch's.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import transformers

PROGRAM = os.environ["FARFIELD"]


def forward_seconds(folder, file, tokens, output="/dev/null"):
    numpy.save(folder / "tokens.npy", tokens)
    start = time.perf_counter()
    subprocess.run([PROGRAM, "forward", file, "--tokens", "tokens.npy", "-o", output], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def multiply_adds(config, count):
    """The multiply-adds of the matrix products, and of the causal half of the attention."""
    dim = config.hidden_size // config.num_attention_heads
    keys = config.num_key_value_heads * dim
    layer = config.hidden_size * (2 * config.hidden_size + 2 * keys + 3 * config.intermediate_size)
    pairs = count * (count + 1) // 2 * config.num_attention_heads * dim * 2
    return count * (config.num_hidden_layers * layer + config.hidden_size * config.vocab_size) + config.num_hidden_layers * pairs


def main():
    file = pathlib.Path(sys.argv[1]).resolve()
    count, turns = (int(argument) for argument in (*sys.argv[2:], *("2048", "5")[len(sys.argv) - 2:]))
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    network = transformers.AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32).eval()
    tokens = numpy.random.default_rng(1).integers(0, network.config.vocab_size, count).astype(numpy.int32)
    ours, theirs = [], []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name, torch.no_grad():
        folder = pathlib.Path(name)
        row = torch.from_numpy(tokens.astype(numpy.int64))[None]
        network(row)
        for _ in range(turns):
            forward_seconds(folder, file, tokens[:1])
            ours.append(forward_seconds(folder, file, tokens) - forward_seconds(folder, file, tokens[:1]))
            start = time.perf_counter()
            logits = network(row).logits
            theirs.append(time.perf_counter() - start)
        forward_seconds(folder, file, tokens, "logits.npy")
        off = float(numpy.abs(numpy.load(folder / "logits.npy") - logits[0].numpy()).max())
    spread = lambda times: {"least": min(times), "median": sorted(times)[len(times) // 2], "most": max(times)}
    print(json.dumps({"tokens": count, "threads": torch.get_num_threads(), "farfield": spread(ours), "torch": spread(theirs),
                      "ratio of the least": min(theirs) / min(ours), "multiply-adds": multiply_adds(network.config, count),
                      "largest difference of a logit": off, "versions": [torch.__version__, transformers.__version__]}))


if __name__ == "__main__":
    main()
