// What a study file may say, and the message for what it may not: place, what was found, what was expected.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <farfield/numerics/processors.hpp>

#include "study/body.hpp"
#include "study/override.hpp"
#include "study/study_support.hpp"

using namespace study_support;
using Names = std::vector<std::string>;

namespace {

/// Every problem of the text: "line:column: found; wanted; hint", without empty ends.
Names told(const std::string& text, const study::Options& options = {}) {
    const Folder folder;
    Names messages;
    try {
        read(folder, text, options);
    } catch (const core::UserError& error) {
        for (const core::Diagnostic& each : error.diagnostics()) {
            std::string message = fmt::format("{}:{}: {}", each.place.line, each.place.column, each.found);
            for (const std::string& part : {each.wanted, each.hint})
                if (!part.empty()) message += "; " + part;
            messages.push_back(message);
        }
    }
    return messages;
}

const std::string value = "kind = 'value'\nformula = 'w'\nparams = { w = 0 }\n";
const std::string curve = "kind = 'curve'\nformula = '-n'\ndistances = { to = 9 }\n";

}  // namespace

TEST_CASE("names that formulas cannot quote or that they reserve are refused") {
    const auto named = [](const std::string& heading, const std::string& name) {
        return told("[" + heading + "." + name + "]\n" + (heading == "quantity" ? value : ""));
    };
    CHECK(named("quantity", "v-1_b").empty());
    CHECK(named("quantity", "'a.b'") ==
          Names{"1:11: 'a.b' cannot be the name of a quantity; letters, digits, '-' and '_'"});
    for (const char* name :
         {"''", "'a[b'", "'a]'", "\"a'\"", "'a\"'", "'a,b'", "'a/b'", "'a\\b'", "'a b'", "\"a\\tb\""}) {
        INFO(name);
        CHECK(named("quantity", name).size() == 1);
        CHECK(named("figure", name).at(0).find("cannot be the name of a figure") != std::string::npos);
        CHECK(named("scheme", name).at(0).find("cannot be the name of a scheme") != std::string::npos);
    }
    // sin is a function of formulas; a figure is not read by formulas.
    CHECK(named("quantity", "sin").at(0).ends_with("; another name"));
    CHECK(named("figure", "sin").at(0).find("another name") == std::string::npos);
    CHECK(told("quantity.v = 3\n") == Names{"1:10: 'quantity.v' is an integer; a table: [quantity.NAME]"});
    for (const char* heading : {"model", "corpus", "train"})
        CHECK(told(std::string(heading) + ".v = 3\n").at(0).find(fmt::format("'{}.v' is an integer", heading)) !=
              std::string::npos);
}

TEST_CASE("an unknown kind, key, quantity, training or id is refused with what is known") {
    CHECK(told("[quantity.v]\nkind = 'valu'\n").at(0).starts_with("2:9: unknown kind 'valu'; known here: "));
    CHECK(told("[quantity.v]\nkind = 'valu'\n").at(0).ends_with("Did you mean 'value'?"));
    CHECK(told("[quantity.v]\nkind = 'perplexty'\n").at(0).ends_with("Did you mean 'perplexity'?"));
    CHECK(told("[quantity.v]\ndoc = 's'\n").size() == 1);
    CHECK(told("[quantity.v]\nkind = 3\n").size() == 1);
    CHECK(told("[figure.f]\nkind = 'lines'\nseries = ['v']\n") ==
          Names{"3:12: unknown quantity 'v'; a quantity of the study; it has none"});
    CHECK(told("[quantity.va]\n" + curve + "[figure.f]\nkind = 'lines'\nseries = ['v', 'va']\n") ==
          Names{"7:12: unknown quantity 'v'; known here: va. Did you mean 'va'?"});
    CHECK(told("[quantity.q]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\n") ==
          Names{"3:7: unknown training 't'; a [train.NAME] or [checkpoint.NAME] of the study; it has none"});
    const std::string claim = "[[claim]]\nid = 'X'\nsays = 's'\nholds = '1 < 2'\n";
    CHECK(told(claim).empty());
    CHECK(told(claim + claim) == Names{"5:1: a second claim with the id 'X'; a unique id; The first is on line 1."});
}

