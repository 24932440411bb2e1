// What a study says of itself: its description, the formulas and settings in its record, the course of a run.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

#include <farfield/core/error.hpp>

#include <farfield/formula/parser.hpp>

#include "quantity/work.hpp"
#include "study/asked.hpp"
#include "study/body.hpp"
#include "study/cache.hpp"
#include "study/result_bytes.hpp"
#include "study/study_support.hpp"

using namespace study_support;
using Names = std::vector<std::string>;

namespace {

const std::string training =
    "[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
    "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n"
    "[train.u]\nmodel = 'm'\nscheme = 'nope'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n";

std::string problem(const std::function<void()>& act) {
    try {
        act();
    } catch (const core::UserError& error) {
        std::string told;
        for (const core::Diagnostic& each : error.diagnostics())
            told += (told.empty() ? "" : "\n") + each.found + "; " + each.wanted + "; " + each.hint;
        return told;
    }
    return "";
}

}  // namespace

TEST_CASE("a description lists all that a study declares") {
    const Folder folder;
    const std::string text =
        "[study]\ntitle = 'Title'\nsource = 'Paper'\ndoc = 'Words.'\n"
        "[scheme.line]\nparams = { m = 1 }\nlet = { t = '2*n' }\nbias = '-m*t'\nmask = 'n < 9'\n"
        "[quantity.row]\nkind = 'curve'\nscheme = 'line'\ndistances = { to = 9 }\n"
        "[quantity.r]\nkind = 'resolution'\nof = 'row'\nN = 4\n"
        "[figure.f]\nkind = 'lines'\nseries = 'row'\nsource = 'own'\n"
        "[[claim]]\nid = 'A'\nsays = 'a'\nexpect = 'confirmed'\nholds = 'r.R > 0'\n"
        "[[claim]]\nid = 'B'\nsays = 'b'\nholds = 'r.R > 0'\n";
    const std::string told = study::describe(read(folder, text));
    CHECK(
        told.starts_with("Title\nsource: Paper\nWords.\n\nquantities, in the order of their computation\n"
                         "  row                      curve            about "));
    CHECK(told.find(" operations\n  r                        resolution       about ") != std::string::npos);
    CHECK(told.find(" operations; reads row\n  in all about ") != std::string::npos);
    CHECK(
        told.ends_with("\nformulas\n  scheme.line.let.t = 2*n\n  scheme.line.bias = -m*t\n  scheme.line.mask = n < 9\n"
                       "\nfigures\n  f: own\n\nclaims\n  A (confirmed): a\n  B (no verdict on record): b\n"));
    CHECK(study::describe(
              read(folder, "[quantity.v]\nkind = 'value'\nformula = '2'\n[figure.f]\nkind = 'lines'\nseries = 'v'\n"))
              .ends_with("\nfigures\n  f\n"));
}

TEST_CASE("a description states which trainings a measured item needs, and which items wait") {
    const Folder folder;
    const std::string text = training +
                             "[quantity.p]\nkind = 'perplexity'\nof = 't'\nlengths = [8]\n"
                             "[quantity.s]\nkind = 'timing'\nof = 't'\nagainst = 'u'\nlengths = [8]\n"
                             "[[claim]]\nid = 'P'\nsays = 's'\nholds = 'p.nll[8] > 0'\n";
    const std::string named = study::describe(read(folder, text));
    CHECK(named.find("  p                        perplexity       trains t\n") != std::string::npos);
    CHECK(named.find("  s                        timing           settings of t, u\n") != std::string::npos);
    CHECK(named.find("in all about") == std::string::npos);
    const study::Study found = study::read({folder.path("s.toml"), "s", false}, {});
    const std::string waits = study::describe(found);
    CHECK(waits.find("  p                        perplexity       waits for training\n") != std::string::npos);
    CHECK(waits.find("  s                        timing           waits for training\n") != std::string::npos);
    const auto record = study::run(found, {});
    CHECK(record.claims.at(0).readings.at(0).explain.find("'p' is of kind perplexity") != std::string::npos);
}

