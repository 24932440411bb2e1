// Rounding errors as FPCore, the format of FPBench. Expected texts follow the specification FPCore 2.0 by hand.
#include <catch2/catch.hpp>

#include <string>

#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/study/fpcore.hpp>
#include <farfield/study/study.hpp>

#include "support/folder.hpp"

namespace farfield::study {
namespace {

bool has_part(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string exported(const std::string& text, const std::string& quantity = {}) {
    const tests::Folder folder;
    folder.write("s.toml", text);
    return export_fpcore(read({folder.path("s.toml"), "s", true}, {}), quantity);
}

std::string refused_export(const std::string& text, const std::string& quantity = {}) {
    try {
        exported(text, quantity);
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return {};
}

/// A study with one rounding error of x and y.
std::string rounding_error(const std::string& keys) {
    return "[study]\ntitle = \"t\"\n[quantity.r]\nkind = \"rounding-error\"\nover = { x = [0.5, 1], y = [-1, 2] }\n" +
           keys;
}

TEST_CASE("a rounding error becomes an FPCore with its box and precision") {
    CHECK(exported(rounding_error("formula = \"x*y - c\"\nparams = { c = 0.6 }\nformat = \"bf16\"\n")) ==
          "(FPCore (x y)\n :name \"r\"\n :precision bfloat16\n :pre (and (<= 0.5 x 1) (<= -1 y 2))\n"
          " (- (* x y) 0.6))\n");
    CHECK(has_part(exported(rounding_error("formula = \"clamp(x, y, y + 1)\"\n")), " (fmin (fmax x y) (+ y 1)))\n"));
}

TEST_CASE("rounding within a formula becomes a cast, and the exact formula becomes the specification") {
    CHECK(exported(rounding_error("computed = \"bf16(cos(fp32(x*y)))\"\nexact = \"cos(x*y)\"\n")) ==
          "(FPCore (x y)\n :name \"r\"\n :precision real\n :pre (and (<= 0.5 x 1) (<= -1 y 2))\n"
          " :spec (cos (* x y))\n"
          " (! :precision bfloat16 (cast (! :precision real (cos "
          "(! :precision binary32 (cast (! :precision real (* x y)))))))))\n");
}

TEST_CASE("sums become loops, and names of the format others") {
    const std::string text =
        "[study]\ntitle = \"t\"\n[quantity.r]\nkind = \"rounding-error\"\nover = { E = [0, 1], n = { from = 1, to = 9 "
        "} }\n";
    const std::string core = exported(text + "formula = \"sum(i, 2, 5, E*n*i) + prod(j, 0, 3, E)\"\n");
    CHECK(has_part(core, "; n runs in steps of 1; here it is any real between\n"));
    CHECK(has_part(core, "(FPCore (n E_)\n"));
    CHECK(has_part(core, ":pre (and (<= 1 n 9) (<= 0 E_ 1))"));
    CHECK(
        has_part(core,
                 "(+ (for ([i (+ (- 5 2) 1)]) ([so_far_i 0 (+ so_far_i (let ([i (+ i 2)]) (* (* E_ n) i)))]) so_far_i) "
                 "(for ([j (+ (- 3 0) 1)]) ([so_far_j 1 (* so_far_j E_)]) so_far_j))"));
}

TEST_CASE("features that FPCore lacks are refused with their place") {
    CHECK(has_part(refused_export(rounding_error("formula = \"sigmoid(x) + y%x\"\n")),
                   "FPCore has no counterpart of 'sigmoid'"));
    CHECK(has_part(refused_export(rounding_error("formula = \"sigmoid(x) + y%x\"\n")),
                   "FPCore has no counterpart of '%'"));
    CHECK(has_part(refused_export(rounding_error("formula = \"x + y\"\nformat = \"e4m3\"\n")),
                   "FPCore has no name for the format e4m3"));
    CHECK(has_part(refused_export("[study]\ntitle = \"t\"\n[quantity.v]\nkind = \"value\"\nformula = \"1\"\n"),
                   "no quantity of kind rounding-error"));
    CHECK(has_part(refused_export(rounding_error("formula = \"x + y\"\n"), "s"), "no rounding error 's'"));
    CHECK(has_part(refused_export(rounding_error("formula = \"x + y\"\n"), "s"), "known here: r"));
}

TEST_CASE("an exported formula is imported again unchanged") {
    for (const char* formula :
         {"x*y - 0.6", "-(x + 1)*y/((x + y)*(x + y))", "if(x < y and not y >= 1, sqrt(x), abs(y))", "x - (y - x)",
          "max(x, y)^2", "exp(sin(x)*cos(y)) + log1p(x)", "atan2(y, x)", "round(x) + floor(y) - ceil(x)"}) {
        const std::string study =
            import_fpcore(exported(rounding_error(fmt::format("formula = \"{}\"\n", formula))), "a.fpcore");
        CHECK(has_part(study, fmt::format("formula = \"{}\"\n", formula)));
    }
}

// In bfloat16 the number 257 is 256, and a count of 301 is 300.
TEST_CASE("bounds that a precision would round are computed as real numbers") {
    const auto written = [](const std::string& bounds) {
        return exported("[study]\ntitle = \"t\"\n[quantity.r]\nkind = \"rounding-error\"\nformula = \"sum(i, " +
                        bounds + ", x*i)\"\nover = { x = [1, 2] }\nformat = \"bf16\"\ninputs = \"real\"\n");
    };
    CHECK(has_part(written("257, 260"),
                   "(for ([i (! :precision real (+ (- 260 257) 1))]) ([so_far_i 0 (+ so_far_i (let ([i (cast (! "
                   ":precision real (+ i 257)))]) (* x i)))]) so_far_i)"));
    CHECK(has_part(written("0, 300"),
                   "(for ([i (! :precision real (+ (- 300 0) 1))]) ([so_far_i 0 (+ so_far_i (let ([i (cast (! "
                   ":precision real (+ i 0)))]) (* x i)))]) so_far_i)"));
    CHECK(has_part(written("1, 256"),
                   "(for ([i (+ (- 256 1) 1)]) ([so_far_i 0 (+ so_far_i (let ([i (+ i 1)]) (* x i)))]) so_far_i)"));
}

TEST_CASE("an exported name is no other name of the formula") {
    const auto written = [](const std::string& over, const std::string& formula) {
        return exported("[study]\ntitle = \"t\"\n[quantity.r]\nkind = \"rounding-error\"\nover = { " + over +
                        " }\nformula = \"" + formula + "\"\n");
    };
    CHECK(has_part(written("x = [1, 2], so_far_j = [3, 4]", "sum(j, 0, 3, x*j + so_far_j)"),
                   "([so_far_j_ 0 (+ so_far_j_ (+ (* x j) so_far_j))]) so_far_j_)"));
    const std::string constants = written("E = [1, 2], E_ = [3, 4]", "E*E_ + E");
    CHECK(has_part(constants, "(FPCore (E__ E_)\n"));
    CHECK(has_part(constants, ":pre (and (<= 1 E__ 2) (<= 3 E_ 4))"));
    CHECK(has_part(constants, "(+ (* E__ E_) E__)"));
    // The name of a loop counts too, before the arguments are named.
    const std::string loop = written("E = [1, 2]", "sum(E_, 0, 3, E*E_)");
    CHECK(has_part(loop, "(FPCore (E__)\n"));
    CHECK(has_part(loop, "(* E__ E_)"));
}

}  // namespace
}  // namespace farfield::study