TEST_CASE("a figure has one label for each of its series") {
    const auto figure = [](const std::string& keys) {
        return told("[quantity.row]\n" + curve + "sweep = { formula = ['-n', '-2*n'] }\n[quantity.b]\n" + curve +
                    "[figure.f]\nkind = 'lines'\n" + keys);
    };
    CHECK(figure("series = ['row', 'b']\nlabels = ['a', 'b', 'c']\n").empty());
    CHECK(figure("series = ['row[formula=-n]', 'b']\nlabels = ['a', 'b']\n").empty());
    CHECK(figure("series = 'b'\nlabels = ['b']\n").empty());
    CHECK(figure("series = ['row', 'b']\nlabels = ['a', 'b']\n") ==
          Names{"13:10: 2 labels for 3 series; one label for each series"});
    CHECK(figure("series = 'b'\nlabels = ['a', 'b']\n") ==
          Names{"13:10: 2 labels for 1 series; one label for each series"});
    CHECK(figure("series = ['row', 'b']\n").empty());
}

TEST_CASE("the series of a figure are computed for it, and a figure is shown if all of them were computed") {
    const std::string text = "[quantity.row]\n" + curve + "sweep = { formula = ['-n', '-2*n'] }\n[quantity.b]\n" +
                             curve +
                             "[study]\nsource = 'of all'\n[figure.f]\nkind = 'lines'\nseries = ['row']\n[figure.g]\n"
                             "kind = 'lines'\nseries = 'b'\ntitle = 'T'\nsource = 'own'\n";
    study::Options options;
    options.only = {"f"};
    const auto some = run(text, options);
    CHECK(names_of(some) == Names{"row[formula=-n]", "row[formula=-2*n]"});
    REQUIRE(some.figures.size() == 1);
    CHECK(some.figures[0].name == "f");
    CHECK(some.figures[0].title.empty());
    CHECK(some.figures[0].source == "of all");
    options.only = {"g"};
    const auto other = run(text, options);
    CHECK(names_of(other) == Names{"b"});
    REQUIRE(other.figures.size() == 1);
    CHECK(other.figures[0].title == "T");
    CHECK(other.figures[0].source == "own");
    options.only = {"row"};
    CHECK(names_of(run(text, options)) == names_of(some));
    options.only = {};
    CHECK(run(text, options).figures.size() == 2);
    options.claims_only = true;
    CHECK(run(text, options).figures.empty());
    const auto failing =
        run("[quantity.row]\nkind = 'curve'\nformula = 'log(3 - n)'\ndistances = { to = 9 }\n"
            "[figure.f]\nkind = 'lines'\nseries = 'row'\n");
    CHECK(failing.failed.size() == 1);
    CHECK(failing.figures.empty());
}

TEST_CASE("the values of a sweep must leave names that can be quoted") {
    // A missing file would be reported after this.
    const auto swept = [](const std::string& values) {
        Names found;
        for (const std::string& each : told("[quantity.v]\nkind = 'table'\nsweep = { file = [" + values + "] }\n"))
            if (each.find("makes the name") != std::string::npos) found.push_back(each);
        return found;
    };
    CHECK(swept("'a', 'b[1]', '[[]]', 'a b', 'a]['").empty());
    const std::string wanted = "'; values whose brackets match, without control characters";
    CHECK(swept("'a]][['") == Names{"1:11: a value of the sweep makes the name 'v[file=a]][[]" + wanted});
    CHECK(swept("'a['") == Names{"1:11: a value of the sweep makes the name 'v[file=a[]" + wanted});
    CHECK(swept("'a]'") == Names{"1:11: a value of the sweep makes the name 'v[file=a]]" + wanted});
    CHECK(swept("\"a\\u001fb\"").size() == 1);
}