TEST_CASE("a record has each formula of the requested quantities once") {
    const std::string text =
        "[scheme.all]\nparams = { m = 1 }\nlet = { t = '2*n', u = 't' }\nbias = '-m*u'\nmask = 'n < 9'\ntemperature = "
        "'3'\n"
        "rotate = { angle = 'p', scale = '2^p' }\n"
        "[quantity.a]\nkind = 'curve'\nscheme = 'all'\ndistances = { to = 9 }\n"
        "[quantity.b]\nkind = 'curve'\nformula = '-m*n'\nparams = { m = 0 }\ndistances = { to = 9 }\nsweep = { m = [1, "
        "2] }\n"
        "[quantity.c]\nkind = 'fit'\nof = 'b[m=1]'\nmodel = 'k*n'\n"
        "[quantity.d]\nkind = 'identity'\nleft = 'x + 1'\nright = '1 + x'\nover = { x = [0, 1] }\n";
    const auto formulas = [&](const Names& only) {
        study::Options options;
        options.only = only;
        Names found;
        for (const core::FormulaRecord& each : run(text, options).formulas) {
            CHECK(each.mathml.find("<math") != std::string::npos);
            found.push_back(each.where + " = " + each.text);
        }
        return found;
    };
    CHECK(formulas({"a"}) == Names{"scheme.all.let.t = 2*n", "scheme.all.let.u = t", "scheme.all.rotate.angle = p",
                                   "scheme.all.rotate.scale = 2^p", "scheme.all.bias = -m*u", "scheme.all.mask = n < 9",
                                   "scheme.all.temperature = 3"});
    CHECK(formulas({"b", "c"}) == Names{"quantity.b.formula = -m*n", "quantity.c.model = k*n"});
    CHECK(formulas({"d"}) == Names{"quantity.d.left = x + 1", "quantity.d.right = 1 + x"});
}

TEST_CASE("evidence has every setting but kind and doc, each part by its own name") {
    const auto facts = [](core::Entries entries) {
        Names found;
        for (const auto& [name, text] : study::asked_of(entries).facts) found.push_back(name + " = " + text);
        return found;
    };
    const auto entries = [](const std::string& toml) {
        const Folder folder;
        return read(folder, "[study]\n[quantity.q]\nkind = 'value'\n" + toml).body()->items.at(0).settings;
    };
    CHECK(facts(entries("formula = 'w + v'\ndoc = 'words'\nparams = { w = 1e3, v = -2 }\n")) ==
          Names{"setting.formula = w + v", "setting.params.w = 1e3", "setting.params.v = -2"});
    const core::Value text{std::string("t"), {}, {}};
    const core::Value yes{true, {}, {}};
    const core::Value no{false, {}, {}};
    const core::Value silent{1.5, {}, {}};
    const core::Value list{core::List{text, no}, {}, {}};
    const core::Value nested{core::List{text, list}, {}, {}};
    CHECK(facts({{{"a", {}, yes},
                  {"b", {}, list},
                  {"c", {}, nested},
                  {"kind", {}, text},
                  {"doc", {}, text},
                  {"d", {}, silent}}}) == Names{"setting.a = true", "setting.b.0 = t", "setting.b.1 = false"});
}

