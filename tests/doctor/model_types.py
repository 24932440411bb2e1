"""The defaults of model types are those of transformers' configuration classes: model_types.py PROGRAM

model_types.json is what transformers 5.23.0 takes for a configuration that gives the sizes of the model and the keys
in "given" (tests/references/doctor/model_types.py). The answer of the engine transformers-5 is compared with it, and
the declared meaning too unless an earlier version had another default. Layers that `farfield doctor` describes as
without a rotation are compared by their number alone; doctor-engines compares some of them with modules that ran.
"""
import json
import pathlib
import subprocess
import sys

SIZES = ("hidden_size", "num_attention_heads", "num_hidden_layers")
FACTS = json.loads((pathlib.Path(__file__).parent / "model_types.json").read_text())
# transformers 4 took another base.
OF_EARLIER_VERSION = ("persimmon",)
# Layers without a rotation that transformers gives the type of other layers.
OTHER_NAMES = {"full_attention_without_rotation": "full_attention"}
# Findings that a configuration of these keys must not have: each says that a key or the type is wrong or not known.
WRONG = ("unknown-model-type", "unknown-key", "unknown-layer-type", "wrong-type", "misplaced-key", "scaling-not-given", "out-of-range")


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def answer_of(program, configuration, engine="transformers-5"):
    done = subprocess.run([program, "doctor", "-", "--json", "--engine", engine], input=json.dumps(configuration),
                          capture_output=True, text=True)
    check(done.returncode in (0, 1), (configuration, done.stderr))
    return json.loads(done.stdout)


def kinds_of(answer):
    """The description of each kind of layer; its key is "" if there is one kind."""
    return answer.get("layer_types", {"": answer})


def base_of(found, wanted):
    """The base, from the last frequency: the first one is 1, and that of pair i is base^(-2 i/d)."""
    # Proportional rotations have the frequencies of the whole head, of which they keep the first.
    width = wanted["head_dim"] if wanted["type"] == "proportional" else wanted["rotated"]
    last = wanted["base"] ** (-(wanted["rotated"] - 2) / width)
    if abs(found["inv_freq"][-1] - last) <= 1e-9 * last:
        return wanted["base"]
    return found["params"].get("base")


def differences_of(kinds, facts):
    declared = facts["layer_types"]
    if len(declared) == 1 and len(kinds) == 1:
        declared = {next(iter(kinds)): next(iter(declared.values()))}
    counts = {}
    for kind, found in kinds.items():
        name = OTHER_NAMES.get(kind, kind)
        counts[name] = counts.get(name, 0) + found["layers"]
    differences = [] if any(found["inv_freq"] for found in kinds.values()) else ["no layer rotates"]
    if sorted(counts) != sorted(declared):
        differences.append(f"the layers are {sorted(counts)}, and {sorted(declared)} in transformers")
    for kind in counts.keys() & declared.keys():
        found, wanted = kinds[kind], declared[kind]
        pairs = [("layers", counts[kind], wanted["layers"])]
        if found["inv_freq"]:
            pairs += [(key, found[key], wanted[key]) for key in ("head_dim", "rotated", "window", "trained")]
            pairs += [("pairing", found["pairing"], facts["pairs"] or found["pairing"]), ("base", base_of(found, wanted), wanted["base"])]
        differences += [f"{kind or 'the layers'}: {name} is {here}, and {there} in transformers" for name, here, there in pairs if here != there]
    return differences


def configuration_of(model_type, facts):
    return {"model_type": model_type, **{key: facts[key] for key in SIZES}, **facts["given"]}


def compare(program, model_type, facts):
    answer = answer_of(program, configuration_of(model_type, facts))
    differences = [f"{each['id']}: {each['message']}" for each in answer["findings"] if each["id"] in WRONG]
    engine = answer["engines"]["transformers-5"]
    if engine.get("refusal"):
        return [*differences, f"transformers-5 refuses it: {engine['refusal']}"]
    differences += differences_of(kinds_of(engine), facts)
    if model_type not in OF_EARLIER_VERSION:
        differences += [each for each in differences_of(kinds_of(answer), facts) if each not in differences]
    return differences


