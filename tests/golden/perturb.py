"""Verdicts are computed, not typed in: in every study a parameter, a constant or a printed cell is changed, and
verdicts change with it.

Usage: perturb.py FARFIELD STUDIES RESULTS

The verdicts without the change are those on record, which the test `golden` recomputes.

The table below has a row for each study that computes something: the change, and the claims that must have another
verdict after it, themselves or in one of their readings. A change is a value for `--set`, or a text in one file that is
replaced in a copy of the study's folder (a published table). The test fails for a study without a row and a row without
a study, except for studies whose claims all need trained models. One row in three is tried; with FARFIELD_LONG in the
environment, all rows.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SET, EDIT = "set", "edit"
ROWS = {
    "alibi-receptive-field/bias": (SET, "quantity.slopes.formula=2^(-8*n/8)", ["NA-01"]),
    "alibi-receptive-field/profile": (SET, "quantity.exp-1.formula=-n*rho", ["NA-04"]),
    "chen-2023/bound": (SET, "quantity.squares.formula=sum(j, 0, 63, 10000^(-2*j/128))", ["PI-03"]),
    "chen-2023/coefficients": (SET, "quantity.bend.formula=0.003", ["PI-93"]),
    "chen-2023/extrapolation": (SET, "quantity.low.formula=1.5", ["PI-07"]),
    "chen-2023/tables": (EDIT, ("tables/table3.csv", "16.10", "26.10"), ["PI-17"]),
    "chen-2023/windows": (SET, "quantity.last.formula=(2048*2^k - 1)/2^k - 1", ["PI-22"]),
    "an-2024/frequency": (SET, "quantity.full2k.formula=(2048 - p)/2048", ["ST-05"]),
    "an-2024/model": (SET, "quantity.four-tied.let.layers=24", ["ST-19"]),
    "an-2024/shifted-positions": (SET, "quantity.parts-inclusive.left=L*(L + 1)/2 + 0*S", ["ST-09"]),
    "an-2024/tables": (EDIT, ("tables/table1.csv", "99.9,99.6", "99.9,100.0"), ["ST-13"]),
    "barbero-2024/angles": (SET, "quantity.other-keys.formula=cos(n)", ["RR-09"]),
    "barbero-2024/heads": (SET, "quantity.rest.right=a", ["RR-15"]),
    "barbero-2024/tables": (EDIT, ("tables/table2.csv", "4.4414", "4.4514"), ["RR-18"]),
    "chi-2023/alibi": (SET, "scheme.alibi.params.delta=0.3", ["SA-05", "SA-06"]),
    "chi-2023/content-free": (SET, "scheme.alibi.params.delta=20", ["SA-46"]),
    "chi-2023/efficient": (SET, "quantity.full.formula=sum(m, 1, 8192, 1)", ["SA-39"]),
    "chi-2023/fig10": (SET, "scheme.sandwich.params.base=1", ["SA-35"]),
    "chi-2023/fig8": (SET, "quantity.origin.formula=sum(i, 0, 31, cos(0*i))", ["SA-22"]),
    "chi-2023/fig9": (SET, "scheme.sandwich.params.base=100", ["SA-33"]),
    "chi-2023/kerple-t5": (SET, "quantity.special.left=-0.825*log(1 + 2*n) - 0.8", ["SA-37"]),
    "chi-2023/model": (SET, "quantity.untied-padded.formula=12*(12*512^2 + 13*512)", ["SA-41"]),
    "chi-2023/sandwich": (SET, "scheme.sandwich.params.base=2", ["SA-30"]),
    "chi-2023/tables-comparison": (EDIT, ("tables/table3-arxiv.csv", "5.02", "5.92"), ["SB-18"]),
    "chi-2023/tables-slopes-windows": (SET, "quantity.reach.params.w=16", ["SB-15"]),
    "chi-2023/window": (SET, "quantity.reach.layers=24", ["SA-09"]),
    "ding-2024/benchmarks": (EDIT, ("tables/table8.csv", "43.1", "43.2"), ["LR-12"]),
    "ding-2024/search": (SET, "quantity.doubled.right=2", ["LR-18"]),
    "ding-2024/tables": (EDIT, ("tables/table9.csv", "6.17", "6.95"), ["LR-19"]),
    "fpbench/straight-line": (SET, "quantity.verhulst.format=fp32", ["FB-04"]),
    "gelberg-2025/budget": (SET, "quantity.smol.formula=361000000 - 50257*960", ["DP-27"]),
    "gelberg-2025/scaling": (SET, "quantity.ntk.formula=(1/2)^(2*m/42)", ["DP-31"]),
    "gelberg-2025/tables": (EDIT, ("tables/table2.csv", "23.71", "21.71"), ["DP-15"]),
    "gelberg-2025/theory": (SET, "quantity.output.right=v + s", ["DP-24"]),
    "implementations/attn-gym": (SET, "scheme.alibi.params.delta=1", ["IMPL-01"]),
    "implementations/curated-transformers": (SET, "scheme.alibi.params.delta=1", ["IMPL-56"]),
    "implementations/diffusers": (SET, "scheme.rotary.params.base=500", ["IMPL-51"]),
    "implementations/equinox": (SET, "scheme.rotary-halves.params.base=500", ["IMPL-30"]),
    "implementations/espnet": (SET, "scheme.sinusoidal.params.base=500", ["IMPL-63"]),
    "implementations/flash-linear-attention": (SET, "scheme.rotary.params.base=500", ["IMPL-65"]),
    "implementations/keras-hub": (SET, "scheme.all-slowed.params.factor=7", ["IMPL-35"]),
    "implementations/litgpt": (SET, "scheme.rotary-yarn.params.beta=16", ["IMPL-44"]),
    "implementations/llm-foundry": (SET, "scheme.alibi.params.delta=1", ["IMPL-54"]),
    "implementations/local-attention": (SET, "scheme.xpos-halves.params.gamma=0.5", ["IMPL-38"]),
    "implementations/megatron-core": (SET, "scheme.t5.params.buckets=14", ["IMPL-58"]),
    "implementations/mlx": (SET, "scheme.alibi-both-ways.params.delta=1", ["IMPL-32"]),
    "implementations/rotary-embedding-torch": (SET, "scheme.rotary.params.base=500", ["IMPL-11"]),
    "implementations/speechbrain": (SET, "scheme.sinusoidal.params.base=500", ["IMPL-48"]),
    "implementations/timm": (SET, "scheme.pixels.params.resolution=448", ["IMPL-50"]),
    "implementations/tinygrad": (SET, "scheme.rotary.params.base=500", ["IMPL-62"]),
    "implementations/torchscale": (SET, "scheme.xpos-torchscale.params.B=256", ["IMPL-15"]),
    "implementations/torchtune": (SET, "scheme.rotary-llama3.params.factor=16", ["IMPL-46"]),
    "implementations/transformers-biases": (SET, "scheme.t5-encoder.params.buckets=14", ["IMPL-28"]),
    "implementations/transformers-mpnet": (SET, "scheme.t5-bidirectional.params.buckets=14", ["IMPL-66"]),
    "implementations/transformers-rotary": (SET, "scheme.rotary.params.base=500", ["IMPL-19"]),
    "implementations/vllm": (SET, "scheme.rotary.params.base=500", ["IMPL-59"]),
    "implementations/x-transformers": (SET, "scheme.xpos-torchscale.params.B=256", ["IMPL-08"]),
    "in-the-wild/bf16-frequencies": (SET, "quantity.ramp-first.let.base=10000", ["WILD-10"]),
    "in-the-wild/bf16-position": (SET, "quantity.angle.positions=[256]", ["WILD-11"]),
    "in-the-wild/conventions": (SET, "quantity.reversed.formula=-s*n", ["WILD-05"]),
    "in-the-wild/positions": (SET, "quantity.in_fp16.format=bf16", ["WILD-02"]),
    "in-the-wild/rope-bf16": (SET, "scheme.rotary.params.base=1e300", ["WILD-03"]),
    "in-the-wild/xpos-overflow": (SET, "quantity.half.formula=(0.4/1.4)^(-n/512)", ["WILD-01"]),
    "peng-2023/by-parts": (SET, "quantity.divided.formula=sum(i, 0, 63, cos(n*10000^(-i/64)))", ["YN-19"]),
    "peng-2023/ntk": (SET, "quantity.scale.formula=100^(D/(D - 2))", ["YN-90"]),
    "peng-2023/tables": (EDIT, ("tables/table5.csv", "99.4", "98.4"), ["YN-17"]),
    "peng-2023/training": (SET, "quantity.tokens-32.formula=400*64*65536", ["YN-11"]),
    "inverse/questions": (SET, "quantity.slope.formula=abs(reach.predicted - 400)", ["IQ-01"]),
    "men-2024/fit": (EDIT, ("tables/bases.csv", "4.3e3", "9.3e3"), ["BR-05"]),
    "men-2024/least": (SET, "quantity.bases_2k.condition=b > 15900", ["BR-15"]),
    "men-2024/models": (SET, "quantity.base-1000000.formula=cos(m)", ["BR-07"]),
    "men-2024/table": (SET, "quantity.cell-4.formula=cos(m)", ["BR-09"]),
    "su-2021/decay": (SET, "quantity.mean.formula=32 - n/10", ["RF-08", "RF-19"]),
    "su-2021/derivation": (SET, "quantity.norm.right=x^2 + 2*y^2", ["RF-02"]),
    "su-2021/tables": (EDIT, ("tables/table5.csv", "69.79", "69.60"), ["RF-12"]),
    "press-2022/cost": (SET, "quantity.adaptive.formula=20000*1024", ["AL-22"]),
    "press-2022/extrapolation": (EDIT, ("tables/table5.csv", "17.60", "18.60"), ["AL-14", "AL-27"]),
    "press-2022/slopes": (SET, "quantity.between.right=-j", ["AL-02"]),
    "press-2022/windows": (SET, "quantity.step.right=m*(m + 2)/2", ["AL-04"]),
    "sun-2023/blockwise": (SET, "quantity.reach.mask=floor(q/512) - floor(k/512) <= 0", ["LA-23"]),
    "sun-2023/design": (SET, "quantity.four.right=x*y + x*s + p*y", ["LA-04"]),
    "sun-2023/fig2": (SET, "scheme.xpos.params.B=1e300", ["LA-18"]),
    "sun-2023/model": (SET, "quantity.parameters.formula=24*(12*512^2 + 13*512)", ["LA-27"]),
    "sun-2023/range": (SET, "quantity.key-centred.formula=(0.4/1.4)^(-n/64)", ["LA-14"]),
    "sun-2023/resolution": (SET, "scheme.xpos.params.B=1e300", ["LA-08"]),
    "sun-2023/tables": (EDIT, ("tables/table3.csv", "1.08", "0.58"), ["LB-09"]),
    "tutorial/printed-number": (SET, "scheme.alibi.params.delta=1", ["PRESS-1"]),
    "wu-2025/decay": (SET, "quantity.stationary.left=(t + t/(exp(m) + 1))/(t/(exp(m) - 1))", ["PB-09"]),
    "wu-2025/masks": (SET, "quantity.nine.layers=8", ["PB-03"]),
    "wu-2025/rope": (SET, "quantity.slope-printed.right=2*0.1^2*x", ["PB-14"]),
    "wu-2025/tables": (EDIT, ("tables/figure4.csv", "0.018,0.021,0.011", "0.011,0.018,0.021"), ["PB-94"]),
    "tutorial/my-bias": (SET, "scheme.root.params.r=-2", ["MY-1"]),
    "xiong-2023/cost": (SET, "quantity.training.params.tokens=400000000000", ["AB-18"]),
    "xiong-2023/scaling": (EDIT, ("tables/figure2.csv", "80.3", "79.5"), ["AB-06"]),
    "xiong-2023/score": (SET, "quantity.below.formula=n", ["AB-20"]),
    "xiong-2023/tables": (EDIT, ("tables/table16.csv", "78.9", "74.3"), ["AB-14"]),
    "xiong-2023/theory": (SET, "quantity.ones.formula=sum(j, 0, 63, sin(500000^(-2*j/128)))/256", ["AB-08"]),
}


def of_readings(results, only):
    """The verdicts of the listed claims and of their readings."""
    return {claim["id"]: [claim["verdict"]] + [reading["verdict"] for reading in claim["readings"]]
            for claim in results["claims"] if claim["id"] in only}


def verdicts(program, path, only, options=()):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "run", str(path), "-o", folder, "--no-figures", *(f"--only={claim}" for claim in only), *options], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{path} {' '.join(options)}: {done.stderr}")
        return of_readings(json.loads(next(pathlib.Path(folder).rglob("results.json")).read_text()), only)


def perturbed(program, path, kind, change, claims):
    if kind == SET:
        return verdicts(program, path, claims, ["--set", change])
    file, before, after = change
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, path.parent.name)
        shutil.copytree(path.parent.parent, folder, dirs_exist_ok=True)
        text = (copy / file).read_text()
        if before not in text:
            raise RuntimeError(f"{file} has no {before}")
        (copy / file).write_text(text.replace(before, after, 1))
        return verdicts(program, copy / path.name, claims)


def problem(program, studies, results, name):
    kind, change, claims = ROWS[name]
    path = studies / f"{name}.toml"
    before = of_readings(json.loads((results / name / "results.json").read_text()), claims)
    try:
        after = perturbed(program, path, kind, change, claims)
    except RuntimeError as error:
        return f"{name}: {error}"
    changed = {claim for claim in before if after.get(claim) != before[claim]}
    still = sorted(set(claims) - changed)
    if still or not claims:
        return f"{name}: {change} does not change the verdict of {', '.join(still) or 'any claim, since the row names none'}"
    return ""


def is_wanted(path):
    """Whether the study has claims, and no training."""
    text = path.read_text()
    return "[[claim]]" in text and re.search(r"^\[(train|model|corpus)\.", text, re.MULTILINE) is None


def main():
    program, studies, results = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    found = {path.relative_to(studies).with_suffix("").as_posix() for path in studies.rglob("*.toml")}
    wanted = {name for name in found if is_wanted(studies / f"{name}.toml")}
    problems = [f"{name} has no row in this script" for name in sorted(wanted - ROWS.keys())]
    problems += [f"{name} is not a study" for name in sorted(ROWS.keys() - found)]
    tried = sorted(ROWS.keys() & found)[::1 if "FARFIELD_LONG" in os.environ else 3]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems += [text for text in pool.map(lambda name: problem(program, studies, results, name), tried) if text]
    print("\n".join(problems) if problems else f"{len(tried)} studies: a change to each one changes its verdicts")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