TEST_CASE("paths that lead to no study are reported with the nearest name") {
    const Folder folder;
    folder.write("empty/notes.txt", "[study]\n");
    folder.write("some/alpha.toml", "  \t[study]\n");
    folder.write("some/deep/b.toml", "x = 1\n[[claim]]\n");
    folder.write("some/data.toml", "x = '[study]'\n# [quantity.x]\n");
    folder.write("some/long.toml", std::string(300, 'x') + "[study]\n" + std::string(1 << 16, ' ') + "[quantity.v]\n");
    folder.write("some/last.toml", std::string(1 << 17, '\n') + "[quantity.v]");
    const auto found = [&](const Names& paths) {
        Names unreadable, names;
        for (const study::Found& each : study::find_studies(paths, unreadable)) {
            names.push_back(each.name);
            CHECK(each.named == (std::count(paths.begin(), paths.end(), each.file) == 1));
        }
        CHECK(unreadable.empty());
        return names;
    };
    CHECK(found({folder.path("some")}) == Names{"some/alpha", "deep/b", "some/last"});
    CHECK(problem([&] { found({folder.path("empty")}); }) ==
          "the folder has no study; a .toml file with [study] in it; ");
    CHECK(problem([&] { found({folder.path("some/alpa.toml")}); }) ==
          "there is no such file or folder; ; Did you mean 'alpha.toml'?");
    folder.write("other/alpha.toml", "[study]\n");
    CHECK(problem([&] {
              found({folder.path("some/alpha.toml"), folder.path("other/alpha.toml")});
          }) == "a second study named 'alpha'; one study a name; The first is " + folder.path("some/alpha.toml") +
                    "; run them apart, with a folder each (-o).");
    std::filesystem::create_symlink(folder.path("some"), folder.path("some/again.toml"));
    CHECK(found({folder.path("some")}).size() == 3);
    std::filesystem::create_symlink(folder.path("other/alpha.toml"), folder.path("some/link.toml"));
    CHECK(found({folder.path("some")}).size() == 4);
    Names unreadable;
    CHECK(study::find_studies({folder.path(std::string(300, 'x'))}, unreadable).empty());
    REQUIRE(unreadable.size() == 1);
    CHECK(unreadable[0] == "reading '" + folder.path(std::string(300, 'x')) + "': File name too long");
}

TEST_CASE("ids and names are looked up over all studies of a run") {
    const Folder folder;
    const std::string text =
        "[quantity.v]\nkind = 'value'\nsweep = { formula = ['2'] }\n"
        "[[claim]]\nid = 'A'\nsays = 's'\nholds = '1 < 2'\n[figure.f]\nkind = 'lines'\nseries = 'v'\n";
    folder.write("one/a.toml", text);
    folder.write("one/b.toml", "[quantity.w]\nkind = 'value'\nformula = '2'\n");
    folder.write("two/c.toml", text);
    const auto all = [&](const Names& paths, const Names& only = {}) {
        Names unreadable;
        study::Options options;
        options.only = only;
        return study::read_all(paths, options, unreadable);
    };
    const auto studies = all({folder.path("one")});
    REQUIRE(studies.size() == 2);
    CHECK(studies[0].name() == "one/a");
    CHECK(studies[0].file() == folder.path("one/a.toml"));
    CHECK(studies[0].names() == Names{"A", "f", "v", "v[formula=2]"});
    CHECK(studies[1].names() == Names{"w"});
    for (const char* each : {"A", "f", "v", "v[formula=2]", "w"}) CHECK(all({folder.path("one")}, {each}).size() == 2);
    CHECK(problem([&] {
              all({folder.path("one")}, {"v[formula=3]"});
          }).starts_with("--only: nothing is named 'v[formula=3]'; "));
    CHECK(problem([&] {
              all({folder.path("one"), folder.path("two")});
          }) ==
          "a second claim with the id 'A'; ids unique over a run; The first is " + folder.path("one/a.toml") + ":4.");
}

TEST_CASE("the cache is the user's") {
    const auto with = [](const char* base, const char* home) {
        const auto set = [](const char* name, const char* to) { to ? ::setenv(name, to, 1) : ::unsetenv(name); };
        const auto get = [](const char* name) {
            const char* found = std::getenv(name);
            return std::pair(found != nullptr, std::string(found ? found : ""));
        };
        const auto old_base = get("XDG_CACHE_HOME"), old_home = get("HOME");
        set("XDG_CACHE_HOME", base);
        set("HOME", home);
        const std::string found = study::default_cache();
        set("XDG_CACHE_HOME", old_base.first ? old_base.second.c_str() : nullptr);
        set("HOME", old_home.first ? old_home.second.c_str() : nullptr);
        return found;
    };
    CHECK(with("/c", "/h") == "/c/farfield");
    CHECK(with("c", "/h") == "/h/.cache/farfield");  // not an absolute path
    CHECK(with("", "/h") == "/h/.cache/farfield");
    CHECK(with(nullptr, "/h") == "/h/.cache/farfield");
    CHECK(with(nullptr, "").empty());
    CHECK(with(nullptr, nullptr).empty());
}

