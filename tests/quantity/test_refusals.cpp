// What each kind refuses, with all that its message says. A row has the keys, and the problems with their places.
#include <catch2/catch.hpp>

#include <cmath>

#include "compute.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using Names = std::vector<std::string>;

Names told(const std::string& kind, const std::string& toml, const Known& known = {}) {
    Names found;
    try {
        compute(*find_kind(kind), toml, known);
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& each : error.diagnostics()) {
            std::string message =
                std::to_string(each.place.line) + ":" + std::to_string(each.place.column) + ": " + each.found;
            for (const std::string& part : {each.wanted, each.hint})
                if (!part.empty()) message += "; " + part;
            found.push_back(message);
        }
    }
    return found;
}

Known known() {
    core::Result row, step, pair, plain, low;
    row.series = core::Series{{{"n", {0, 1, 2, 3}, {}}, {"value", {4, 3, 1, 0}, {}}}, core::Rigour::none, 1};
    step.series = core::Series{{{"n", {0, 2, 4}, {}}, {"value", {4, 3, 1}, {}}}, core::Rigour::none, 1};
    pair.series = core::Series{{{"q", {0, 0}, {}}, {"k", {0, 1}, {}}, {"value", {4, 3}, {}}}, core::Rigour::none, 2};
    low.series = core::Series{{{"n", {0, 1}, {}}, {"value", {-INFINITY, -INFINITY}, {}}}, core::Rigour::none, 1};
    plain.set("value", core::Cell::of(1));
    return {{"row", row}, {"step", step}, {"pair", pair}, {"plain", plain}, {"low", low}};
}

struct Row {
    const char* kind;
    const char* toml;
    Names problems;
};

