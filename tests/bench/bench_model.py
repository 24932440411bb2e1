#!/usr/bin/python3
"""A training step under ALiBi with two threads, at three shapes: farfield beside PyTorch, eager and compiled, and JAX;
the same with products in bf16; a user's own bias beside none."""
import contextlib
import sys

import measure
import peers

THREADS = 2
VOCABULARY = 256
REPEATS = 15
PRODUCT_OPERATIONS = 2 * 1024**3  # of the plain product in peers/torch_step.py
# R, C, H, L, B, and how many times the best peer's speed is asked for.
SHAPES = [(4, 64, 4, 64, 32, 2.5), (4, 128, 4, 128, 16, 2.5), (6, 256, 8, 256, 8, 2)]
OWN_BIAS = 'bias = "-0.5 * log(1 + n) - 2^(-h) * n + 0.1 * cos(n/3)"'


def operations(layers, width, length, batch):
    """Of a step: six a weight and token; attention's two products forward and five backward over half of all pairs."""
    tokens = length * batch
    weights = layers * 12 * width * width + width * VOCABULARY
    return 6 * tokens * weights + layers * 7 * 2 * tokens * width * length / 2


def arithmetic():
    """Multiplications and additions of floats that this processor does in a second, with all threads: twice as many as of
    doubles."""
    with measure.Timing("floor") as timing:
        seconds = min(measure.take_turns(15, flops=lambda: timing.seconds("flops"))["flops"])
        return 2 * timing.values()[0] * timing.threads() / seconds


def steps(stack, shape, scheme, precision="fp32"):
    timing = stack.enter_context(measure.Timing("step", *shape, THREADS, scheme, precision))
    return lambda: timing.seconds("step")


def compare(shape, target, rate):
    layers, width, _, length, batch = shape
    with contextlib.ExitStack() as stack:
        others = {"PyTorch": ("torch_step.py", "eager", "fp32"), "PyTorch compiled": ("torch_step.py", "compiled", "fp32"),
                  "JAX": ("jax_step.py",), "PyTorch bf16": ("torch_step.py", "eager", "bf16"),
                  "PyTorch compiled bf16": ("torch_step.py", "compiled", "bf16")}
        running = {name: stack.enter_context(peers.Peer(script, *shape, THREADS, *options))
                   for name, (script, *options) in others.items()}
        works = {name: peer.seconds for name, peer in running.items()}
        works["product"] = lambda: running["PyTorch"].seconds("product")
        works["farfield"] = steps(stack, shape, "alibi")
        works["farfield bf16"] = steps(stack, shape, "alibi", "bf16")
        # One step before that which is timed: training runs step after step, with its own numbers in the cache, and not
        # those of a peer.
        turns = measure.take_turns(REPEATS, **{name: lambda work=work: (work(), work())[1] for name, work in works.items()})
    size = f"R {layers}, C {width}, L {length}, B {batch}"
    report = measure.Report(f"model C {width}", f"a training step of {size}, ALiBi", THREADS)
    for about in sorted({peer.about for peer in running.values()}):
        print(f"  {about}")
    work = operations(layers, width, length, batch)
    # What the step would take if all of it ran as fast as one large product: a floor in practice.
    product = turns.pop("product")[0]
    floor = work * product / PRODUCT_OPERATIONS
    for name, seconds in turns.items():
        report.times(name, seconds, f"{work * 1e-9:.1f} GFLOP, {work / seconds[0] * 1e-9:.0f} GFLOP/s")
    best = min(turns[name][0] for name in ("PyTorch", "PyTorch compiled", "JAX"))
    report.ratio("times the best peer's speed", best / turns["farfield"][0], target)
    report.value("the same, were all as fast as a plain product", best / floor)
    report.value("of the time of that, here", turns["farfield"][0] / floor)
    report.value("GFLOP/s of this processor's multiply-adds of floats", rate * 1e-9)
    report.value("of that: PyTorch's plain product", PRODUCT_OPERATIONS / product / rate)
    report.value("of that: the whole step here", work / turns["farfield"][0] / rate)
    report.ratio("bf16: times the speed of fp32", turns["farfield"][0] / turns["farfield bf16"][0], 1.5)
    rounded = min(turns[name][0] for name in ("PyTorch bf16", "PyTorch compiled bf16"))
    report.value("bf16: times PyTorch's speed in bf16", rounded / turns["farfield bf16"][0])
    return report.save()


def compare_bias(shape):
    with contextlib.ExitStack() as stack:
        turns = measure.take_turns(40, none=steps(stack, shape, "nope"), own=steps(stack, shape, OWN_BIAS))
    report = measure.Report(f"model bias C {shape[1]}", "a training step under a bias of one's own", THREADS)
    report.times("no bias", turns["none"])
    report.times(OWN_BIAS, turns["own"])
    report.ratio("of the time without a bias", turns["own"][0] / turns["none"][0], 1.03, at_least=False)
    return report.save()


def compare_evaluation(shape, train_steps=1000, segments=256, targets=16):
    """Chi's protocol at 16 Ltr against the training of the pilot: 1000 steps."""
    layers, width, heads, length, _ = shape
    with contextlib.ExitStack() as stack:
        step = steps(stack, shape, "alibi")
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
    failed = [compare(shape, target, rate) for *shape, target in SHAPES]
    failed += [compare_bias(shape[:5]) for shape in SHAPES]
    failed.append(compare_evaluation(SHAPES[0][:5]))
    return max(failed)


if __name__ == "__main__":
    sys.exit(main())
