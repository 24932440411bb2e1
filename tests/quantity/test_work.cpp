// How much work a formula is, and the limits of work and of evidence.
#include <catch2/catch.hpp>

#include <farfield/formula/parser.hpp>

#include "quantity/compute.hpp"
#include "quantity/evidence.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

double count(const std::string& formula) {
    return operations(formula::parse(formula));
}

TEST_CASE("operations are counted, those of a loop once a trip with the trip itself") {
    struct Row {
        const char* formula;
        double operations;
    };
    const Row rows[] = {
        {"3", 0},
        {"x", 0},
        {"x + 1", 1},
        {"-sin(x)*x", 3},
        {"if(x < 1, x, x*x)", 3},
        {"t[n + 1]", 1},
        {"sum(i, 1, 10, i*x)", 10 * 2},
        {"sum(i, 3, 7, i)", 5},
        {"sum(i, 7, 3, i)", 0},
        {"sum(i, -2, 2, i)", 1 + 5},  // the minus is one
        // The bounds count too, and once.
        {"sum(i, 1 + 2, 2*3, i)", 2 + 4},
        {"prod(i, 0*2, 4 + 5 + 0, i + i)", 3 + 10 * 2},
        {"sum(i, 1, 3, sum(j, 1, 4, i*j))", 3 * (1 + 4 * 2)},
        // Inner bounds at the ends of the outer loop: the most trips that these give.
        {"sum(i, 1, 3, sum(j, 1, i, j))", 3 * (1 + 3)},
        {"sum(i, 1, 3, sum(j, i, 5, j))", 3 * (1 + 5)},
        {"sum(i, 1, 3, sum(j, -i, i, j))", 3 * (1 + 1 + 7)},
        {"sum(i, 1, 3, sum(j, 1, 9 - i, j))", 3 * (1 + 1 + 8)},
        // A bound that nothing shows counts as a thousand trips.
        {"sum(i, 1, x, i*i)", 1000 * 2},
        {"sum(i, x, 1, i*i)", 1000 * 2},
        {"sum(i, 1, x, sum(j, 1, i, j))", 1000 * (1 + 1000)},
        {"all(k, 1, 4, k < x)", 4 * 2},
    };
    for (const Row& row : rows) {
        INFO(row.formula);
        CHECK(count(row.formula) == row.operations);
    }
}

TEST_CASE("a part that is shared by several places is examined once, and counts in each") {
    // c(0) = 1 and c(k + 1) = 2 c(k) + 1: 2^61 - 1 operations, which no loop over them would count.
    formula::Node tree = formula::parse("x + 1");
    for (int i = 0; i < 60; ++i) tree = formula::make(formula::Op::multiply, {tree, tree});
    CHECK(operations(tree) == 0x1p61);
}

/// The work that a quantity of the kind states before it is computed.
double cost(const char* kind, const std::string& toml) {
    return prepared(*find_kind(kind), toml)->cost();
}

