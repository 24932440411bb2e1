// argmin and argmax in every number system.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/parser.hpp>

using namespace farfield;
using evaluate::Enclosing;

namespace {

const std::vector<std::string> systems = {"double", "float", "fp16", "bf16", "e4m3", "mp30", "interval"};

double value(const std::string& text, const std::string& system) {
    const formula::Program program = formula::compile(formula::parse(text), {{}, {}, {}});
    return evaluate::evaluate(program, {}, evaluate::read_number_system(system)).front();
}

core::Enclosure enclosed(const std::string& text, const core::Enclosure& x, Enclosing how) {
    const formula::Program program = formula::compile(formula::parse(text), {{"x"}, {}, {}});
    return evaluate::enclose(program, {{x}, {}, {}, 1}, how).front();
}

}  // namespace

TEST_CASE("the first integer with the best body is chosen in every number system") {
    struct Known {
        const char* formula;
        double value;
    };
    // By hand. The numbers are those of every format.
    const Known known[] = {
        {"argmin(i, 0, 6, (i - 4)*(i - 4))", 4},
        {"argmax(i, 0, 6, (i - 4)*(i - 4))", 0},
        {"argmin(i, -3, 3, abs(i))", 0},
        {"argmax(i, -3, 3, abs(i))", -3},
        {"argmin(i, 2, 9, 1)", 2},
        {"argmax(i, 2, 9, 1)", 2},
        {"argmin(i, 5, 5, -i)", 5},
        {"argmin(i, 0, 3, argmax(j, 0, i, j) - 2*i)", 3},
        {"argmax(i, 0, 7, if(i < 5, i, -i))", 4},
    };
    for (const std::string& system : systems) {
        for (const Known& each : known) {
            INFO(each.formula << " in " << system);
            CHECK(value(each.formula, system) == each.value);
        }
    }
}

TEST_CASE("a choice over none, with a body that is NaN or with bounds that are not integers has no value") {
    for (const std::string& system : systems) {
        for (const char* formula : {"argmin(i, 1, 0, i)", "argmax(i, 1, 0, i)", "argmin(i, 0, 3, i/(i - 2)*(i - 2))",
                                    "argmax(i, 0, 3, sqrt(i - 1))", "argmin(i, 0.5, 3, i)"}) {
            INFO(formula << " in " << system);
            CHECK(std::isnan(value(formula, system)));
        }
    }
}

TEST_CASE("where all bodies are infinite the first integer is chosen") {
    for (const char* system : {"double", "float", "fp16", "mp30"}) {
        CHECK(value("argmin(i, 3, 8, inf)", system) == 3);
        CHECK(value("argmax(i, 3, 8, -inf)", system) == 3);
        CHECK(value("argmin(i, 3, 8, if(i == 6, 1, inf))", system) == 6);
    }
}

TEST_CASE("an enclosure is one integer exactly where it is apart from all others, else it holds all that may be best") {
    for (const Enclosing how : {Enclosing::fast, Enclosing::rigorous}) {
        const auto check = [&](const char* formula, const core::Enclosure& x, double lo, double hi) {
            INFO(formula << " over [" << x.lo << ", " << x.hi << "]");
            const core::Enclosure found = enclosed(formula, x, how);
            CHECK(found.lo == lo);
            CHECK(found.hi == hi);
        };
        check("argmin(i, 0, 9, abs(i - x))", {2.6, 3.4}, 3, 3);
        // 2 and 3 may be it, or 2, 3 and 4; earlier ones were too close to one of these when they were compared.
        check("argmin(i, 0, 9, abs(i - x))", {2.4, 3.4}, 0, 3);
        check("argmax(i, 0, 9, -abs(i - x))", {2.4, 3.6}, 0, 4);
        // Equal bodies known exactly: the first.
        check("argmin(i, 0, 9, 4*x^0)", {1, 2}, 0, 0);
        // Equal bodies that are not known exactly: any may be first.
        check("argmin(i, 0, 9, sin(x))", {1, 2}, 0, 9);
        check("argmin(i, 4, 3, x)", {1, 2}, -std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::infinity());
    }
}

TEST_CASE("integers are chosen up to 2^63") {
    const core::Enclosure found =
        enclosed("argmin(i, 2^62, 2^62 + 9, abs(i - 2^62 - 5)) - 2^62", {0, 0}, Enclosing::rigorous);
    CHECK(found.lo == 5);
    CHECK(found.hi == 5);
}

TEST_CASE("blocks choose as the reference does, with bounds and bodies that differ from point to point") {
    const std::vector<std::string> formulas = {
        "argmin(i, 0, n, cos(n*i/7))",
        "argmax(i, n, n + 40, sin(i))",
        "argmin(i, 0, 12, abs(i - n/20))",
        "argmax(i, 0, 30, i % 7) + n",
        "sum(j, 0, n % 5, argmin(i, 0, j + n % 11, cos(i*j + n)))",
        "argmin(i, 1, n % 3, n)",
        "argmin(i, 0, argmax(j, 0, 20, cos(j*n)), sin(i*n))",
    };
    for (const std::string& text : formulas) {
        INFO(text);
        const formula::Node tree = formula::parse(text);
        const formula::Program program = formula::compile(tree, {{}, {"n"}, {}});
        const std::vector<double> values = evaluate::evaluate(program, {{}, {evaluate::Range{0, 1, 600}}, {}, 600});
        for (std::size_t n = 0; n < values.size(); ++n) {
            const double expected = evaluate::reference(tree, {{{"n", static_cast<double>(n)}}, {}});
            INFO("n = " << n);
            CHECK((values[n] == expected || (std::isnan(values[n]) && std::isnan(expected))));
        }
    }
}

TEST_CASE("a loop whose first bound differs from point to point counts from it in every round of a long body") {
    // Each register of the body takes a block's memory; the first bound's is read again in each round.
    const formula::Node tree = formula::parse(
        "sum(i, n, n + 40, sin(i)*cos(i*i) + exp(-i)*cos(3*i) + sin(5*i)*sin(i/7) + if(sin(i) > cos(2*i), i, "
        "sin(7*i)))");
    const formula::Program program = formula::compile(tree, {{}, {"n"}, {}});
    const std::vector<double> values = evaluate::evaluate(program, {{}, {evaluate::Range{0, 1, 600}}, {}, 600});
    for (std::size_t n = 0; n < values.size(); ++n) {
        const double expected = evaluate::reference(tree, {{{"n", static_cast<double>(n)}}, {}});
        INFO("n = " << n);
        // 41 terms of at most 640, each within some units of 2^-53 of its size.
        CHECK(values[n] == Approx(expected).margin(1e-10).epsilon(0));
    }
}
