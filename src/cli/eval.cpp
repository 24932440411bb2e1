#include <algorithm>
#include <charconv>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/quantity/compute.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/formula_input.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/watched.hpp"
#include "evaluate/closed.hpp"
#include "evaluate/grid_lane.hpp"
#include "quantity/work.hpp"

namespace farfield::cli {

namespace {

using evaluate::NumberSystem;
using Kind = NumberSystem::Kind;

/// The most points of a range that are computed together: as doubles, and as decimals.
constexpr std::size_t most_doubles = std::size_t{1} << 16;
constexpr std::size_t most_decimals = 256;

std::string float_text(double number) {
    if (!(number - number == 0)) return number_text(number);
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, static_cast<float>(number)).ptr);
}

std::string truth_text(evaluate::Truth truth) {
    if (truth == evaluate::Truth::unknown) return "unknown";
    return truth == evaluate::Truth::yes ? "true" : "false";
}

std::vector<std::string> enclosure_texts(const formula::Program& program, const numerics::Progression& range,
                                         bool varying, const char* between) {
    evaluate::EnclosedInputs inputs;
    inputs.points = varying ? range.count() : 1;
    if (varying) {
        std::vector<core::Enclosure> points(range.count());
        for (std::size_t i = 0; i < range.count(); ++i) points[i] = {range.enclose(i).lo, range.enclose(i).hi};
        inputs.varying.push_back(std::move(points));
    }
    std::vector<std::string> texts;
    if (program.type == formula::Type::boolean) {
        for (const evaluate::Truth truth : evaluate::decide(program, inputs)) texts.push_back(truth_text(truth));
        return texts;
    }
    for (const core::Enclosure& value : evaluate::enclose(program, inputs)) {
        texts.push_back(number_text(value.lo) + between + number_text(value.hi));
    }
    return texts;
}

std::vector<std::string> number_texts(const formula::Program& program, const numerics::Progression& range, bool varying,
                                      const NumberSystem& system) {
    evaluate::Inputs inputs;
    inputs.points = varying ? range.count() : 1;
    const std::vector<double> points = varying ? range.points() : std::vector<double>{};
    if (varying) inputs.varying.push_back(evaluate::lane_of(range, points));
    const bool boolean = program.type == formula::Type::boolean;
    if (system.kind == Kind::multiprecision && !boolean) return evaluate::evaluate_text(program, inputs, system.digits);
    std::vector<std::string> texts;
    for (const double value : evaluate::evaluate(program, inputs, system)) {
        if (boolean)
            texts.emplace_back(value != 0 ? "true" : "false");
        else
            texts.push_back(system.kind == Kind::binary32 ? float_text(value) : number_text(value));
    }
    return texts;
}

std::vector<std::string> texts_of(const formula::Program& program, const numerics::Progression& range, bool varying,
                                  const NumberSystem& system, const char* between) {
    // A comparison with an integral that doubles cannot compute would be false, so its enclosure decides.
    const bool is_decided = program.type == formula::Type::boolean && formula::has_integral(program);
    if (system.kind == Kind::interval || is_decided) return enclosure_texts(program, range, varying, between);
    return number_texts(program, range, varying, system);
}

formula::Node at_value(const FormulaInput& input, const numerics::Rational& value) {
    return formula::substitute(input.tree, {{input.variable, formula::parse(numerics::rational_text(value))}});
}

/// A condition that intervals leave undecided is decided exactly: 10*0.3 == 3.
void settle(std::string& text, const formula::Node& tree) {
    if (text == "unknown") text = truth_text(evaluate::decide_exactly(tree));
}

/// The formula at each value as a decimal, for intervals and many digits, if the value is not a double.
std::vector<std::string> exact_texts(const FormulaInput& input, const numerics::Progression& range,
                                     const char* between) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < range.count(); ++i) {
        const formula::Program program = formula::compile(at_value(input, range.exact(i)), {});
        texts.push_back(texts_of(program, {}, false, input.system, between).front());
    }
    return texts;
}

/// The number of points that are computed before they are printed, which take about a second.
std::size_t points_at_once(double operations_of_point) {
    constexpr double operations_at_once = 1e8;
    constexpr double most_points = 65536;
    return static_cast<std::size_t>(std::clamp(operations_at_once / operations_of_point, 1.0, most_points));
}

int print_table(const std::shared_ptr<const formula::Program>& program, const FormulaInput& input,
                double operations_of_point) {
    const bool two_columns = input.system.kind == Kind::interval && program->type == formula::Type::real;
    const bool wants_decimals = input.system.kind == Kind::interval || input.system.kind == Kind::multiprecision;
    const bool is_exact = !wants_decimals || input.range.is_exact_in_doubles();
    const std::size_t at_once = std::min(points_at_once(operations_of_point), is_exact ? most_doubles : most_decimals);
    Watched watched("eval", operations_of_point * static_cast<double>(input.range.count()));
    print("{},{}\n", input.variable, two_columns ? "lo,hi" : "value");
    for (std::size_t first = 0; first < input.range.count(); first += at_once) {
        const numerics::Progression part = input.range.part(first, std::min(at_once, input.range.count() - first));
        const auto texts = watched.get([=] {
            std::vector<std::string> found =
                is_exact ? texts_of(*program, part, true, input.system, ",") : exact_texts(input, part, ",");
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (found[i] == "unknown") settle(found[i], at_value(input, part.exact(i)));
            }
            return found;
        });
        if (!texts) return interrupted;
        for (std::size_t i = 0; i < texts->size(); ++i) {
            print("{},{}\n", numerics::rational_text(part.exact(i)), (*texts)[i]);
        }
        if (!flush_output()) return missing;
    }
    return as_expected;
}

/// Explains why a formula with an integral is NaN.
void explain_integral(const formula::Program& program) {
    evaluate::EnclosedInputs inputs;
    inputs.points = 1;
    const core::Enclosure found = evaluate::enclose(program, inputs).front();
    if (!std::isfinite(found.lo) || !std::isfinite(found.hi))
        print_error("An integral is not shown to have a value: it needs one at both bounds and between them.\n");
    else
        print_error("An integral is not found to 1e-9. The formula lies between {} and {} (--in interval).\n",
                    number_text(found.lo), number_text(found.hi));
}

void add_eval_options(CLI::App& app, FormulaOptions& options) {
    app.add_option("FORMULA", options.formula, "the formula; it may begin with a minus sign");
    add_formula_options(app, options);
}

int eval(const FormulaOptions& options) {
    require_words(!options.formula.empty(), "eval", "a formula: farfield eval FORMULA");
    const FormulaInput input = read_formula_input(options);
    formula::Signature signature;
    if (!input.variable.empty()) signature.varying.push_back(input.variable);
    const double operations = 1 + quantity::operations(input.tree);
    const std::size_t points = input.variable.empty() ? 1 : input.range.count();
    quantity::check_work(input.tree, static_cast<double>(points));
    const auto program = std::make_shared<const formula::Program>(formula::compile(input.tree, signature));
    catch_interrupts();
    if (!input.variable.empty()) return print_table(program, input, operations);
    Watched watched("eval", operations);
    const auto texts = watched.get([=] {
        std::vector<std::string> found = texts_of(*program, {}, false, input.system, " ");
        settle(found.front(), input.tree);
        return found;
    });
    if (!texts) return interrupted;
    print("{}\n", texts->front());
    if (texts->front() == "nan" && formula::has_integral(*program)) explain_integral(*program);
    return as_expected;
}

}  // namespace

const Command eval_command{"eval", "evaluate a formula", declare<FormulaOptions, add_eval_options, eval>, true};

}  // namespace farfield::cli
