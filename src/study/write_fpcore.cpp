// Rounding errors of a study in FPBench's format. Source: FPCore 2.0, https://fpbench.org/spec/fpcore-2.0.html
#include <farfield/study/fpcore.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/format.hpp>

#include "numerics/rational.hpp"
#include "quantity/grid.hpp"
#include "quantity/selection.hpp"
#include "study/body.hpp"
#include "study/fpcore_precisions.hpp"

namespace farfield::study {
namespace {

using formula::Kind;
using formula::Node;
using formula::Op;

using Word = std::pair<Op, std::string_view>;
constexpr std::string_view real_precision = "real";

/// Operators that FPCore supports with the same arguments.
const std::vector<Word>& words() {
    static const std::vector<Word> all = {
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) {Op::name, #stem},
#include <farfield/numerics/functions.def>
        {Op::add, "+"},           {Op::subtract, "-"},       {Op::multiply, "*"},      {Op::divide, "/"},
        {Op::negate, "-"},        {Op::power, "pow"},        {Op::absolute, "fabs"},   {Op::square_root, "sqrt"},
        {Op::floor, "floor"},     {Op::ceiling, "ceil"},     {Op::round, "nearbyint"}, {Op::minimum, "fmin"},
        {Op::maximum, "fmax"},    {Op::arctangent, "atan2"}, {Op::select, "if"},       {Op::logical_not, "not"},
        {Op::logical_and, "and"}, {Op::logical_or, "or"},    {Op::less, "<"},          {Op::less_equal, "<="},
        {Op::greater, ">"},       {Op::greater_equal, ">="}, {Op::equals, "=="},       {Op::differs, "!="}};
    return all;
}

std::optional<std::string_view> precision_of(std::string_view format) {
    for (const FpcorePrecision& known : fpcore_precisions)
        if (known.format == format) return known.precision;
    return std::nullopt;
}

/// Whether the name is a constant of FPCore.
bool is_constant(std::string_view name) {
    constexpr std::array<std::string_view, 19> constants = {
        "E",          "LOG2E", "LOG10E",  "LN2",      "LN10", "PI",   "PI_2",  "PI_4", "M_1_PI", "M_2_PI",
        "M_2_SQRTPI", "SQRT2", "SQRT1_2", "INFINITY", "NAN",  "TRUE", "FALSE", "let",  "if"};
    return std::find(constants.begin(), constants.end(), name) != constants.end();
}

/// One quantity.
class Written {
public:
    Written(const Study::Body& body, const Item& item, core::Problems& problems)
        : item_(item), problems_(problems), declaration_{item.name,    item.place, item.settings,
                                                         body.schemes, {},         body.folder} {}

    std::string text() {
        const std::optional<quantity::Over> over = quantity::read_over(declaration_, problems_);
        if (!over) return {};
        const bool has_pair = item_.settings.find("computed") != nullptr;
        const std::optional<quantity::Checked> formula = formula_of(has_pair ? "computed" : "formula", *over);
        const std::optional<quantity::Checked> exact = has_pair ? formula_of("exact", *over) : std::nullopt;
        // An argument's name depends on all names of the formulas.
        for (const std::string& name : over->variables()) names_.insert(name);
        for (const auto* each : {&formula, &exact})
            if (*each) note_names((*each)->tree);
        read_ranges(*over);
        const std::string format = core::read_text(item_.settings, "format").value_or("fp64");
        const std::optional<std::string_view> precision = has_pair ? real_precision : precision_of(format);
        if (!precision) {
            problems_.add(quantity::place_of_key(declaration_, "format"), "FPCore has no name for the format " + format,
                          "fp64, fp32, fp16 or bf16");
            return {};
        }
        const std::string body = written(has_pair ? "computed" : "formula", formula, *precision);
        const std::string spec = has_pair ? "\n :spec " + written("exact", exact, real_precision) : "";
        return fmt::format("{}(FPCore ({})\n :name {}\n :precision {}\n :pre {}{}\n {})\n", comments_,
                           fmt::join(arguments_, " "), quoted(item_.name), *precision, ranges_, spec, body);
    }

private:
    void read_ranges(const quantity::Over& over) {
        std::vector<std::string> ranges;
        const auto add = [&](const std::string& name, const numerics::Rational& lo, const numerics::Rational& hi) {
            arguments_.push_back(spelled(name));
            ranges.push_back(fmt::format("(<= {} {} {})", numerics::rational_text(lo), arguments_.back(),
                                         numerics::rational_text(hi)));
        };
        for (const quantity::Grid& grid : over.grids) {
            const numerics::Progression& range = grid.range;
            comments_ += fmt::format("; {} runs in steps of {}; here it is any real between\n", grid.variable,
                                     numerics::rational_text(range.step()));
            add(grid.variable, range.from(), range.exact(range.count() - 1));
        }
        for (const quantity::Stretch& stretch : over.stretches) add(stretch.variable, stretch.lo, stretch.hi);
        ranges_ = ranges.size() == 1 ? ranges.front() : fmt::format("(and {})", fmt::join(ranges, " "));
    }

    static std::string quoted(const std::string& text) {
        std::string quoted = "\"";
        for (const char c : text) {
            if (c == '"' || c == '\\') quoted += '\\';
            quoted += c;
        }
        return quoted + "\"";
    }

    /// The name with underscores, so that it is neither a constant nor another name of the formula.
    std::string unused(std::string name) const {
        while (is_constant(name) || names_.contains(name)) name += '_';
        return name;
    }
    std::string spelled(const std::string& name) const { return is_constant(name) ? unused(name) : name; }