def check_windows(program):
    """EXAONE: a window takes the rotation from the layers with full attention, and its pattern may be letters."""
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4, "max_position_embeddings": 64, "rope_theta": 1e4}
    types = ["sliding_attention"] * 3 + ["full_attention"]
    for model_type in ("exaone4", "exaone_moe"):
        for given in ({"sliding_window": 16}, {"sliding_window": 16, "layer_types": types, "sliding_window_pattern": "LLLG"},
                      {"sliding_window": 16, "sliding_window_pattern": "LLLG"}):
            answer = answer_of(program, {"model_type": model_type, **sizes, **given})
            found = {kind: (each["layers"], each["window"], bool(each["inv_freq"])) for kind, each in kinds_of(answer).items()}
            check(found == {"sliding_attention": (3, 16, True), "full_attention": (1, 0, False)}, (model_type, given, found))
            check(not any(each["id"] in WRONG for each in answer["findings"]), (given, answer["findings"]))
        for given in ({}, {"layer_types": ["full_attention"] * 4, "sliding_window_pattern": None}, {"sliding_window_pattern": "LLLG"}):
            answer = answer_of(program, {"model_type": model_type, **sizes, "sliding_window": None, **given})
            check("layer_types" not in answer and answer["layers"] == 4 and answer["window"] == 0 and answer["inv_freq"], (given, answer))
            check(not any(each["id"] in WRONG for each in answer["findings"]), (given, answer["findings"]))
    answer = answer_of(program, {"model_type": "exaone4", **sizes, "sliding_window_pattern": "LGLG"})
    check([each["key"] for each in answer["findings"] if each["id"] == "wrong-type"] == ["sliding_window_pattern"], answer["findings"])


def check_layers(program):
    """Layers that are no attention, lists of layers, a last layer that attends fully, and a scaling by default."""
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4, "max_position_embeddings": 64, "rope_theta": 1e4}

    def layers(configuration):
        answer = answer_of(program, {**sizes, **configuration})
        return answer, {kind: (each["layers"], each["window"], bool(each["inv_freq"])) for kind, each in kinds_of(answer).items()}

    for kind in ("linear_attention", "mamba", "conv", "moe"):
        _, found = layers({"model_type": "llama", "sliding_window": 16, "layer_types": [kind, kind, kind, "full_attention"]})
        check(found == {"full_attention": (1, 0, True), kind: (3, 0, False)}, (kind, found))
    _, found = layers({"model_type": "lfm2", "full_attn_idxs": [0, 2, 2]})
    check(found == {"full_attention": (2, 0, True), "conv": (2, 0, False)}, found)
    for given, base in (({"rope_theta": 5e5, "theta": 5e5}, 5e5), ({"rope_theta": None, "theta": 5e5}, 5e5), ({"rope_theta": None}, 1e6)):
        answer, _ = layers({"model_type": "lfm2", "full_attn_idxs": [0], **given})
        check(kinds_of(answer)["full_attention"]["params"]["base"] == base, (given, answer))
        check(not any(each["id"] in WRONG for each in answer["findings"]), answer["findings"])
    check(any(each["id"] == "unknown-key" for each in layers({"model_type": "llama", "theta": 5e5})[0]["findings"]), "theta is a key of lfm2 alone")
    _, found = layers({"model_type": "lfm2"})
    check(found == {"": (4, 0, True)}, found)
    for wrong, ids in (([4], ["out-of-range"]), ([0.5], ["out-of-range"]), (["0"], ["out-of-range"]), (2, ["wrong-type"])):
        answer, _ = layers({"model_type": "lfm2", "full_attn_idxs": wrong})
        check([each["id"] for each in answer["findings"] if each["key"] == "full_attn_idxs"] == ids, (wrong, answer["findings"]))
    _, found = layers({"model_type": "granitemoehybrid", "layer_types": ["mamba", "mamba", "mamba", "attention"]})
    check(found == {"mamba": (3, 0, False), "attention": (1, 0, False)}, found)
    # Gemma 4: a head's width by layer type; the last layer attends fully, and its scaling is one that files give.
    gemma = {"model_type": "gemma4_text", "head_dim": 32, "global_head_dim": 64, "sliding_window": 16}
    for given in ({}, {"layer_types": ["sliding_attention"] * 4}):
        answer, found = layers({**gemma, **given})
        check(found == {"full_attention": (1, 0, True), "sliding_attention": (3, 16, True)}, found)
        check([kinds_of(answer)[kind]["head_dim"] for kind in ("full_attention", "sliding_attention")] == [64, 32], kinds_of(answer))
        check([each["severity"] for each in answer["findings"] if each["id"] == "scaling-not-given"] == ["warning"], answer["findings"])
    # vLLM has the same proportional rotation.
    facts = FACTS["gemma4_text"]
    answer = answer_of(program, configuration_of("gemma4_text", facts), "vllm")["engines"]["vllm"]
    check(not answer["refusal"] and not differences_of(kinds_of(answer), facts), answer["refusal"])


def main():
    program = sys.argv[1]
    differences = {model_type: compare(program, model_type, facts) for model_type, facts in FACTS.items()}
    wrong = {model_type: found for model_type, found in differences.items() if found}
    check(not wrong, "\n".join(f"{model_type}: {'; '.join(found)}" for model_type, found in wrong.items()))
    check_windows(program)
    check_layers(program)
    print(len(FACTS), "model types")


if __name__ == "__main__":
    main()
