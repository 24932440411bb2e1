// Parts of a scheme that change nothing: places are lines and columns of the text.
#include <catch2/catch.hpp>

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "scheme/effect.hpp"

using namespace farfield;
using Messages = std::vector<std::string>;

namespace {

/// The messages of a scheme m of these lines, from line 2 on.
Messages of(const std::string& lines) {
    core::Problems problems;
    scheme::Registry registry = scheme::Registry::builtin();
    const core::Entries file = scheme::read_toml("[scheme.m]\n" + lines, "mine.toml");
    const core::Entries& schemes = *file.find("scheme")->value.entries();
    registry.add(schemes, problems);
    REQUIRE(problems.empty());
    for (const core::Entry& each : schemes.list)
        scheme::check_effect(*each.value.entries(), *registry.find(each.key), each.key_place, {}, problems);
    Messages messages;
    for (const core::Diagnostic& each : problems.list())
        messages.push_back(std::to_string(each.place.line) + ":" + std::to_string(each.place.column) + ": " +
                           each.found + "; " + each.wanted);
    return messages;
}

const std::string turning = "rotate = { angle = 'p*100^(-2*i/d)'";

}  // namespace

TEST_CASE("every built-in scheme has an effect") {
    const scheme::Registry& registry = scheme::Registry::builtin();
    for (const std::string& name : registry.names()) {
        if (name == "nope") continue;
        INFO(name);
        core::Problems problems;
        const scheme::Scheme& scheme = *registry.find(name);
        scheme::check_effect(scheme.settings, scheme, {}, {}, problems);
        CHECK(problems.empty());
    }
}

TEST_CASE("conditions that are the same everywhere are reported") {
    const std::string pairs = "'mask' is the same for all queries and keys; a condition of q, k or n";
    CHECK(of("mask = '1 < 2'\n") == Messages{"2:9: " + pairs});
    CHECK(of("mask = 'L > Ltr or h == 2'\n") == Messages{"2:9: " + pairs});
    CHECK(of("mask = 'w > 2'\nparams = { w = 3 }\n") == Messages{"2:9: " + pairs});
    CHECK(of("mask = 'n < 0'\n") ==
          Messages{"2:9: 'n < 0' is false whatever its variables are; a condition that may be true"});
    CHECK(of("mask = 'n >= 0'\n") ==
          Messages{"2:9: 'n >= 0' is true whatever its variables are; a condition that may be false"});
    CHECK(of("mask = 'k <= q and q <= q'\n") ==
          Messages{"2:20: 'q <= q' compares an expression with itself; two sides that may differ"});
    CHECK(of("bias = { formula = '-n', when = '2 > 1' }\n") ==
          Messages{"2:34: 'bias.when' is always the same; a condition of L, Ltr, q or another variable"});
    CHECK(of("bias = { formula = '-n', when = 'L < 1' }\n") ==
          Messages{"2:34: 'L < 1' is false whatever its variables are; a condition that may be true"});
    CHECK(of(turning + ", far = { where = 'd > 8', query = '8' } }\n") ==
          Messages{"2:55: 'rotate.far.where' is the same for all queries and keys; a condition of q, k or n"});
    // A distance is negative where the scheme is not causal, and what a param is may change.
    for (const char* lines : {"mask = 'n >= 0'\ncausal = false\n", "mask = 'n < w and n < 512'\nparams = { w = 8 }\n",
                              "mask = 'q - k < 8 or k < 4'\n", "bias = { formula = '-n', when = 'L > Ltr' }\n",
                              "mask = 'near < w'\nlet = { near = 'n' }\nparams = { w = 8 }\n"})
        CHECK(of(lines).empty());
}

TEST_CASE("a mask knows that n is q - k") {
    CHECK(of("mask = 'n == q - k'\n") ==
          Messages{"2:9: 'n == q - k' compares an expression with itself; two sides that may differ"});
    CHECK(of("mask = 'n < 8 and q - k < 9'\n") ==
          Messages{"2:19: 'q - k < 9' has no effect: the condition is the same without it; a condition without it"});
    for (const char* mask : {"n < 8 and k < 9", "n == q or n < 3", "n < q - k/2"})
        CHECK(of("mask = '" + std::string(mask) + "'\n").empty());
}

TEST_CASE("a typed index of a table is within its size") {
    const std::string table = "learn = { r = { init = 0, size = 5 } }\n";
    CHECK(of(table + "bias = '-n*r[5]'\n") == Messages{"3:12: the index of 'r' is 5; an integer from 0 to 4"});
    CHECK(of(table + "bias = '-n*r[0.5]'\n").size() == 1);
    for (const char* bias : {"-n*r[4]", "-n*r[0]", "r[min(n, 4)]", "r[2 + 1]*n"})
        CHECK(of(table + "bias = '" + bias + "'\n").empty());
}

