"""Checks headings, messages and choices of `farfield doctor` that are not in a table of answers: messages.py PROGRAM

The numbers in the messages are computed here: YaRN's attention factor is 0.1 log(factor) + 1 (Peng et al. 2023,
Eq. (22)), and an engine that leaves out a linear scaling by s has frequencies that are s times as large.
"""
import json
import math
import re
import subprocess
import sys

SMALL = {"model_type": "llama", "head_dim": 64, "num_hidden_layers": 2, "max_position_embeddings": 64, "rope_theta": 1e4}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64}


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def run(program, configuration, *options):
    done = subprocess.run([program, "doctor", "-", *options], input=json.dumps(configuration), capture_output=True, text=True)
    check(done.returncode < 2, done.stderr)
    return done.stdout


def answer(program, configuration, *options):
    return json.loads(run(program, configuration, "--json", *options))


def findings(program, configuration, key, *options):
    return [each["message"] for each in answer(program, configuration, *options)["findings"] if each["id"] == key]


def check_headings(program):
    """A heading names the attention factor and the factor of logits unless they are 1."""
    start = "64 of 64 dimensions in halves"
    for changes, heading in (({}, f"rotary, {start}"),
                             ({"rope_scaling": YARN}, f"rotary-yarn, {start}, attention factor {0.1 * math.log(4) + 1:.6g}"),
                             ({"rope_scaling": {**YARN, "attention_factor": 1.0}}, f"rotary-yarn, {start}"),
                             ({"model_type": "mistral", "sliding_window": 16}, f"rotary, {start}, window 16")):
        lines = run(program, {**SMALL, **changes}).splitlines()
        check(lines[1] == heading, lines[:3])
    # DeepSeek's code multiplies logits by the square of 0.1 mscale_all_dim log(factor) + 1, and cosines by a quotient.
    for mscale, wanted in ((1.0, f", all logits multiplied by {(0.1 * math.log(4) + 1) ** 2:.6g}"), ("1", None)):
        deepseek = {**SMALL, "head_dim": None, "model_type": "deepseek_v2", "qk_rope_head_dim": 32, "rope_scaling": {**YARN, "mscale": mscale, "mscale_all_dim": 1.0}}
        heading = run(program, deepseek).splitlines()[1]
        check(wanted is None or heading == f"rotary-yarn, 32 of 32 dimensions in interleaved pairs{wanted}", heading)
        # Only two numbers can differ.
        check(not findings(program, deepseek, "mscale-differs"), mscale)


def check_lengths(program):
    """The lengths that a scaling gives, and warnings of tokens beyond them."""
    # YaRN extends the original length by any factor above 1.
    for factor, served in ((1.0, 64), (1.5, 96), (2.0, 128)):
        check(answer(program, {**SMALL, "rope_scaling": {**YARN, "factor": factor}})["served"] == served, (factor, served))
    # Dynamic scaling of the base begins at the length of the model, whatever the original one.
    dynamic = {"rope_type": "dynamic", "factor": 2.0}
    plain, original = (answer(program, {**SMALL, "rope_scaling": each}, "--served", "128")
                       for each in (dynamic, {**dynamic, "original_max_position_embeddings": 16}))
    base = 1e4 * (2 * 128 / 64 - 1) ** (64 / 62)
    check(abs(plain["inv_freq"][-1] - base ** (-62 / 64)) <= 1e-14 * base ** (-62 / 64) and plain["inv_freq"] == original["inv_freq"], plain["inv_freq"][-1])
    # The longer of the model's length and the extended one may be served.
    long = {**SMALL, "max_position_embeddings": 256, "rope_scaling": {**YARN, "factor": 2.0}}
    for served, found in (("256", 0), ("257", 1)):
        check(len(findings(program, long, "served-beyond-scaling", "--served", served)) == found, served)
    for served, found in (("64", 0), ("65", 1)):
        check(len(findings(program, SMALL, "served-beyond-trained", "--served", served)) == found, served)
    # Biases have a formula of their own name.
    bloom = run(program, {"model_type": "bloom", "hidden_size": 64, "n_head": 4, "n_layer": 2, "seq_length": 64})
    check(bloom.splitlines()[1] == "alibi" and bloom.splitlines()[2].startswith("  bias = "), bloom[:200])
    check(run(program, SMALL).splitlines()[2].startswith("  angle = "), "angle")


def check_alpha(program):
    """HunYuan's alpha raises the base once, by alpha^(d/(d - 2)); other model types of transformers scale by the length."""
    hunyuan = {**SMALL, "model_type": "hunyuan_v1_dense", "rope_scaling": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0}}
    base = 1e4 * 1000.0 ** (64 / 62)
    found = answer(program, hunyuan, "--engine", "transformers-5,vllm,mlx-lm,llama.cpp")
    check(abs(found["inv_freq"][-1] - base ** (-62 / 64)) <= 1e-14 * base ** (-62 / 64), found["inv_freq"][-1])
    check(all(each["agrees"] for each in found["engines"].values()), found["findings"])
    # vLLM reads alpha for every model type, the others for HunYuan's alone.
    found = answer(program, {**hunyuan, "model_type": "llama"}, "--engine", "transformers-5,vllm,mlx-lm")
    check({name: each["agrees"] for name, each in found["engines"].items()} == {"transformers-5": True, "vllm": False, "mlx-lm": True}, found["engines"].keys())