TEST_CASE("a sweep is a table of lists and ranges that are not empty") {
    const auto swept = [](const std::string& sweep) {
        return told("[quantity.v]\n" + value + "sweep = " + sweep + "\n");
    };
    CHECK(swept("{ w = [1, 2] }").empty());
    CHECK(swept("{ w = { from = 1, to = 2 } }").empty());
    CHECK(swept("{ w = { from = 1, to = 1 } }") ==
          Names{"5:15: the sweep over 'w' is a range of one value, 1; a larger end, or a list of the value"});
    CHECK(swept("{ w = [1] }").empty());
    CHECK(swept("3") == Names{"5:9: 'sweep' is an integer; a table: sweep = { w = [40, 80] }"});
    CHECK(swept("{}") == Names{"5:9: 'sweep' names no key; sweep = { w = [40, 80] }"});
    CHECK(swept("{ w = 3 }") ==
          Names{"5:15: the sweep over 'w' is an integer; a list of values, or { from, to, step }"});
    CHECK(swept("{ w = [] }") == Names{"5:15: the sweep over 'w' is empty; at least one value"});
    CHECK(swept("{ w = [1, [2]] }") ==
          Names{"5:19: a value of the sweep over 'w' is a list; a number, a text or a boolean"});
    CHECK(swept("{ w = [{ a = 1 }] }") ==
          Names{"5:16: a value of the sweep over 'w' is a table; a number, a text or a boolean"});
    const Names empty = {"5:15: the sweep over 'w' is empty; from <= to and step > 0"};
    CHECK(swept("{ w = { from = 2, to = 1 } }") == empty);
    CHECK(swept("{ w = { from = 1, to = 2, step = 0 } }") == empty);
    CHECK(swept("{ w = { from = 1, to = 2, step = -1 } }") == empty);
    CHECK(swept("{ w = { to = 2 } }").size() == 1);
    CHECK(swept("{ w = { from = 1 } }").size() == 1);
}

TEST_CASE("a range counts in exact steps, which reach its end") {
    const auto names = [](const std::string& range) {
        return names_of(run("[quantity.v]\n" + value + "sweep = { w = " + range + " }\n"));
    };
    CHECK(told("[quantity.v]\n" + value + "sweep = { w = { from = 1, to = 3.5 } }\n") ==
          Names{"5:15: the sweep over 'w' does not reach its end, 3.5; to = 3 or to = 4"});
    CHECK(names("{ from = -1, to = 0, step = 0.25 }") ==
          Names{"v[w=-1]", "v[w=-0.75]", "v[w=-0.5]", "v[w=-0.25]", "v[w=0]"});
    CHECK(names("{ from = 0, to = 0.3, step = 0.1 }").size() == 4);  // in doubles 3*0.1 is above 0.3
    const auto texts = names_of(run("[quantity.v]\nkind = 'value'\nsweep = { formula = ['1', '2 + 3'] }\n"));
    CHECK(texts == Names{"v[formula=1]", "v[formula=2 + 3]"});
}

TEST_CASE("a sweep has 100000 items at most, as does a study, and the message states the cost of more") {
    const auto swept = [](const std::string& to) {
        return told("[quantity.v]\n" + value + "sweep = { w = { from = 1, to = " + to + " } }\n");
    };
    const std::string at = "5:1: a sweep of ";
    const auto message = [&](const std::string& count, const std::string& duration) {
        return Names{at + count + " items; at most 100000; At a thousandth of a second each it would take " + duration +
                     "."};
    };
    // Minutes below two hours, hours below two days.
    CHECK(swept("100001") == message("100001", "2 minutes"));
    CHECK(swept("7199000") == message("7199000", "120 minutes"));
    CHECK(swept("7200000") == message("7200000", "2 hours"));
    CHECK(swept("172799000") == message("172799000", "48 hours"));
    CHECK(swept("172800000") == message("172800000", "2 days"));
    CHECK(swept("1e10") == message("1e+10", "116 days"));
    const auto both = told(
        "[scheme.s]\nparams = { m = 1 }\nbias = '-m*n'\nsweep = { m = { from = 1, to = 400 } }\n"
        "[quantity.c]\nkind = 'curve'\nscheme = 's'\ndistances = { to = 2 }\nsweep = { head_dim = { from = 1, "
        "to = 251 } }\n");
    CHECK(both == Names{"5:11: 'c' becomes 100400 items; at most 100000"});
    const auto keys = [](int count) {
        std::string sweep;
        for (int i = 0; i < count; ++i) sweep += (i > 0 ? ", a" : "a") + std::to_string(i) + " = [1]";
        return told("[quantity.v]\nkind = 'curve'\nformula = 'n'\nover = { n = [0, 1] }\nsweep = { " + sweep + " }\n");
    };
    CHECK(keys(100).at(0).find("a sweep over") == std::string::npos);
    CHECK(keys(101).at(0) == "5:1: a sweep over 101 keys; at most 100");
}

