#include "cli/show_cuda.hpp"

#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/cuda/source.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::cli {

namespace {

using formula::Node;

bool contains(const auto& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Positions differ between points, and all other names are the same for all points. In a formula without positions,
/// all names vary.
formula::Signature signature_of(const Node& tree) {
    constexpr std::array positions = {"q", "k", "n", "p", "i"};
    constexpr std::array constants = {"pi", "e", "inf"};
    formula::Signature signature;
    signature.tables = formula::indexed_names(tree);
    for (const std::string& name : formula::free_names(tree)) {
        if (contains(constants, name) || contains(signature.tables, name)) continue;
        (contains(positions, name) ? signature.varying : signature.uniform).push_back(name);
    }
    if (signature.varying.empty()) std::swap(signature.varying, signature.uniform);
    return signature;
}

/// A valid C++ name: rotary_linear for rotary-linear.
std::string identifier(std::string text) {
    for (char& c : text) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!fits) c = '_';
    }
    return text;
}

std::string cuda_of(const scheme::NamedFormula& formula, const evaluate::NumberSystem& system) {
    const formula::Program program = formula::compile(formula.formula, signature_of(formula.formula));
    evaluate::cuda::SourceOptions options;
    options.kernel = identifier(formula.name);
    options.title = formula::print(formula.formula);
    options.is_array.assign(program.signature.varying.size(), false);
    return evaluate::cuda::source(program, system, options).text;
}

scheme::NamedFormula formula_of(const std::string& text) {
    const formula::Source source{text, {"", 1, 1, text.size(), text}};
    const Node tree = formula::parse(source);
    formula::Scope scope;
    const std::vector<std::string> tables = formula::indexed_names(tree);
    for (const std::string& table : tables)
        scope.add(formula::Symbol{table, formula::Type::real, {formula::Type::real}});
    for (const std::string& name : formula::free_names(tree)) {
        if (!contains(tables, name) && name != "pi" && name != "e" && name != "inf") scope.add(name);
    }
    core::Problems problems;
    formula::check(tree, scope, source, problems);
    problems.raise();
    return {"formula", tree};
}

}  // namespace

void show_cuda(const std::string& subject, const std::string& number_system) {
    const evaluate::NumberSystem system =
        evaluate::read_number_system(number_system, {"--in", 1, 1, number_system.size(), number_system});
    using Kind = evaluate::NumberSystem::Kind;
    if (system.kind == Kind::multiprecision || system.kind == Kind::interval) {
        throw core::UserError({core::Diagnostic{{},
                                                "--cuda with --in " + number_system,
                                                "double, float or a number format",
                                                "Intervals and many digits are computed by the processor alone."}});
    }
    const scheme::Scheme* scheme = scheme::Registry::builtin().find(subject);
    std::vector<scheme::NamedFormula> formulas =
        scheme ? scheme::formulas_of(*scheme) : std::vector{formula_of(subject)};
    for (scheme::NamedFormula& formula : formulas)
        formula.name = scheme ? scheme->name + "_" + formula.name : formula.name;
    std::string text = evaluate::cuda::source_prologue();
    for (std::size_t at = 0; at < formulas.size(); ++at) text += (at == 0 ? "" : "\n") + cuda_of(formulas[at], system);
    if (formulas.empty()) text = "// " + subject + " has no formulas\n";
    print("{}", text);
}

}  // namespace farfield::cli
