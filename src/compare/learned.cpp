#include "compare/learned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/formula/parser.hpp>

#include "compare/change.hpp"
#include "compare/lanes.hpp"
#include "compare/refuse.hpp"
#include "scheme/folding.hpp"

namespace farfield::compare {

namespace {

using formula::Node;
using scheme::Piece;
using scheme::Scheme;

/// Replaces name[index] by name[index + size*(head - 1)]; an index outside the table stays outside.
Node of_each_head(const Node& tree, const scheme::Learned& learned) {
    const auto change = [&](const Node& node) { return of_each_head(node, learned); };
    Node inner = scheme::rebuilt(tree, change);
    if (inner->kind != formula::Kind::index || inner->text != learned.name) return inner;
    const Node moved = formula::substitute(
        parsed("index >= 0 and index < size ? index + size*(head - 1) : -1"),
        {{"index", inner->children[0]}, {"size", formula::make_number(static_cast<double>(learned.size))}});
    return formula::make_index(learned.name, {moved});
}

/// Converts [entries, heads] to [heads, entries], and the reverse.
std::vector<double> transposed(const std::vector<double>& table, std::size_t columns) {
    const std::size_t rows = table.size() / columns;
    std::vector<double> result(table.size());
    for (std::size_t at = 0; at < table.size(); ++at) result[at % columns * rows + at / columns] = table[at];
    return result;
}

/// `tree` with a learned name's values substituted: those of `head` if each head has its own.
Node with_values(const Node& tree, const scheme::Learned& learned, const std::vector<double>& values, double heads) {
    const auto size = static_cast<std::size_t>(learned.size);
    const Node head = parsed("head - 1");
    if (size == 0) {
        const Node entry = formula::make_index(learned.name, {head});
        return scheme::with_table(formula::substitute(tree, {{learned.name, entry}}), learned.name, values);
    }
    if (values.size() == size || heads == 1) return scheme::with_table(tree, learned.name, values);
    return scheme::with_table(of_each_head(tree, learned), learned.name, values);
}

/// Refuses values whose number is not that of the learned name, or whose axes are not entries and heads.
void check_values(const Case& all, const scheme::Learned& learned, const Values& values, double heads) {
    const double size = std::max(1.0, static_cast<double>(learned.size));
    const auto count = static_cast<double>(values.numbers.size());
    std::vector<std::size_t> shape = values.shape;
    std::erase(shape, 1);
    const bool is_flat = shape.size() < 2;
    const auto extent = [&](std::size_t axis) { return static_cast<double>(shape[axis]); };
    const bool is_table =
        shape.size() == 2 && ((extent(0) == heads && extent(1) == size) || (extent(0) == size && extent(1) == heads));
    const bool is_shared = learned.size != 0 && count == size;
    if (is_flat ? count == size * heads || is_shared : is_table) return;
    const std::string found =
        is_flat ? fmt::format("{} values", count) : "values of shape " + tensor::shape_text(values.shape);
    refuse(all.file, fmt::format("{} of '{}'", found, learned.name),
           fmt::format("{} for each of {} heads", size, heads));
}

}  // namespace

double value_of_raw(std::span<const Choice> choices, const scheme::Learned& learned, double number) {
    for (const Choice& choice : choices)
        if (choice.edit->action == Action::learned && learned.positive)
            number = value_of(parsed(choice.edit->to), {{"it", formula::make_number(number)}});
    return number;
}

void put_in_values(const Case& all, double heads, std::span<const Choice> choices, Scheme& scheme) {
    const bool by_entry = has(choices, Action::table_transposed);
    for (const auto& [name, values] : all.question.learned) {
        const auto learned = std::find_if(scheme.learn.begin(), scheme.learn.end(),
                                          [&name = name](const scheme::Learned& each) { return each.name == name; });
        if (learned == scheme.learn.end()) refuse(all.file, "scheme '" + scheme.name + "' learns no '" + name + "'");
        check_values(all, *learned, values, all.layout.heads);
        const bool is_table = values.numbers.size() == static_cast<double>(learned->size) * heads;
        std::vector<double> numbers =
            by_entry && is_table ? transposed(values.numbers, static_cast<std::size_t>(heads)) : values.numbers;
        if (has(choices, Action::learned))
            for (double& number : numbers) number = value_of_raw(choices, *learned, number);
        for (const std::string_view piece : {"bias", "mask", "rotation"})
            for (Piece* each : pieces_of(scheme, piece))
                each->formula = with_values(each->formula, *learned, numbers, heads);
        scheme.learn.erase(learned);
    }
}

bool may_be_transposed(const Case& all) {
    const std::vector<std::pair<std::string, Values>>& learned = all.question.learned;
    return std::any_of(learned.begin(), learned.end(), [&](const auto& each) {
        const std::vector<std::size_t>& shape = each.second.shape;
        return shape.size() < 2 || static_cast<double>(shape.back()) == all.layout.heads;
    });
}

}  // namespace farfield::compare