def check_values(program):
    """An invalid value is shown, and the value that is taken does not come from its key."""
    for value, shown in ((True, "true"), (False, "false"), ("10000", '"10000"'), (None, None), ([1], "a list"), ({}, "an object")):
        configuration = {**SMALL, "rope_theta": value}
        words = findings(program, configuration, "wrong-type")
        check(len(words) == (0 if value is None else 1) and all(f"'rope_theta' is {shown}, not a number" in each for each in words), words)
        check(re.search(r"^  base +10000 +default$", run(program, configuration), re.MULTILINE), run(program, configuration)[:300])
    # A table of factors with an invalid number gives no frequencies.
    for factors, valid in (([1.0, 2.0], True), ([1.0, -2.0], False), ([1.0, "2"], False), ([0, 2.0], False), ([1.0], False)):
        scaling = {"rope_type": "longrope", "short_factor": factors, "long_factor": factors, "original_max_position_embeddings": 32}
        found = answer(program, {**SMALL, "model_type": "phi3", "head_dim": 4, "rope_scaling": scaling})
        check((len(found["inv_freq"]) == 2) == valid and (len(found["inv_freq"]) == 0) != valid, (factors, found["inv_freq"]))
    # A missing window has the default of the model type, and null is written for none.
    for model, window in (("mixtral", "null"), ("mistral", "4096")):
        found = [each["fix"] for each in answer(program, {**SMALL, "model_type": model})["findings"]
                 if each["id"] == "default-taken" and each["key"] == "sliding_window"]
        check(found == [f'write "sliding_window": {window} if that is what the model was trained with'], (model, found))
    # A length is read up to 10^15, and lengths above 2^32 are refused by themselves.
    for length, words in ((10 ** 15, "more than 2^32 tokens"), (10 ** 15 + 1, "which must be from 1 to 1e15")):
        found = findings(program, {**SMALL, "max_position_embeddings": length}, "out-of-range")
        check(len(found) == 1 and words in found[0], found)


def check_types_of_layers(program):
    """A layer type without settings is skipped if it is null, and any other key of scaling is checked."""
    types = {"model_type": "gemma3_text", **{key: value for key, value in SMALL.items() if key not in ("model_type", "rope_theta")},
             "layer_types": ["full_attention", "sliding_attention"], "sliding_window": 16}
    scaled = {"rope_type": "linear", "factor": 2.0, "rope_theta": 1e4}
    for settings, unknown in (({"full_attention": scaled, "sliding_attention": None}, []),
                              ({"full_attention": scaled, "sliding_attention": 5}, ["sliding_attention"]),
                              ({"full_attention": scaled, "factorr": None}, ["factorr"])):
        words = findings(program, {**types, "rope_parameters": settings}, "unknown-key")
        check([each.split("'")[1] for each in words] == [f"rope_parameters/{key}" for key in unknown], (settings, words))
    # With a pattern of 1, the only layer has full attention.
    one = {**types, "num_hidden_layers": 1, "layer_types": None, "sliding_window_pattern": 1}
    found = answer(program, one)
    check(found["window"] == 0 and "layer_types" not in found, found.get("layer_types"))


def check_first_negative(program):
    """A sum of cosines within 1e-9 of 0 for each pair is not negative. The second frequency is chosen for the sum
    cos(2) + cos(2 f) = -1e-9 at distance 2."""
    frequency = math.acos(-1e-9 - math.cos(2)) / 2
    found = answer(program, {**SMALL, "head_dim": 4, "rope_theta": frequency ** -2})
    sums = [sum(math.cos(n * f) for f in found["inv_freq"]) for n in range(1, 65)]
    check(-2e-9 < sums[1] < -0.5e-9, sums[1])
    check(found["first_negative"] == next(n for n, total in enumerate(sums, 1) if total < -2e-9), found["first_negative"])


def check_engines(program):
    """Messages about an engine that reads other keys or refuses the configuration."""
    # Below 100 %: an engine that leaves out a factor s has frequencies that are s times as large.
    scaled = {**SMALL, "rope_scaling": {"rope_type": "proportional", "factor": 1.5}}
    words = findings(program, scaled, "engine-ignores-keys", "--engine", "llama.cpp")
    check(len(words) == 1 and "frequencies are off by up to 50 %" in words[0], words)
    # More than 0.1 % is an error, of frequencies as of the attention factor.
    yarn = {**YARN, "factor": 1.0, "original_max_position_embeddings": 64}
    for factor, severity in ((1.0005, "warning"), (1.002, "error")):
        for scaling, engine in (({"rope_type": "proportional", "factor": factor}, "llama.cpp"), ({**yarn, "attention_factor": factor}, "mlx-lm")):
            found = answer(program, {**SMALL, "rope_scaling": scaling}, "--engine", engine)["findings"]
            found = [each["severity"] for each in found if each["id"] == "engine-ignores-keys"]
            check(found == [severity], (scaling, found))
    # Some engines refuse a scaling type that they do not know, others take the default.
    for engine, refuses in (("torchtune", True), ("transformers-4.44", True), ("vllm", False), ("llama.cpp", False)):
        words = findings(program, {**SMALL, "rope_scaling": {"rope_type": "proportional", "factor": 4.0}}, "engine-refuses", "--engine", engine)
        check(words == ([f"{engine} refuses the configuration: the scaling type 'proportional' is unknown."] if refuses else []), words)
    # An engine is not compared with a configuration whose meaning is unknown.
    lacking = {**SMALL, "rope_scaling": {"rope_type": "llama3", "factor": 4.0, "original_max_position_embeddings": 64}}
    check(findings(program, lacking, "missing-key", "--engine", "torchtune"), "missing-key")
    check(not findings(program, lacking, "engine-differs", "--engine", "torchtune"), "engine-differs")
    check(not answer(program, lacking, "--engine", "torchtune")["engines"]["torchtune"]["agrees"], "agrees")


def main():
    for part in (check_headings, check_alpha, check_lengths, check_values, check_types_of_layers, check_first_negative, check_engines):
        part(sys.argv[1])


if __name__ == "__main__":
    main()