TEST_CASE("a result's key depends on its settings, its scheme, its files and its dependencies") {
    const Folder folder;
    const auto key = [&](const std::string& text, const Names& needs = {}) {
        const auto body = read(folder, text).body();
        return study::cache_key(*body, body->items.back(), needs);
    };
    const std::string other = "[quantity.o]\nkind = 'curve'\nscheme = 'other'\ndistances = { to = 9 }\n";
    const std::string scheme = "[scheme.line]\nbias = '-n'\n[scheme.other]\nbias = '-3*n'\n" + other;
    const std::string row = "[quantity.v]\nkind = 'curve'\nscheme = 'line'\ndistances = { to = 9 }\n";
    const std::string first = key(scheme + row);
    CHECK(first.size() == 64);
    CHECK(first == key(scheme + row));
    CHECK(first == key("[study]\ntitle = 'x'\n" + scheme + row));
    CHECK(first == key("[scheme.line]\nbias = '-n'\n[scheme.other]\nbias = '-4*n'\n" + other + row));
    CHECK(first != key("[scheme.line]\nbias = '-2*n'\n[scheme.other]\nbias = '-3*n'\n" + other + row));
    CHECK(first != key(scheme + "[quantity.w]\nkind = 'curve'\nscheme = 'line'\ndistances = { to = 9 }\n"));
    CHECK(first != key(scheme + row + "enclosures = 'never'\n"));
    CHECK(first != key(scheme + row, {"a"}));
    CHECK(key(scheme + row, {"a", "b"}) != key(scheme + row, {"b", "a"}));
    const std::string table = "[quantity.t]\nkind = 'table'\nfile = 'x.toml'\n";
    folder.write("x.toml", "[table]\ncolumns = ['a']\nrows = [['r', '1']]\n");
    const auto of_file = [&] {
        core::Entries settings{{{"file", {}, {std::string("x.toml"), {}, {}}}}};
        const auto body = read(folder, "[quantity.v]\nkind = 'value'\nformula = '2'\n").body();
        study::Item item;
        item.name = "v";
        item.settings = settings;
        return study::cache_key(*body, item, {});
    };
    const std::string before = of_file();
    CHECK(before == of_file());
    folder.write("x.toml", "changed");
    CHECK(before != of_file());
}

TEST_CASE("a canonical text distinguishes different values") {
    const auto canonical = [](const core::Value& value) { return study::canonical(core::Entries{{{"k", {}, value}}}); };
    const auto text = [](const std::string& of) { return core::Value{of, {}, {}}; };
    CHECK(canonical(text("a")) == "{1:k=t1:a,}");
    CHECK(canonical({true, {}, {}}) == "{1:k=true,}");
    CHECK(canonical({false, {}, {}}) == "{1:k=false,}");
    CHECK(canonical({2LL, {}, "2"}) == "{1:k=n1:2,}");
    CHECK(canonical({2LL, {}, {}}) == "{1:k=n8:2.000000,}");
    CHECK(canonical({core::List{text("a"), text("b")}, {}, {}}) == "{1:k=[t1:a,t1:b,],}");
    CHECK(canonical({core::Entries{{{"a", {}, text("b")}}}, {}, {}}) == "{1:k={1:a=t1:b,},}");
}

TEST_CASE("a stored result is found only by its key, and a damaged one is not used") {
    const Folder folder;
    core::Result result;
    result.name = "x";
    const std::string key(64, 'a');
    CHECK_FALSE(study::load(folder.path(), key));
    study::store(folder.path(), key, result);
    CHECK(std::filesystem::exists(folder.path("quantities/aa/" + key)));
    CHECK(study::load(folder.path(), key)->name == "x");
    CHECK_FALSE(study::load(folder.path(), std::string(64, 'b')));
    folder.write("quantities/aa/" + key, "damaged");
    CHECK_FALSE(study::load(folder.path(), key));
    CHECK_NOTHROW(study::store("/proc/none", key, result));
}

