#include "quantity/boxes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;

/// Boxes that find_first() processes together: enough to share the overhead, but few enough to stay at the left end.
constexpr std::size_t most_at_once = 128;

/// An end of an interval: exact, or, where that is a fraction too long to read, a decimal beyond it, marked by "…".
std::string text_of_end(const numerics::Rational& end, bool is_low) {
    constexpr std::size_t longest_fraction = 20;
    std::string exact = numerics::rational_text(end);
    if (exact.size() <= longest_fraction || exact.find('/') == std::string::npos) return exact;
    const double beyond = is_low ? -numerics::infinity : numerics::infinity;
    for (double number = numerics::nearest(end); std::isfinite(number); number = std::nextafter(number, beyond)) {
        const std::string rounded = fmt::format("{:.17g}", number);
        const auto read = numerics::read_rational(rounded);
        if (read && (is_low ? *read <= end : *read >= end)) return rounded + "…";
    }
    return exact;
}

}  // namespace

Domain::Domain(const Over& over) {
    for (const Grid& grid : over.grids) dimensions_.push_back({grid.variable, true, grid.range});
    for (const Stretch& stretch : over.stretches)
        dimensions_.push_back({stretch.variable, false, {}, stretch.ends, stretch.lo, stretch.hi});
}

std::vector<std::string> Domain::variables() const {
    std::vector<std::string> names;
    for (const Dimension& dimension : dimensions_) names.push_back(dimension.variable);
    return names;
}

Box Domain::whole() const {
    Box box;
    for (const Dimension& dimension : dimensions_)
        box.sides.push_back(dimension.is_grid ? Enclosure{0, static_cast<double>(dimension.grid.count() - 1)}
                                              : dimension.stretch);
    return box;
}

Enclosure Domain::values(const Box& box, std::size_t dimension) const {
    const Enclosure side = box.sides[dimension];
    if (!dimensions_[dimension].is_grid) return side;
    const numerics::Progression& grid = dimensions_[dimension].grid;
    return {grid.enclose(static_cast<std::size_t>(side.lo)).lo, grid.enclose(static_cast<std::size_t>(side.hi)).hi};
}

numerics::Rational Domain::exact(std::size_t dimension, double end) const {
    const Dimension& side = dimensions_[dimension];
    if (side.is_grid) return side.grid.exact(static_cast<std::size_t>(end));
    if (end == side.stretch.lo) return side.lo;
    return end == side.stretch.hi ? side.hi : numerics::exactly(end);
}

std::vector<formula::Replacement> Domain::exact_point(const Box& point) const {
    std::vector<formula::Replacement> values;
    for (std::size_t i = 0; i < dimensions_.size(); ++i)
        values.push_back({dimensions_[i].variable, exact_node(exact(i, point.sides[i].lo))});
    return values;
}

std::vector<Box> Domain::halves(const Box& box, std::size_t dimension) const {
    const Enclosure side = box.sides[dimension];
    const bool is_grid = dimensions_[dimension].is_grid;
    const double middle = side.lo + (side.hi - side.lo) / 2;
    const double cut = is_grid ? std::floor(middle) : middle;
    if (side.lo == side.hi || (!is_grid && (cut <= side.lo || cut >= side.hi))) return {};
    std::vector<Box> parts = {box, box};
    parts[0].sides[dimension].hi = cut;
    parts[1].sides[dimension].lo = is_grid ? cut + 1 : cut;
    return parts;
}

double Domain::share(const Box& box, std::size_t dimension) const {
    const Enclosure side = box.sides[dimension];
    const Dimension& whole = dimensions_[dimension];
    const double width = whole.is_grid ? static_cast<double>(whole.grid.count()) : whole.stretch.width();
    return side.lo == side.hi ? 0 : side.width() / width;
}

std::vector<Box> Domain::halves(const Box& box) const {
    std::size_t widest = 0;
    for (std::size_t other = 1; other < box.sides.size(); ++other)
        if (share(box, other) > share(box, widest)) widest = other;
    return box.sides.empty() ? std::vector<Box>{} : halves(box, widest);
}

bool Domain::is_point(const Box& box) const {
    return std::all_of(box.sides.begin(), box.sides.end(), [](const Enclosure& side) { return side.lo == side.hi; });
}

Box Domain::centre(const Box& box) const {
    Box result;
    for (std::size_t i = 0; i < box.sides.size(); ++i) {
        const Enclosure side = box.sides[i];
        const double middle = side.lo + side.width() / 2;
        const Dimension& dimension = dimensions_[i];
        if (dimension.is_grid)
            result.sides.push_back(Enclosure::exactly(std::floor(middle)));
        else
            result.sides.push_back(dimension.holds(middle) ? Enclosure::exactly(middle) : side);
    }
    return result;
}

std::string Domain::text(const Box& box) const {
    std::string result;
    for (std::size_t i = 0; i < box.sides.size(); ++i) {
        const Enclosure side = box.sides[i];
        if (i > 0) result += ", ";
        result += dimensions_[i].variable;
        const numerics::Rational low = exact(i, side.lo);
        result += side.lo == side.hi
                      ? " = " + numerics::rational_text(low)
                      : " in [" + text_of_end(low, true) + ", " + text_of_end(exact(i, side.hi), false) + "]";
    }
    return result;
}

First find_first(const Domain& domain, std::size_t most, const std::function<bool()>& interrupted,
                 const std::function<std::vector<Answer>(const std::vector<Box>&)>& answers_of) {
    First first;
    const auto note = [](std::optional<Box>& kept, const Box& box) {
        if (!kept || box.sides.front().lo < kept->sides.front().lo) kept = box;
    };
    const auto comes_too_late = [&](const Box& box) {
        return first.found && box.sides.front().lo >= first.found->sides.front().lo;
    };
    std::size_t looked_at = 0;
    std::vector<Box> open = {domain.whole()};  // the leftmost last
    while (!open.empty()) {
        const std::size_t count = std::min(open.size(), most_at_once);
        const std::vector<Box> boxes(open.rbegin(), open.rbegin() + static_cast<std::ptrdiff_t>(count));
        open.resize(open.size() - count);
        looked_at += count;
        const std::vector<Answer> answers = answers_of(boxes);
        std::vector<Box> next;
        for (std::size_t i = 0; i < count; ++i) {
            if (answers[i] == Answer::yes) note(first.found, boxes[i]);
            if (answers[i] != Answer::unknown || comes_too_late(boxes[i])) continue;
            const std::vector<Box> parts = domain.halves(boxes[i]);
            if (parts.empty()) note(first.unresolved, boxes[i]);
            next.insert(next.end(), parts.begin(), parts.end());
        }
        open.insert(open.end(), next.rbegin(), next.rend());
        std::erase_if(open, comes_too_late);
        if (open.empty() || (looked_at < most && !interrupted())) continue;
        for (const Box& box : open) note(first.unresolved, box);
        break;
    }
    if (first.unresolved && comes_too_late(*first.unresolved)) first.unresolved.reset();
    return first;
}

core::Cell cell_of(const Domain& domain, const First& first) {
    if (!first.found) return core::Cell::missing();
    const numerics::Rational at = domain.exact(0, first.found->sides.front().lo);
    if (!first.unresolved) return exact_cell(at);
    return core::Cell::enclosed(numerics::nearest(at), {domain.values(*first.unresolved, 0).lo, enclosure_of(at).hi});
}

}  // namespace farfield::quantity