TEST_CASE("incompatible keys are refused at the one to change") {
    const Row rows[] = {
        {"collision", "format = 'fp16'\nover = { n = { to = 1 } }", {}},
        {"collision",
         "format = 'fp16'\nover = { n = { to = 0 } }",
         {"2:8: no two values to compare; over = { n = { from = 0, to = 65536 } }"}},
        {"collision",
         "format = 'fp16'\nover = { n = [0, 1] }",
         {"2:8: no two values to compare; over = { n = { from = 0, to = 65536 } }"}},
        {"range",
         "format = 'fp16'\nformula = 'n'\nover = { n = [0, 1] }\nstepwise = true",
         {"3:8: a stretch of reals with 'stepwise'; a grid of values, { from, to, step }"}},
        {"range",
         "format = 'fp16'\nformula = 'n'\nover = { n = { to = 9 } }\nstepwise = true\nboxes = 9",
         {"5:9: 'boxes' with 'stepwise'; one of them: stepwise computes every value"}},
        {"range",
         "format = 'fp16'\nformula = 'n*m'\nover = { n = { to = 9 }, m = { to = 9 } }",
         {"3:8: 'over' has 2 variables; one"}},
        {"cost", "length = 100\nwindow = 8", {}},
        {"cost", "length = 100\nscheme = 'windowed'", {}},
        {"cost", "window = 8", {"1:1: quantity 'tested' lacks the key 'length'; length = 8192"}},
        {"crossing",
         "formula = 'x*y'\nover = { x = [0, 1], y = [0, 1] }",
         {"2:8: 'over' has more than one variable; over = { x = [0, 1] }"}},
        {"crossing",
         "formula = 'x'\nover = { x = [-1, 1] }\nrange = { to = 1 }",
         {"3:9: 'range' of a formula over the reals; the ends of the stretch in 'over'"}},
        {"crossing",
         "formula = 'x'\nover = { x = { to = 9 } }\nrange = { from = 20, to = 30 }",
         {"3:9: no value of the grid is in the range; one at least"}},
        {"crossing",
         "of = 'row'\nboxes = 9",
         {"2:9: 'boxes' of another quantity's curve; a scheme or a formula in place of 'of'"}},
        {"crossing", "of = 'row'\nlevel = 2", {}},
        {"crossing",
         "of = 'row'\nrange = { from = 7, to = 9 }",
         {"1:7: no point of the series is in the range; one at least"}},
        {"crossing", "of = 'pair'", {"1:7: the quantity is not a curve of one variable; a curve"}},
        {"crossing", "of = 'plain'", {"1:7: quantity 'plain' has no series; a curve, say"}},
        {"optimum",
         "formula = 'x - x + 3'\nwhere = 'x > 0.5'\nover = { x = [0, 1] }",
         {"1:12: the formula is the same whatever its variables are; a formula that varies"}},
        {"crossing",
         "formula = 'x - x'\nover = { x = [-1, 1] }",
         {"1:12: the formula is the same whatever its variables are; a formula that varies"}},
        {"monotone",
         "formula = '0*x'\ndirection = 'increasing'\nover = { x = [-1, 1] }",
         {"1:12: the formula is the same whatever its variables are; a formula that varies"}},
        {"collision",
         "formula = '3 + 0*n'\nformat = 'fp16'\nover = { n = { to = 9 } }",
         {"1:12: the formula is the same whatever its variables are; a formula that varies"}},
        {"feasible",
         "condition = 'x > 0'\nover = { x = [0, 1], y = { to = 3 } }",
         {"2:22: the variable 'y' is unused: nothing that this quantity evaluates depends on it; the variables of its "
          "formulas"}},
        {"feasible",
         "condition = 'x'\nover = { x = [0, 1] }",
         {"1:14: the formula is a number; a condition, such as n < 100"}},
        {"extremum",
         "formula = 'x*y'\nover = { x = [0, 1], y = { to = 1 } }",
         {"2:26: stepped and real variables are mixed; one kind alone"}},
        {"extremum",
         "formula = 'x'\nover = { x = { to = 9 } }\nboxes = 9",
         {"3:9: 'boxes' without real variables; over = { x = [lo, hi] }"}},
        {"monotone",
         "formula = 'x*y'\ndirection = 'increasing'\nover = { x = [0, 1], y = [1, 2] }",
         {"3:8: 'over' has 2 variables; the key 'in' with the one in which the formula rises or falls"}},
        {"monotone",
         "formula = 'x*y'\ndirection = 'increasing'\nover = { x = [0, 1], y = [1, 2] }\nin = 'z'",
         {"4:7: 'z' is not a variable of 'over'; known here: x, y. Did you mean 'x'?"}},
        {"monotone",
         "formula = 'x'\ndirection = 'increasing'\nover = { x = { to = 0 } }",
         {"3:14: 'x' has one value; two at least"}},
        {"monotone",
         "formula = 'x + y'\ndirection = 'increasing'\nover = { x = { to = 1 }, y = { to = 0 } }\nin = 'x'",
         {}},
        {"logit-error",
         "scheme = 'nope'\nformat = 'fp16'\npositions = [0]",
         {"1:11: scheme 'nope' has neither a rotation nor a bias; one that changes logits"}},
        {"profile",
         "scheme = 'alibi'\nall_heads = true\ndistances = { to = 9 }",
         {"2:13: 'all_heads' without a scheme and its number of heads, or together with 'head'; scheme = NAME and "
          "heads = H"}},
        {"profile",
         "scheme = 'alibi'\nall_heads = true\nheads = 2\nhead = 1\ndistances = { to = 9 }",
         {"2:13: 'all_heads' without a scheme and its number of heads, or together with 'head'; scheme = NAME and "
          "heads = H"}},
        {"profile", "scheme = 'alibi'\nall_heads = true\nheads = 2\ndistances = { to = 9 }", {}},
        {"profile",
         "of = 'step'",
         {"1:1: the row is not over the distances 0, 1, 2, ...; distances from 0 in steps of 1"}},
        {"profile", "of = 'low'", {"1:1: no logit of the row is finite; one at least, and none infinite"}},
        {"profile", "of = 'row'\nmass = 1.5", {"2:8: 'mass' is 1.5; 0 to 1"}},
        {"profile", "of = 'row'\nresidual = -0.5", {"2:12: 'residual' is -0.5; 0 to 1"}},
        {"profile", "of = 'row'\nmass = 0.999\nresidual = 0", {}},
        {"profile", "of = 'row'\nmass = 1", {"2:8: 'mass' is 1; less than 1, which no row is above"}},
        {"profile",
         "of = 'row'\nresidual = 1",
         {"2:12: 'residual' is 1; less than 1: at 1 no layer attends to anything"}},
        {"profile", "of = 'row'\nmass = '0'", {"2:9: 'mass' is 0; more than 0, which every row is above"}},
        {"profile", "of = 'row'\nwithin = 5", {"2:10: 'within' is 5; at most the row's length, 4"}},
        {"extremum", "formula = 'x'\nover = { x = [3, 3.0] }", {"2:14: 'x' has one value; a range with a larger end"}},
        {"extremum",
         "formula = 'x'\nover = { x = { to = 0 } }",
         {"2:14: 'x' has one value; a range with a larger end"}},
        {"extremum", "formula = 'x*y'\nover = { x = [3, 3], y = [0, 1] }", {}},
        {"integral", "formula = 'x'\nover = { x = [3, 3] }", {"2:14: 'x' has one value; a range with a larger end"}},
        {"identity",
         "left = 'x + 1'\nright = 'x+1'\nover = { x = [0, 1] }",
         {"2:10: 'right' is the same formula as 'left'; another formula"}},
        {"ttest", "a = [1, 2]\nb = [1, 2]", {"2:5: a test of a sample against itself; another sample"}},
        {"ttest", "a = ['1', 2]\nb = [1, 2]", {}},
        {"correlation", "x = [1, 2]\ny = [1, 2]", {"2:5: a correlation of a sample with itself; another sample"}},
        {"correlation",
         "x = [2, 2]\ny = [1, 2]",
         {"1:5: all numbers of the sample are the same; a sample that varies"}},
        {"resolution", "of = 'row'\nN = 2", {}},
        {"resolution", "of = 'row'\nN = 3\nlast = 2", {}},
        {"resolution",
         "of = 'row'\nN = 3",
         {"2:5: the curve ends at 3, before 4; distances up to 4, since s[N+1] is needed; `after` gives s[N+1], `last` "
          "ends the sum earlier"}},
        {"resolution", "of = 'row'\nN = 4\nafter = 0", {"2:5: the curve ends at 3, before 4; distances up to 4"}},
        {"resolution", "of = 'row'\nN = 2\nlast = 3", {"3:8: the numerator's sum ends beyond N; at most 2"}},
        {"resolution", "of = 'row'\nN = 2\nlast = 2", {}},
        {"resolution", "of = 'step'\nN = 1", {"1:7: the curve is not over 0, 1, 2, ...; distances = { from = 0 }"}},
        {"resolution", "of = 'low'\nN = 0", {"1:7: R(s) has no value (NaN): no score is finite; a finite score"}},
        {"receptive-field",
         "mask = 'n < 3'\nlength = 9",
         {"1:1: quantity 'tested' lacks the key 'layers'; layers = 12"}},
        {"receptive-field",
         "mask = 'n < 3'\nlayers = 2",
         {"1:1: quantity 'tested' lacks the key 'length'; length = 2048"}},
        {"receptive-field", "masks = []\nlength = 9", {"1:9: no masks; one for each layer"}},
        {"receptive-field",
         "masks = ['n < 3']\nlength = 9\nlayers = 2",
         {"3:10: 2 layers and 1 masks; as many masks as layers"}},
        {"receptive-field", "masks = ['n < 3', 'n < 2']\nlength = 9\nlayers = 2", {}},
        {"rounding-error",
         "computed = 'x'\nover = { x = [0, 1] }",
         {"1:1: 'computed' without 'exact'; both, or 'formula' alone"}},
        {"rounding-error",
         "formula = 'x'\nexact = 'x'\nover = { x = [0, 1] }",
         {"1:1: 'exact' without 'computed'; both, or 'formula' alone"}},
        {"rounding-error",
         "computed = 'fp32(x)'\nexact = 'x'\nover = { x = [0, 1] }\nformat = 'fp16'\ninputs = 'real'",
         {"4:11: 'format' beside 'computed'; operators that round, such as fp32(x), in 'computed'",
          "5:11: 'inputs' beside 'computed'; operators that round, such as fp32(x), in 'computed'"}},
        {"matrix",
         "formula = 'log(k - q)'\nlength = 2",
         {"1:12: the bias has no value (NaN) at q = 1, k = 0; a number everywhere; "
          "log(k - q) has no value there: log(a) needs a > 0"}},
        {"curve",
         "scheme = 'alibi'\nhead = 1\nheads = 2\nquery = 4\ndistances = { to = 5 }",
         {"5:13: the distances reach beyond the query, to key -1; distances up to 4"}},
        {"curve", "scheme = 'alibi'\nhead = 1\nheads = 2\nquery = 5\ndistances = { to = 5 }", {}},
        {"curve",
         "formula = 'log(2 - n)'\ndistances = { to = 5 }",
         {"1:12: the formula has no value (NaN) at n = 3; a number everywhere; "
          "log(2 - n) has no value there: log(a) needs a > 0"}},
        {"value",
         "formula = '0/0'",
         {"1:12: the formula has no value (NaN); a number everywhere; 0/0 has no value there: a/b needs b != 0"}},
    };
    const Known results = known();
    for (const Row& row : rows) {
        INFO(row.kind << ": " << row.toml);
        CHECK(told(row.kind, row.toml, results) == row.problems);
    }
    CHECK(told("curve", "scheme = 'rotary'\nhead_dim = 4\ndistances = { to = 5 }") ==
          Names{"1:11: scheme 'rotary' rotates and has no bias; kind = \"expectation\" is of the rotation"});
    CHECK(told("range", "format = 'fp17'\nformula = 'n'\nover = { n = [0, 1] }")
              .at(0)
              .starts_with("1:11: unknown number format 'fp17'; known here: "));
    CHECK(told("rounding-error", "formula = 'x'\nover = { x = [0, 1] }\nformat = 'fp17'")
              .at(0)
              .starts_with("3:11: unknown format 'fp17'; known here: fp64, "));
    for (const char* format : {"fp64", "fp32", "fp16", "bf16"})
        CHECK(told("rounding-error", std::string("formula = 'x'\nover = { x = [0, 1] }\nformat = '") + format + "'")
                  .empty());
}

}  // namespace
}  // namespace farfield::quantity