TEST_CASE("formulas without an effect are reported") {
    CHECK(of("bias = 'n - n'\n") == Messages{"2:9: 'bias' is 0 everywhere; a formula that is not, or no bias"});
    for (const char* text : {"-inf", "'-inf'", "'-(inf)'"}) {
        INFO(text);
        CHECK(
            of(std::string("bias = ") + text + "\n").front().find("'bias' is -inf everywhere, which masks all keys") !=
            std::string::npos);
    }
    CHECK(of("bias = 'inf'\n") ==
          Messages{"2:9: 'bias' is inf everywhere, and the softmax has no value; a formula that may be finite"});
    CHECK(of("bias = 'n > 3 ? -inf : 0'\n").empty());
    for (const char* bias : {"max(-n, 0)", "-0.5*h*min(n, 0)", "n % 1", "abs(n) - n", "max(k - q, 0)*L"})
        CHECK(of("bias = '" + std::string(bias) + "'\n") ==
              Messages{"2:9: 'bias' is 0 everywhere; a formula that is not, or no bias"});
    // Negative distances, a window, and params, which may be 0 for a baseline.
    for (const char* lines : {"bias = 'max(-n, 0)'\ncausal = false\n", "bias = 'max(n - 8, 0)'\n", "bias = 'n % 2'\n",
                              "bias = 'min(n, w)'\nparams = { w = 0 }\n"})
        CHECK(of(lines).empty());
    CHECK(
        of("bias = '-n'\ntemperature = 1\n") ==
        Messages{"3:15: 'temperature' is 1, which changes nothing; a factor above 0 other than 1, or no temperature"});
    CHECK(of("bias = '-n'\ntemperature = '1 - 1'\n") ==
          Messages{"3:16: 'temperature' is 0: all logits are 0; a factor above 0 other than 1, or no temperature"});
    CHECK(of("rotate = { angle = '100^(-2*i/d)' }\n") ==
          Messages{"2:21: 'angle' is the same at all positions, which attention does not see; a formula of p"});
    CHECK(of(turning + ", scale = 2 }\n") ==
          Messages{"2:46: 'scale' is the same at all positions: queries are multiplied by it and keys divided; a "
                   "formula of p, or no scale"});
    CHECK(of(turning + ", far = { where = 'n > 8', query = 'p*100^(-2*i/d)' } }\n") ==
          Messages{"2:72: 'far' rotates by the same angle as 'angle'; another angle, or no 'far'"});
    CHECK(of("embed = { even = 'i', odd = 1 }\n") ==
          Messages{"2:29: 'embed' is the same at all positions; a formula of p"});
    for (const char* lines :
         {"bias = 'a*n'\nparams = { a = 0 }\n", "bias = '-n'\ntemperature = 't'\nparams = { t = 1 }\n",
          "rotate = { angle = 0, scale = '2^(-p)' }\n", "embed = { even = 'p', odd = 1 }\n",
          "embed = { learned = true, max_length = 8 }\n", "causal = false\n"})
        CHECK(of(lines).empty());
}

TEST_CASE("names that cancel out of a formula are reported") {
    CHECK(of("bias = '-n + h - h'\n") == Messages{"2:9: 'h' cancels out of 'bias'; a formula without it"});
    CHECK(of("bias = '-n'\ntemperature = 'L/L + 1'\n") ==
          Messages{"3:16: 'L' cancels out of 'temperature'; a formula without it"});
    CHECK(of("mask = 'n + w < 3 + w'\nparams = { w = 8 }\n") ==
          Messages{"2:9: 'w' cancels out of 'n + w < 3 + w'; a condition without it"});
    for (const char* lines : {"bias = '-n*h/h^2'\n", "bias = 'bf16(n) - n'\n", "bias = '(q - k)*(q + k)'\n",
                              "bias = 'a == 0 ? -n : 0'\nparams = { a = 0 }\n", "mask = 'floor(q/8) == floor(k/8)'\n"})
        CHECK(of(lines).empty());
}

TEST_CASE("conditions that hold for all positions, heads and pairs are reported, also inside formulas") {
    for (const char* mask : {"n < L", "k < L", "q < L", "n <= q", "n - 1 < L"})
        CHECK(of(std::string("mask = '") + mask + "'\n") ==
              Messages{"2:9: '" + std::string(mask) +
                       "' is true whatever its variables are; a condition that may be false"});
    CHECK(of("bias = 'if(h > 0, -n, n)'\n") ==
          Messages{"2:12: 'h > 0' is true whatever its variables are; a condition that may be false"});
    CHECK(of("bias = 'h <= H ? -n : 0'\n") ==
          Messages{"2:9: 'h <= H' is true whatever its variables are; a condition that may be false"});
    CHECK(of("rotate = { angle = 'i < d ? p*100^(-2*i/d) : p' }\n") ==
          Messages{"2:21: 'i < d' is true whatever its variables are; a condition that may be false"});
    CHECK(of("bias = 'q - k - n'\n") == Messages{"2:9: 'bias' is 0 everywhere; a formula that is not, or no bias"});
    // Positions that count from the centre or the end are also below 0.
    for (const char* origin : {"centre", "end"})
        CHECK(of(turning + ", scale = '2^(p < 0 ? -p : p)', origin = '" + origin + "' }\n").empty());
    CHECK(of(turning + ", scale = '2^(p < 0 ? -p : p)' }\n").size() == 1);
    for (const char* lines :
         {"mask = 'n < Ltr'\n", "mask = 'n < L/2'\n", "bias = 'h > 1 ? -n : 0'\n", "bias = 'h < H ? -n : 0'\n",
          "mask = 'n < q'\n", "bias = 'n < L - 1 ? -n : 0'\n", "rotate = { angle = 'i < d/4 ? p*100^(-2*i/d) : p' }\n"})
        CHECK(of(lines).empty());
}

