"""Gradients of learned names that PyTorch and JAX compute in exported source equal farfield's symbolic derivatives.

Usage: gradients.py TARGET FARFIELD VENV
"""
import math
import os
import subprocess
import sys
import tempfile

from libraries import exported, go_where_installed

HEADS, LENGTH = 3, 20
TOLERANCE = 1e-12  # some ten roundings of doubles; values are about 1 to 10
BIAS = {"kerple-log": "-r1*log(1 + r2*n)", "kerple-power": "-r1*abs(n)^min(r2, 2)"}
VALUES = {"r1": [0.5, 1.25, 2.0], "r2": [0.75, 1.5, 3.0]}


def derivative(program, formula, name, values):
    """The values at distances 0 to LENGTH - 1."""
    command = [program, "eval", formula, *(["--d", name] if name else []), "--over", f"n=0:{LENGTH - 1}"]
    command += [f"--let={key}={value}" for key, value in values.items()]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[1:]
    return [float(line.split(",")[1]) for line in lines]


def inverse_softplus(value):
    return value + math.log(-math.expm1(-value))


def check(what, found, wanted):
    """The last query's row of gradients, by distance."""
    for n, (one, other) in enumerate(zip(found, wanted, strict=True)):
        if not abs(one - other) <= TOLERANCE * max(1, abs(other)):
            print(f"{what} at distance {n}: {one}, not {other}")
            return False
    return True


# Formulas whose other branch is infinite or not a number where it is not taken.
GUARDED = {
    "guarded-log": ("if(n > 0, -r1*log(n), 0)", ""),
    "guarded-let": ("if(n > 0, -r1*w, -r2)", 'let = { w = "log(n)" }'),
    "guarded-power": ("n < 5 ? -r1*exp(n*n*n) : -r2/(n - 4)", ""),
    "guarded-nested": ("if(n > 3, if(n > 6, -r1/(n - 6), -r2*log(n - 3)), -r1*sqrt(3 - n))", ""),
    "guarded-when": ("-r1*log(n)", 'when = "n >= 1"'),
}


def guarded_study(folder):
    path = os.path.join(folder, "guarded.toml")
    with open(path, "w") as file:
        for name, (formula, more) in GUARDED.items():
            used = [each for each in ("r1", "r2") if each in formula]
            learn = ", ".join(f'{each} = {{ init = 1.5, positive = true, per = "head" }}' for each in used)
            bias = f'{{ formula = "{formula}", {more} }}' if more.startswith("when") else f'"{formula}"'
            file.write(f"[scheme.{name}]\nlearn = {{ {learn} }}\nbias = {bias}\n{more if more.startswith('let') else ''}\n")
    return path


class Torch:
    def __init__(self, module, name):
        import torch
        self.torch = torch
        self.module = getattr(module, name)(HEADS, dtype=torch.float64)

    def put(self, name, values):
        parameter = dict(self.module.named_parameters())[name]
        with self.torch.no_grad():
            parameter.copy_(self.torch.tensor(values, dtype=self.torch.float64))

    def row(self, parameter, head):
        """d bias[head, last query, distance] / d parameter, [distance, ...] in the parameter's shape."""
        own = dict(self.module.named_parameters())[parameter]
        bias = self.module.bias(LENGTH, LENGTH)[head, -1].flip(0)
        return [self.torch.autograd.grad(value, own, retain_graph=True)[0].numpy() for value in bias]

    def loss_gradients(self):
        """The gradient through attention over all heads with the bias and the mask."""
        import numpy as np
        torch = self.torch
        logits = self.module.bias(LENGTH, LENGTH).masked_fill(~torch.ones(LENGTH, LENGTH).tril().bool(), -math.inf)
        loss = (torch.softmax(logits, -1) * torch.arange(LENGTH)).sum()
        return np.concatenate([each.ravel().numpy() for each in torch.autograd.grad(loss, list(self.module.parameters()))])