TEST_CASE("the work of a quantity is in proportion to its points, to its boxes and to its formula") {
    struct Row {
        const char* kind;
        std::string toml;
        std::string less;  ///< a key
        std::string more;
        double times;
    };
    const std::string x = "over = { x = [1, 2] }\n", steps = "over = { x = { from = 1, to = 1000 } }\n";
    const std::string formula = "formula = 'x*x - 3'\n", near = "distances = { to = 999 }\n";
    const std::string of_n = "formula = 'n*n - 3'\n";
    const auto to = [](int last) { return "distances = { to = " + std::to_string(last) + " }"; };
    const Row rows[] = {
        {"curve", of_n, to(999), to(2999), 3},
        {"curve", near, "formula = 'n'", "formula = 'n + n - n'", 3},
        {"expectation", "scheme = 'rotary'\nhead_dim = 64\n", to(999), to(2999), 3},
        {"oscillation", of_n, to(999), to(2999), 3},
        {"extremum", of_n, to(999), to(2999), 3},
        {"extremum", x + formula, "boxes = 1000", "boxes = 3000", 3},
        {"crossing", of_n, to(999), to(2999), 3},
        {"crossing", of_n + near, "level = 2", "level = '2*3*4*5 - 1'", 2},
        {"crossing", of_n + "boxes = 100\n", to(999), to(2999), 1},  // no more boxes are looked at
        {"crossing", of_n + "boxes = 3000\n", to(999), to(2999), 1.5},
        {"crossing", x + formula, "boxes = 1000", "boxes = 3000", 3},
        {"monotone", "in = 'x'\ndirection = 'increasing'\n" + formula, steps, "over = { x = { from = 1, to = 3000 } }",
         3},
        {"monotone", "in = 'x'\ndirection = 'increasing'\nboxes = 100\n" + formula, steps,
         "over = { x = { from = 1, to = 3000 } }", 1},
        {"monotone", "in = 'x'\ndirection = 'increasing'\n" + x + formula, "boxes = 1000", "boxes = 3000", 3},
        {"identity", x + "left = 'x*x'\nright = 'x^2'\n", "boxes = 1000", "boxes = 3000", 3},
        {"feasible", x + "condition = 'x*x > 3'\n", "boxes = 1000", "boxes = 3000", 3},
        {"optimum", x + formula, "boxes = 1000", "boxes = 3000", 3},
        {"rounding-error", x + formula, "boxes = 1000", "boxes = 3000", 3},
        {"rounding-error", x + "boxes = 100\n", "formula = 'x*x'", "formula = 'x*x*x*x'", 3},
        {"profile", "scheme = 'alibi'\nall_heads = true\n" + near, "heads = 2", "heads = 6", 3},
        {"matrix", "scheme = 'alibi'\nhead = 1\nheads = 8\n", "length = 100", "length = 300", 9},
        // A bias of distances has one value for each, and above some length a row of them stands for the matrix.
        {"matrix", "scheme = 'alibi'\nhead = 1\nheads = 8\n", "length = 30000", "length = 90000", 3},
        {"receptive-field", "mask = 'n < 3'\nlayers = 2\n", "length = 100", "length = 300", 3},
    };
    for (const Row& row : rows) {
        INFO(row.kind << ": " << row.toml << row.less << " against " << row.more);
        const double less = cost(row.kind, row.toml + row.less);
        CHECK(less >= 1);
        CHECK(cost(row.kind, row.toml + row.more) / less == Approx(row.times).epsilon(0.01));
    }
    // Of boxes of reals fewer are looked at, on the whole, than may be.
    CHECK(cost("crossing", x + formula + "boxes = 1000") <=
          cost("crossing", "over = { x = { from = 1, to = 1000 } }\n" + formula + "boxes = 1000"));
    // A curve is an operation a point and the formula's at each; proofs take at least as many.
    CHECK(cost("curve", of_n + near) == 1000 * (1 + 2));
    for (const char* kind : {"extremum", "crossing", "oscillation", "monotone"}) {
        INFO(kind);
        const std::string variable = std::string(kind) == "monotone" ? "in = 'x'\ndirection = 'increasing'\n" : "";
        CHECK(cost(kind, steps + formula + variable) >= 1000 * (1 + 2));
        CHECK(cost(kind, steps + formula + variable) <= 1000 * (1 + 2) * 200);
    }
}

TEST_CASE("evidence states a formula of up to 65536 nodes as a text, and no larger one") {
    const auto stated = [](const formula::Node& tree) {
        core::Evidence evidence;
        state(evidence, "formula", tree);
        return !evidence.facts.empty();
    };
    // A full binary tree of depth k has 2^(k+1) - 1 nodes in its text, though each level is one shared node.
    formula::Node tree = formula::make_name("x");
    const auto doubled = [](const formula::Node& of) { return formula::make(formula::Op::add, {of, of}); };
    for (int depth = 1; depth <= 15; ++depth) tree = doubled(tree);
    CHECK(stated(tree));  // 65,535
    CHECK(stated(formula::make(formula::Op::negate, {tree})));
    CHECK_FALSE(stated(formula::make(formula::Op::negate, {formula::make(formula::Op::negate, {tree})})));
    // 2^101 nodes are not counted one by one.
    for (int depth = 16; depth <= 100; ++depth) tree = doubled(tree);
    CHECK_FALSE(stated(tree));
    CHECK_FALSE(stated(formula::make(formula::Op::add, {formula::make_name("x"), tree})));
}

}  // namespace
}  // namespace farfield::quantity