TEST_CASE("quantities and their problems are in the order of the file, on any number of threads") {
    // Items 9 to 40 of b have problems of their own, and all items of c have the same one.
    const std::string text =
        "[quantity.a]\nkind = 'value'\nformula = 'w'\nparams = { w = 1 }\nsweep = { w = { from = 1, to = 500 } }\n"
        "[quantity.b]\nkind = 'curve'\nscheme = 'alibi'\nheads = 8\ndistances = { from = 0, to = 9 }\n"
        "sweep = { head = { from = 1, to = 40 } }\n"
        "[quantity.c]\nkind = 'value'\nformula = 'w + y'\nsweep = { w = { from = 1, to = 500 } }\n";
    const std::size_t before = numerics::processors();
    std::vector<std::vector<std::string>> found;
    for (const std::size_t threads : {1U, 3U, 8U}) {
        numerics::set_processors(threads);
        found.push_back(problems_of(text));
        const std::string valid = text.substr(0, text.find("[quantity.b]"));
        const core::StudyRecord record = run(valid);
        REQUIRE(record.quantities.size() == 500);
        for (std::size_t i = 0; i < 500; ++i) CHECK(record.quantities[i].name == "a[w=" + std::to_string(i + 1) + "]");
    }
    numerics::set_processors(before);
    REQUIRE(found[0].size() == 33);
    CHECK(found[0].front() == "11: 'head' is 9");
    CHECK(found[0].back() == "14: unknown name 'y'");
    CHECK(found[1] == found[0]);
    CHECK(found[2] == found[0]);
}

TEST_CASE("a quantity that refers to two swept quantities is swept with both only if their values are the same") {
    const std::string row = "sweep = { formula = ['-n', '-2*n'] }\n";
    const auto compared = [&](const std::string& other) {
        return told("[quantity.p]\n" + curve + row + "[quantity.q]\n" + curve + other +
                    "[quantity.d]\nkind = 'compare'\na = 'p'\nb = 'q'\n");
    };
    const auto same = compared(row);
    const auto different = compared("sweep = { formula = ['-n', '-3*n'] }\n");
    REQUIRE(different.size() == same.size() + 1);
    CHECK(std::find_if(different.begin(), different.end(), [](const std::string& each) {
              return each.ends_with("'q' is swept over other values than 'a' is; one item of it: q[formula=-n]");
          }) != different.end());
}

TEST_CASE("a text of --set is a path, whose points may be quoted") {
    using study::parts_of;
    CHECK(parts_of("a.b.c") == Names{"a", "b", "c"});
    CHECK(parts_of("a.'b.c'.\"d'e\"") == Names{"a", "b.c", "d'e"});
    CHECK(parts_of("a.b[w='x.y'].c") == Names{"a", "b[w=x.y]", "c"});
    CHECK(parts_of("") == Names{""});
    CHECK(parts_of("a.") == Names{"a", ""});
}

TEST_CASE("--set reads its value as TOML, or as a text if it is not TOML, and reports a value that fits nothing") {
    const auto set = [](const std::string& path, const std::string& text) {
        study::Options options;
        options.set = {{path, text}};
        return options;
    };
    const std::string text = "[quantity.v]\n" + value;
    const auto number = [&](const std::string& path, const std::string& to) {
        return *find(run(text, set(path, to)), "v")->find("value")->number;
    };
    CHECK(number("quantity.v.params.w", "2.5") == 2.5);
    CHECK(number("quantity.v.params", "{ w = 4 }") == 4);
    CHECK(number("quantity.v.formula", "'w + 1'") == 1);
    CHECK(number("quantity.v.formula", "w + 1") == 1);
    CHECK(number("quantity.v.'formula'", "w + 3") == 3);
    CHECK(run(text, set("study.title", "new")).title == "new");
    CHECK(run(text, set("study.title", "'new'\nsource = 'x'")).title == "'new'\nsource = 'x'");
    CHECK(told(text, set("formula", "7")) ==
          Names{"0:0: the path 'formula' names no value; a path such as scheme.x.params.w"});
    CHECK(told(text, set("quantity..formula", "7")).at(0).find("names no value") != std::string::npos);
    CHECK(told(text, set("figure.f.title", "7")) ==
          Names{"0:0: there is no 'figure' to set a value of; known here: quantity"});
    CHECK(told(text, set("quantity.w.formula", "7")) ==
          Names{"0:0: there is no 'w' to set a value of; known here: v. Did you mean 'v'?"});
    CHECK(told(text, set("quantity.v.formula.x", "7")) ==
          Names{"0:0: 'formula' is not a table; a path to a value of a table"});
    CHECK(told(text, set("scheme.none.bias", "7"))
              .at(0)
              .starts_with("0:0: there is no 'none' to set a value of; known here: alibi, "));
}

