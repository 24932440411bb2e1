"""PyTorch's training step of farfield's model under ALiBi. Does a step for each line "step" that it reads, and a plain
product of floats for each line "product", and answers with the microseconds. Arguments: R C H L B THREADS
eager|compiled sdpa|manual fp32|bf16. "manual" writes attention as two products and a softmax, which torch.compile
fuses."""
import math
import os
import sys
import time

import torch
import torch.nn.functional as F

VOCABULARY = 256
PRODUCT_SIZE = 1024
layers, width, heads, length, batch, threads = map(int, sys.argv[1:7])
compiled, manual, precision = sys.argv[7] == "compiled", sys.argv[8] == "manual", sys.argv[9]
torch.set_num_threads(threads)
torch.manual_seed(0)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.attention_in, self.attention_out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.ffn_in, self.ffn_out = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x, bias):
        q, k, v = (self.attention_in(self.norm1(x)).view(batch, length, 3, heads, width // heads)
                   .permute(2, 0, 3, 1, 4).unbind(0))
        if manual:
            scores = q @ k.transpose(-2, -1) / math.sqrt(width // heads) + bias
            o = F.softmax(scores, -1).to(v.dtype) @ v
        else:
            o = F.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        x = x + self.attention_out(o.transpose(1, 2).reshape(batch, length, width))
        return x + self.ffn_out(F.gelu(self.ffn_in(self.norm2(x)), approximate="tanh"))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(VOCABULARY, width), torch.nn.Linear(width, VOCABULARY, bias=False)
        self.blocks, self.norm = torch.nn.ModuleList(Block() for _ in range(layers)), torch.nn.LayerNorm(width)
        distance = torch.arange(length)[:, None] - torch.arange(length)[None, :]
        slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
        bias = torch.where(distance >= 0, -slopes[:, None, None] * distance, -math.inf)
        self.register_buffer("bias", bias[None].contiguous())

    def forward(self, tokens, targets):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, self.bias)
        return F.cross_entropy(self.head(self.norm(x)).view(-1, VOCABULARY).float(), targets.view(-1))


model = Model()
forward = torch.compile(model) if compiled else model
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, fused=True)
tokens = torch.randint(0, VOCABULARY, (batch, length + 1))
inputs, targets = tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def step():
    optimiser.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=precision == "bf16"):
        loss = forward(inputs, targets)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=True)
    optimiser.step()


def product():
    torch.mm(left, right, out=product_of_both)


def describe():
    shown = torch.__config__.show()
    blas = next((name for name in ("mkl", "openblas", "eigen") if f"BLAS_INFO={name}" in shown), "unknown BLAS")
    onednn = next((line.split("MKL-DNN ")[1].split(" ")[0] for line in shown.splitlines() if "MKL-DNN" in line), "none")
    return f"PyTorch {torch.__version__}, {blas}, oneDNN {onednn}, {torch.backends.cpu.get_cpu_capability()}"


left, right, product_of_both = (torch.rand(PRODUCT_SIZE, PRODUCT_SIZE) for _ in range(3))
works = {"step": step, "product": product}
for _ in range(3):
    step()
print(describe(), flush=True)
for line in sys.stdin:
    work = works[line.strip()]
    start = time.perf_counter()
    work()
    print((time.perf_counter() - start) * 1e6, flush=True)
os._exit(0)
