// PyTorch: functions of tensors, differentiable; learned names are parameters of a module.
#include <farfield/formula/tree.hpp>

#include "export/alike.hpp"
#include "export/learned.hpp"
#include "export/module.hpp"
#include "export/targets.hpp"
#include "export/written.hpp"

namespace farfield::exporting {

namespace {

// One row for each operator of operators.def, under its name, here or in alike.hpp.
namespace torch_rows {
using namespace alike;
constexpr Translation logical_not{"torch.logical_not(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation select{"torch.where(#1, #2, #3)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation absolute{"torch.abs(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation square_root{"torch.sqrt(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
#define WRITTEN(name, numpy, torch, jax) \
    constexpr Translation name{torch, an_atom, a_comparison, a_comparison, Arrays::all};
#include <farfield/numerics/functions.def>
#define WRITTEN(name, numpy, torch, jax) \
    constexpr Translation name{torch, an_atom, a_comparison, a_comparison, Arrays::all};
#include <farfield/numerics/formats.def>
constexpr Translation arctangent{"torch.atan2(#1, #2)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation floor{"torch.floor(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation ceiling{"torch.ceil(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation round{"torch.round(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation sign{"_sign(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation minimum{"torch.minimum(#1, #2)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation maximum{"torch.maximum(#1, #2)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation clamp{"torch.minimum(torch.maximum(#1, #2), #3)", an_atom, a_comparison, a_comparison,
                            Arrays::all};
constexpr Translation softplus{"_softplus(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation sigmoid{"torch.sigmoid(#1)", an_atom, a_comparison, a_comparison, Arrays::all};
constexpr Translation sum{"sum((#1 for #2 in #3), number(0.0))"};
constexpr Translation product{"math.prod((#1 for #2 in #3), start=number(1.0))"};
constexpr Translation for_all{
    "functools.reduce(torch.logical_and, (#1 for #2 in #3), torch.tensor(True, device=device))"};
constexpr Translation for_some{
    "functools.reduce(torch.logical_or, (#1 for #2 in #3), torch.tensor(False, device=device))"};
constexpr Translation sine_integral{};
constexpr Translation binomial{};
constexpr Translation integral{};
constexpr Translation argmin{"_argmin((#1, #2) for #2 in #3)"};
constexpr Translation argmax{"_argmax((#1, #2) for #2 in #3)"};
}  // namespace torch_rows

constexpr Translation torch_translations[] = {
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) torch_rows::name,
#define REDUCTION(name, spelling, type, empty, latex, meaning) torch_rows::name,
#define CHOICE(name, ...) torch_rows::name,
#define INTEGRAL(name, ...) torch_rows::name,
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
};

constexpr std::string_view torch_helpers = R"(def _argmin(terms):
    """The variable of the first of the pairs (term, variable) with the least term; NaN over none, or if a term is."""
    index, best = math.nan, None
    for term, variable in terms:
        term = torch.as_tensor(term + 0.0 * variable)
        variable = torch.zeros_like(term) + variable
        index = variable if best is None else torch.where(term < best, variable, index)
        best = term if best is None else torch.minimum(best, term)
    return index if best is None else torch.where(torch.isnan(best), math.nan, index)


def _argmax(terms):
    """The variable of the first of the pairs (term, variable) with the greatest term."""
    return _argmin((-term, variable) for term, variable in terms)


def _wide(x):
    """`x` in float32, or in float64 if it is that: a half type is too coarse to compute in."""
    return x if x.dtype == torch.float64 else x.to(torch.float32)


def _softplus(x):
    """log(1 + exp(x)), to the last digits also where torch.nn.functional.softplus turns into x."""
    return torch.logaddexp(x, torch.zeros_like(x))


def _sign(x):
    """-1, 0 or 1; NaN of NaN."""
    return torch.where(torch.isnan(x), x, torch.sign(x))


def _cast(x, format, largest=math.inf):
    """Rounded to a number format, in the type of x; gradients pass straight through. NaN beyond `largest`, where casts differ."""
    rounded = torch.where(torch.abs(x) > largest, math.nan, x).detach().to(format).to(x.dtype)
    return torch.where(torch.isfinite(rounded), x + (rounded - x.detach()), rounded)


def _entry(table, index, row=None):
    """The entry of a table (of a head: row); NaN where the index is not a whole number from 0 to the table's end."""
    inside = (torch.floor(index) == index) & (index >= 0) & (index < table.shape[-1])
    at = torch.where(inside, index, 0.0).to(torch.long)
    return torch.where(inside, table[at] if row is None else table[row, at], math.nan)


def _fold(first, last, empty, join, term):
    """Joins term(v) over the integers v from `first` to `last` of each place, both included; NaN or False where
    these are not integers. Terms outside are computed at an end, so that none has a value that its place does not ask for.
    """
    first, last = torch.broadcast_tensors(first, last)
    whole = torch.isfinite(first) & torch.isfinite(last) & (torch.floor(first) == first) & (torch.floor(last) == last)
    value = torch.full_like(first, empty, dtype=torch.bool if isinstance(empty, bool) else first.dtype)
    for j in range(int(first[whole].min()), int(last[whole].max()) + 1) if whole.any() else ():
        more = join(value, term(torch.minimum(torch.clip(first, min=j), last)))
        value = torch.where((first <= j) & (j <= last), more, value)
    return torch.where(whole, value, False if isinstance(empty, bool) else math.nan)


def _t5_bucket(n, edges):
    """T5's causal bucket: a bucket a distance below `near`, then as many more as there are edges below the distance."""
    near, *far = edges
    return sum((n >= edge for edge in far), torch.minimum(torch.clip(torch.floor(n), 0.0), near)))";

}  // namespace

const Language& torch_language() {
    static const Language language = {
        .target = "torch",
        .module = "torch",
        .import_line = "import torch\n",
        .translations = torch_translations,
        .pi = "math.pi",
        .e = "math.e",
        .inf = "math.inf",
        .arange = "torch.arange(#1, #2, dtype=wide, device=device)",
        .lift = "number",
        .arithmetic = "wide = torch.float64 if dtype == torch.float64 else torch.float32",
        .set_up = "number = functools.partial(torch.as_tensor, dtype=wide, device=device)",
        .extra = "dtype=torch.float32, device=None",
        .widened = "#1.to(wide)",
        .cast = "#1.to(dtype)",
        .learned = "number(#1)",
        .positive = "#1",
        .has_parameters = false,
        .has_gradients = true,
        .integers = "torch.arange(#1, device=device)",
        .helpers = torch_helpers};
    return language;
}

std::string torch_source(const scheme::Scheme& scheme) {
    const Language& language = torch_language();
    std::string body;
    for (const Function& function : functions_of(scheme, language))
        body += function_text(scheme, language, function) + "\n\n";
    body += application_text(scheme, language) + module_class(scheme, functions_of(scheme, language));
    return assembled(language, module_docstring(scheme, "torch", module_note(scheme)), body);
}

}  // namespace farfield::exporting
