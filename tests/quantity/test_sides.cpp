// The parts of a domain on each side of zero, with zeros that only algebra or nothing at all decides.
#include <catch2/catch.hpp>

#include <farfield/formula/parser.hpp>

#include "quantity/sides.hpp"

namespace farfield::quantity {
namespace {

std::vector<SidePart> sides(const std::string& formula, const Dimension& dimension) {
    return find_sides(formula::parse(formula), Domain(std::vector<Dimension>{dimension}), 10'000, [] { return false; });
}

Dimension steps(long long from, std::size_t count) {
    return {"n", true, numerics::Progression(from, 1, count)};
}

Dimension reals(int from, int to) {
    return {"x", false, {}, {static_cast<double>(from), static_cast<double>(to)}, from, to};
}

/// tanh(log 2) = (2 - 1/2)/(2 + 1/2) = 0.6, which no enclosure and no rule of algebra here shows.
const std::string zero = "tanh(log(2)) - 0.6";

TEST_CASE("each value of a grid is on its side, joined with its neighbours") {
    struct Row {
        const char* formula;
        std::vector<Side> sides;  ///< of the values -3, ..., 3
    };
    const Side lo = Side::below, on = Side::on, up = Side::above, no = Side::unknown;
    const std::vector<Row> rows = {
        {"n", {lo, lo, lo, on, up, up, up}},
        {"-n^3", {up, up, up, on, lo, lo, lo}},
        {"n^2 - 4", {up, on, lo, lo, lo, on, up}},
        {"0*n", {on, on, on, on, on, on, on}},
        {"n % 2 - 1", {on, lo, on, lo, on, lo, on}},
        {"floor(n/2)", {lo, lo, lo, on, on, up, up}},
        // At 0 there is no value.
        {"n/n - 1", {on, on, on, no, on, on, on}},
        {"abs(n)/n", {lo, lo, lo, no, up, up, up}},
    };
    for (const Row& row : rows) {
        INFO(row.formula);
        std::vector<Side> found;
        const std::vector<SidePart> parts = sides(row.formula, steps(-3, 7));
        for (const SidePart& part : parts) {
            CHECK(part.where.lo == static_cast<double>(found.size()));
            CHECK(part.is_strict);
            for (double at = part.where.lo; at <= part.where.hi; ++at) found.push_back(part.side);
        }
        CHECK(found == row.sides);
        for (std::size_t i = 0; i + 1 < parts.size(); ++i)
            CHECK((parts[i].side == Side::unknown || parts[i].side != parts[i + 1].side));
    }
}

TEST_CASE("where a monotone formula may be zero it changes its side once, and once more for each end that is unknown") {
    struct Row {
        std::string formula;
        Dimension dimension;
        double most_changes;
    };
    const std::vector<Row> rows = {
        // Indexes of a grid: a value that is not known has two neighbours.
        {"n + " + zero, steps(-3, 7), 1},
        {"max(n, 0) + " + zero, steps(-3, 7), 2},
        {"min(n, 0) + " + zero, steps(-3, 7), 2},
        {"0*n + " + zero, steps(0, 1), 2},
        // Boxes of reals share their ends.
        {"x + " + zero, reals(-3, 4), 1},
        {"max(x, 0) + " + zero, reals(-3, 4), 1},
        {"min(x, 0) + " + zero, reals(-3, 4), 1},
    };
    for (const Row& row : rows) {
        INFO(row.formula << (row.dimension.is_grid ? ", grid" : ", reals"));
        std::size_t unknown = 0;
        for (const SidePart& part : sides(row.formula, row.dimension)) {
            if (part.side != Side::unknown) continue;
            ++unknown;
            CHECK(part.most_changes == row.most_changes);
        }
        CHECK(unknown == 1);
    }
}

}  // namespace
}  // namespace farfield::quantity