class Jax:
    def __init__(self, module, name):
        import jax
        jax.config.update("jax_enable_x64", True)
        self.jax, self.module = jax, module
        self.parameters = module.initial_parameters(HEADS, dtype=jax.numpy.float64)

    @staticmethod
    def own(name):
        return name.removeprefix("raw_").removeprefix("learned_")

    def put(self, name, values):
        self.parameters[self.own(name)] = self.jax.numpy.asarray(values, self.jax.numpy.float64)

    def bias(self, parameters):
        return self.module.bias(parameters, HEADS, LENGTH, LENGTH, dtype=self.jax.numpy.float64)

    def row(self, parameter, head):
        import numpy as np
        jacobian = self.jax.jit(self.jax.jacobian(lambda given: self.bias(given)[head, -1, ::-1]))(self.parameters)
        return list(np.asarray(jacobian[self.own(parameter)]))

    def loss_gradients(self):
        import numpy as np
        jnp = self.jax.numpy

        def loss(parameters):
            logits = jnp.where(jnp.tri(LENGTH, dtype=bool), self.bias(parameters), -jnp.inf)
            return (self.jax.nn.softmax(logits, -1) * jnp.arange(LENGTH)).sum()
        return np.concatenate([np.ravel(each) for each in self.jax.jit(self.jax.grad(loss))(self.parameters).values()])


LIBRARIES = {"torch": Torch, "jax": Jax}


def class_name(scheme):
    return "".join(part.capitalize() for part in scheme.split("-"))


def check_kerple(library, program, scheme, formula, module):
    learner = library(module, class_name(scheme))
    for name, values in VALUES.items():
        learner.put("raw_" + name, [inverse_softplus(value) for value in values])
    is_good = True
    for head in range(HEADS):
        values = {name: of_heads[head] for name, of_heads in VALUES.items()}
        for name, value in values.items():
            # The chain rule: softplus is applied to the parameter, and its derivative is the sigmoid.
            slope = 1 / (1 + math.exp(-inverse_softplus(value)))
            wanted = [slope * each for each in derivative(program, formula, name, values)]
            rows = learner.row("raw_" + name, head)
            is_good &= check(f"{scheme}: d/d {name} of head {head + 1}", [row[head] for row in rows], wanted)
            others = sum(abs(row[other]) for row in rows for other in range(HEADS) if other != head)
            is_good &= others == 0
    return is_good and finite(learner, scheme)


def check_guarded(library, program, scheme, target, folder, study):
    """A branch that is not taken adds nothing to a gradient, not even 0 times infinity."""
    formula, more = GUARDED[scheme]
    if more.startswith("when"):
        formula = f"if(n >= 1, {formula}, 0)"
    formula = formula.replace("w", "log(n)") if more.startswith("let") else formula
    learner = library(exported(program, scheme, target, folder, "--from", study), class_name(scheme))
    is_good = True
    for name in [each for each in ("r1", "r2") if each in formula]:
        values = {each: VALUES[each][1] for each in ("r1", "r2")}
        for each in [each for each in ("r1", "r2") if each in formula]:
            learner.put("raw_" + each, [inverse_softplus(values[each])] * HEADS)
        slope = 1 / (1 + math.exp(-inverse_softplus(values[name])))
        given = {each: value for each, value in values.items() if each in formula}
        wanted = [slope * each for each in derivative(program, formula, name, given)]
        rows = learner.row("raw_" + name, 1)
        is_good &= check(f"{scheme}: d/d {name}", [row[1] for row in rows], wanted)
    return is_good


def finite(learner, scheme):
    import numpy as np
    gradients = learner.loss_gradients()
    if np.isfinite(gradients).all() and (gradients != 0).any():
        return True
    print(f"{scheme}: gradients of a loss are {gradients}")
    return False


def check_table(library, program, module):
    """The derivative with respect to an entry is 1 where the distance is in that entry's bucket."""
    learner = library(module, "T5")
    buckets = derivative(program, "t5_bucket(n, 32, 128)", None, {})
    rows = learner.row("learned_weight", 1)
    is_good = all(row[1, int(bucket)] == 1 and row.sum() == 1 for row, bucket in zip(rows, buckets, strict=True))
    if not is_good:
        print("t5: a derivative with respect to the table's entries is not that of the bucket")
    return is_good and finite(learner, "t5")


def main():
    target, program, venv = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    go_where_installed(target, venv)
    library = LIBRARIES[target]
    with tempfile.TemporaryDirectory() as folder:
        results = [check_kerple(library, program, scheme, formula, exported(program, scheme, target, folder))
                   for scheme, formula in BIAS.items()]
        study = guarded_study(folder)
        results += [check_guarded(library, program, scheme, target, folder, study) for scheme in GUARDED]
        results.append(check_table(library, program, exported(program, "t5", target, folder)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
