#include "cli/formula_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/parser.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::cli {

namespace {

constexpr std::size_t most_points = 1000000000000;

core::Place place_in(const std::string& option, const std::string& text) {
    return {option, 1, 1, text.size(), text};
}

[[noreturn]] void refuse(const core::Place& place, std::string found, std::string wanted, std::string hint = {}) {
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

void require_free(const core::Place& place, const std::string& name) {
    const std::string_view meaning = formula::reserved(name);
    if (!meaning.empty()) refuse(place, "'" + name + "' is " + std::string(meaning), "another name");
}

void read_over(const std::string& over, FormulaInput& input) {
    const std::string wanted = "NAME=FROM:TO or NAME=FROM:TO:STEP, ends included: n=0:8191:1";
    const core::Place place = place_in("--over", over);
    const std::size_t equals = over.find('=');
    std::vector<numerics::Rational> numbers;
    std::string rest = equals == std::string::npos ? "" : over.substr(equals + 1);
    for (bool more = !rest.empty(); more;) {
        const std::size_t colon = rest.find(':');
        const auto number = numerics::read_rational(rest.substr(0, colon));
        if (!number) refuse(place, "'" + rest.substr(0, colon) + "' is not a number", wanted);
        numbers.push_back(*number);
        more = colon != std::string::npos;
        rest = more ? rest.substr(colon + 1) : "";
    }
    const std::string name = over.substr(0, equals);
    if (!formula::is_name(name) || numbers.size() < 2 || numbers.size() > 3)
        refuse(place, "this is not a range", wanted);
    require_free(place, name);
    const numerics::Rational step = numbers.size() == 3 ? numbers[2] : numerics::Rational(1);
    if (step == 0 || (numbers[1] - numbers[0]) * step < 0)
        refuse(place, "the range is empty",
               "a step that leads from " + numerics::rational_text(numbers[0]) + " to " +
                   numerics::rational_text(numbers[1]));
    const numerics::Rational width = numbers[1] - numbers[0];
    if (numbers.size() == 3 && width != 0 && abs(step) > abs(width))
        refuse(place, "the step " + numerics::rational_text(step) + " is larger than the range: it has one value",
               "a step of at most " + numerics::rational_text(abs(width)));
    const auto range = numerics::Progression::between(numbers[0], numbers[1], step);
    if (!range || range->count() > most_points) {
        const std::string count =
            range ? std::to_string(range->count()) : "over 2^" + std::to_string(numerics::most_count_bits);
        refuse(place, "the range has " + count + " values", "at most 1e12");
    }
    input.variable = name;
    input.range = *range;
}

formula::Node put_in(const formula::Node& tree, const std::vector<formula::Replacement>& values,
                     const core::Place& place) {
    formula::Node whole = formula::substitute(tree, values);
    if (formula::is_too_large(whole))
        refuse(place, "the formula is too large once the values of --let are put in", "fewer or shorter ones");
    return whole;
}

/// Values of --let in the order given; a later one may use an earlier.
std::vector<formula::Replacement> read_let(const FormulaOptions& options, const FormulaInput& input) {
    std::vector<formula::Replacement> values;
    formula::Scope scope;
    for (const auto& [name, text] : options.let) {
        const core::Place place = place_in("--let", name + "=" + text);
        if (!formula::is_name(name))
            refuse(place, "'" + name + "' is not a name", "letters, digits and '_': --let n=3");
        require_free(place, name);
        if (name == input.variable)
            refuse(place, "'" + name + "' has a value here and a range in --over", "one of them");
        const formula::Source source{text, {"--let", 1, name.size() + 2, text.size(), name + "=" + text}};
        const formula::Node tree = formula::parse_checked(source, scope, formula::Type::real);
        values.push_back({name, put_in(tree, values, source.at)});
        scope.add(name);
    }
    return values;
}

/// Refuses a value of --let that neither the formula nor a later value in use needs.
void require_used(const FormulaOptions& options, std::vector<std::string> used) {
    const auto is_used = [&](const std::string& name) {
        return std::find(used.begin(), used.end(), name) != used.end();
    };
    for (auto let = options.let.rbegin(); let != options.let.rend(); ++let) {
        const auto& [name, text] = *let;
        if (!is_used(name))
            refuse(place_in("--let", name + "=" + text), "'" + name + "' is unused: the formula does not depend on it",
                   "", core::known_here(name, used));
        for (std::string& more : formula::free_names(formula::parse(text))) used.push_back(std::move(more));
    }
}

/// Whether the name stands for a value, rather than for a table.
bool has_value_name(const formula::Node& tree, const std::string& name) {
    if (tree->kind == formula::Kind::name && tree->text == name) return true;
    return std::any_of(tree->children.begin(), tree->children.end(),
                       [&](const formula::Node& child) { return has_value_name(child, name); });
}

/// Raises the problems; a name without a value needs an option.
void raise_with_options(const core::Problems& problems, const formula::Node& tree) {
    try {
        problems.raise();
    } catch (const core::UserError& error) {
        std::vector<core::Diagnostic> list = error.diagnostics();
        for (core::Diagnostic& each : list) {
            constexpr std::string_view start = "unknown name '";
            if (!each.found.starts_with(start) || !each.hint.empty()) continue;
            const std::string name = each.found.substr(start.size(), each.found.size() - start.size() - 1);
            if (has_value_name(tree, name))
                each.wanted = "a name with a value: --let NAME=VALUE, or --over NAME=FROM:TO";
        }
        throw core::UserError(std::move(list));
    }
}

}  // namespace

void add_formula_options(CLI::App& app, FormulaOptions& options) {
    add_pairs(app, "--let", "NAME=VALUE", options.let, "a value of a name: n=3");
    app.add_option("--over", options.over, "a variable's range, ends included: n=0:8191:1");
    const std::vector<std::string> systems = evaluate::number_system_names();
    offer(*app.add_option("--in", options.system, fmt::format("number system: {}", fmt::join(systems, ", "))), systems);
    app.add_option("--d", options.derivative, "evaluate the derivative with respect to this name");
    add_threads(app);
}

std::string number_text(double number) {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

FormulaInput read_formula_input(const FormulaOptions& options) {
    FormulaInput input;
    input.system = evaluate::read_number_system(options.system, place_in("--in", options.system));
    if (!options.over.empty()) read_over(options.over, input);
    const std::vector<formula::Replacement> values = read_let(options, input);
    formula::Scope scope;
    for (const formula::Replacement& value : values) scope.add(value.name);
    if (!input.variable.empty()) scope.add(input.variable);

    const formula::Source source{options.formula, {"", 1, 1, options.formula.size(), options.formula}};
    core::Problems problems;
    formula::Node tree = formula::parse(source);
    const std::optional<formula::Type> type = formula::check(tree, scope, source, problems);
    raise_with_options(problems, tree);
    if (*type == formula::Type::text)
        refuse(formula::place_of(source, tree->span), "a text has no value", "a number, or a formula of numbers");
    input.type = *type;
    const formula::Node whole = tree;
    if (!options.derivative.empty()) {
        const core::Place place = place_in("--d", options.derivative);
        if (input.type != formula::Type::real)
            refuse(place, "a condition has no derivative", "a formula whose value is a number");
        const std::vector<std::string> known = scope.names();
        if (scope.find(options.derivative).empty())
            refuse(place, "unknown name '" + options.derivative + "'", "", core::known_here(options.derivative, known));
        // A formula without a value has no derivative either, although a law may give one: 1/x for log(x) at -2.
        const formula::Node infinity = formula::make_name("inf");
        tree = formula::make(formula::Op::select, {formula::make(formula::Op::less_equal, {tree, infinity}),
                                                   formula::derivative(tree, options.derivative),
                                                   formula::make(formula::Op::subtract, {infinity, infinity})});
    }
    input.tree = put_in(tree, values, source.at);
    require_used(options, formula::free_names(whole));
    const std::vector<std::string> used = formula::free_names(put_in(whole, values, source.at));
    if (!input.variable.empty() && std::find(used.begin(), used.end(), input.variable) == used.end())
        refuse(place_in("--over", options.over),
               "'" + input.variable + "' is unused: the formula does not depend on it", "a formula of it");
    return input;
}

}  // namespace farfield::cli