TEST_CASE("a mask that its params make false is reported") {
    CHECK(
        of("mask = 'n < w'\nparams = { w = -3 }\n") ==
        Messages{"2:9: 'mask' is false for these params, whatever its variables are; params for which it may be true"});
    CHECK(of("mask = 'n < w'\nparams = { w = -3 }\ncausal = false\n").empty());
    CHECK(of("mask = 'n < w'\nparams = { w = 1 }\n").empty());
}

TEST_CASE("a temperature that is never above 0 is reported: q >= 0") {
    for (const char* text : {"-log(2 + q)", "-exp(q)", "-abs(sin(q))", "-q - 1"}) {
        INFO(text);
        CHECK(of("bias = '-n'\ntemperature = '" + std::string(text) + "'\n") ==
              Messages{"3:16: 'temperature' is 0 or below for all values of its variables; a factor that may be above "
                       "0"});
    }
    for (const char* text : {"log(2 + q)", "log(q)", "1 - log(2 + q)", "h/H", "3 - q"}) {
        INFO(text);
        CHECK(of("bias = '-n'\ntemperature = '" + std::string(text) + "'\n").empty());
    }
}

TEST_CASE("params that leave entries of an inherited table without use are reported") {
    // The index of t5_bucket is at most buckets - 1.
    CHECK(of("extends = 't5'\nparams = { buckets = 16 }\n") ==
          Messages{"3:10: the table 'weight' has 32 entries, but its index is below 16; the size 16, or params with "
                   "larger indexes"});
    // The table's own size, a larger index, and an index whose bound is not known.
    for (const char* lines : {"extends = 't5'\nparams = { buckets = 16 }\nlearn = { weight = { size = 16 } }\n",
                              "extends = 't5'\nparams = { buckets = 32, max_distance = 64 }\n",
                              "params = { w = 9 }\nlearn = { weight = { size = 32 } }\nbias = 'weight[min(n, w)]'\n",
                              "extends = 't5-bidirectional'\nparams = { buckets = 16 }\n"}) {
        INFO(lines);
        CHECK(of(lines).empty());
    }
}

TEST_CASE("a bias that is the same for all keys of a query is reported") {
    const std::string what =
        "'bias' is the same for all keys of a query, which the softmax cancels; a formula of k or n";
    for (const char* text : {"q", "h/H", "-q*L", "layer"}) {
        INFO(text);
        CHECK(of("bias = '" + std::string(text) + "'\n") == Messages{"2:9: " + what});
    }
    // One number may be compared with a number of an implementation.
    for (const char* text : {"k", "q - k", "-n*h", "1/sqrt(64)"})
        CHECK(of("bias = '" + std::string(text) + "'\n").empty());
}

TEST_CASE("positions, heads and layers are integers in conditions") {
    for (const char* text : {"n == 0.5", "2*q == 5", "floor(k) != k", "n + h == 1.5"}) {
        INFO(text);
        CHECK(of("mask = '" + std::string(text) + "'\n") ==
              Messages{"2:9: '" + std::string(text) +
                       "' is false whatever its variables are; a condition that may be true"});
    }
    for (const char* text : {"n == 2", "q/2 == k", "n < 0.5", "n/2 == 0.5"})
        CHECK(of("mask = '" + std::string(text) + "'\n").empty());
}

TEST_CASE("an empty table is reported where a scheme inherits the names") {
    CHECK(of("extends = 'alibi'\nbias = '-n/h'\nparams = {}\n").back() ==
          "4:10: 'params' is empty; at least one value, or no such key");
}

TEST_CASE("a scheme without parts is reported, and one that extends another may add a part or replace a param") {
    CHECK(of("doc = 'none'\n") ==
          Messages{"1:9: the scheme 'm' has no part; a bias, mask, rotation or embedding, or the "
                   "scheme nope in its place"});
    CHECK(of("extends = 'alibi'\nmask = 'n < 9'\n").empty());
    CHECK(of("extends = 'rotary'\nparams = { base = 500000 }\n").empty());
}
