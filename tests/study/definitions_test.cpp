// What the declarations of a study say of its results, through the quantities that they name.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <farfield/core/input_file.hpp>
#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/printer.hpp>

#include "formula/comparison.hpp"
#include "formula/form.hpp"
#include "study/body.hpp"
#include "study/definitions.hpp"
#include "study/study_support.hpp"

using namespace study_support;

namespace {

bool has(const std::vector<std::string>& facts, const std::string& text) {
    return std::find(facts.begin(), facts.end(), text) != facts.end();
}

/// A number as results.json holds it, of a field or as typed; nothing for null, for texts such as "inf" and for rows.
std::optional<double> number_of(const formula::Node& side, const nlohmann::json& values) {
    if (side->kind == formula::Kind::index) return std::nullopt;
    if (side->kind == formula::Kind::operation && side->op == formula::Op::floor) {
        const auto inside = number_of(side->children[0], values);
        return inside ? std::optional(std::floor(*inside)) : std::nullopt;
    }
    if (side->kind != formula::Kind::name) {
        evaluate::Environment fields;
        for (const std::string& name : formula::free_names(side)) {
            if (name == "inf") continue;
            const auto field = number_of(formula::make_name(name), values);
            if (!field) return std::nullopt;
            fields.values[name] = *field;
        }
        return evaluate::reference(side, fields);
    }
    const auto found = values.find(side->text);
    return found != values.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

const std::string row = "[quantity.row]\nkind = 'curve'\nformula = '1/(n + 1)'\ndistances = { to = 9 }\n";
const std::string fit = "[quantity.fit]\nkind = 'fit'\nof = 'row'\nmodel = 'a + b*n'\n";

}  // namespace

TEST_CASE("a quantity over another one knows the points of that one, in any order of the file") {
    const Folder folder;
    const std::string crossing = "[quantity.k]\nkind = 'crossing'\nof = 'fit'\nlevel = 0.5\n";
    for (const std::string& text : {row + fit + crossing, crossing + fit + row}) {
        const study::Study found = read(folder, text);
        study::Definitions definitions(found.body()->items, found.body()->schemes);
        CHECK(has(definitions.facts_of("fit"), "points == 10"));
        CHECK(has(definitions.facts_of("k"), "first >= 1 and first <= 9"));
        CHECK(definitions.facts_of("unknown").empty());
    }
}

TEST_CASE("keys on which no formula depends make no difference between quantities") {
    const Folder folder;
    const auto curve = [](const std::string& name, const std::string& scheme, const std::string& more) {
        return "[quantity." + name + "]\nkind = 'curve'\nscheme = '" + scheme +
               "'\nheads = 8\nhead = 1\ndistances = { to = 9 }\n" + more;
    };
    const auto fit_of = [](const std::string& name, const std::string& of) {
        return "[quantity." + name + "]\nkind = 'fit'\nof = '" + of + "'\nmodel = 'a + b*n'\n";
    };
    const study::Study found =
        read(folder, curve("a", "alibi", "train_length = 64\n") + curve("b", "alibi", "train_length = 128\n") +
                         curve("c", "alibi", "length = 64\nparams = { delta = 2 }\n") + fit_of("fa", "a") +
                         fit_of("fb", "b") + fit_of("fc", "c"));
    study::Definitions definitions(found.body()->items, found.body()->schemes);
    CHECK(definitions.settings_of("a") == definitions.settings_of("b"));
    CHECK(definitions.settings_of("a") != definitions.settings_of("c"));
    CHECK(definitions.settings_of("fa") == definitions.settings_of("fb"));
    CHECK(definitions.settings_of("fa") != definitions.settings_of("fc"));
}

TEST_CASE("only a reference stands for the settings of the quantity that it names") {
    const Folder folder;
    const auto curve = [](const std::string& name, const std::string& more) {
        return "[quantity." + name + "]\nkind = 'curve'\nscheme = 's'\ndistances = { to = 20 }\n" + more;
    };
    const auto crossing = [](const std::string& name, const std::string& of) {
        return "[quantity." + name + "]\nkind = 'crossing'\nof = '" + of + "'\ndirection = '" + of + "'\n";
    };
    const study::Study found =
        read(folder, "[scheme.s]\nbias = 'cos(n)'\n" + curve("up", "") + curve("down", "train_length = 30\n") +
                         crossing("a", "up") + crossing("b", "down"));
    study::Definitions definitions(found.body()->items, found.body()->schemes);
    CHECK(definitions.settings_of("up") == definitions.settings_of("down"));
    CHECK(definitions.settings_of("a") != definitions.settings_of("b"));
}

TEST_CASE("a param with the scheme's own value makes no difference") {
    const Folder folder;
    const auto curve = [](const std::string& name, const std::string& more) {
        return "[quantity." + name + "]\nkind = 'curve'\nscheme = 's'\ndistances = { to = 20 }\n" + more;
    };
    const study::Study found =
        read(folder, "[scheme.s]\nparams = { m = 2 }\nbias = '-m*n'\n" + curve("a", "") +
                         curve("b", "params = { m = 2.0 }\n") + curve("c", "sweep = { m = [2, 3] }\n"));
    study::Definitions definitions(found.body()->items, found.body()->schemes);
    CHECK(definitions.settings_of("a") == definitions.settings_of("b"));
    CHECK(definitions.settings_of("a") == definitions.settings_of("c[m=2]"));
    CHECK(definitions.settings_of("a") != definitions.settings_of("c[m=3]"));
}

TEST_CASE("digits of tables, and params with the names of a range's ends, make a difference") {
    const Folder folder;
    const auto table = [](const std::string& name, const std::string& cell) {
        return "[quantity." + name + "]\nkind = 'table'\nrows = ['r']\ncolumns = ['c']\ncells = [[" + cell + "]]\n";
    };
    CHECK_NOTHROW(read(folder, table("a", "5.50") + table("b", "5.5") +
                                   "[[claim]]\nid = 'A'\nsays = 's'\nholds = \"a['r','c'] < b['r','c'] + 1\"\n"));
    const auto curve = [](const std::string& name, const std::string& params) {
        return "[quantity." + name + "]\nkind = 'curve'\nscheme = 'w'\nparams = { " + params +
               " }\ndistances = { to = 9 }\n";
    };
    const std::string scheme = "[scheme.w]\nparams = { to = 5, step = 2 }\nbias = '-n*step/to'\n";
    CHECK_NOTHROW(read(folder, scheme + curve("a", "to = 7, step = 1") + curve("b", "to = 7")));
    CHECK_THROWS_AS(read(folder, scheme + curve("a", "to = 7") + curve("b", "to = 7.0")), core::UserError);
}

TEST_CASE("a value of --set may make two quantities the same") {
    const Folder folder;
    const std::string text =
        "[quantity.a]\nkind = 'value'\nformula = '2'\n[quantity.b]\nkind = 'value'\nformula = '3'\n"
        "[[claim]]\nid = 'A'\nsays = 's'\nholds = 'a < b'\n";
    study::Options options;
    options.set = {{"quantity.b.formula", "2"}};
    CHECK_NOTHROW(read(folder, text, options));
}

TEST_CASE("a claim that the declarations alone decide is refused") {
    const Folder folder;
    const auto claim = [&](const std::string& holds) {
        return row + fit + "[[claim]]\nid = 'A'\nsays = 's'\nholds = '" + holds + "'\n";
    };
    for (const char* holds : {"fit.points == 10", "row.argmax <= 9", "row.first == row[0]", "row.max >= row[3]"})
        CHECK_THROWS_AS(read(folder, claim(holds)), core::UserError);
    for (const char* holds : {"row.argmax == 0", "row.first > row[1]", "row.max > row[3]", "fit.a > 0"})
        CHECK_NOTHROW(read(folder, claim(holds)));
}

TEST_CASE("what the declarations of all studies state holds of their results on record") {
    std::vector<std::string> unreadable;
    std::size_t compared = 0;
    for (const study::Found& found : study::find_studies({FARFIELD_SOURCE "/studies"}, unreadable)) {
        const std::string record = FARFIELD_SOURCE "/results/" + found.name + "/results.json";
        if (!std::filesystem::exists(record)) continue;
        const nlohmann::json quantities = nlohmann::json::parse(core::read_file(record)).at("quantities");
        const study::Study study = study::read(found, {});
        study::Definitions definitions(study.body()->items, study.body()->schemes);
        for (const auto& [name, quantity] : quantities.items())
            for (const std::string& text : definitions.facts_of(name))
                for (const formula::Node& fact : formula::read_facts(text)) {
                    const auto left = number_of(fact->children[0], quantity.at("values"));
                    const auto right = number_of(fact->children[1], quantity.at("values"));
                    if (!left || !right) continue;
                    INFO(record << ": " << name << ": " << formula::print(fact) << ": " << *left << " and " << *right);
                    // Sums of shares and means of seeds may be beyond a bound by their roundings.
                    const bool has_room = fact->op == formula::Op::less_equal || fact->op == formula::Op::greater_equal;
                    const double room = has_room ? 1e-14 * std::max(std::fabs(*left), std::fabs(*right)) : 0;
                    CHECK((formula::compares(fact->op, *left, *right) ||
                           (has_room && std::fabs(*left - *right) <= room)));
                    ++compared;
                }
    }
    CHECK(unreadable.empty());
    CHECK(compared > 10'000);
}
