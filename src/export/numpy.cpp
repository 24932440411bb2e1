// numpy: functions of whole arrays, which compute in float64 by default.
#include "export/alike.hpp"
#include "export/module.hpp"
#include "export/targets.hpp"

namespace farfield::exporting {

namespace {

// One row for each operator of operators.def, under its name, here or in alike.hpp.
namespace numpy_rows {
using namespace alike;
constexpr Translation logical_not{"np.logical_not(#1)"};
constexpr Translation select{"np.where(#1, #2, #3)"};
constexpr Translation absolute{"np.abs(#1)"};
constexpr Translation square_root{"np.sqrt(#1)"};
#define WRITTEN(name, numpy, torch, jax) constexpr Translation name{numpy};
#include <farfield/numerics/functions.def>
#define WRITTEN(name, numpy, torch, jax) constexpr Translation name{numpy};
#include <farfield/numerics/formats.def>
constexpr Translation arctangent{"np.arctan2(#1, #2)"};
constexpr Translation floor{"np.floor(#1)"};
constexpr Translation ceiling{"np.ceil(#1)"};
constexpr Translation round{"np.rint(#1)"};
constexpr Translation sign{"np.sign(#1)"};
constexpr Translation minimum{"np.minimum(#1, #2)"};
constexpr Translation maximum{"np.maximum(#1, #2)"};
constexpr Translation clamp{"np.minimum(np.maximum(#1, #2), #3)"};
constexpr Translation softplus{"np.logaddexp(#1, 0.0)"};
constexpr Translation sigmoid{"_sigmoid(#1)"};
constexpr Translation sum{"sum((#1 for #2 in #3), np.float64(0.0))"};
constexpr Translation product{"math.prod((#1 for #2 in #3), start=np.float64(1.0))"};
constexpr Translation for_all{"functools.reduce(np.logical_and, (#1 for #2 in #3), np.True_)"};
constexpr Translation for_some{"functools.reduce(np.logical_or, (#1 for #2 in #3), np.False_)"};
constexpr Translation sine_integral{};
constexpr Translation binomial{};
constexpr Translation integral{};
constexpr Translation argmin{"_argmin((#1, #2) for #2 in #3)"};
constexpr Translation argmax{"_argmax((#1, #2) for #2 in #3)"};
}  // namespace numpy_rows

constexpr Translation numpy_translations[] = {
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) numpy_rows::name,
#define REDUCTION(name, spelling, type, empty, latex, meaning) numpy_rows::name,
#define CHOICE(name, ...) numpy_rows::name,
#define INTEGRAL(name, ...) numpy_rows::name,
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
};

constexpr std::string_view numpy_helpers = R"(def _argmin(terms):
    """The variable of the first of the pairs (term, variable) with the least term; NaN over none, or if a term is."""
    index, best = np.nan, None
    for term, variable in terms:
        index = variable if best is None else np.where(term < best, variable, index)
        best = term if best is None else np.minimum(best, term)
    return index if best is None else np.where(np.isnan(best), np.nan, index)


def _argmax(terms):
    """The variable of the first of the pairs (term, variable) with the greatest term."""
    return _argmin((-term, variable) for term, variable in terms)


def _sigmoid(x):
    """1/(1 + exp(-x)) without overflow."""
    power = np.exp(-np.abs(x))
    return np.where(x < 0, power, 1.0) / (1.0 + power)


def _erf(x):
    """The error function, which numpy does not have."""
    return np.vectorize(math.erf, otypes=[float])(x)


def _cast(x, format):
    """Rounded to a format of numpy's, in the type of x."""
    x = np.asarray(x)
    with np.errstate(over="ignore", under="ignore"):
        return x.astype(format).astype(x.dtype if x.dtype.kind == "f" else float)


def _rounded(x, lowest, bits, largest, beyond):
    """Rounded to a format that numpy lacks, ties to even: `bits` of fraction, exponents from `lowest` on."""
    unit = np.ldexp(1.0, np.maximum(np.frexp(x)[1] - 1, lowest) - bits)
    rounded = np.rint(x / unit) * unit
    return np.where(np.abs(rounded) > largest, np.copysign(beyond, x), rounded)


def _entry(table, index, row=None):
    """The entry of a table (of a head: row); NaN where the index is not a whole number from 0 to the table's end."""
    inside = (np.floor(index) == index) & (index >= 0) & (index < table.shape[-1])
    at = np.where(inside, index, 0).astype(int)
    return np.where(inside, table[at] if row is None else table[row, at], np.nan)


def _fold(first, last, empty, join, term):
    """Joins term(v) over the integers v from `first` to `last` of each place, both included; NaN or False where
    these are not integers. Terms outside are computed at an end, so that none has a value that its place does not ask for.
    """
    first, last = np.broadcast_arrays(first, last)
    whole = np.isfinite(first) & np.isfinite(last) & (np.floor(first) == first) & (np.floor(last) == last)
    value = np.full(first.shape, empty)
    for j in range(int(first[whole].min()), int(last[whole].max()) + 1) if whole.any() else ():
        more = join(value, term(np.minimum(np.maximum(float(j), first), last)))
        value = np.where((first <= j) & (j <= last), more, value)
    return np.where(whole, value, False if isinstance(empty, bool) else np.nan)


def _t5_bucket(n, edges):
    """T5's causal bucket: a bucket a distance below `near`, then as many more as there are edges below the distance."""
    near, *far = edges
    bucket = np.minimum(np.maximum(np.floor(n), 0.0), near)
    return sum((n >= edge for edge in far), bucket))";

}  // namespace

const Language& numpy_language() {
    static const Language language = {.target = "numpy",
                                      .module = "np",
                                      .import_line = "import numpy as np\n",
                                      .translations = numpy_translations,
                                      .pi = "np.pi",
                                      .e = "np.e",
                                      .inf = "np.inf",
                                      .arange = "np.arange(#1, #2, dtype=float)",
                                      .lift = "np.float64",
                                      .arithmetic = "",
                                      .set_up = "",
                                      .extra = "",
                                      .widened = "#1.astype(float)",
                                      .cast = "#1",
                                      .learned = "np.asarray(#1, dtype=float)",
                                      .positive = "#1",
                                      .has_parameters = false,
                                      .integers = "np.arange(#1)",
                                      .helpers = numpy_helpers};
    return language;
}

std::string numpy_source(const scheme::Scheme& scheme) {
    const Language& language = numpy_language();
    std::string body;
    for (const Function& function : functions_of(scheme, language))
        body += function_text(scheme, language, function) + "\n\n";
    return assembled(language, module_docstring(scheme, "numpy", ""), body + application_text(scheme, language));
}

}  // namespace farfield::exporting
