// What of a scheme's parts comes into its sources, and what does not.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/export/export.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "export/module.hpp"
#include "export/python.hpp"

namespace farfield::exporting {
namespace {

using Catch::Contains;

std::string source_of(const std::string& settings, Target target) {
    scheme::Registry registry = scheme::Registry::builtin();
    const core::Entries document = scheme::read_toml("[scheme.mine]\n" + settings, "mine.toml");
    core::Problems problems;
    registry.add(*document.find("scheme")->value.entries(), problems);
    problems.raise();
    return source(*registry.find("mine"), target);
}

struct Case {
    std::string settings;
    Target target;
    std::vector<std::string> present;
    std::vector<std::string> absent;
};

void check(const Case& each) {
    INFO(each.settings);
    const std::string text = source_of(each.settings, each.target);
    for (const std::string& part : each.present) CHECK_THAT(text, Contains(part));
    for (const std::string& part : each.absent) CHECK_THAT(text, !Contains(part));
}

const std::string by_head = "learn = { s = { init = 0.5, per = 'head' } }\n";

}  // namespace

TEST_CASE("a function has the axes that its formulas use, and computes masked keys as keys at the query") {
    const std::string clamped = "k = np.minimum(k, q)";
    for (const Case& each : std::vector<Case>{
             {"bias = '-n'\n", Target::numpy, {clamped, "visible = k <= q"}, {"h = ", "row = ", "p = ", "i = "}},
             {"bias = '-n'\ncausal = false\n",
              Target::numpy,
              {"np.ones((queries, keys), dtype=bool)"},
              {clamped, "visible ="}},
             {"bias = 'q'\n", Target::numpy, {"visible = k <= q"}, {clamped, "n = "}},
             {"bias = 'h'\n", Target::numpy, {"    q = (", "visible = k <= q"}, {clamped, "n = "}},
             {"bias = 'k'\ncausal = false\n",
              Target::numpy,
              {"    k = np.arange(keys)\n"},
              {clamped, "    q = ", "n = "}},
             {"bias = 'k'\n", Target::numpy, {clamped}, {"n = "}},
             {"bias = '-n'\ncausal = false\n",
              Target::torch,
              {"torch.ones((queries, keys), dtype=torch.bool, device=device)"},
              {}},
             {"mask = 'n < 3'\n", Target::numpy, {"np.broadcast_to(visible & values, (queries, keys))"}, {"def bias"}},
             {"mask = 'n < 3'\ncausal = false\n", Target::numpy, {"np.broadcast_to(values, (queries, keys))"}, {}},
             {"mask = 'n < h'\n",
              Target::numpy,
              {"def mask(heads, queries, keys,", "[heads, queries, keys].",
               "visible & values, (heads, queries, keys))"},
              {}},
             {"mask = 'n < s'\n" + by_head, Target::numpy, {"def mask(heads, queries, keys,"}, {}},
             {"mask = 'n < 3'\nbias = 's*n'\n" + by_head, Target::numpy, {"def mask(queries, keys,"}, {}},
         }) {
        check(each);
    }
}

TEST_CASE("a temperature and a rotation are by head where their formulas are") {
    for (const Case& each : std::vector<Case>{
             {"temperature = '2'\n",
              Target::numpy,
              {"def temperature(queries", "(queries,))", "[queries].", "temperature * q . k"},
              {"offset=0"}},
             {"temperature = 'q + 1'\n",
              Target::numpy,
              {"def temperature(queries, *, offset=0", "(offset + np.arange(queries))"},
              {"def temperature(heads"}},
             {"temperature = 'h'\n",
              Target::numpy,
              {"def temperature(heads, queries", "(heads, queries))", "[heads, queries]."},
              {}},
             {"temperature = 'log(L)'\n", Target::numpy, {"length = queries if length is None else length"}, {}},
             {"temperature = 'log(L + q)'\n",
              Target::numpy,
              {"length = offset + queries if length is None else length"},
              {}},
             {"rotate = { angle = 'p * 10^(-2*i/d)' }\n",
              Target::numpy,
              {"(positions, pairs)", "pairs = int(head_dim) // 2", "i = np.arange(0, pairs", "Cosine and sine for"},
              {"scale", "heads", "length"}},
             {"rotate = { angle = 'p * h' }\n",
              Target::numpy,
              {"def rotation(heads, positions, head_dim", "(heads, positions, pairs)", "h = np.arange(1, heads + 1"},
              {}},
             {"rotate = { angle = 'p', scale = '2^p', origin = 'start' }\n",
              Target::numpy,
              {"Cosine, sine and scale", "def rotate(q, k, cos, sin, scale,", "1.0 / scale"},
              {"length", "p = p - "}},
             {"rotate = { angle = 'p', scale = '2^p', origin = 'end' }\n",
              Target::numpy,
              {"length=None", "length = offset + positions if length is None else length", "p = p - (length - 1)"},
              {}},
             {"rotate = { angle = 'p', scale = '2^p', origin = 'centre' }\n",
              Target::numpy,
              {"p = p - math.ceil(length / 2)", "length=None"},
              {}},
             {"rotate = { angle = 'p', fraction = 0.5 }\n", Target::numpy, {"int(round(0.5 * head_dim, 9)) // 2"}, {}},
             {"rotate = { angle = 'p', pairs = 'halves' }\n", Target::numpy, {"pairs=\"halves\"):"}, {}},
             {"rotate = { angle = 'p' }\n", Target::numpy, {"pairs=\"interleaved\"):"}, {}},
         }) {
        check(each);
    }
}

TEST_CASE("learned values have a shape, a start and a place in the module or the dictionary") {
    const std::string bias = "bias = '-s*n'\n";
    for (const Case& each : std::vector<Case>{
             {bias + "learn = { s = { init = -0.5 } }\n",
              Target::torch,
              {"torch.full((), -0.5, dtype", "s=-0.5", "one in all, starting at -0.5", "self.learned_s",
               "def __init__(self, heads, *, "},
              {"softplus", "raw_", "layers"}},
             {bias + "learn = { s = { init = 0 } }\n", Target::torch, {"torch.full((), 0.0,", "s=0.0"}, {"-0"}},
             {bias + "learn = { s = { init = 2, positive = true } }\n",
              Target::torch,
              {"_inverse_softplus(2.0)", "self.raw_s", "s=_softplus(_wide(self.raw_s))", "kept above zero by softplus",
               "A parameter raw_NAME"},
              {}},
             {bias + by_head,
              Target::torch,
              {"torch.full((heads,), 0.5", "(heads,))[:, None, None]", "one a head"},
              {"layer"}},
             {bias + "learn = { s = { init = 1, per = 'layer' } }\n",
              Target::torch,
              {"torch.full((layers,), 1.0", "[layer - 1]", "one a layer,", "layers=self.layers", "heads, layers, *,"},
              {}},
             {bias + "learn = { s = { init = 1, per = ['layer', 'head'] } }\n",
              Target::torch,
              {"torch.full((layers, heads), 1.0", "[layer - 1][:, None, None]", "one a layer and head,"},
              {}},
             {"bias = 's[n % 4]'\nlearn = { s = { init = 1, size = 4 } }\n",
              Target::torch,
              {"torch.full((4,), 1.0", "4 values in all", "_entry(s, n % 4.0)"},
              {", row)"}},
             {"bias = 's[n % 1]'\nlearn = { s = { init = 1, size = 1, per = 'head' } }\n",
              Target::torch,
              {"torch.full((heads, 1), 1.0", "1 values a head", ", row)"},
              {}},
             {"mask = 'n < s'\nlearn = { s = { init = 1, per = 'layer' } }\n",
              Target::torch,
              {"def __init__(self, layers, *,"},
              {"self.heads"}},
             {bias + by_head,
              Target::jax,
              {"\"s\": jnp.full((heads,), 0.5, dtype)", "parameters[\"s\"]", "def bias(parameters, heads",
               "def initial_parameters(heads, *, dtype"},
              {", key, *", "Positive names"}},
             {bias + "learn = { s = { init = 2, positive = true } }\n",
              Target::jax,
              {"Positive names stand", "_inverse_softplus(2.0)"},
              {}},
             {"bias = '-n'\n", Target::jax, {"are static.\n"}, {"initial_parameters", "parameters"}},
             {"relative = { clip = 4 }\n",
              Target::jax,
              {"def initial_parameters(head_dim, key, *,", "key, other_key = jax.random.split(key)",
               "jax.random.normal(key, (5, head_dim), dtype)", "jax.random.normal(other_key, (5, head_dim), dtype)"},
              {"Functions of learned names"}},
             {"relative = { clip = 4, values = false }\n",
              Target::jax,
              {"jax.random.normal(key, (5, head_dim)"},
              {"other_key", "relative_values"}},
             {"relative = { clip = 4, keys = false }\n",
              Target::torch,
              {"relative_values", "self.relative_values"},
              {"relative_scores", "relative_keys"}},
             {"relative = { clip = 4 }\n",
              Target::torch,
              {"torch.randn(5, head_dim", "relative_scores(q, self.relative_keys", "torch.clip(n, 0, 4)",
               "(q . k + relative_scores) / sqrt(head_dim)"},
              {}},
             {"relative = { clip = 4 }\ncausal = false\n",
              Target::torch,
              {"torch.randn(9, head_dim", "torch.clip(n, -4, 4) + 4"},
              {}},
             {"embed = { learned = true, max_length = 5 }\n",
              Target::torch,
              {"torch.randn(5, width", "if offset + positions > 5:", "def embedding(self, positions"},
              {}},
             {"bias = '-n'\n", Target::torch, {}, {"class ", "Learned:", "Parameters:"}},
         }) {
        check(each);
    }
}

TEST_CASE("FlexAttention's closures compute each value by head, by number or by position, as soon as it is known") {
    for (const Case& each : std::vector<Case>{
             {"bias = '-n'\n",
              Target::flex_attention,
              {"q = q_idx + offset", "k = kv_idx", "torch.minimum(k, q)", "n = (q - k).to(wide)",
               "return kv_idx <= q_idx + offset"},
              {"heads", "h = ", "by_head", "plain"}},
             {"bias = '-n'\ncausal = false\n", Target::flex_attention, {"return kv_idx == kv_idx"}, {"torch.minimum"}},
             {"bias = '2^h * n'\n",
              Target::flex_attention,
              {"h = torch.arange(1, heads + 1", "by_head1 = torch.broadcast_to(2.0 ** h, (heads,)).contiguous()",
               "by_head1[head] * n"},
              {}},
             {"bias = 'sqrt(L) * n'\n", Target::flex_attention, {"plain1 = ", "plain1 * n"}, {"by_head"}},
             {"bias = 'if(L > 8, n, 3)'\n",
              Target::flex_attention,
              {"plain1 = bool(", "(n if plain1 else number(3.0))"},
              {}},
             {"bias = 's*n'\n" + by_head,
              Target::flex_attention,
              {"s[head] * n", "class Mine(", "def make_score_mod(self, **settings)", "s=self.learned_s"},
              {"by_head1"}},
             {"mask = 'n < 3'\n",
              Target::flex_attention,
              {"return (kv_idx <= q_idx + offset) & (n < 3.0)"},
              {"make_score_mod(*", "torch.minimum"}},
             {"mask = 'n < 3'\ncausal = false\n", Target::flex_attention, {"return n < 3.0"}, {}},
             {"temperature = 'q + 1'\nbias = '-n'\n",
              Target::flex_attention,
              {"score = score * (q + 1.0)", "score = score + (-n)"},
              {}},
             {"bias = 'k'\n",
              Target::flex_attention,
              {"k = k.to(wide)", "torch.minimum(k, q)"},
              {"n = ", "q = q.to(wide)"}},
             {"bias = 'k'\ncausal = false\n", Target::flex_attention, {"k = k.to(wide)"}, {"q = q_idx", "n = "}},
             {"let = { m = 'n + 1' }\nbias = 'm*m'\n",
              Target::flex_attention,
              {"        m = n + 1.0\n", "score + (m * m)"},
              {}},
             {"relative = { clip = 4, values = false }\n",
              Target::flex_attention,
              {"scores[batch, head, q_idx, torch.clip(q_idx + offset - kv_idx, 0, 4)]", "def class_scores"},
              {"def relative("}},
             {"relative = { clip = 4, values = false }\ncausal = false\n",
              Target::flex_attention,
              {"torch.clip(q_idx + offset - kv_idx, -4, 4) + 4]"},
              {}},
             {"rotate = { angle = 'p' }\n",
              Target::flex_attention,
              {"Rotate q and k first.", "def rotation("},
              {"def make_score_mod"}},
         }) {
        check(each);
    }
}

TEST_CASE("LaTeX defines each symbol of its equations, and nothing else") {
    for (const Case& each : std::vector<Case>{
             {"bias = '-n'\n",
              Target::latex,
              {"b_h(q, k) &= -n", " \\qquad k \\le q", "the distance $q - k$", "$b_h$ is the bias"},
              {"\\sqrt{d}\\,", "\\iff", "R_p", "temperature", "parameters"}},
             {"bias = '-n'\ncausal = false\nbias_scaled = true\n",
              Target::latex,
              {"\\sqrt{d}\\, b_h(q, k) &= -n"},
              {"k \\le q"}},
             {"mask = 'n < 3'\n", Target::latex, {"is visible to $q$} &\\iff n < 3"}, {"b_h"}},
             {"bias = 'd*n'\n", Target::latex, {}, {"$d$ is the width"}},
             {"embed = { even = 'p*d', odd = 'p' }\n",
              Target::latex,
              {"$d$ is the width", "e_{2i+1}(p) &= p", "$e_j(p)$ is added"},
              {}},
             {"rotate = { angle = 'p' }\n",
              Target::latex,
              {"(R_q \\mathbf{q})", "$2i$ and $2i + 1$"},
              {"S_p", "counted from the"}},
             {"rotate = { angle = 'p', pairs = 'halves' }\n", Target::latex, {"$i$ and $i + d/2$"}, {}},
             {"rotate = { angle = 'p', pairs = 'halves', fraction = 0.5 }\n",
              Target::latex,
              {"plus half of the rotated"},
              {}},
             {"rotate = { angle = 'p', scale = '2^p', origin = 'end' }\n",
              Target::latex,
              {"S_k^{-1}", "from the end of"},
              {}},
             {"rotate = { angle = 'p', scale = '2^p', origin = 'centre' }\n",
              Target::latex,
              {"from the centre of"},
              {}},
             {"relative = { clip = 4 }\n",
              Target::latex,
              {"\\max(n, 0), 4)", "\\mathbf{r}_{q-k}", "another such vector"},
              {}},
             {"relative = { clip = 4, values = false }\ncausal = false\n",
              Target::latex,
              {"\\max(n, -4), 4)"},
              {"another such"}},
             {"temperature = 'q'\n", Target::latex, {"t(q) \\, \\frac", "$t(q)$ is the temperature"}, {}},
             {"params = { a = 2, b = inf }\nbias = 'a*b*n'\nmeans = { a = 'so_much' }\n",
              Target::latex,
              {"The parameters are $a = 2$ (so\\_much), $b = \\infty$."},
              {}},
             {"bias = '-n'\ndoc = 'x^~#\\y'\n",
              Target::latex,
              {"x\\textasciicircum{}\\textasciitilde{}\\#\\textbackslash{}y\n"},
              {}},
         }) {
        check(each);
    }
}

TEST_CASE("a class is named after its scheme, in a name that Python has not taken") {
    CHECK(class_name("kerple-log") == "KerpleLog");
    CHECK(class_name("a_b2c") == "AB2c");
    CHECK(class_name("2d") == "Scheme2d");
    CHECK(class_name("none") == "SchemeNone");
    CHECK(class_name("true") == "SchemeTrue");
    CHECK(class_name("false") == "SchemeFalse");
    CHECK(class_name("") == "Scheme");
}

TEST_CASE("slots from #1 to #9 are filled, and any other text after the sign stays") {
    const std::vector<std::string> values = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    CHECK(filled("#1#9 #0 #: # #", values) == "ai #0 #: # #");
    CHECK(filled("#2-#1", {"x"}) == "-x");
}

TEST_CASE("bounds of loops are plain numbers with the necessary parentheses") {
    const auto bound = [](const std::string& last) {
        Identifiers names;
        PythonWriter writer(numpy_language(), names, {{"w", "w"}, {"H", "heads"}});
        writer.write(formula::parse("sum(j, 0, " + last + ", j)"));
        return writer.hoisted().empty() ? "none" : writer.hoisted().front().text;
    };
    const auto to = [](const std::string& last) { return "[np.float64(j) for j in _integers(0.0, " + last + ")]"; };
    CHECK(bound("w - (H - 1)") == to("w - (heads - 1.0)"));
    CHECK(bound("(w - H) - 1") == to("w - heads - 1.0"));
    CHECK(bound("w * (H + 1) / 2") == to("w * (heads + 1.0) / 2.0"));
    CHECK(bound("w / (H * 2)") == to("w / (heads * 2.0)"));
    CHECK(bound("-w * 2") == to("-w * 2.0"));
    CHECK(bound("-(w + 1)") == to("-(w + 1.0)"));
    CHECK(bound("floor(w/2 + 1)") == to("math.floor(w / 2.0 + 1.0)"));
    CHECK(bound("min(w, max(H, abs(w)))") == to("min(w, max(heads, abs(w)))"));
    CHECK(bound("ceil(w)") == to("math.ceil(w)"));
    CHECK(bound("sqrt(w)") == "none");
    CHECK(bound("n") == "none");
}

TEST_CASE("a bound that is not known before the positions is named, the first of both") {
    const auto refusal = [](const std::string& formula) {
        try {
            source_of("bias = '" + formula + "'\n", Target::flex_attention);
        } catch (const core::UserError& error) {
            return core::format(error.diagnostics());
        }
        return std::string("none");
    };
    CHECK_THAT(refusal("sum(j, n, 8, n*j)"), Contains("not 'n'"));
    CHECK_THAT(refusal("sum(j, 2, k, n*j)"), Contains("not 'k'"));
    CHECK_THAT(refusal("sum(j, q, k, n*j)"), Contains("not 'q'"));
    CHECK_THAT(refusal("t5_bucket(n, q, 128)"), Contains("not 'q'"));
    CHECK_THAT(refusal("t5_bucket(n, 32, k)"), Contains("not 'k'"));
    CHECK(refusal("t5_bucket(n, 32, 128)") == "none");
}

TEST_CASE("buckets are of the distance, by edges that are known before") {
    Identifiers names;
    PythonWriter writer(numpy_language(), names, {{"w", "w"}});
    const std::string text = writer.write(formula::parse("t5_bucket(n, w, 128)")).text;
    CHECK_THAT(text, Contains("n, edges1") || Contains("edges1, n"));
    REQUIRE(writer.hoisted().size() == 1);
    CHECK(writer.hoisted().front().text == "[np.float64(edge) for edge in _t5_edges(w, 128.0)]");
    // A loop whose variable is an edge of buckets runs over plain numbers.
    PythonWriter other(numpy_language(), names, {{"w", "w"}});
    other.write(formula::parse("sum(j, 1, w, t5_bucket(n, 32, j))"));
    REQUIRE(other.hoisted().size() == 2);
    CHECK(other.hoisted().back().text ==
          "{whole1: [np.float64(edge) for edge in _t5_edges(32.0, whole1)] for whole1 in terms1}");
}

TEST_CASE("a loop with a bound that is the variable of another has its terms for each of its values") {
    for (const std::string bounds : {"j, w", "1, j"}) {
        Identifiers names;
        PythonWriter writer(numpy_language(), names, {{"w", "w"}});
        writer.write(formula::parse("sum(j, 1, 3, sum(i, " + bounds + ", n*i))"));
        REQUIRE(writer.hoisted().size() == 2);
        const std::string integers = bounds == "1, j" ? "1.0, whole1" : "whole1, w";
        CHECK(writer.hoisted().back().text ==
              "{whole1: [np.float64(j) for j in _integers(" + integers + ")] for whole1 in terms1}");
    }
}

TEST_CASE("a name that the source numbers itself is taken with any number and free without one") {
    Identifiers names;
    for (const std::string stem : {"terms", "edges", "by_head", "plain", "whole"}) {
        CHECK(names[stem] == stem);
        CHECK(names[stem + "a"] == stem + "a");
        CHECK(names[stem + "1"] == stem + "1_");
        CHECK(names[stem + "90"] == stem + "90_");
    }
}

TEST_CASE("FlexAttention knows which names are of conditions: masks that need no other key, and choices of Python") {
    const std::string near = "let = { wide = 'H + 1', near = 'n < wide' }\n";
    const std::string wide = "let = { wide = 'H + 1' }\n";
    const std::string small = "let = { small = 'H < 3', wide = 'H + 1' }\n";
    const std::string clamped = "k = torch.minimum(k, q)";
    for (const Case& each : std::vector<Case>{
             {near + "mask = 'near'\n", Target::flex_attention, {"near = n < wide_", "& (near)"}, {clamped}},
             {wide + "bias = 'n*wide'\n", Target::flex_attention, {clamped, "wide_ = H + 1.0"}, {"bool("}},
             {small + "bias = 'if(small, n, wide)'\n", Target::flex_attention, {"bool(small)"}, {"bool(wide"}},
         }) {
        check(each);
    }
}

TEST_CASE("a rotation of a fraction leaves the rest of the width as it is, and one of all has no rest") {
    const std::string rest = "x, rest = x[";
    for (const Target target : {Target::numpy, Target::torch}) {
        check({"rotate = { angle = 'p', fraction = 0.5 }\n", target, {rest, ".concatenate((x, rest), -1)"}, {}});
        check({"rotate = { angle = 'p' }\n", target, {"def _rotated("}, {"rest"}});
    }
}

TEST_CASE(
    "a plain number becomes an array where the values name it as a word, and modules are imported that are used") {
    for (const Case& each : std::vector<Case>{
             {"params = { a = 3 }\nbias = 'a*n'\n",
              Target::numpy,
              {"    a = np.float64(a)\n", "a=3.0", "    a = 3\n"},
              {"import math", "import operator", "import functools", "import fractions"}},
             // `a` stands in the loop's bound and within other words alone.
             {"params = { a = 3 }\nbias = 'sum(j, 0, a, tan(n*j))'\n",
              Target::numpy,
              {"_integers(0.0, a)", "import math\n"},
              {"    a = np"}},
             {"params = { a = 3 }\nbias = 'n*a'\n", Target::numpy, {"    a = np.float64(a)\n"}, {}},
             {"params = { a = 3 }\nbias = 'sum(j, 0, a, abs(n*j))'\n", Target::numpy, {"np.abs"}, {"    a = np"}},
             {"bias = '-n'\n", Target::torch, {"    wide = torch.float64 if"}, {"number = "}},
             {"bias = 's*n'\nlearn = { s = { init = 1 } }\n",
              Target::flex_attention,
              {"def make_score_mod(*, heads, ", "(heads,)).contiguous()"},
              {}},
             {"bias = 'n/L'\n", Target::numpy, {"    L = np.float64(length)\n", "length=None"}, {"train_length"}},
             {"bias = 'n/Ltr'\n",
              Target::numpy,
              {"    Ltr = np.float64(train_length)\n",
               "    train_length = length if train_length is None else train_length\n",
               "length = offset + queries if length is None else length"},
              {}},
             {"bias = 'n/d'\n", Target::numpy, {"    d = np.float64(head_dim)\n", "*, head_dim,"}, {}},
             {"bias = 'n*layer/R'\n", Target::numpy, {"*, layer, layers,"}, {}},
             {"bias = 'n/H'\n", Target::numpy, {"    H = np.float64(heads)\n"}, {"*, heads"}},
             {"mask = 'n < H'\n", Target::numpy, {"def mask(queries, keys, *, heads, offset"}, {}},
             {"bias = 'sum(j, 0, n, j)'\n", Target::numpy, {"import operator\n", "def _fold("}, {"import fractions"}},
             {"bias = 't5_bucket(n, 32, 128)'\n",
              Target::numpy,
              {"import fractions\nimport math\n", "def _t5_edges("},
              {}},
         }) {
        check(each);
    }
}

TEST_CASE("if the number of buckets is a loop's variable, each of its values has its own edges") {
    Identifiers names;
    PythonWriter writer(numpy_language(), names, {{"w", "w"}});
    writer.write(formula::parse("sum(j, 2, w, t5_bucket(n, j, 128))"));
    REQUIRE(writer.hoisted().size() == 2);
    CHECK(writer.hoisted().back().text ==
          "{whole1: [np.float64(edge) for edge in _t5_edges(whole1, 128.0)] for whole1 in terms1}");
    writer.write(formula::parse("sum(j, 2, w, t5_bucket(j, 8, 128))"));
    CHECK(writer.hoisted().back().text == "[np.float64(edge) for edge in _t5_edges(8.0, 128.0)]");
    CHECK(writer.hoisted()[2].text == "[np.float64(j) for j in _integers(2.0, w)]");
}

TEST_CASE("a target is found by its name, and no other") {
    for (const std::string& name : target_names()) {
        const std::optional<Target> target = find_target(name);
        REQUIRE(target);
        CHECK(target_name(*target) == name);
    }
    CHECK_FALSE(find_target("num"));
    CHECK_FALSE(find_target(""));
}

}  // namespace farfield::exporting
