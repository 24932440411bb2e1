#include "compare/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/formula/parser.hpp>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>

#include "compare/expected.hpp"
#include "compare/lanes.hpp"

namespace farfield::compare {

namespace {

constexpr std::size_t most_lines = std::size_t{1} << 16;
constexpr std::size_t most_columns = 24;
constexpr std::size_t most_keys = 32;
constexpr std::size_t most_looked_up = 8;  ///< numbers of a line, at each place
constexpr double rounding = 0x1p-20;       ///< relative to the largest number: within this, no other place is nearer
constexpr double near = 0.1;               ///< relative to the largest number: mean distance of a line at its place
constexpr double fewest_places = 32768;
constexpr double most_places = 0x1p22;  ///< about a second of search
constexpr double least_place = -8;
constexpr std::size_t places_at_once = 4096;
constexpr std::size_t lines_at_once = 256;

struct Line {
    Axis axis = Axis::position;
    double place = 0;
    std::vector<std::size_t> numbers;  ///< flat indexes
};

/// The indexes of a line along another axis: some numbers of a row or a head; for a batch, only the first.
std::vector<std::size_t> held(const Layout& layout, std::size_t axis) {
    const std::size_t extent = layout.shape[axis];
    switch (layout.axes[axis]) {
        case Axis::dimension:
        case Axis::head: return spread(extent, most_columns);
        case Axis::key:
        case Axis::distance: return spread(extent, most_keys);
        case Axis::component: return spread(extent, extent);
        case Axis::query: return {extent - 1};
        default: return {0};
    }
}

/// A line for each place along an axis. Along keys, the place is the distance from the last query.
std::vector<Line> lines_along(const Layout& layout, Axis line_axis) {
    const auto found = std::find(layout.axes.begin(), layout.axes.end(), line_axis);
    if (found == layout.axes.end()) return {};
    const auto at_axis = static_cast<std::size_t>(found - layout.axes.begin());
    std::vector<Line> lines;
    for (const std::size_t each : spread(layout.shape[at_axis], most_lines)) {
        std::vector<std::size_t> numbers = {0};
        for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
            const std::vector<std::size_t> indexes = axis == at_axis ? std::vector{each} : held(layout, axis);
            std::vector<std::size_t> next;
            for (const std::size_t number : numbers)
                for (const std::size_t index : indexes) next.push_back(number * layout.shape[axis] + index);
            numbers = std::move(next);
        }
        const Where place = where(layout, numbers.front());
        switch (line_axis) {
            case Axis::position: lines.push_back({line_axis, place.position, numbers}); break;
            case Axis::distance: lines.push_back({line_axis, place.distance, numbers}); break;
            case Axis::head: lines.push_back({line_axis, place.head, numbers}); break;
            default: lines.push_back({line_axis, place.query - place.key, numbers});
        }
    }
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.place < b.place; });
    return lines;
}

std::vector<double> read(const Case& all, const tensor::Tensor& tensor, const std::vector<std::size_t>& numbers) {
    std::vector<double> found(numbers.size());
    for (std::size_t at = 0; at < numbers.size(); ++at)
        read_numbers(all.layout, tensor, numbers[at], std::span(found).subspan(at, 1));
    return found;
}

/// The first of the lines with a number that differs from the model's; null if there is none.
const Line* first_wrong(const Case& all, const Model& model, const tensor::Tensor& tensor,
                        std::span<const Line* const> lines) {
    for (; !lines.empty(); lines = lines.subspan(std::min(lines.size(), lines_at_once))) {
        const std::span<const Line* const> now = lines.first(std::min(lines.size(), lines_at_once));
        std::vector<std::size_t> numbers;
        for (const Line* line : now) numbers.insert(numbers.end(), line->numbers.begin(), line->numbers.end());
        const Expected expected = expect(all, model, Lanes(all, model.pairing, numbers));
        const std::vector<double> found = read(all, tensor, numbers);
        for (std::size_t at = 0; at < found.size(); ++at) {
            // The unit of a double at an expected 0 is so small that its reciprocal is infinite.
            if (found[at] == expected.value[at]) continue;
            const double units = std::abs(found[at] - expected.value[at]) * expected.per_unit[at];
            if (expected.seen[at] == 1 && !(units <= all.tolerance)) return now[at / now.front()->numbers.size()];
        }
    }
    return nullptr;
}

/// The place, among the integers from `least` to `most`, where the model's numbers are nearest to some numbers of the
/// line. Of several places, the one nearest to the line's own, and after it rather than before. Nothing if none is
/// near.
std::optional<double> place_of(const Case& all, const Model& model, const tensor::Tensor& tensor, const Line& line,
                               double least, double most) {
    std::vector<std::size_t> numbers;
    for (const std::size_t at : spread(line.numbers.size(), most_looked_up)) numbers.push_back(line.numbers[at]);
    const Lanes own(all, model.pairing, numbers);
    const std::vector<double> found = read(all, tensor, numbers);
    double largest = 0;
    for (const double number : found) largest = std::max(largest, std::abs(number));
    double nearest = line.place;
    double least_misfit = std::numeric_limits<double>::infinity();
    const auto typical = [&] { return std::sqrt(least_misfit / static_cast<double>(found.size())); };
    const auto count = static_cast<std::size_t>(most - least) + 1;
    for (std::size_t from = 0; from < count; from += places_at_once) {
        if (least + static_cast<double>(from) > line.place && typical() <= rounding * largest) break;
        std::vector<double> places(std::min(places_at_once, count - from));
        std::iota(places.begin(), places.end(), least + static_cast<double>(from));
        const std::vector<double> values = Lanes(own, line.axis, places).evaluate(model.value, {});
        for (std::size_t each = 0; each < places.size(); ++each) {
            double misfit = 0;
            for (std::size_t at = 0; at < found.size(); ++at) {
                const double difference = found[at] - values[each * found.size() + at];
                misfit += difference * difference;
            }
            const double change = std::abs(places[each] - line.place) - std::abs(nearest - line.place);
            const bool is_closer = change < 0 || (change == 0 && places[each] > nearest);
            if (misfit < least_misfit || (misfit == least_misfit && is_closer)) {
                least_misfit = misfit;
                nearest = places[each];
            }
        }
    }
    return typical() <= near * largest ? std::optional(nearest) : std::nullopt;
}

