#include <farfield/study/fpcore.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/study/study.hpp>

#include "numerics/rational.hpp"
#include "study/forms.hpp"
#include "study/fpcore_precisions.hpp"

namespace farfield::study {
namespace {

using formula::Node;
using formula::Op;

constexpr std::size_t most_nodes = 100'000;

/// Operators of FPCore that the language has under another name, with the same number of arguments.
struct Known {
    std::string_view name;
    Op op;
    std::size_t arity;
};
constexpr Known operators[] = {
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) {#stem, Op::name, 1},
#include <farfield/numerics/functions.def>
    {"fabs", Op::absolute, 1}, {"sqrt", Op::square_root, 1}, {"floor", Op::floor, 1},
    {"ceil", Op::ceiling, 1},  {"nearbyint", Op::round, 1},  {"pow", Op::power, 2},
    {"fmin", Op::minimum, 2},  {"fmax", Op::maximum, 2},     {"atan2", Op::arctangent, 2},
    {"/", Op::divide, 2},      {"not", Op::logical_not, 1},  {"if", Op::select, 3},
    {"+", Op::add, 2},         {"*", Op::multiply, 2},
};
constexpr std::array<std::pair<std::string_view, Op>, 6> comparisons = {{{"<", Op::less},
                                                                         {"<=", Op::less_equal},
                                                                         {">", Op::greater},
                                                                         {">=", Op::greater_equal},
                                                                         {"==", Op::equals},
                                                                         {"!=", Op::differs}}};

/// A rational number as a decimal, or as a division of integers.
Node fraction(const numerics::Rational& value) {
    const std::string written = numerics::rational_text(value);
    const std::size_t slash = written.find('/');
    if (slash == std::string::npos) return formula::make_number(written);
    return formula::make(
        Op::divide, {formula::make_number(written.substr(0, slash)), formula::make_number(written.substr(slash + 1))});
}

/// Whether the number format has this integer.
bool is_exact_in(const numerics::Format& format, const std::string& integer) {
    const numerics::Rational value = *numerics::read_rational(integer);
    const double nearest = numerics::nearest(value);
    return std::isfinite(nearest) && numerics::exactly(nearest) == value &&
           numerics::round_to(format, nearest) == nearest;
}

/// A number in the notation of the language.
std::optional<Node> number(const std::string& word) {
    if (word.find_first_of("xX") != std::string::npos) return std::nullopt;
    std::string text = word.starts_with('+') ? word.substr(1) : word;
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.erase(0, 1);
    if (text.empty() || std::string_view("0123456789.").find(text[0]) == std::string_view::npos) return std::nullopt;
    const auto decimal = [](std::string digits) -> std::optional<Node> {
        if (digits == ".") return std::nullopt;
        if (digits.starts_with('.')) digits.insert(0, 1, '0');
        if (digits.ends_with('.')) digits += '0';
        const std::size_t exponent = digits.find_first_of("eE");
        const bool is_unsigned = digits.substr(0, exponent).find_first_not_of("0123456789.") == std::string::npos;
        if (digits.empty() || !is_unsigned || !numerics::read_rational(digits)) return std::nullopt;
        return formula::make_number(digits);
    };
    const std::size_t slash = text.find('/');
    std::optional<Node> value = decimal(text.substr(0, slash));
    if (slash != std::string::npos) {
        const std::optional<Node> below = decimal(text.substr(slash + 1));
        if (!value || !below || *numerics::read_rational((*below)->text) == 0) return std::nullopt;
        value = fraction(*numerics::read_rational((*value)->text) / *numerics::read_rational((*below)->text));
    }
    if (!value) return std::nullopt;
    return is_negative ? formula::make(Op::negate, {*value}) : *value;
}

/// One FPCore.
class Core {
public:
    Core(const Form& form, core::Problems& problems) : form_(form), problems_(problems) {}

