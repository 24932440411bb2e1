// A hundred schemes whose biases are random formulas, twenty whose masks are, and twenty whose biases have loops that
// end at positions, heads or the variables of loops around, as TOML.
//
// Taken are formulas that no rounding of one spacing an operator moves by more than half of what `farfield compare`
// takes for equal: others differ from one library's exp to the next, and say nothing of a translation. Every operator
// that can stand in one must be among them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>

#include "evaluate/interpreter.hpp"
#include "evaluate/loose.hpp"
#include "support/random_formula.hpp"

namespace farfield::tests {
namespace {

using formula::Node;

// As tests/export/round_trip.py asks for them.
constexpr int heads = 3;
constexpr int length = 12;
constexpr double half_of_tolerance = 8;

const std::vector<std::string> variables = {"q", "k", "n", "h", "H", "L", "a", "r"};
constexpr double value_of_a = 1.5;
constexpr double value_of_r = 0.75;
const std::vector<double> table = {0.25, 0.25, 0.25, 0.25};

/// What no library has: exports refuse these by name.
const std::vector<formula::Op> untranslated = {formula::Op::sine_integral, formula::Op::binomial,
                                               formula::Op::integral};

bool is_drawn(formula::Op op) {
    return !formula::is_rounding(op) && std::find(untranslated.begin(), untranslated.end(), op) == untranslated.end();
}

using Arithmetic = Loose<double, 1>;

/// Calls visit(interpreter) at every point that the causal mask shows; false if it was false at one.
template <class Visit>
bool at_all_points(const Node& tree, const Visit& visit) {
    const formula::Program program = formula::compile(tree, {{}, variables, {"w"}});
    const std::vector<std::span<const double>> tables = {table};
    evaluate::Interpreter<Arithmetic, double> interpreter(program, {}, tables);
    interpreter.run_uniform();
    for (int h = 1; h <= heads; ++h) {
        for (int q = 0; q < length; ++q) {
            for (int k = 0; k <= q; ++k) {
                const double values[] = {double(q),     double(k),      double(q - k), double(h),
                                         double(heads), double(length), value_of_a,    value_of_r};
                for (std::size_t at = 0; at < variables.size(); ++at) interpreter.set_input(at, values[at]);
                interpreter.run_varying();
                if (!visit(interpreter)) return false;
            }
        }
    }
    return true;
}

bool is_steady(const Node& tree) {
    return at_all_points(tree, [](const auto& interpreter) {
        const numerics::Interval value = interpreter.real_result();
        if (numerics::is_undefined(value) || !(std::fabs(value.lo) < 1e300) || !(std::fabs(value.hi) < 1e300))
            return false;
        const double least = std::min(std::fabs(value.lo), std::fabs(value.hi));
        const double unit = std::ldexp(1.0, (least > 0 ? std::ilogb(least) : -1022) - 52);
        return value.hi - value.lo <= half_of_tolerance * unit;
    });
}

/// Decided everywhere, and not the same everywhere.
bool is_decided(const Node& tree) {
    std::set<numerics::Truth> found;
    const bool decided = at_all_points(tree, [&](const auto& interpreter) {
        found.insert(interpreter.boolean_result());
        return interpreter.boolean_result() != numerics::Truth::unknown;
    });
    return decided && found.size() == 2;
}

void collect(const Node& tree, std::set<formula::Op>& operators) {
    if (tree->kind == formula::Kind::operation || tree->kind == formula::Kind::reduction) operators.insert(tree->op);
    for (const Node& child : tree->children) collect(child, operators);
}

bool mentions(const Node& tree, const std::string& name) {
    const std::vector<std::string> names = formula::free_names(tree);
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Whether some loop ends at a name (at the variable of another, if `nested`) and its body uses its variable.
bool has_varying_loop(const Node& tree, bool nested) {
    const bool ends_at_name = tree->kind == formula::Kind::reduction &&
                              tree->children[1]->kind == formula::Kind::name &&
                              (tree->children[1]->text.front() == 'v') == nested;  // random variables are v1, v2
    if (ends_at_name && mentions(tree->children[2], tree->text)) return true;
    return std::any_of(tree->children.begin(), tree->children.end(),
                       [&](const Node& child) { return has_varying_loop(child, nested); });
}

bool varies(const Node& tree) {
    for (const std::string& name : formula::free_names(tree))
        if (name == "q" || name == "k" || name == "n") return true;
    return false;
}

/// A scheme has the names that its formula depends on, and no other.
void print_scheme(const std::string& name, const char* part, const Node& tree) {
    const bool has_r = mentions(tree, "r");
    const bool has_w = !formula::indexed_names(tree).empty();
    fmt::print("[scheme.{}]\n", name);
    if (mentions(tree, "a")) fmt::print("params = {{ a = {} }}\n", value_of_a);
    if (has_r) fmt::print("learn.r = {{ init = {}, positive = true, per = \"head\" }}\n", value_of_r);
    if (has_w) fmt::print("learn.w = {{ init = {}, size = {} }}\n", table[0], table.size());
    fmt::print("{} = \"{}\"\n\n", part, formula::print(tree));
}

/// Schemes until there are so many and every operator was in one; the operators that were.
template <class Make, class Fits>
std::set<formula::Op> print_schemes(const char* part, int count, const Make& make, const Fits& fits) {
    std::set<formula::Op> seen;
    const auto& all = formula::operators();
    const auto drawn = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const formula::OperatorRow& row) { return is_drawn(row.op); }));
    for (int made = 0, tried = 0; made < count && tried < 4000000; ++tried) {
        const Node tree = make();
        std::set<formula::Op> own;
        collect(tree, own);
        const std::set<formula::Op> before = seen;
        if (!varies(tree) || own.size() < 3 || !fits(tree)) continue;
        seen.insert(own.begin(), own.end());
        // Half of the places are kept for what brings an operator that was not seen yet.
        if (seen == before && made >= count / 2 && tried < 2000000 && seen.size() < drawn) continue;
        print_scheme(fmt::format("random-{}-{}", part, ++made), part, tree);
    }
    return seen;
}

}  // namespace
}  // namespace farfield::tests

int main() {
    using namespace farfield;
    using namespace farfield::tests;
    RandomOptions options;
    options.variables = variables;
    options.nodes = 12;
    options.reductions = true;
    options.tables = {"w"};
    // PyTorch and JAX round 64-bit numbers by way of fp32, which differs at ties.
    options.roundings = false;
    options.without = untranslated;
    RandomFormula random(20241, options);
    std::set<formula::Op> seen = print_schemes(
        "bias", 100, [&] { return random.real(); }, is_steady);
    seen.merge(print_schemes(
        "mask", 20, [&] { return random.boolean(); }, is_decided));
    options.bounds = {"n", "q", "k", "h"};
    options.nodes = 16;
    // Exports take a choice among integers whose ends are numbers or params.
    options.without.insert(options.without.end(), {formula::Op::argmin, formula::Op::argmax});
    RandomFormula loops(30403, options);
    for (int made = 0; made < 20;) {
        const Node tree = loops.real();
        if (varies(tree) && has_varying_loop(tree, made % 3 == 0) && is_steady(tree))
            print_scheme(fmt::format("random-loop-{}", ++made), "bias", tree);
    }
    bool all_seen = true;
    for (const formula::OperatorRow& row : formula::operators()) {
        if (seen.contains(row.op) || !is_drawn(row.op)) continue;
        fmt::print(stderr, "no formula has {}\n", row.spelling);
        all_seen = false;
    }
    return all_seen ? 0 : 1;
}