TEST_CASE("a value of --set must be used by something") {
    const auto problems = [](const std::string& text, const std::string& path, const std::string& to) {
        study::Options options;
        options.set = {{path, to}};
        return told(text, options);
    };
    const std::string row = "[quantity.v]\nkind = 'curve'\nheads = 8\nhead = 8\ndistances = { to = 2 }\nscheme = ";
    const std::string path = "scheme.alibi.params.delta";
    const Names unused = {
        "0:0: nothing in 's' depends on this value of scheme 'alibi'; a value that a quantity of the study depends on"};
    CHECK(problems(row + "'alibi'\n", path, "1").empty());
    CHECK(problems("[quantity.v]\nkind = 'curve'\nhead = 1\ndistances = { to = 2 }\nscheme = 'kerple-log'\n", path,
                   "1") == unused);
    CHECK(problems("[quantity.v]\nkind = 'curve'\nheads = 8\nhead = 8\ndistances = { to = 2 }\n"
                   "sweep = { scheme = ['alibi', 'kerple-log'] }\n",
                   path, "1")
              .empty());
    CHECK(problems(row + "'alibi'\nparams = { delta = 2 }\n", path, "1") == unused);
    CHECK(problems(row + "'alibi'\nsweep = { delta = [2] }\n", path, "1") == unused);
    // A bias replaced is one for all who name the scheme, whatever params they give.
    CHECK(problems("[scheme.line]\nparams = { m = 1 }\nbias = '-m*n'\n[quantity.v]\nkind = 'curve'\nscheme = 'line'\n"
                   "params = { m = 2 }\ndistances = { to = 2 }\n",
                   "scheme.line.bias", "-2*m*n") == Names{});
    const std::string training =
        "[corpus.c]\nbuiltin = 'urn'\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
        "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = 2\n";
    const std::string measured = "[quantity.q]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\n";
    CHECK(problems(training + measured, "train.t.steps", "3").empty());
    CHECK(problems(training + measured, "model.m.width", "16").empty());
    CHECK(problems(training + measured, "corpus.c.symbols", "3").empty());
    CHECK(problems(training, "train.t.steps", "3").at(0).find("value of train 't'") != std::string::npos);
    CHECK(problems("[corpus.d]\nbuiltin = 'copy'\n" + training + measured, "corpus.d.symbols", "3").size() == 1);
    CHECK(
        problems("[model.n]\nlayers = 1\nheads = 1\nwidth = 8\n" + training + measured, "model.n.width", "16").size() ==
        1);
    const std::string swept = "[quantity.v]\n" + value + "sweep = { w = [1, 2] }\n";
    CHECK(problems(swept, "quantity.v.params.w", "3") ==
          Names{"0:0: 'w' of quantity 'v' is swept; --set quantity.v.sweep.w=[...]"});
    CHECK(problems(swept, "quantity.v.sweep.w", "[3]").empty());
    CHECK(problems("[scheme.line]\nparams = { m = 1 }\nbias = '-m*n'\nsweep = { m = [1, 3] }\n"
                   "[quantity.v]\nkind = 'curve'\n"
                   "distances = { to = 2 }\nscheme = 'line'\n",
                   "scheme.line.params.m", "3")
              .at(0)
              .find("is swept") != std::string::npos);
}