    /// The table of the quantity, under an unused name.
    std::string quantity(std::set<std::string>& taken) {
        read_parts();
        if (!body_) return {};
        Names names;
        for (const std::string& argument : arguments_) {
            own_[argument] = own_name(argument);
            names[argument] = formula::make_name(own_[argument]);
        }
        const std::optional<Node> tree = expression(*body_, names);
        if (tree && is_condition(*tree)) fail(*body_, "a condition", "an expression that is a number");
        if (const auto pre = properties_.find(":pre"); pre != properties_.end()) read_range(*pre->second);
        std::string over;
        for (const std::string& argument : arguments_) {
            const Range& range = ranges_[argument];
            if (!range.lo || !range.hi) {
                problems_.add(form_.place, "no range of the argument '" + argument + "'",
                              "(<= low " + argument + " high) in :pre");
                continue;
            }
            for (const std::string& end : {*range.lo, *range.hi})
                if (std::isinf(std::strtod(end.c_str(), nullptr)))
                    problems_.add(form_.place, fmt::format("the range of '{}' ends at {}", argument, end),
                                  "a number up to 1.79e308");
            if (*numerics::read_rational(*range.hi) < *numerics::read_rational(*range.lo))
                problems_.add(form_.place,
                              fmt::format("the range of '{}' is empty: {} to {}", argument, *range.lo, *range.hi),
                              "(<= low " + argument + " high) in :pre");
            over += fmt::format("{}{} = [{}, {}]", over.empty() ? "" : ", ", own_[argument], *range.lo, *range.hi);
        }
        if (!tree || !problems_.empty()) return {};
        return text(*tree, over, taken);
    }

private:
    using Names = std::map<std::string, Node>;
    struct Range {
        std::optional<std::string> lo;
        std::optional<std::string> hi;
    };

    std::nullopt_t fail(const Form& form, std::string found, std::string wanted) {
        problems_.add(form.place, std::move(found), std::move(wanted));
        return std::nullopt;
    }

    void read_parts() {
        std::size_t at = 1;
        const std::vector<Form>& items = form_.items;
        if (at < items.size() && !items[at].is_list && !items[at].is_text) name_ = items[at++].word;
        if (at == items.size() || !items[at].is_list) {
            fail(form_, "an FPCore without arguments", "(FPCore (x y) ... expression)");
            return;
        }
        for (const Form& argument : items[at].items) {
            if (argument.is_list || argument.is_text)
                fail(argument, "an argument with an annotation or dimensions", "a name");
            else if (std::find(arguments_.begin(), arguments_.end(), argument.word) != arguments_.end())
                fail(argument, "two arguments are named '" + argument.word + "'", "a name for each");
            else
                arguments_.push_back(argument.word);
        }
        for (++at; at + 1 < items.size() && !items[at].is_list && items[at].word.starts_with(':'); at += 2)
            if (!properties_.emplace(items[at].word, &items[at + 1]).second)
                fail(items[at], "'" + items[at].word + "' is given twice", "each property once");
        if (at + 1 == items.size())
            body_ = &items[at];
        else
            fail(form_, "an FPCore that does not end with one expression", "(FPCore (x y) :name \"...\" expression)");
        if (const auto name = properties_.find(":name"); name != properties_.end()) name_ = name->second->word;
        format_ = "fp64";
        const auto round = properties_.find(":round");
        if (round != properties_.end() && !round->second->is("nearestEven"))
            fail(*round->second, "the rounding '" + round->second->word + "' is not imported", "nearestEven");
        const auto precision = properties_.find(":precision");
        if (precision == properties_.end()) return;
        const auto known = std::find_if(fpcore_precisions.begin(), fpcore_precisions.end(),
                                        [&](const auto& each) { return precision->second->is(each.precision); });
        if (known == fpcore_precisions.end())
            fail(*precision->second, "unknown precision '" + precision->second->word + "'",
                 "binary64, binary32, binary16 or bfloat16");
        else
            format_ = known->format;
    }

    /// The name of an argument in the language: x for x, and x_ for names that are reserved or not allowed.
    std::string own_name(const std::string& argument) const {
        std::string name;
        for (const char c : argument) {
            const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            name += is_letter ? c : '_';
        }
        if (!formula::is_name(name)) name.insert(0, "x_");
        const auto is_taken = [&] {
            return !formula::reserved(name).empty() ||
                   std::any_of(own_.begin(), own_.end(), [&](const auto& each) { return each.second == name; });
        };
        while (is_taken()) name += '_';
        return name;
    }