    void note_names(const Node& tree) {
        if (tree->kind == Kind::name || tree->kind == Kind::reduction) names_.insert(tree->text);
        for (const Node& child : tree->children) note_names(child);
    }

    std::optional<quantity::Checked> formula_of(std::string_view key, const quantity::Over& over) {
        return quantity::read_formula(declaration_, {.key = key, .variables = over.variables()}, problems_);
    }

    std::string written(std::string_view key, const std::optional<quantity::Checked>& formula,
                        std::string_view precision) {
        key_ = key;
        return formula ? expression(formula->tree, precision) : std::string();
    }

    std::string refuse(const std::string& what) {
        problems_.add(quantity::place_of_key(declaration_, key_), fmt::format("FPCore has no counterpart of {}", what),
                      "arithmetic, functions, conditions, sums and products");
        return {};
    }

    std::string expression(const Node& tree, std::string_view precision) {
        switch (tree->kind) {
            case Kind::number: return tree->text;
            case Kind::name:
                if (tree->text == "pi") return "PI";
                if (tree->text == "e") return "E";
                return tree->text == "inf" ? "INFINITY" : spelled(tree->text);
            case Kind::operation: return operation(tree, precision);
            case Kind::reduction: return loop(tree, precision);
            default: return refuse("'" + formula::print(tree) + "'");
        }
    }

    std::string operation(const Node& tree, std::string_view precision) {
        const std::string_view spelling = formula::row(tree->op).spelling;
        if (const std::optional<std::string_view> to = precision_of(spelling))
            return fmt::format("(! :precision {} (cast (! :precision {} {})))", *to, precision,
                               expression(tree->children[0], precision));
        const std::string first = expression(tree->children[0], precision);
        if (tree->op == Op::clamp)
            return fmt::format("(fmin (fmax {} {}) {})", first, expression(tree->children[1], precision),
                               expression(tree->children[2], precision));
        const auto found =
            std::find_if(words().begin(), words().end(), [&](const Word& each) { return each.first == tree->op; });
        if (found == words().end()) return refuse("'" + std::string(spelling) + "'");
        std::string text = "(" + std::string(found->second) + " " + first;
        for (std::size_t i = 1; i < tree->children.size(); ++i) text += " " + expression(tree->children[i], precision);
        return text + ")";
    }

    /// Whether the precision has all integers between the bounds and their number.
    static bool has_integers(std::string_view precision, const Node& from, const Node& to) {
        const auto known = std::find_if(fpcore_precisions.begin(), fpcore_precisions.end(),
                                        [&](const FpcorePrecision& each) { return each.precision == precision; });
        const numerics::Format* const format =
            known == fpcore_precisions.end() ? nullptr : numerics::find_format(known->format);
        if (!format) return true;  // binary64 and real numbers
        if (!formula::free_names(from).empty() || !formula::free_names(to).empty()) return false;
        const double limit = numerics::power_of_two(format->mantissa_bits + 1);
        const double first = evaluate::reference(from, {});
        const double last = evaluate::reference(to, {});
        return std::fabs(first) <= limit && std::fabs(last) <= limit && last - first < limit;
    }

    /// A loop counts from 0. Its counter is exact; as an operand it is rounded.
    std::string loop(const Node& tree, std::string_view precision) {
        const bool is_sum = tree->op == Op::sum;
        if (!is_sum && tree->op != Op::product) return refuse("'" + std::string(formula::row(tree->op).spelling) + "'");
        const std::string name = spelled(tree->text);
        const std::string so_far = unused("so_far_" + name);
        const std::string from = expression(tree->children[0], precision);
        const std::string body = expression(tree->children[2], precision);
        const bool is_exact = has_integers(precision, tree->children[0], tree->children[1]);
        const char* const around = is_exact ? "{}" : "(! :precision real {})";
        const std::string to = expression(tree->children[1], precision);
        const std::string count = fmt::format(fmt::runtime(around), fmt::format("(+ (- {} {}) 1)", to, from));
        const std::string shifted = fmt::format(fmt::runtime(around), fmt::format("(+ {} {})", name, from));
        const std::string term = is_exact && from == "0" ? body
                                 : is_exact              ? fmt::format("(let ([{} {}]) {})", name, shifted, body)
                                            : fmt::format("(let ([{} (cast {})]) {})", name, shifted, body);
        return fmt::format("(for ([{} {}]) ([{} {} ({} {} {})]) {})", name, count, so_far, is_sum ? 0 : 1,
                           is_sum ? "+" : "*", so_far, term, so_far);
    }

    const Item& item_;
    core::Problems& problems_;
    quantity::Declaration declaration_;
    std::string_view key_ = "formula";
    std::string comments_;
    std::set<std::string> names_;  ///< of the formula
    std::vector<std::string> arguments_;
    std::string ranges_;
};

}  // namespace

std::string export_fpcore(const Study& study, const std::string& quantity) {
    const Study::Body& body = *study.body();
    core::Problems problems;
    std::vector<std::string> written;
    std::vector<std::string> known;
    for (const Item& item : body.items) {
        if (item.kind != "rounding-error") continue;
        known.push_back(item.name);
        if (quantity.empty() || quantity == item.name || quantity == item.base)
            written.push_back(Written(body, item, problems).text());
    }
    core::Place place;
    place.file = study.file();
    if (written.empty() && quantity.empty())
        problems.add(place, "no quantity of kind rounding-error", "one at least, which becomes an FPCore");
    else if (written.empty())
        problems.add(place, "no rounding error '" + quantity + "'", "", core::known_here(quantity, known));
    problems.raise();
    return fmt::format("{}", fmt::join(written, "\n"));
}

}  // namespace farfield::study
