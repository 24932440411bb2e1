// Conditions of claims, by their definitions.
#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

/// rounds() and about() written out, by their definitions.
std::string written_out(const std::string& condition) {
    const auto inside = [&](std::size_t skipped) { return condition.substr(skipped, condition.size() - skipped - 1); };
    if (condition.starts_with("rounds(")) {
        const std::string parts = inside(7);
        const std::size_t quote = parts.find('\'');
        const std::string printed = parts.substr(quote + 1, parts.size() - quote - 2);
        const std::string value = parts.substr(0, parts.rfind(',', quote));
        const std::size_t exponent = printed.find('e');
        const std::size_t dot = printed.find('.');
        const std::size_t digits = dot == std::string::npos ? 0 : std::min(exponent, printed.size()) - dot - 1;
        const std::string unit = "0.5*10^(" + (exponent == std::string::npos ? "0" : printed.substr(exponent + 1)) +
                                 " - " + std::to_string(digits) + ")";
        return "abs((" + value + ") - (" + printed + ")) <= " + unit;
    }
    if (!condition.starts_with("about(")) return condition;
    const std::string parts = inside(6);
    std::vector<std::string> arguments(1);
    int level = 0;
    for (const char letter : parts) {
        level += letter == '(' ? 1 : letter == ')' ? -1 : 0;
        if (letter == ',' && level == 0)
            arguments.emplace_back();
        else
            arguments.back() += letter;
    }
    return "abs((" + arguments[0] + ") - (" + arguments[1] + ")) <= " + arguments[2] + "*abs(" + arguments[1] + ")";
}

}  // namespace

bool lacks_value(const recheck::Node& tree, recheck::Evaluator& evaluator, const Point& point) {
    using recheck::Op;
    const bool is_counted =
        recheck::is_reduction(tree->op) || tree->op == Op::conjunction || tree->op == Op::disjunction;
    if (is_counted) return false;
    const std::size_t computed = tree->op == Op::select ? 1 : tree->parts.size();
    for (std::size_t i = 0; i < computed; ++i)
        if (lacks_value(tree->parts[i], evaluator, point)) return true;
    if (recheck::is_condition(*tree)) return false;
    const recheck::Number value = evaluator.value(tree, point);
    return value.defined() == recheck::Truth::no || value.infinite() != 0;
}

Outcome judge_condition(const Question& question, bool holds) {
    try {
        recheck::Evaluator evaluator;
        const recheck::Node tree = recheck::parse_tree(written_out(question.formula));
        if (lacks_value(tree, evaluator, {}))
            return {true, Wrong{"decided, but a part has no value", question.formula}};
        const recheck::Truth truth = evaluator.truth(tree, {});
        if (truth != recheck::Truth::maybe && (truth == recheck::Truth::yes) != holds)
            return {true, Wrong{holds ? "confirmed, but false" : "refuted, but true", question.formula}};
    } catch (const recheck::Unprovable&) {
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