TEST_CASE("a training has the values of its keys, and the defaults of docs/study.md without them") {
    const Folder folder;
    const auto item = [&](const std::string& model, const std::string& corpus, const std::string& train) {
        return read(folder, "[model.m]\nlayers = 3\nheads = 2\nwidth = 8\n" + model + "[corpus.c]\n" + corpus +
                                "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 24\nsteps = 60\n" +
                                train + "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\n")
            .body()
            ->trainings.items.at(0);
    };
    const study::TrainItem plain = item("", "builtin = 'urn'\n", "");
    CHECK(plain.name == "t");
    CHECK(plain.seeds == std::vector<std::uint64_t>{0});
    const train::Training& training = plain.training;
    CHECK(training.config.layers == 3);
    CHECK(training.config.heads == 2);
    CHECK(training.config.width == 8);
    CHECK(training.config.ffn == 0);  // four widths
    CHECK_FALSE(training.config.tied);
    CHECK(training.config.norm == model::Norm::pre);
    CHECK(training.config.precision == model::Precision::fp32);
    CHECK(training.config.train_length == 24);
    CHECK(training.scheme.name == "alibi");
    CHECK(training.batch == 32);
    CHECK(training.accumulate == 1);
    CHECK(training.schedule.steps == 60);
    CHECK(training.schedule.peak == 1e-3);
    CHECK(training.schedule.warm_up == 3);  // a twentieth
    CHECK(training.schedule.floor == 0.1);
    CHECK(training.optimiser.decay == 0.01);
    CHECK(training.optimiser.beta2 == 0.999);
    CHECK(training.clip == 1);
    CHECK(plain.corpus.builtin == "urn");
    CHECK(plain.corpus.files.empty());
    CHECK(plain.corpus.folder == folder.path());
    CHECK(plain.corpus.tokens == "bytes");
    CHECK_FALSE(plain.corpus.by_document);
    CHECK(plain.corpus.held_out == 0.1);
    CHECK(plain.corpus.block == 65536);
    CHECK(plain.corpus.symbols == 0);
    CHECK(plain.corpus.order == 2);
    CHECK(plain.corpus.alpha == 1);
    CHECK(plain.corpus.seed == 0);

    const auto heads = [&](const std::string& count) {
        return read(folder, "[model.m]\nlayers = 1\nheads = " + count +
                                "\nwidth = 6\n[corpus.c]\nbuiltin = 'urn'\n[train.t]\n"
                                "model = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 4\nsteps = 2\n")
            .body()
            ->trainings.items.at(0)
            .training.config.heads;
    };
    CHECK(heads("1") == 1);
    CHECK(heads("3") == 3);

    const study::TrainItem own =
        item("ffn = 5\nhead = 'tied'\nnorm = 'post'\nprecision = 'bf16'\n",
             "files = ['a', 'b']\ntokens = 'v'\nsplit = 'document'\nheld_out = 0.25\n",
             "batch = 3\naccumulate = 5\nlr = 2e-3\nwarmup = 0\nlr_end = 0.3\ndecay = 0.02\nbeta2 = 0.95\nclip = 0\n"
             "seeds = [4, 0, 4294967303]\nparams = { delta = 2 }\n");
    CHECK(own.seeds == std::vector<std::uint64_t>{4, 0, 4294967303});
    CHECK(own.training.config.ffn == 5);
    CHECK(own.training.config.tied);
    CHECK(own.training.config.norm == model::Norm::post);
    CHECK(own.training.config.precision == model::Precision::bf16);
    CHECK(own.training.batch == 3);
    CHECK(own.training.accumulate == 5);
    CHECK(own.training.schedule.peak == 2e-3);
    CHECK(own.training.schedule.warm_up == 0);
    CHECK(own.training.schedule.floor == 0.3);
    CHECK(own.training.optimiser.decay == 0.02);
    CHECK(own.training.optimiser.beta2 == 0.95);
    CHECK(own.training.clip == 0);
    CHECK(own.training.scheme.params != training.scheme.params);
    CHECK(own.corpus.builtin.empty());
    CHECK(own.corpus.files == Names{"a", "b"});
    CHECK(own.corpus.tokens == "v");
    CHECK(own.corpus.by_document);
    CHECK(own.corpus.held_out == 0.25);
    CHECK(item("", "files = ['a']\nblock = 7\n", "").corpus.block == 7);
    const study::TrainItem chain = item("", "builtin = 'chain'\nsymbols = 9\norder = 4\nalpha = 0.5\nseed = 6\n", "");
    CHECK(chain.corpus.symbols == 9);
    CHECK(chain.corpus.order == 4);
    CHECK(chain.corpus.alpha == 0.5);
    CHECK(chain.corpus.seed == 6);
}

