#!/usr/bin/python3
"""Times a training step under ALiBi with two threads, at four shapes. Peers are PyTorch, eager and compiled, with its
own attention and with attention written out, and JAX. Also times the step with products in bf16, and with a user's own
bias."""
import contextlib
import sys

import measure
import peers

THREADS = 2
VOCABULARY = 256
REPEATS = 15
LARGE_REPEATS = 3
PRODUCT_OPERATIONS = 2 * 1024**3  # of the plain product in peers/torch_step.py
# R, C, H, L, B, and the required share of the processor's rate of multiply-adds.
SHAPES = [(4, 64, 4, 64, 32, 0.85), (4, 128, 4, 128, 16, 0.85), (6, 256, 8, 256, 8, 0.85)]
LARGE = (12, 768, 12, 512, 4, 0.8)
PEERS = {"PyTorch": ("torch_step.py", "eager", "sdpa", "fp32"),
         "PyTorch manual": ("torch_step.py", "eager", "manual", "fp32"),
         "PyTorch compiled": ("torch_step.py", "compiled", "sdpa", "fp32"),
         "PyTorch compiled manual": ("torch_step.py", "compiled", "manual", "fp32"),
         "JAX": ("jax_step.py",)}
BF16_PEERS = {"PyTorch bf16": ("torch_step.py", "eager", "sdpa", "bf16"),
              "PyTorch compiled bf16": ("torch_step.py", "compiled", "sdpa", "bf16"),
              "PyTorch compiled manual bf16": ("torch_step.py", "compiled", "manual", "bf16")}
# Each process takes 3 to 5 GB at the large shape, so only the fastest ones are used there.
LARGE_PEERS = ("PyTorch", "PyTorch compiled manual")
OWN_BIAS = 'bias = "-0.5 * log(1 + n) - 2^(-h) * n + 0.1 * cos(n/3)"'


def operations(layers, width, length, batch):
    """The operations of a step: six for each weight and token, and two forward and five backward products of attention
    over half of all pairs."""
    tokens = length * batch
    weights = layers * 12 * width * width + width * VOCABULARY
    return 6 * tokens * weights + layers * 7 * 2 * tokens * width * length / 2


def arithmetic():
    """The multiplications and additions of floats that this processor does in a second with all threads, which is twice
    the number for doubles."""
    with measure.Timing("floor") as timing:
        seconds = min(measure.take_turns(15, flops=lambda: timing.seconds("flops"))["flops"])
        return 2 * timing.values()[0] * timing.threads() / seconds


def steps(stack, shape, scheme, precision="fp32"):
    timing = stack.enter_context(measure.Timing("step", *shape, THREADS, scheme, precision))
    return timing, lambda: timing.seconds("step")


def compare(shape, target, rate):
    """Measures seconds, shares of the processor's rate and peaks of memory at one shape."""
    layers, width, _, length, batch = shape
    is_large = shape == LARGE[:5]
    peers_here = {name: PEERS[name] for name in LARGE_PEERS} if is_large else PEERS | BF16_PEERS
    with contextlib.ExitStack() as stack:
        running = {name: stack.enter_context(peers.Peer(script, *shape, THREADS, *options))
                   for name, (script, *options) in peers_here.items()}
        works = {name: peer.seconds for name, peer in running.items()}
        works["product"] = lambda: running["PyTorch"].seconds("product")
        own, works["farfield"] = steps(stack, shape, "alibi")
        _, works["farfield bf16"] = steps(stack, shape, "alibi", "bf16")
        # An untimed step comes first, because training runs step after step with its own numbers in the cache, not
        # those of a peer.
        turns = measure.take_turns(LARGE_REPEATS if is_large else REPEATS,
                                   **{name: lambda work=work: (work(), work())[1] for name, work in works.items()})
        memory = {name: measure.peak_bytes(peer.process) for name, peer in running.items()}
        own_memory = measure.peak_bytes(own.process)
    size = f"R {layers}, C {width}, L {length}, B {batch}"
    report = measure.Report(f"model C {width}", f"a training step of {size}, ALiBi", THREADS)
    for about in sorted({peer.about for peer in running.values()}):
        print(f"  {about}")
    work = operations(layers, width, length, batch)
    product = turns.pop("product")[0]
    for name, seconds in turns.items():
        report.times(name, seconds, f"{work * 1e-9:.1f} GFLOP, {work / seconds[0] * 1e-9:.0f} GFLOP/s, "
                                    f"{work / seconds[0] / rate:.0%} of the processor's")
    best = min((name for name in turns if name in PEERS), key=lambda name: turns[name][0])
    own_time = turns["farfield"][0]
    report.value("GFLOP/s of this processor's multiply-adds of floats", rate * 1e-9)
    report.value("of that: PyTorch's plain product", PRODUCT_OPERATIONS / product / rate)
    report.ratio("of that: the whole step of farfield", work / own_time / rate, target)
    report.ratio(f"times the speed of the best peer, {best}", turns[best][0] / own_time, 1)
    report.value("the same, were the whole step at the processor's rate", turns[best][0] * rate / work)
    least_memory = min(memory[name] for name in memory if name in PEERS and name != "JAX")
    report.value("GB, peak of farfield's process", own_memory * 1e-9)
    report.value("GB, least peak of PyTorch's", least_memory * 1e-9)
    report.ratio("of PyTorch's memory", own_memory / least_memory, 1, at_least=False)
    report.ratio("bf16: times the speed of fp32", own_time / turns["farfield bf16"][0], 1.85)
    rounded = [turns[name][0] for name in BF16_PEERS if name in turns]
    if rounded:
        report.value("bf16: times PyTorch's speed in bf16", min(rounded) / turns["farfield bf16"][0])
    return report.save()


def compare_bias(shape):
    with contextlib.ExitStack() as stack:
        turns = measure.take_turns(40, none=steps(stack, shape, "nope")[1],
                                   own=steps(stack, shape, OWN_BIAS)[1])
    report = measure.Report(f"model bias C {shape[1]}", "a training step under a bias of one's own", THREADS)
    report.times("no bias", turns["none"])
    report.times(OWN_BIAS, turns["own"])
    report.ratio("of the time without a bias", turns["own"][0] / turns["none"][0], 1.03, at_least=False)
    return report.save()


def compare_evaluation(shape, train_steps=1000, segments=256, targets=16):
    """Compares Chi's evaluation protocol at 16 Ltr with the training of the pilot, 1000 steps."""
    layers, width, heads, length, _ = shape
    with contextlib.ExitStack() as stack:
        _, step = steps(stack, shape, "alibi")
        timing = stack.enter_context(
            measure.Timing("step", layers, width, heads, 16 * length, 8, THREADS, "alibi", "fp32", targets))
        turns = measure.take_turns(10, step=step, losses=lambda: timing.seconds("losses"))
    report = measure.Report(f"model evaluation C {width}", f"last {targets} tokens of {segments} segments at 16 Ltr",
                            THREADS)
    training, evaluation = turns["step"][0] * train_steps, turns["losses"][0] * segments / 8
    report.value(f"training, {train_steps} steps, s", training)
    report.value("evaluation, s", evaluation)
    report.ratio("of the time of training", evaluation / training, 1, at_least=False)
    return report.save()


def main():
    peers.install()
    rate = arithmetic()
    failed = [compare(tuple(shape), target, rate) for *shape, target in [*SHAPES, LARGE]]
    failed += [compare_bias(shape[:5]) for shape in SHAPES]
    failed.append(compare_evaluation(SHAPES[0][:5]))
    return max(failed)


if __name__ == "__main__":
    sys.exit(main())