TEST_CASE("bytes of a result with anything else after, before or within them are not a result") {
    core::Result result;
    result.name = "x";
    result.set("v", core::Cell::of(1));
    const std::string bytes = study::to_bytes(result);
    REQUIRE(study::from_bytes(bytes));
    CHECK_FALSE(study::from_bytes(bytes + '\0'));
    CHECK_FALSE(study::from_bytes("x" + bytes));
    CHECK_FALSE(study::from_bytes(""));
    // The rigour of the cell is the byte before two empty texts, three empty lists and two flags that are not set.
    std::string changed = bytes;
    const std::size_t at = bytes.size() - 2 - 3 * 8 - 2 * 8 - 1;
    REQUIRE(changed[at] == static_cast<char>(core::Rigour::none));
    changed[at] = static_cast<char>(static_cast<char>(core::Rigour::exact) + 1);
    CHECK_FALSE(study::from_bytes(changed));
    changed[at] = static_cast<char>(core::Rigour::exact);
    CHECK(study::from_bytes(changed));
    // A count beyond the rest of the file is refused before anything of that size is made.
    for (std::size_t from = 0; from + 8 <= bytes.size(); ++from) {
        std::string huge = bytes;
        for (std::size_t i = from; i < from + 8; ++i) huge[i] = '\x7f';
        CHECK_NOTHROW(study::from_bytes(huge));
    }
}

TEST_CASE("a run reports its progress: each quantity before it begins, in operations of the whole") {
    const Folder folder;
    struct Told {
        std::string item;
        double done;
        double total;
    };
    std::vector<Told> told;
    Names finished;
    study::Options options;
    options.progress = [&](const std::string& item, double done, double total) { told.push_back({item, done, total}); };
    options.finished = [&](const core::Result& result) { finished.push_back(result.name); };
    const auto study = read(folder,
                            "[quantity.a]\nkind = 'curve'\nformula = '-n'\ndistances = { to = 9 }\n"
                            "[quantity.b]\nkind = 'value'\nformula = 'sum(i, 1, 2e5, sin(i))'\n"
                            "[[claim]]\nid = 'C'\nsays = 's'\nholds = 'all(n, 1, 4000000, sin(n) < 2)'\n",
                            options);
    const auto record = study::run(study, options);
    CHECK(finished == Names{"a", "b"});
    REQUIRE(told.size() >= 3);
    const double cost_a = study.body()->items[0].prepared->cost() + 1;
    const double cost_b = study.body()->items[1].prepared->cost() + 1;
    CHECK(told.front().item == "a");
    CHECK(told.front().done == 0);
    // The claim's condition is part of the whole from the start.
    const double cost_c = quantity::operations(formula::parse("all(n, 1, 4000000, sin(n) < 2)"));
    CHECK(cost_c > 4000000);
    CHECK(told.front().total == cost_a + cost_b + cost_c);
    bool is_claim = false, is_b = false;
    double before = 0;
    for (const Told& each : told) {
        INFO(each.item << " " << each.done << " of " << each.total);
        if (each.item == "b" && !is_b) CHECK(each.done == cost_a);
        is_b = is_b || each.item == "b";
        CHECK(each.total == told.front().total);
        if (each.item == "claim C") CHECK(each.done >= cost_a + cost_b);
        is_claim = is_claim || each.item == "claim C";
        CHECK(each.done >= before);
        CHECK(each.done <= each.total);
        before = each.done;
    }
    CHECK(is_b);
    CHECK(is_claim);
    CHECK(record.claims.at(0).verdict == core::Verdict::confirmed);
    CHECK(record.seconds > 0);
    CHECK(record.training_seconds == 0);
}