    std::optional<Node> expression(const Form& form, const Names& names) {
        if (form.is_text) return fail(form, "a text", "an expression");
        if (!form.is_list) return word(form, names);
        if (form.items.empty() || form.items[0].is_list) return fail(form, "a list without an operator", "(+ x y)");
        const std::string_view head = form.head();
        if (head == "let" || head == "let*") return let(form, names, head == "let*");
        std::vector<Node> arguments;
        for (std::size_t i = 1; i < form.items.size(); ++i) {
            if (refuses(form, head)) return std::nullopt;
            const std::optional<Node> argument = expression(form.items[i], names);
            if (!argument) return std::nullopt;
            arguments.push_back(*argument);
        }
        std::optional<Node> node = apply(form, head, arguments);
        if (node && (*node)->nodes > most_nodes)
            return fail(form, "an expression of more than 100000 operations", "fewer");
        return node;
    }

    /// Forms whose parts are not expressions.
    bool refuses(const Form& form, std::string_view head) {
        for (const char* each :
             {"while", "while*", "for", "for*", "tensor", "tensor*", "array", "ref", "dim", "size", "!"})
            if (head == each) {
                fail(form, fmt::format("'{}' is not imported", each), "arithmetic, functions, conditions, let");
                return true;
            }
        return false;
    }

    std::optional<Node> word(const Form& form, const Names& names) {
        if (const auto found = names.find(form.word); found != names.end()) return found->second;
        if (std::optional<Node> value = number(form.word)) {
            if (!is_rounded_once(*value))
                return fail(form, "the integers of " + form.word + " are not both numbers of " + format_,
                            "a decimal number, or a rational of two such integers");
            return value;
        }
        if (form.word == "PI") return formula::make_name("pi");
        if (form.word == "E") return formula::make_name("e");
        std::vector<std::string> known;
        for (const auto& [name, node] : names) known.push_back(name);
        problems_.add(form.place, "unknown name '" + form.word + "'", "an argument, a decimal number, PI or E",
                      core::known_here(form.word, known));
        return std::nullopt;
    }

    std::optional<Node> let(const Form& form, const Names& names, bool one_by_one) {
        if (form.items.size() != 3 || !form.items[1].is_list)
            return fail(form, "a 'let' of another shape", "(let ([x 1]) x)");
        Names inner = names;
        std::set<std::string> bound;
        for (const Form& binding : form.items[1].items) {
            if (!binding.is_list || binding.items.size() != 2 || binding.items[0].is_list)
                return fail(binding, "a binding of another shape", "[x expression]");
            const std::string& name = binding.items[0].word;
            if (!one_by_one && !bound.insert(name).second)
                return fail(binding, "'" + name + "' is bound twice",
                            "each name once; 'let*' binds one after the other");
            const std::optional<Node> value = expression(binding.items[1], one_by_one ? inner : names);
            if (!value) return std::nullopt;
            inner[name] = *value;
        }
        return expression(form.items[2], inner);
    }

    /// Whether a number has one rounding: a division has none before its own if the format has both integers.
    bool is_rounded_once(Node value) const {
        if (value->kind == formula::Kind::operation && value->op == Op::negate) value = value->children[0];
        if (value->kind != formula::Kind::operation || value->op != Op::divide) return true;
        const numerics::Format* const format = numerics::find_format(format_);
        return std::all_of(value->children.begin(), value->children.end(), [&](const Node& each) {
            return format ? is_exact_in(*format, each->text)
                          : numerics::exactly(numerics::nearest(*numerics::read_rational(each->text))) ==
                                *numerics::read_rational(each->text);
        });
    }

    static bool is_condition(const Node& node) {
        if (node->kind != formula::Kind::operation) return false;
        return formula::row(node->op).result == formula::Type::boolean;
    }