/// The first and the last wrong line, and their correct places.
struct Ends {
    double first = 0;
    double at_first = 0;
    double last = 0;
    double at_last = 0;
    double end = 0;  ///< the place of the last line
};

std::vector<formula::Replacement> names_of(const Case& all, const Ends& ends) {
    std::vector<formula::Replacement> names;
    const auto add = [&](const char* name, double number) { names.push_back({name, formula::make_number(number)}); };
    add("first", ends.first);
    add("at_first", ends.at_first);
    add("last", ends.last);
    add("at_last", ends.at_last);
    add("end", ends.end);
    add("queries", static_cast<double>(all.layout.extent(Axis::query)));
    add("keys", static_cast<double>(all.layout.extent(Axis::key)));
    return names;
}

/// The edit with its constants; nothing if they have no value.
std::optional<Choice> with_constants(const Edit& edit, const std::vector<formula::Replacement>& names) {
    Choice choice{.edit = &edit};
    std::istringstream formulas{std::string(edit.constants)};
    for (std::string text; std::getline(formulas, text, ';');) {
        const double constant = value_of(formula::parse(text), names);
        if (!std::isfinite(constant)) return std::nullopt;
        choice.constants.push_back(fmt::format("{}", constant));
    }
    return choice;
}

/// Whether the edit moves both ends to their correct places.
bool moves(const Choice& choice, const Ends& ends) {
    const std::string name(choice.edit->from.substr(choice.edit->from.find(':') + 1));
    const formula::Node tree = choice.formula();
    const auto is_moved = [&](double from, double to) {
        return value_of(tree, {{name, formula::make_number(from)}}) == to;
    };
    return is_moved(ends.first, ends.at_first) && is_moved(ends.last, ends.at_last);
}

std::optional<Ends> ends_of(const Case& all, const Model& model, const tensor::Tensor& tensor, Axis axis) {
    const std::vector<Line> lines = lines_along(all.layout, axis);
    std::vector<const Line*> order;
    order.reserve(lines.size());
    for (const Line& line : lines) order.push_back(&line);
    const Line* first = first_wrong(all, model, tensor, order);
    if (!first) return std::nullopt;
    std::reverse(order.begin(), order.end());
    const Line* last = first_wrong(all, model, tensor, order);
    const double most = std::clamp(4 * all.layout.length, fewest_places, most_places);
    const auto belongs = [&](const Line& line) { return place_of(all, model, tensor, line, least_place, most); };
    const std::optional<double> at_first = belongs(*first);
    const std::optional<double> at_last = at_first ? belongs(*last) : std::nullopt;
    if (!at_last) return std::nullopt;
    return Ends{first->place, *at_first, last->place, *at_last, lines.back().place};
}

bool mentions_ends(const Edit& edit) {
    return edit.constants.find("first") != std::string_view::npos ||
           edit.constants.find("last") != std::string_view::npos;
}

}  // namespace

std::vector<Choice> moved_places(const Case& all, const Model& model, const tensor::Tensor& tensor) {
    std::optional<Ends> ends;
    for (const Axis axis : {Axis::position, Axis::distance, Axis::key})
        if (!ends && all.layout.has(axis) && all.layout.part != Part::mask) ends = ends_of(all, model, tensor, axis);
    if (!ends) return {};
    const std::vector<formula::Replacement> names = names_of(all, *ends);
    std::vector<Choice> choices;
    for (const Edit& edit : edits()) {
        if (!applies(edit, all.layout.part) || !mentions_ends(edit)) continue;
        const std::optional<Choice> choice = with_constants(edit, names);
        if (choice && moves(*choice, *ends)) choices.push_back(*choice);
    }
    return choices;
}

std::optional<Choice> with_constants_of_shape(const Case& all, const Edit& edit) {
    if (edit.constants.empty() || edit.constants == "fit" || mentions_ends(edit)) return std::nullopt;
    return with_constants(edit, names_of(all, {}));
}

std::vector<Choice> order_of_heads(const Case& all, const Model& model, const tensor::Tensor& tensor) {
    const auto rows = edits();
    const auto edit =
        std::find_if(rows.begin(), rows.end(), [](const Edit& each) { return each.action == Action::order_of_heads; });
    if (!applies(*edit, all.layout.part) || all.layout.extent(Axis::head) < 2) return {};
    Choice choice{.edit = &*edit};
    bool is_other = false;
    for (const Line& line : lines_along(all.layout, Axis::head)) {
        const std::optional<double> head = place_of(all, model, tensor, line, 1, all.layout.heads);
        if (!head) return {};
        is_other = is_other || *head != line.place;
        choice.constants.push_back(fmt::format("{}", *head));
    }
    if (!is_other || choice.constants.size() != all.layout.extent(Axis::head)) return {};
    return {choice};
}

}  // namespace farfield::compare
