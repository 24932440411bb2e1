// Every message about a scheme: where, what was found, what is expected instead. The texts are what a user reads; the
// places are lines and columns of the text above them.
#include <catch2/catch.hpp>

#include <cmath>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

using namespace farfield;
using Messages = std::vector<std::string>;

namespace {

Messages texts_of(const core::Problems& problems) {
    Messages messages;
    for (const core::Diagnostic& each : problems.list()) {
        std::string message =
            std::to_string(each.place.line) + ":" + std::to_string(each.place.column) + ": " + each.found;
        for (const std::string& part : {each.wanted, each.hint})
            if (!part.empty()) message += "; " + part;
        messages.push_back(message);
    }
    return messages;
}

/// The messages of a file of schemes.
Messages told(const std::string& text) {
    core::Problems problems;
    scheme::Registry registry = scheme::Registry::builtin();
    const core::Entries entries = scheme::read_toml(text, "mine.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    return texts_of(problems);
}

/// The messages of a scheme m of these lines, from line 2 on.
Messages of(const std::string& lines) {
    return told("[scheme.m]\n" + lines);
}

}  // namespace

TEST_CASE("names of params, let and learn are reported at their place") {
    CHECK(of("params = { 'a b' = 1 }\n") ==
          Messages{"2:12: 'a b' cannot be used in a formula; letters, digits and underscores, no digit first"});
    for (const char* name : {"q", "k", "n", "p", "i", "h", "H", "d", "L", "Ltr", "layer", "R"})
        CHECK(of("params = { " + std::string(name) + " = 1 }\n") ==
              Messages{"2:12: '" + std::string(name) + "' is a variable of every scheme; another name"});
    CHECK(of("params = { pi = 1 }\n") == Messages{"2:12: 'pi' is a constant; another name"});
    CHECK(of("bias = 'a'\nparams = { a = 1 }\nlet = { a = '2' }\n") ==
          Messages{"4:9: 'a' is defined twice; one of params, let and learn"});
    CHECK(of("bias = 'a'\nparams = { a = 'n' }\n") ==
          Messages{"3:17: the param 'a' is a text; a number; Formulas belong to 'let'."});
    CHECK(of("bias = 'a'\nparams = { a = true }\n") == Messages{"3:16: the param 'a' is a boolean; a number"});
    CHECK(of("bias = 'a'\nparams = { a = nan }\n") == Messages{"3:16: the param 'a' is nan; a number other than nan"});
    CHECK(of("bias = 'a'\nlearn = { a = 3 }\n") ==
          Messages{"3:15: 'a' is an integer; a table such as { init = 1.0, per = \"head\" }"});
    CHECK(of("bias = 'a'\nlearn = { a = { per = 'heads' } }\n") ==
          Messages{"3:24: 'per' cannot be 'heads'; known here: head, layer, model. Did you mean 'head'?"});
    CHECK(of("bias = 'a'\nlearn = { a = { per = 'model' } }\n").empty());
    CHECK(of("bias = 'a'\nlearn = { a = { positive = true } }\n") ==
          Messages{"3:11: 'a' cannot start there; an init above zero, since it is positive"});
    CHECK(of("bias = 'a'\nlearn = { a = { positive = true, init = 0 } }\n") ==
          Messages{"3:41: 'a' cannot start there; an init above zero, since it is positive"});
    CHECK(of("bias = 'a'\nlearn = { a = { positive = true, init = 1e-300 } }\n").empty());
    CHECK(of("bias = 'a'\nlearn = { a = { init = nan } }\n").size() == 1);
    CHECK(of("bias = 'a'\nlet = { a = true }\n") == Messages{"3:13: 'a' is a boolean; a formula"});
    CHECK(of("bias = 'a'\nlet = { a = 'b', b = 'a' }\n").at(0).ends_with("refers to itself: a -> b -> a"));
    CHECK(of("rotate = { angle = 'a' }\nlet = { a = 'q' }\n") ==
          Messages{"2:21: let 'a' uses 'q', which rotate does not have"});
    CHECK(of("temperature = 'a'\nlet = { a = 'k' }\n") ==
          Messages{"2:16: let 'a' uses 'k', which temperature does not have"});
    CHECK(of("embed = { even = 'a' }\nlet = { a = 'h' }\n") ==
          Messages{"2:19: let 'a' uses 'h', which embed does not have"});
    for (const char* piece : {"bias = 'a'", "mask = 'a < 1'"})
        CHECK(of(std::string(piece) + "\nlet = { a = 'p' }\n")
                  .at(0)
                  .find("let 'a' uses 'p', which " + std::string(piece).substr(0, 4)) != std::string::npos);
}

TEST_CASE("each piece takes the variables of its place and no other") {
    const std::vector<std::string> all = {"q", "k", "n", "p", "i", "h", "H", "d", "L", "Ltr", "layer", "R"};
    const auto known = [&](const std::string& before, const std::string& after) {
        std::string found;
        for (const std::string& name : all)
            if (of(before + name + after).empty()) found += name + " ";
        return found;
    };
    CHECK(known("bias = '", "'\n") == "q k n h H d L Ltr layer R ");
    CHECK(known("mask = '0 < ", "'\n") == "q k n h H d L Ltr layer R ");
    CHECK(known("temperature = '", "'\n") == "q h H d L Ltr layer R ");
    CHECK(known("rotate = { angle = '", "' }\n") == "p i h H d L Ltr layer R ");
    CHECK(known("rotate = { angle = 'p', scale = '", "' }\n") == "p i h H d L Ltr layer R ");
    CHECK(known("embed = { even = '", "' }\n") == "p i d L Ltr ");
    CHECK(known("embed = { odd = '", "' }\n") == "p i d L Ltr ");
}

TEST_CASE("invalid pieces are reported at their place") {
    CHECK(of("bias = true\n") == Messages{"2:8: 'bias' is a boolean; a formula, or { formula = ..., when = ... }"});
    CHECK(of("bias = 'n < 3'\n") == Messages{"2:9: the formula is a condition; a number"});
    CHECK(of("mask = 'n'\n") == Messages{"2:9: the formula is a number; a condition, such as n < 100"});
    CHECK(of("bias = { formula = 'n', when = 'n' }\n") ==
          Messages{"2:33: the formula is a number; a condition, such as n < 100"});
    CHECK(of("bias_scaled = true\n") == Messages{"2:1: 'bias_scaled' without a bias; a bias to scale"});
    CHECK(of("bias_scaled = false\n").empty());
    CHECK(of("bias = { formula = 'n' }\n").empty());
    CHECK(of("mask = { formula = 'n < 3', when = 'L > 8' }\n").empty());
    CHECK(of("bias = {}\n") == Messages{"2:8: 'bias' is empty; formula, or { formula, when }; or no 'bias'"});
    CHECK(of("bias = '-n'\nrequire = {}\n") ==
          Messages{"3:11: 'require' is empty; conditions by param; or no 'require'"});
    CHECK(of("bias = { when = 'L > 8' }\n").size() == 1);
    CHECK(of("embed = {}\n") == Messages{"2:9: 'embed' is empty; at least one value; or no 'embed'"});
    CHECK(of("embed = { max_length = 8 }\n") ==
          Messages{"2:1: embed has no vectors; either 'even' and 'odd', or learned = true"});
    CHECK(of("embed = { learned = true, max_length = 8, odd = '1' }\n") ==
          Messages{"2:1: embed is both learned and a formula; either 'even' and 'odd', or learned = true"});
    CHECK(of("embed = { learned = true }\n") ==
          Messages{"2:1: a learned embedding without a length; max_length, in positions"});
    CHECK(of("embed = { learned = true, max_length = 1 }\n").empty());
    CHECK(of("bias = 'w'\nparams = { w = 1 }\nmeans = { ww = 'x' }\n") ==
          Messages{"4:11: 'ww' is neither a param nor a learned name; known here: w. Did you mean 'w'?"});
    CHECK(of("bias = 'w'\nparams = { w = 1 }\nmeans = { w = 3 }\n") ==
          Messages{"4:15: 'w' is an integer; its meaning as a text"});
    CHECK(told("[scheme]\nm = 3\n") == Messages{"2:5: the scheme 'm' is an integer; a table"});
    CHECK(of("extends = 3\nbias = 'n'\n").at(0) == "2:11: 'extends' is an integer; the name of a scheme, in quotes");
    CHECK(of("extends = 'alibbi'\n").at(0).starts_with("2:12: there is no scheme 'alibbi'; known here: "));
    CHECK(of("extends = 'm'\n") == Messages{"2:12: schemes extend each other in a circle: m -> m"});
}

TEST_CASE("a rotation, an embedding and relative vectors have these defaults") {
    core::Problems problems;
    scheme::Registry registry;
    const core::Entries entries = scheme::read_toml(
        "[scheme.m]\nrotate = { angle = 'p' }\nrelative = {}\nembed = { even = 'p' }\n"
        "[scheme.e]\nrotate = { angle = 'p', scale = '2', origin = 'end' }\nrelative = { keys = false }\n",
        "mine.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    REQUIRE(problems.empty());
    const scheme::Scheme& plain = *registry.find("m");
    CHECK(plain.rotate->origin == scheme::Origin::start);
    CHECK(plain.rotate->pairs == scheme::Pairs::interleaved);
    CHECK(plain.rotate->fraction == 1);
    CHECK_FALSE(plain.rotate->scale);
    CHECK(plain.relative->clip == 16);
    CHECK(plain.relative->keys);
    CHECK(plain.relative->values);
    CHECK_FALSE(plain.embed->learned);
    CHECK_FALSE(plain.embed->odd);
    CHECK(plain.embed->max_length == 0);
    CHECK(registry.find("e")->rotate->origin == scheme::Origin::end);
    CHECK_FALSE(registry.find("e")->relative->keys);
    CHECK(registry.names() == Messages{"e", "m"});
}

TEST_CASE("sixty-four schemes may extend each other in a chain, and no more") {
    const auto chain = [](int length) {
        std::string text = "[scheme.s0]\nbias = 'n'\n";
        for (int i = length; i >= 1; --i)
            text += "[scheme.s" + std::to_string(i) + "]\nextends = 's" + std::to_string(i - 1) + "'\n";
        return told(text);
    };
    CHECK(chain(63).empty());
    CHECK(chain(64).at(0).ends_with("a chain of more than 64 schemes that extend each other"));
    CHECK(chain(65).size() >= 1);
    CHECK(chain(65).at(0).ends_with("a chain of more than 64 schemes that extend each other"));
}

TEST_CASE("unused names are reported with the nearest name of their kind") {
    const std::string unused = " is unused; a name that a formula of the scheme depends on";
    CHECK(of("bias = 'slope*rate2'\nparams = { slope = 1, rate = 2 }\nlet = { rate2 = '3' }\n") ==
          Messages{"3:23: the parameter 'rate' of scheme 'm'" + unused});
    CHECK(of("bias = 'slope*rate2'\nparams = { slope = 1, slop = 2 }\nlet = { rate2 = '3' }\n") ==
          Messages{"3:23: the parameter 'slop' of scheme 'm'" + unused + "; Did you mean 'slope'?"});
    CHECK(of("bias = 'slope*rate2'\nparams = { slope = 1 }\nlet = { rate2 = '3', slop = '4' }\n") ==
          Messages{"4:22: the let name 'slop' of scheme 'm'" + unused + "; Did you mean 'slope'?"});
    core::Problems problems;
    scheme::Registry registry;
    const core::Entries entries = scheme::read_toml(
        "[scheme.m]\nbias = 'w*n + v'\nparams = { w = 1, v = 2 }\n[scheme.e]\nextends = 'm'\nbias = 'w*n'\n",
        "mine.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    CHECK(problems.empty());
    registry.with_params("e", {{"v", "3"}}, {}, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems.list()[0].found == "the parameter 'v' of scheme 'e' is unused");
    CHECK(problems.list()[0].hint.starts_with("known here: w"));
}

TEST_CASE("a parameter that the base lacks is unknown, whether the base is built in, in the file or of the same name") {
    CHECK(told("[scheme.m]\nbias = 'w*n'\nparams = { w = 1 }\n[scheme.e]\nextends = 'm'\nparams = { v = 2 }\n") ==
          Messages{"6:12: unknown parameter 'v' of scheme 'm'; known here: w. Did you mean 'w'?"});
    CHECK(told("[scheme.e]\nextends = 'windowed'\nparams = { v = 2 }\n") ==
          Messages{"3:12: unknown parameter 'v' of scheme 'windowed'; known here: w. Did you mean 'w'?"});
    CHECK(told("[scheme.windowed]\nextends = 'windowed'\nparams = { v = 2 }\n") ==
          Messages{"3:12: unknown parameter 'v' of scheme 'windowed'; known here: w. Did you mean 'w'?"});
}

TEST_CASE("a definition of a scheme replaces that of its base, and all others are inherited") {
    core::Problems problems;
    scheme::Registry registry;
    const core::Entries entries = scheme::read_toml(
        "[scheme.m]\nbias = 'w*n'\nparams = { w = 1 }\nmeans = { w = 'how steep' }\n"
        "rotate = { angle = 'p', scale = '2' }\n"
        "[scheme.again]\nextends = 'm'\nparams = { w = 2 }\n"
        "[scheme.named]\nextends = 'm'\nbias = 'w*n + scale'\nparams = { scale = 3 }\n"
        "[scheme.other]\nextends = 'm'\nlet = { w = '4' }\n",
        "mine.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    const auto setting = [&](const char* name, const char* group, const char* key) {
        const core::Entry* table = registry.find(name)->settings.find(group);
        const core::Entry* found = table ? table->value.entries()->find(key) : nullptr;
        if (!found) return std::string("none");
        return found->value.string() ? *found->value.string() : found->value.text;
    };
    CHECK(setting("again", "params", "w") == "2");
    CHECK(setting("again", "means", "w") == "how steep");
    CHECK(setting("named", "rotate", "scale") == "2");
    CHECK(setting("named", "params", "w") == "1");
    CHECK(setting("other", "params", "w") == "none");
    CHECK(setting("other", "let", "w") == "4");
    CHECK(setting("other", "means", "w") == "none");  // a let name has its formula
    CHECK(problems.empty());
    // A group that is no table is reported, and no more, where another scheme extends it.
    const Messages wrong =
        told("[scheme.m]\nbias = 'n'\nlet = 3\n[scheme.e]\nextends = 'm'\nbias = 'a*n'\nparams = { a = 1 }\n");
    CHECK_FALSE(wrong.empty());
}

TEST_CASE("parameters are replaced by name, each problem at the place that is given") {
    core::Place place;
    place.line = 7;
    place.column = 3;
    const auto replaced = [&](const std::string& scheme, const std::string& param, const std::string& text) {
        core::Problems problems;
        scheme::Registry::builtin().with_params(scheme, {{param, text}}, place, problems);
        return texts_of(problems);
    };
    CHECK(replaced("windowed", "w", "80").empty());
    CHECK(replaced("windowed", "w", "eighty") == Messages{"7:3: the param 'w' cannot be 'eighty'; a number"});
    CHECK(replaced("windowed", "v", "80") ==
          Messages{"7:3: unknown parameter 'v' of scheme 'windowed'; known here: w. Did you mean 'w'?"});
    CHECK(replaced("windowd", "w", "80").at(0).starts_with("7:3: there is no scheme 'windowd'; known here: "));
}

TEST_CASE("the sizes of a model must be integers within their limits and fit the scheme") {
    const auto told_of = [](scheme::Context context, const std::vector<std::string>& given,
                            const scheme::Scheme* scheme = nullptr) {
        Messages messages;
        for (const scheme::ContextProblem& each : scheme::check_context(scheme, context, [&](std::string_view key) {
                 return std::find(given.begin(), given.end(), key) != given.end();
             }))
            messages.push_back(std::string(each.key) + " " + each.value + ": " + each.wanted);
        return messages;
    };
    for (const scheme::ContextKey& key : scheme::context_keys()) {
        for (const double bad : {0.0, -1.0, 1.5, static_cast<double>(INFINITY)}) {
            scheme::Context context;
            context.*key.member = bad;
            CHECK(told_of(context, {}).empty());
            const Messages found = told_of(context, {std::string(key.key)});
            REQUIRE(found.size() == 1);
            CHECK(found[0].starts_with(std::string(key.key) + " "));
            CHECK(found[0].ends_with(": a whole number, at least 1"));
        }
        scheme::Context context;
        context.*key.member = 1;
        CHECK(told_of(context, {std::string(key.key)}).empty());
    }
    scheme::Context context;
    context.head = 3, context.heads = 2, context.layer = 5, context.layers = 4, context.width = 7, context.head_dim = 5;
    CHECK(told_of(context, {"head", "heads"}) == Messages{"head 3: 1 to 2, the value of 'heads'"});
    CHECK(told_of(context, {"layer", "layers"}) == Messages{"layer 5: 1 to 4, the value of 'layers'"});
    CHECK(told_of(context, {"width", "heads"}) == Messages{"width 7: a multiple of 'heads', 2"});
    CHECK(told_of(context, {"head", "layer", "width"}).empty());
    context.head = 2, context.layer = 4, context.width = 8;
    CHECK(told_of(context, {"head", "heads", "layer", "layers", "width"}).empty());
    const scheme::Registry& builtin = scheme::Registry::builtin();
    CHECK(told_of(context, {"head_dim"}, builtin.find("alibi")).empty());
    CHECK(told_of(context, {"head_dim"}, builtin.find("rotary")) ==
          Messages{"head_dim 5: an even width: 'rotary' rotates pairs of dimensions"});
    scheme::Scheme half = *builtin.find("rotary");
    half.rotate->fraction = 0.5;
    context.head_dim = 6;
    CHECK(told_of(context, {"head_dim"}, &half) ==
          Messages{"head_dim 6: a width of which 'rotary' rotates an even number of dimensions, not 3"});
    context.head_dim = 8;
    CHECK(told_of(context, {"head_dim"}, &half).empty());
}

TEST_CASE("formulas in a context have its numbers, and pieces act where their condition holds") {
    core::Problems problems;
    scheme::Registry registry;
    const core::Entries entries = scheme::read_toml(
        "[scheme.m]\nlearn = { a = { init = 2 }, t = { init = 3, size = 2 } }\n"
        "bias = { formula = 'h + H*10 + d*100 + layer*1000 + R*10000 + a + t[1]', when = 'L > Ltr' }\n"
        "mask = { formula = 'n < Ltr', when = 'L > 8' }\n"
        "rotate = { angle = 'd', scale = 'p', origin = 'centre', fraction = 0.5 }\nembed = { even = 'd' }\n"
        "[scheme.s]\nbias = 'n'\nbias_scaled = true\ncausal = false\n[scheme.none]\n",
        "mine.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    REQUIRE(problems.empty());
    const scheme::Scheme& m = *registry.find("m");
    scheme::Context context;
    context.head = 1, context.heads = 2, context.head_dim = 4, context.width = 6, context.layer = 5, context.layers = 7;
    context.length = 9, context.train_length = 8;
    const auto text = [](const formula::Node& tree) { return formula::print(tree); };
    const auto bias = [&] { return text(scheme::bias_formula(m, context)); };
    CHECK(bias().starts_with("1 + 2*10 + 4*100 + 5*1000 + 7*10000 + 2 + "));
    context.learned = {{"a", 11}};
    CHECK(bias().starts_with("1 + 2*10 + 4*100 + 5*1000 + 7*10000 + 11 + "));
    CHECK(text(scheme::mask_formula(m, context)) == "k <= q and q - k < 8");
    context.length = 8;
    CHECK(bias() == "0");  // L > Ltr fails
    CHECK(text(scheme::mask_formula(m, context)) == "k <= q");
    context.train_length = 0;  // is L then
    CHECK(bias() == "0");
    context.length = 9;
    CHECK(bias() == "0");
    CHECK(text(scheme::mask_formula(m, context)) == "k <= q and q - k < 9");
    CHECK(text(scheme::angle_formula(m, context)) == "2");      // half of the head's width
    CHECK(text(scheme::scale_formula(m, context)) == "p - 5");  // 9/2, rounded away from zero
    CHECK(text(scheme::in_context(m, *m.embed->even, context, "0")) == "6");
    context.length = 0;
    CHECK_THROWS_AS(scheme::bias_formula(m, context), core::PreconditionError);
    CHECK_THROWS_AS(scheme::scale_formula(m, context), core::PreconditionError);
    context.length = 1;
    CHECK_NOTHROW(scheme::scale_formula(m, context));
    const scheme::Scheme& s = *registry.find("s");
    CHECK(text(scheme::bias_formula(s, context)) == "(q - k)/sqrt(4)");
    CHECK(text(scheme::mask_formula(s, context)) == "1 == 1");
    const scheme::Scheme& none = *registry.find("none");
    CHECK(text(scheme::bias_formula(none, context)) == "0");
    CHECK(text(scheme::mask_formula(none, context)) == "k <= q");
    CHECK(text(scheme::angle_formula(none, context)) == "0");
    CHECK(text(scheme::scale_formula(none, context)) == "1");
}

TEST_CASE("an unknown scheme is suggested by the name that papers use, or by the nearest name") {
    const scheme::Registry& registry = scheme::Registry::builtin();
    CHECK(registry.unknown("RoPE").hint == "The scheme is called 'rotary'.");
    CHECK(registry.unknown("yarn").hint == "The scheme is called 'rotary-yarn'.");
    CHECK(registry.unknown("alibbi").hint.ends_with("Did you mean 'alibi'?"));
    // Every usual name leads to a scheme.
    for (const char* name :
         {"absolute", "kerple", "linear", "llama3", "longrope", "none", "ntk", "position-interpolation", "relative",
          "roformer", "rope", "selfextend", "sliding-window", "t5-bias", "window", "yarn"})
        CHECK(registry.find(scheme::usual_name(name)) != nullptr);
    CHECK(scheme::usual_name("alibi").empty());
}