    std::optional<Node> apply(const Form& form, std::string_view head, const std::vector<Node>& arguments) {
        const std::size_t count = arguments.size();
        if (!fits(head, arguments))
            return fail(form, fmt::format("'{}' of an argument of the other type", head), "a condition, or a number");
        if (head == "-" && count == 1) return formula::make(Op::negate, arguments);
        if (head == "-" && count == 2) return formula::make(Op::subtract, arguments);
        if (head == "atan" && count == 1)
            return formula::make(Op::arctangent, {arguments[0], formula::make_number("1")});
        if ((head == "and" || head == "or") && count > 0) {
            Node all = arguments[0];
            for (std::size_t i = 1; i < count; ++i)
                all = formula::make(head == "and" ? Op::logical_and : Op::logical_or, {all, arguments[i]});
            return all;
        }
        for (const auto& [name, op] : comparisons)
            if (head == name && count >= 2) return chain(op, arguments);
        if (head == "-") return fail(form, fmt::format("'-' with {} arguments", count), "1 or 2");
        for (const Known& each : operators) {
            if (each.name != head) continue;
            if (each.arity != count)
                return fail(form, fmt::format("'{}' with {} arguments", head, count), fmt::format("{}", each.arity));
            return formula::make(each.op, arguments);
        }
        return fail(form.items[0], fmt::format("the operator '{}' is not known", head), "an operator of formulas");
    }

    /// Neighbours are compared; arguments that differ are all different from each other.
    static Node chain(Op op, const std::vector<Node>& arguments) {
        Node all;
        for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
            for (std::size_t j = i + 1; j < (op == Op::differs ? arguments.size() : i + 2); ++j) {
                const Node one = formula::make(op, {arguments[i], arguments[j]});
                all = all ? formula::make(Op::logical_and, {all, one}) : one;
            }
        return all;
    }

    /// Whether the operator takes these arguments: conditions in 'and', 'or', 'not' and before the branches of 'if',
    /// numbers elsewhere.
    static bool fits(std::string_view head, const std::vector<Node>& arguments) {
        const bool is_logical = head == "and" || head == "or" || head == "not";
        const auto is_right = [&](const Node& each) { return is_condition(each) == is_logical; };
        if (head != "if") return std::all_of(arguments.begin(), arguments.end(), is_right);
        if (arguments.size() != 3) return true;  // reported as such
        return is_condition(arguments[0]) && is_condition(arguments[1]) == is_condition(arguments[2]);
    }

    /// Reads ranges from a condition. Other conditions are kept as text.
    void read_range(const Form& form) {
        if (form.head() == "and") {
            for (std::size_t i = 1; i < form.items.size(); ++i) read_range(form.items[i]);
            return;
        }
        const std::string_view head = form.head();
        const bool rises = head == "<" || head == "<=";
        if (!rises && head != ">" && head != ">=") {
            left_out_.push_back(written(form));
            return;
        }
        std::vector<const Form*> items;
        for (std::size_t i = 1; i < form.items.size(); ++i) items.push_back(&form.items[i]);
        if (!rises) std::reverse(items.begin(), items.end());
        for (std::size_t i = 0; i + 1 < items.size(); ++i)
            if (!read_pair(*items[i], *items[i + 1])) left_out_.push_back(written(form));
    }

    /// low <= high, one of which is an argument and the other a number.
    bool read_pair(const Form& low, const Form& high) {
        if (low.is_list || high.is_list) return false;
        const auto limit = [](const Form& form) -> std::optional<std::string> {
            const std::optional<Node> value = number(form.word);
            if (!value || form.word.find('/') != std::string::npos) return std::nullopt;
            return formula::print(*value);
        };
        const auto narrow = [&](std::optional<std::string>& end, const std::string& to, bool is_low) {
            const bool is_narrower = !end || (is_low ? *numerics::read_rational(*end) < *numerics::read_rational(to)
                                                     : *numerics::read_rational(to) < *numerics::read_rational(*end));
            if (is_narrower) end = to;
        };
        if (own_.contains(high.word) && limit(low)) {
            narrow(ranges_[high.word].lo, *limit(low), true);
            return true;
        }
        if (own_.contains(low.word) && limit(high)) {
            narrow(ranges_[low.word].hi, *limit(high), false);
            return true;
        }
        return false;
    }