TEST_CASE("progress does not go back after a quick claim, nor beyond the whole when claims cost more than it seemed") {
    struct Told {
        double done;
        double total;
    };
    std::map<std::string, std::vector<Told>> told;
    study::Options options;
    options.progress = [&](const std::string& item, double done, double total) { told[item].push_back({done, total}); };
    const std::string quick = "all(n, 1, 100000, n > 0)";
    // What the last claim takes is known once 'v' is.
    run("[quantity.v]\nkind = 'value'\nformula = '2'\n"
        "[[claim]]\nid = 'Q'\nsays = 's'\nholds = '" +
            quick +
            "'\n[[claim]]\nid = 'L'\nsays = 's'\nholds = 'all(n, 1, 32000000, sin(n) < 2)'\n"
            "[[claim]]\nid = 'V'\nsays = 's'\nholds = 'all(n, 1, v*16000000, sin(n) < 2)'\n",
        options);
    const double of_quick = quantity::operations(formula::parse(quick));
    REQUIRE(told["claim L"].size() > 1);
    REQUIRE(told["claim V"].size() > 1);
    CHECK(told["claim L"].front().done >= told["v"].front().done + of_quick);
    CHECK(told["claim V"].front().done >= of_quick + 4000000);
    for (const auto& [item, all] : told) {
        INFO(item);
        for (const Told& each : all) CHECK(each.done <= each.total);
    }
    CHECK(told["claim V"].back().total >= of_quick + 2 * 4000000);
}

TEST_CASE("a run whose claims exceed the work limit reports the claim") {
    const auto record =
        run("[quantity.v]\nkind = 'value'\nformula = '2'\n"
            "[[claim]]\nid = 'C'\nsays = 's'\nholds = 'all(n, 1, v*10^15, n > 0)'\n");
    REQUIRE(record.failed.size() == 1);
    const core::Diagnostic& problem = record.failed[0].diagnostics.at(0);
    CHECK(problem.found.starts_with("the claim 'C' would take about "));
    CHECK(problem.wanted == "at most 1e+14 with the rest of the study");
    CHECK(problem.place.line == 4);
}

TEST_CASE("a claim that cannot be judged reports what is missing, not the cost of judging it") {
    const auto claim = [](const std::string& condition) {
        return "[quantity.v]\nkind = 'value'\nformula = '2'\n[[claim]]\nid = 'C'\nsays = 's'\n"
               "holds = 'all(n, 1, v*10^15, n > 0) and " +
               condition + "'\n";
    };
    const std::string measured =
        "[quantity.p]\nkind = 'perplexity'\nof = 'w'\nlengths = [8]\n" + claim("p.nll[8] < 0.1");
    const std::string trained = "[train.w]\nmodel = 'm'\nscheme = 'nope'\nlength = 8\nsteps = 2\n";
    const auto failing =
        run("[quantity.row]\nkind = 'curve'\nformula = 'log(3 - n)'\ndistances = { to = 9 }\n" + claim("row[1] < 0"));
    REQUIRE(failing.failed.size() == 1);
    CHECK(failing.failed[0].name == "row");
    CHECK(failing.claims.at(0).readings.at(0).explain.starts_with("needs 'row', which failed: "));
    const auto lacking = run("[corpus.d]\nfiles = ['none.txt']\n" + training + trained + "corpus = 'd'\n" + measured);
    CHECK(lacking.failed.empty());
    CHECK(lacking.claims.at(0).verdict == core::Verdict::missing);
    const Folder folder;
    folder.write("s.toml", training + trained + "corpus = 'c'\n" + measured);
    const auto waiting = study::run(study::read({folder.path("s.toml"), "s", false}, {}), {});
    CHECK(waiting.failed.empty());
    CHECK(waiting.claims.at(0).verdict == core::Verdict::skipped);
}

TEST_CASE("a claim adds the operations of its condition to the whole") {
    const auto total = [](const std::string& claims) {
        double whole = 0;
        study::Options options;
        options.progress = [&](const std::string&, double, double all) { whole = all; };
        run("[quantity.v]\nkind = 'value'\nformula = '2'\n" + claims, options);
        return whole;
    };
    const std::string condition = "all(n, 1, 1000, sin(n) < 2)";
    const auto claim = [&](const std::string& id) {
        return "[[claim]]\nid = '" + id + "'\nsays = '" + id + "'\nholds = '" + condition + "'\n";
    };
    const double one = quantity::operations(formula::parse(condition));
    CHECK(one > 1000);
    CHECK(total(claim("A")) == total("") + one);
    CHECK(total(claim("A") + claim("B")) == total("") + 2 * one);
}

