// How expressions are written; what they compute, tests/export/round_trip.py asks the libraries.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

#include <farfield/core/diagnostic.hpp>
#include <farfield/export/export.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "export/module.hpp"
#include "export/python.hpp"

namespace farfield::exporting {
namespace {

std::string written(const std::string& formula, const Language& language = numpy_language()) {
    Identifiers names;
    PythonWriter writer(language, names, {{"w", "w"}, {"H", "heads"}});
    return writer.write(formula::parse(formula)).text;
}

scheme::Scheme scheme_of(const std::string& settings) {
    scheme::Registry registry = scheme::Registry::builtin();
    const core::Entries document = scheme::read_toml("[scheme.mine]\n" + settings, "mine.toml");
    core::Problems problems;
    registry.add(*document.find("scheme")->value.entries(), problems);
    problems.raise();
    return *registry.find("mine");
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string refusal(const std::string& settings, Target target) {
    try {
        source(scheme_of(settings), target);
    } catch (const core::UserError& error) {
        return core::format(error.diagnostics());
    }
    return "";
}

TEST_CASE("expressions have the parentheses that Python needs, and no others") {
    CHECK(written("-2^(-8*h/H)*n") == "-2.0 ** (-8.0 * h / H) * n");
    CHECK(written("(-n)^2") == "(-n) ** 2.0");
    CHECK(written("2^-n") == "2.0 ** -n");
    CHECK(written("(n^h)^q") == "(n ** h) ** q");
    CHECK(written("n^h^q") == "n ** h ** q");
    CHECK(written("n - (q - k)") == "n - (q - k)");
    CHECK(written("n/(q*k)") == "n / (q * k)");
    CHECK(written("-(n + 1)") == "-(n + 1.0)");
    CHECK(written("n % (q % k)") == "n % (q % k)");
    CHECK(written("q < n and (k < n or not h < n)") == "(q < n) & ((k < n) | np.logical_not(h < n))");
    CHECK(written("if(n < 1, n, q - k)") == "np.where(n < 1.0, n, q - k)");
}

TEST_CASE("plain Python numbers are never used where Python would raise an exception for a formula that has a value") {
    CHECK(written("1/0") == "np.float64(1.0) / 0.0");
    CHECK(written("10^400 + n") == "np.float64(10.0) ** 400.0 + n");
    CHECK(written("2*pi + n") == "2.0 * np.pi + n");
    CHECK(written("min(n, 2)", torch_language()) == "torch.minimum(n, number(2.0))");
    CHECK(written("sin(2)", torch_language()) == "torch.sin(number(2.0))");
    CHECK(written("n < 1 ? 0 : 1", torch_language()) == "torch.where(n < 1.0, number(0.0), number(1.0))");
}

TEST_CASE("bounds of loops are known before the positions") {
    Identifiers names;
    PythonWriter writer(numpy_language(), names, {{"w", "w"}});
    CHECK(writer.write(formula::parse("sum(j, 0, w/2 - 1, cos(n*j))")).text ==
          "sum((np.cos(n * j) for j in terms1), np.float64(0.0))");
    REQUIRE(writer.hoisted().size() == 1);
    CHECK(writer.hoisted()[0].text == "[np.float64(j) for j in _integers(0.0, w / 2.0 - 1.0)]");
}

TEST_CASE("the bounds of an inner loop may use the variable of an outer one") {
    Identifiers names;
    PythonWriter writer(numpy_language(), names, {{"w", "w"}});
    CHECK(writer.write(formula::parse("sum(i, 1, w, prod(j, i, 2*i, n + j))")).text ==
          "sum((math.prod((n + j for j in terms2[whole1]), start=np.float64(1.0)) for whole1 in terms1 for i in "
          "[np.float64(whole1)]), np.float64(0.0))");
    REQUIRE(writer.hoisted().size() == 2);
    CHECK(writer.hoisted()[0].text == "_integers(1.0, w)");
    CHECK(writer.hoisted()[1].text ==
          "{whole1: [np.float64(j) for j in _integers(whole1, 2.0 * whole1)] for whole1 in terms1}");
    CHECK(writer.write(formula::parse("sum(i, 1, w, sum(j, 1, i, sum(l, j, i, l)))")).text ==
          "sum((sum((sum((l for l in terms4[whole2, whole3]), np.float64(0.0)) for whole3 in terms3[whole2] for j in "
          "[np.float64(whole3)]), np.float64(0.0)) for whole2 in terms1 for i in [np.float64(whole2)]), "
          "np.float64(0.0))");
    REQUIRE(writer.hoisted().size() == 4);
    CHECK(writer.hoisted()[3].text ==
          "{(whole2, whole3): [np.float64(j) for j in _integers(whole3, whole2)] for whole2 in terms1 for whole3 in "
          "terms3[whole2]}");
}

TEST_CASE("a loop whose bounds differ by place folds the terms of each place") {
    CHECK(written("sum(j, 0, n, cos(j))") == "_fold(np.float64(0.0), n, 0.0, operator.add, lambda j: np.cos(j))");
    CHECK(written("sum(j, h, 2^w, 1)") == "_fold(h, 2.0 ** w, 0.0, operator.add, lambda j: np.float64(1.0))");
    CHECK(written("exists(j, 1, n, all(i, j, n, i < k))") ==
          "_fold(np.float64(1.0), n, False, operator.or_, lambda j: _fold(j, n, True, operator.and_, "
          "lambda i: i < k))");
}

TEST_CASE("numbers read back to the same double") {
    CHECK(python_number("3") == "3.0");
    CHECK(python_number("1e4") == "1e4");
    CHECK(python_number(".5") == ".5");
    CHECK(python_number("-inf") == "float(\"-inf\")");
    for (const char* decimal : {"0.1", "123456789012345678901234567890", "4.9e-324", "1.7976931348623157e308"}) {
        const std::string text = python_number(decimal);
        CHECK(std::strtod(text.c_str(), nullptr) == std::strtod(decimal, nullptr));
    }
}

TEST_CASE("names that Python or the source reserves get another spelling, which is unique") {
    Identifiers names;
    CHECK(names["lambda"] == "lambda_");
    CHECK(names["lambda_"] == "lambda__");
    CHECK(names["heads"] == "heads_");
    CHECK(names["np"] == "np_");
    CHECK(names["_x"] == "u_x");
    CHECK(names["terms1"] == "terms1_");
    CHECK(names["w"] == "w");
    CHECK(names["lambda"] == "lambda_");
}

TEST_CASE("texts of a scheme cannot end its docstring") {
    CHECK(in_docstring("a \"\"\" b \\ c") == "a \\\"\\\"\\\" b \\\\ c");
    CHECK(in_docstring(std::string("tab\tnul") + '\0') == "tab\\x09nul\\x00");
}

TEST_CASE("params that are set become the defaults of the source") {
    core::Problems problems;
    const scheme::Scheme scheme = scheme::Registry::builtin().with_params("windowed", {{"w", "80"}}, {}, problems);
    CHECK(contains(source(scheme, Target::numpy), "def mask(queries, keys, *, w=80.0, offset=None):"));
}

TEST_CASE("a part that a target cannot express is refused by name") {
    const std::string varying = refusal("bias = \"sum(j, 0, n, j)\"\n", Target::flex_attention);
    CHECK(contains(varying, "'sum' cannot be exported to flex-attention here: sum(j, 0, n, j)"));
    CHECK(contains(varying, "not 'n'"));
    CHECK(refusal("bias = \"n*sum(j, 0, h, j)\"\n", Target::flex_attention).empty());
    CHECK(contains(refusal("bias = \"t5_bucket(n, h, 128)\"\n", Target::numpy), "'t5_bucket' cannot be exported"));
    CHECK(contains(refusal("relative = { clip = 4 }\n", Target::flex_attention), "cannot do"));
    CHECK(refusal("relative = { clip = 4, values = false }\n", Target::flex_attention).empty());
}

TEST_CASE("conditions, scaling and positions from the centre appear in the source") {
    const std::string text =
        source(scheme_of("bias = { formula = \"-n\", when = \"L > Ltr\" }\nbias_scaled = true\n"), Target::numpy);
    CHECK(contains(text, "values = np.where(L > Ltr, -n, 0.0) / np.sqrt(d)"));
    CHECK(contains(text, "def bias(heads, queries, keys, *, head_dim, length=None, train_length=None, offset=None):"));
    CHECK(contains(source(*scheme::Registry::builtin().find("xpos-torchscale"), Target::torch),
                   "p = p - math.ceil(length / 2)"));
}

TEST_CASE("FlexAttention's closures contain the values that do not depend on positions") {
    const std::string text = source(*scheme::Registry::builtin().find("alibi"), Target::flex_attention);
    CHECK(contains(text, "by_head1 = torch.broadcast_to(-2.0 ** (-exponent - delta), (heads,))"));
    CHECK(contains(text, "score = score + (by_head1[head] * n)"));
}

TEST_CASE("every target has a name, and every built-in scheme a source in LaTeX") {
    CHECK(target_names() == std::vector<std::string>{"numpy", "torch", "flex-attention", "jax", "latex"});
    for (const std::string& name : scheme::Registry::builtin().names()) {
        const std::string text = source(*scheme::Registry::builtin().find(name), Target::latex);
        CHECK(contains(text, "\\begin{align*}"));
    }
}

}  // namespace
}  // namespace farfield::exporting