    static std::string written(const Form& form) {
        if (!form.is_list) return form.word;
        std::string text = "(";
        for (const Form& item : form.items) text += (text.size() > 1 ? " " : "") + written(item);
        return text + ")";
    }

    std::string text(const Node& tree, const std::string& over, std::set<std::string>& taken) const {
        std::string name;
        for (const char c : name_) {
            const bool is_kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            if (is_kept || (!name.empty() && name.back() != '_')) name += is_kept ? c : '_';
        }
        while (name.ends_with('_')) name.pop_back();
        if (name.empty()) name = "formula";
        if (name[0] >= '0' && name[0] <= '9') name.insert(0, "formula_");
        std::string free = name;
        for (int i = 2; taken.contains(free) || !formula::reserved(free).empty(); ++i)
            free = fmt::format("{}_{}", name, i);
        taken.insert(free);
        std::string result;
        for (const std::string& condition : left_out_)
            result += "# :pre has more than ranges, and the box is larger: " + core::printable_line(condition) + "\n";
        if (properties_.contains(":spec"))
            result += "# :spec is not read: the error is that of the expression itself\n";
        const std::string table = over.empty() ? "{}" : "{ " + over + " }";
        return result + fmt::format(
                            "[quantity.{}]\nkind = \"rounding-error\"\nformula = \"{}\"\nover = {}\nformat = \"{}\"\n"
                            "inputs = \"real\"\n",
                            free, formula::print(tree), table, format_);
    }

    const Form& form_;
    core::Problems& problems_;
    std::string name_;
    std::vector<std::string> arguments_;
    std::map<std::string, const Form*> properties_;
    const Form* body_ = nullptr;
    std::string format_ = "fp64";
    std::map<std::string, std::string> own_;  ///< of arguments
    std::map<std::string, Range> ranges_;
    std::vector<std::string> left_out_;
};

/// What a study with this quantity lacks, at the place of its FPCore.
void check_quantity(const std::string& quantity, const Form& form, core::Problems& problems) {
    try {
        read(scheme::read_toml("[study]\ntitle = \"t\"\n" + quantity, form.place.file), {form.place.file, "imported"},
             {});
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& each : error.diagnostics())
            problems.add(form.place, each.found, each.wanted, each.hint);
    }
}

}  // namespace

std::string import_fpcore(const std::string& text, const std::string& file, bool skips) {
    core::Problems problems;
    const std::vector<Form> forms = read_forms(text, file);
    std::string quantities;
    std::set<std::string> taken;
    std::set<std::string> settings;
    for (const Form& form : forms) {
        core::Problems own;
        if (form.head() != "FPCore") own.add(form.place, "not an FPCore", "(FPCore (x) ... expression)");
        std::set<std::string> names = taken;
        const std::string quantity = own.empty() ? Core(form, own).quantity(names) : std::string();
        if (own.empty()) check_quantity(quantity, form, own);
        if (own.empty() && !settings.insert(quantity.substr(quantity.find("kind = "))).second)
            own.add(form.place, "the formula and the ranges of another FPCore", "each formula once");
        if (own.empty()) {
            quantities += "\n" + quantity;
            taken = std::move(names);
        }
        for (const core::Diagnostic& each : own.list()) {
            if (skips)
                quantities +=
                    fmt::format("\n# Left out, line {}: {}.\n", each.place.line, core::printable_line(each.found));
            else
                problems.add(each);
        }
    }
    if (taken.empty() && problems.empty()) {
        core::Place place;
        place.file = file;
        problems.add(place, "no FPCore that can be imported", "(FPCore (x) ... expression)");
    }
    problems.raise();
    return fmt::format(
        "# Imported from {}, FPBench's format.\n[study]\ntitle = \"Rounding errors: {} of {} formulas\"\n{}",
        core::printable_line(file), taken.size(), forms.size(), quantities);
}

}  // namespace farfield::study