TEST_CASE("a result that reads two trainings has the scale of both, each once") {
    const auto record =
        run("[corpus.c]\nbuiltin = 'urn'\nsymbols = 4\n[model.m]\nlayers = 1\nheads = 1\nwidth = 8\n"
            "[model.n]\nlayers = 2\nheads = 2\nwidth = 16\n"
            "[train.t]\nmodel = 'm'\nscheme = 'alibi'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n"
            "[train.u]\nmodel = 'n'\nscheme = 'nope'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\nseeds = [0, 1]\n"
            "[quantity.one]\nkind = 'timing'\nof = 't'\nlengths = [8]\nrepeats = 1\n"
            "[train.s]\nmodel = 'm'\nscheme = 'nope'\ncorpus = 'c'\nlength = 8\nbatch = 2\nsteps = 2\n"
            "[quantity.same]\nkind = 'timing'\nof = 't'\nagainst = 's'\nlengths = [8]\nrepeats = 1\n"
            "[quantity.two]\nkind = 'timing'\nof = 't'\nagainst = 'u'\nlengths = [8]\nrepeats = 1\n"
            "[quantity.v]\nkind = 'value'\nformula = '2'\n");
    CHECK(find(record, "one")->scale == "1 layer, width 8, 1 seed");
    CHECK(find(record, "same")->scale == "1 layer, width 8, 1 seed");
    CHECK(find(record, "two")->scale == "1 layer, width 8, 1 seed; 2 layers, width 16, 2 seeds");
    CHECK(find(record, "v")->scale.empty());
    CHECK_FALSE(find(record, "one")->find("ratio[8]"));
    CHECK(find(record, "same")->find("ratio[8]"));
    CHECK(find(record, "two")->find("ratio[8]"));
    CHECK(record.training_seconds == 0);  // settings alone are needed
}

TEST_CASE("a cycle's path has only its members, and dependencies keep the order of the file where possible") {
    const auto value = [](const std::string& name, const std::string& of) {
        return "[quantity." + name + "]\nkind = 'resolution'\nof = '" + of + "'\nN = 4\n";
    };
    const Folder folder;
    CHECK(problem([&] {
              read(folder, "[quantity.first]\nkind = 'resolution'\nof = 'a'\nN = 5\n" + value("a", "b") +
                               value("b", "c") + value("c", "a"));
          }) == "quantities need each other: a -> b -> c -> a; an order in which each can be computed; ");
    CHECK(problem([&] { read(folder, value("a", "a")); }) == "quantity 'a' is of itself; ; ");
    const auto curved = [](const std::string& formula) {
        return "kind = 'curve'\nformula = '" + formula + "'\ndistances = { to = 9 }\n";
    };
    const auto record = run("[quantity.z]\n" + curved("-n") + value("b", "y") + "[quantity.x]\n" + curved("-2*n") +
                            "[quantity.y]\n" + curved("-3*n") + value("a", "z"));
    CHECK(names_of(record) == Names{"z", "y", "b", "x", "a"});
}

TEST_CASE("a missing or failed quantity is reported for each item that needs it") {
    const auto record =
        run("[quantity.row]\nkind = 'curve'\nformula = 'log(3 - n)'\ndistances = { to = 9 }\n"
            "[quantity.line]\nkind = 'fit'\nof = 'row'\nmodel = 'a*n'\n"
            "[quantity.v]\nkind = 'value'\nformula = '2'\n"
            "[[claim]]\nid = 'A'\nsays = 's'\nholds = 'row[1] < 0'\n"
            "[[claim]]\nid = 'B'\nsays = 's'\nholds = 'line.a < row[1]'\n"
            "[[claim]]\nid = 'C'\nsays = 's'\nholds = 'v == 2'\n");
    REQUIRE(record.claims.size() == 3);
    const std::string why = "which failed: the formula has no value (NaN) at n = 4";
    CHECK(record.claims[0].readings[0].explain == "needs 'row', " + why);
    CHECK(record.claims[1].readings[0].explain.ends_with(why));
    CHECK(record.claims[2].verdict == core::Verdict::confirmed);
    CHECK_FALSE(record.interrupted);
    CHECK(record.missing.empty());
}
