#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <sstream>
#include <vector>

#include "scheme/schemes_support.hpp"

using namespace farfield;
using scheme::Registry;
using scheme::Scheme;

namespace {

struct Where {
    double q, k, p, i, head, heads, d, length, train_length;
};

/// A line of schemes.inc: plain pointers, which the compiler needs no code for.
struct Line {
    const char* scheme;
    const char* piece;
    const char* params;
    const char* learned;
    Where where;
    double value;
};

const Line lines[] = {
#include "references/scheme/schemes.inc"
};

struct Row {
    std::string_view scheme;
    std::string_view piece;
    std::string_view params;
    std::string_view learned;
    Where where;
    double value;

    explicit Row(const Line& line)
        : scheme(line.scheme),
          piece(line.piece),
          params(line.params),
          learned(line.learned),
          where(line.where),
          value(line.value) {}
};

const std::vector<Row> rows(std::begin(lines), std::end(lines));

/// "a=1;b=2" as names with texts.
std::vector<std::pair<std::string, std::string>> settings(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> list;
    std::istringstream stream{std::string(text)};
    for (std::string part; std::getline(stream, part, ';');) {
        const std::size_t equals = part.find('=');
        list.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    }
    return list;
}

std::vector<double> numbers(const std::string& text) {
    std::vector<double> values;
    std::istringstream stream(text);
    for (double value = 0; stream >> value;) values.push_back(value);
    return values;
}

scheme::Context context_of(const Row& row) {
    scheme::Context context;
    context.head = row.where.head;
    context.heads = row.where.heads;
    context.head_dim = row.where.d;
    context.width = row.where.d;
    context.length = row.where.length;
    context.train_length = row.where.train_length;
    for (const auto& [name, text] : settings(row.learned)) {
        const std::vector<double> values = numbers(text);
        if (values.size() > 1)
            context.tables.emplace_back(name, values);
        else
            context.learned.emplace_back(name, values.at(0));
    }
    return context;
}

/// What double precision leaves of a value. A phase p theta rounds in proportion to its own size before its sine is
/// taken, so sines of phases up to 2048 are known to 2048 half ulps; a sum of D/2 cosines of them to D/2 times that,
/// before the division by the head's ratio (at least 2/3). Powers and logarithms have relative errors of a few ulps.
double bound(const Row& row) {
    constexpr double ulp = 2.3e-16;
    if (row.piece == "even" || row.piece == "odd") return 2048 * ulp;
    if (row.scheme == "sandwich") return 64 * 2048 * ulp * 1.5;
    // An exponential of at most 300/7 has that many half ulps more.
    if (row.scheme.starts_with("alibi-rf")) return (300.0 / 7 + 8) * ulp * std::fabs(row.value);
    if (row.piece == "scale") return 1024 * ulp * row.value;
    return 8 * ulp * std::fabs(row.value);
}

}  // namespace

TEST_CASE("every built-in scheme has the values of its source's equation") {
    for (const Row& row : rows) {
        core::Problems problems;
        const Scheme scheme = Registry::builtin().with_params(row.scheme, settings(row.params), {}, problems);
        REQUIRE(problems.empty());
        const formula::Node tree = scheme::piece_formula(scheme, row.piece, context_of(row));
        const double value = scheme::at(tree, {row.where.q, row.where.k, row.where.p, row.where.i});
        if (!(std::fabs(value - row.value) <= bound(row))) {
            CAPTURE(row.scheme, row.piece, row.params, row.learned, row.where.q, row.where.k, row.where.p, row.where.i,
                    row.where.head, row.where.d, row.where.length, value, row.value);
            FAIL_CHECK("the value differs");
        }
    }
    CHECK(std::size(rows) > 2500);
}

TEST_CASE("every built-in scheme has a description and a source") {
    const std::set<std::string> wanted = {"nope",
                                          "learned-absolute",
                                          "sinusoidal",
                                          "rotary",
                                          "p-rope",
                                          "rotary-linear",
                                          "rotary-ntk",
                                          "rotary-yarn",
                                          "rotary-llama3",
                                          "rotary-longrope",
                                          "string",
                                          "rerope",
                                          "self-extend",
                                          "t5",
                                          "t5-bidirectional",
                                          "shaw",
                                          "alibi",
                                          "alibi-shifted",
                                          "alibi-same-h",
                                          "windowed",
                                          "kerple-log",
                                          "kerple-power",
                                          "sandwich",
                                          "sandwich-smoothed",
                                          "xpos",
                                          "lex",
                                          "blockwise",
                                          "sliding",
                                          "alibi-rf-exp",
                                          "alibi-rf-gauss",
                                          "alibi-rf-reciprocal"};
    const std::vector<std::string> names = Registry::builtin().names();
    for (const std::string& name : wanted) {
        INFO(name);
        CHECK(Registry::builtin().find(name) != nullptr);
    }
    for (const std::string& name : names) {
        INFO(name);
        CHECK_FALSE(Registry::builtin().find(name)->doc.empty());
        CHECK_FALSE(Registry::builtin().find(name)->source.empty());
    }
}

TEST_CASE("every built-in scheme with a formula has reference values") {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const Row& row : rows) seen.insert({row.scheme, row.piece});
    for (const std::string& name : Registry::builtin().names()) {
        const Scheme& scheme = *Registry::builtin().find(name);
        INFO(name);
        CHECK((!scheme.bias || seen.contains({name, "bias"})));
        CHECK((!scheme.mask || seen.contains({name, "mask"})));
        CHECK((!scheme.rotate || seen.contains({name, "angle"})));
        for (const char* piece : {"far.where", "far.query", "far.key"})
            CHECK((!scheme.rotate || !scheme.rotate->far || seen.contains({name, piece})));
        CHECK((!scheme.rotate || !scheme.rotate->scale || seen.contains({name, "scale"})));
        CHECK((!scheme.temperature || seen.contains({name, "temperature"})));
        CHECK((!scheme.embed || scheme.embed->learned ||
               (seen.contains({name, "even"}) && seen.contains({name, "odd"}))));
    }
}

TEST_CASE("schemes without formulas have the sizes of their sources") {
    const Scheme& shaw = *Registry::builtin().find("shaw");
    REQUIRE(shaw.relative.has_value());
    CHECK(shaw.relative->clip == 16);
    CHECK(shaw.relative->keys);
    CHECK(shaw.relative->values);
    const Scheme& learned = *Registry::builtin().find("learned-absolute");
    REQUIRE(learned.embed.has_value());
    CHECK(learned.embed->learned);
    CHECK(learned.embed->max_length == 1024);
}

TEST_CASE("a bias inside the scaling is divided by the square root of the head's width") {
    Registry registry = Registry::builtin();
    core::Problems problems;
    core::Entries own;
    core::Value yes;
    yes.data = true;
    core::Value name;
    name.data = std::string("alibi");
    core::Value table;
    table.data = core::Entries{{{"extends", {}, name}, {"bias_scaled", {}, yes}}};
    own.list.push_back({"inside", {}, table});
    registry.add(own, problems);
    REQUIRE(problems.empty());
    const scheme::Context context{.head = 8, .heads = 8, .head_dim = 64};
    // Slope 2^-8 over sqrt(64).
    CHECK(scheme::at(scheme::bias_formula(*registry.find("inside"), context), {.q = 16}) == -16.0 / 256 / 8);
    CHECK(scheme::at(scheme::bias_formula(*registry.find("alibi"), context), {.q = 16}) == -16.0 / 256);
}