TEST_CASE("a training that its model, scheme or schedule do not allow is refused at its key") {
    const auto trained = [](const std::string& model, const std::string& train) {
        return told("[corpus.c]\nbuiltin = 'urn'\n[model.m]\nlayers = 1\n" + model +
                    "[train.t]\nmodel = 'm'\ncorpus = 'c'\nlength = 8\nsteps = 6\n" + train +
                    "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\n");
    };
    const std::string narrow = "heads = 2\nwidth = 8\n";
    CHECK(trained(narrow, "scheme = 'rotary'\n").empty());
    // Rotations are of pairs: heads of three have an entry left over.
    CHECK(trained("heads = 2\nwidth = 6\n", "scheme = 'rotary'\n")
              .at(0)
              .starts_with("8:10: heads of width 3 for 'rotary'; "));
    CHECK(trained("heads = 3\nwidth = 8\n", "scheme = 'alibi'\n") ==
          Names{"6:9: 'width' is 8; a multiple of 'heads', 3"});
    CHECK(trained(narrow, "scheme = 'alibi'\nlr = 0\n") == Names{"13:6: 'lr' is 0; a number above 0"});
    CHECK(trained(narrow, "scheme = 'alibi'\nwarmup = 7\n") ==
          Names{"13:10: 'warmup' is 7; at most the number of steps, 6"});
    CHECK(trained(narrow, "scheme = 'alibi'\nseeds = []\n") == Names{"13:9: 'seeds' is empty; at least one seed"});
    CHECK(trained(narrow, "scheme = 'alibi'\nseeds = [1.5, 'a']\n") ==
          Names{"13:10: a seed is 1.5; a whole number from 0 on", "13:16: a seed is a text; a whole number from 0 on"});
    CHECK(trained(narrow, "scheme = 'alibi'\nparams = { delta = 'a' }\n") ==
          Names{"13:21: the parameter 'delta' is a text; a number"});
    CHECK(trained(narrow, "scheme = 'alibi'\nparams = { delt = 1 }\n").at(0).starts_with("13:12: "));
    CHECK(told("[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nsteps = 6\n") ==
          Names{"2:10: unknown model 'm'; a [model.NAME] of the study; it has none",
                "4:11: unknown corpus 'c'; a [corpus.NAME] of the study; it has none"});
    CHECK(told("[corpus.c]\n") == Names{"1:9: the corpus 'c' has no text; either files = [...] or builtin = \"...\""});
}

TEST_CASE("a study has 100000 items at most, all sweeps together") {
    const auto problems = [](long first, long second) {
        const auto swept = [](const std::string& name, long count) {
            return "[quantity." + name + "]\nkind = 'value'\nformula = 'a + " + std::to_string(name.size()) +
                   "'\nsweep = { a = { from = 1, to = " + std::to_string(count) + " } }\n";
        };
        Names found = told(swept("v", first) + swept("ww", second));
        if (found.size() > 1) found.resize(1);
        return found;
    };
    CHECK(problems(2, 100001) ==
          Names{"8:1: a sweep of 100001 items; at most 100000; At a thousandth of a second each it would take 2 "
                "minutes."});
    CHECK(problems(2, 2147483648) ==
          Names{"8:1: a sweep of 2147483648 items; at most 100000; At a thousandth of a second each it would take 25 "
                "days."});
    CHECK(problems(50000, 50001) == Names{"5:11: the study declares 100001 items by here; at most 100000"});
}

TEST_CASE("the most costly item or claim of a study that would take days is named") {
    const auto claimed = [](const std::string& formula, const std::string& last) {
        return told(
            "[quantity.v]\nkind = 'value'\nformula = '2'\n[quantity.dear]\nkind = 'value'\nformula = '" + formula +
            "'\n[quantity.w]\nkind = 'value'\nformula = '3'\n[[claim]]\nid = 'C'\nsays = 's'\nholds = \"all(n, 1, " +
            last + ", n > 0)\"\n");
    };
    CHECK(claimed("sum(i, 1, 1e6, i)", "10").empty());
    const auto quantity = claimed("sum(i, 1, 1e16, i)", "10");
    REQUIRE(quantity.size() == 1);
    CHECK(quantity[0].starts_with("4:11: the study would take about "));
    CHECK(quantity[0].find("'dear' alone") != std::string::npos);
    CHECK(quantity[0].ends_with("; at most 1e+14, a day's work"));
    // The first of several.
    const auto two = told(
        "[quantity.a]\nkind = 'value'\nformula = 'sum(i, 1, 1e16, i)'\n"
        "[quantity.b]\nkind = 'value'\nformula = 'sum(j, 1, 1e16, j)'\n");
    REQUIRE(two.size() == 1);
    CHECK(two[0].find("'a' alone") != std::string::npos);
    const auto claim = claimed("4", "1e16");
    REQUIRE(claim.size() == 1);
    CHECK(claim[0].starts_with("10:1: "));
    CHECK(claim[0].find("'C' alone") != std::string::npos);
}
