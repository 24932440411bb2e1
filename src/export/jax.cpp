// JAX: pure functions for jax.jit and jax.grad; learned names are passed as a dictionary.
#include "export/alike.hpp"
#include "export/learned.hpp"
#include "export/module.hpp"
#include "export/targets.hpp"

namespace farfield::exporting {

namespace {

// One row for each operator of operators.def, under its name, here or in alike.hpp.
namespace jax_rows {
using namespace alike;
constexpr Translation logical_not{"jnp.logical_not(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation select{"jnp.where(#1, #2, #3)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation absolute{"jnp.abs(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation square_root{"jnp.sqrt(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
#define WRITTEN(name, numpy, torch, jax) \
    constexpr Translation name{jax, an_atom, a_comparison, a_comparison, Arrays::all};
#include <farfield/numerics/functions.def>
#define WRITTEN(name, numpy, torch, jax) \
    constexpr Translation name{jax, an_atom, a_comparison, a_comparison, Arrays::all};
#include <farfield/numerics/formats.def>
constexpr Translation arctangent{"jnp.arctan2(#1, #2)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation floor{"jnp.floor(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation ceiling{"jnp.ceil(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation round{"jnp.rint(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation sign{"jnp.sign(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation minimum{"jnp.minimum(#1, #2)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation maximum{"jnp.maximum(#1, #2)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation clamp{"jnp.minimum(jnp.maximum(#1, #2), #3)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation softplus{"jnp.logaddexp(#1, 0.0)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation sigmoid{"_sigmoid(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation sum{"sum((#1 for #2 in #3), number(0.0))"};
constexpr Translation product{"math.prod((#1 for #2 in #3), start=number(1.0))"};
constexpr Translation for_all{"functools.reduce(jnp.logical_and, (#1 for #2 in #3), jnp.array(True))"};
constexpr Translation for_some{"functools.reduce(jnp.logical_or, (#1 for #2 in #3), jnp.array(False))"};
constexpr Translation sine_integral{};
constexpr Translation binomial{};
constexpr Translation integral{};
constexpr Translation argmin{"_argmin((#1, #2) for #2 in #3)"};
constexpr Translation argmax{"_argmax((#1, #2) for #2 in #3)"};
}  // namespace jax_rows

constexpr Translation jax_translations[] = {
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) jax_rows::name,
#define REDUCTION(name, spelling, type, empty, latex, meaning) jax_rows::name,
#define CHOICE(name, ...) jax_rows::name,
#define INTEGRAL(name, ...) jax_rows::name,
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
};

constexpr std::string_view jax_helpers = R"(def _argmin(terms):
    """The variable of the first of the pairs (term, variable) with the least term; NaN over none, or if a term is."""
    index, best = jnp.nan, None
    for term, variable in terms:
        index = variable if best is None else jnp.where(term < best, variable, index)
        best = term if best is None else jnp.minimum(best, term)
    return index if best is None else jnp.where(jnp.isnan(best), jnp.nan, index)


def _argmax(terms):
    """The variable of the first of the pairs (term, variable) with the greatest term."""
    return _argmin((-term, variable) for term, variable in terms)


def _wide(x):
    """`x` in float32, or in float64 if it is that: a half type is too coarse to compute in."""
    return x if x.dtype == jnp.float64 else x.astype(jnp.float32)


def _sigmoid(x):
    """1/(1 + exp(-x)) without overflow."""
    power = jnp.exp(-jnp.abs(x))
    return jnp.where(x < 0, power, 1.0) / (1.0 + power)


def _log2(x):
    """The logarithm to base 2, exact at powers of two, where a quotient of logarithms is not."""
    quotient = jnp.log(x) / math.log(2.0)
    nearest = jnp.round(quotient)
    is_power = jnp.ldexp(jnp.ones_like(x), jnp.clip(nearest, -1022, 1023).astype(int)) == x
    return quotient + jax.lax.stop_gradient(jnp.where(is_power, nearest - quotient, 0.0))


def _rounded(x, lowest, bits, largest, beyond):
    """Rounded to a number format, ties to even: `bits` of fraction, exponents from `lowest` on. Gradients pass straight through.
    Not by casts, which XLA leaves out under jit.
    """

    @jax.custom_jvp
    def rounded(x):
        unit = jnp.ldexp(jnp.ones_like(x), jnp.maximum(jnp.frexp(x)[1] - 1, lowest) - bits)
        unit = jnp.maximum(unit, jnp.finfo(x.dtype).tiny)
        value = jnp.rint(x / unit) * unit
        return jnp.where(jnp.abs(value) > largest, jnp.copysign(beyond, x), value)

    rounded.defjvp(lambda primals, tangents: (rounded(*primals), tangents[0]))
    return rounded(x)


def _entry(table, index, row=None):
    """The entry of a table (of a head: row); NaN where the index is not a whole number from 0 to the table's end."""
    inside = (jnp.floor(index) == index) & (index >= 0) & (index < table.shape[-1])
    at = jnp.where(inside, index, 0.0).astype(int)
    return jnp.where(inside, table[at] if row is None else table[row, at], jnp.nan)


def _fold(first, last, empty, join, term):
    """Joins term(v) over the integers v from `first` to `last` of each place, both included; NaN or False where
    these are not integers. Terms outside are computed at an end, so that none has a value that its place does not ask for.
    A while_loop: jax.jvp goes through it, jax.grad does not.
    """
    first, last = jnp.broadcast_arrays(first, last)
    whole = jnp.isfinite(first) & jnp.isfinite(last) & (jnp.floor(first) == first) & (jnp.floor(last) == last)
    kind = jax.eval_shape(term, first)
    value = jnp.full(jnp.broadcast_shapes(first.shape, kind.shape), empty, dtype=kind.dtype)
    highest = jnp.max(jnp.where(whole, last, -jnp.inf))

    def more(state):
        j, value = state
        joined = join(value, term(jnp.minimum(jnp.maximum(j, first), last)))
        return j + 1.0, jnp.where((first <= j) & (j <= last), joined, value)

    lowest = jnp.min(jnp.where(whole, first, jnp.inf))
    value = jax.lax.while_loop(lambda state: state[0] <= highest, more, (lowest, value))[1]
    return jnp.where(whole, value, False if isinstance(empty, bool) else jnp.nan)


def _t5_bucket(n, edges):
    """T5's causal bucket: a bucket a distance below `near`, then as many more as there are edges below the distance."""
    near, *far = edges
    return sum((n >= edge for edge in far), jnp.clip(jnp.floor(n), 0.0, near)))";

}  // namespace

const Language& jax_language() {
    static const Language language = {.target = "jax",
                                      .module = "jnp",
                                      .import_line = "import jax\nimport jax.numpy as jnp\n",
                                      .translations = jax_translations,
                                      .pi = "math.pi",
                                      .e = "math.e",
                                      .inf = "math.inf",
                                      .arange = "jnp.arange(#1, #2, dtype=wide)",
                                      .lift = "number",
                                      .arithmetic = "wide = jnp.float64 if dtype == jnp.float64 else jnp.float32",
                                      .set_up = "number = functools.partial(jnp.asarray, dtype=wide)",
                                      .extra = "dtype=jnp.float32",
                                      .widened = "#1.astype(wide)",
                                      .cast = "#1.astype(dtype)",
                                      .learned = "number(#1)",
                                      .positive = "jax.nn.softplus(#1)",
                                      .has_parameters = true,
                                      .has_gradients = true,
                                      .integers = "jnp.arange(#1)",
                                      .helpers = jax_helpers};
    return language;
}

std::string jax_source(const scheme::Scheme& scheme) {
    const Language& language = jax_language();
    std::string body = initial_parameters(scheme);
    for (const Function& function : functions_of(scheme, language))
        body += function_text(scheme, language, function) + "\n\n";
    return assembled(language, module_docstring(scheme, "jax", parameters_note(scheme)),
                     body + application_text(scheme, language));
}

}  // namespace farfield::exporting
