#include <farfield/core/keys.hpp>

#include <catch2/catch.hpp>

#include <farfield/core/error.hpp>
#include <string>
#include <vector>

using namespace farfield::core;

namespace {

Place place(const std::string& file, std::size_t line, std::size_t column) {
    return {file, line, column, 1, ""};
}

constexpr Key keys[] = {
    Key{.name = "flag", .type = KeyType::boolean, .meaning = "a switch"},
    Key{.name = "count",
        .type = KeyType::integer,
        .unit = "heads",
        .fallback = "8",
        .meaning = "how many",
        .least = 1,
        .most = 64},
    Key{.name = "share", .type = KeyType::number, .meaning = "of all", .least = 0, .most = 1},
    Key{.name = "name",
        .type = KeyType::text,
        .required = true,
        .meaning = "what it is called",
        .choices = "up|down|any"},
    Key{.name = "bias", .type = KeyType::formula, .meaning = "its formula"},
    Key{.name = "list", .type = KeyType::list, .meaning = "several"},
    Key{.name = "table", .type = KeyType::table, .meaning = "of names"},
    Key{.name = "all", .type = KeyType::any, .meaning = "whatever"},
};

using Data = decltype(Value::data);

Entries entries(const std::vector<std::pair<std::string, Data>>& given) {
    Entries result;
    for (const auto& [key, data] : given)
        result.list.push_back({key, place("f", 1, 1), Value{data, place("f", 2, 1), ""}});
    return result;
}

/// "found; wanted" of each problem, the name being given.
std::vector<std::string> problems(std::vector<std::pair<std::string, Data>> given, bool has_name = true) {
    if (has_name) given.emplace_back("name", std::string("up"));
    Problems list;
    check_keys(entries(given), {keys}, place("owner", 9, 1), list);
    std::vector<std::string> texts;
    for (const Diagnostic& each : list.list()) texts.push_back(each.found + "; " + each.wanted);
    return texts;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a value must have its key's type; otherwise both types are named") {
    const std::vector<std::pair<std::string, Data>> values = {{"a boolean", true}, {"an integer", 3LL},
                                                              {"a number", 0.5},   {"a text", std::string("up")},
                                                              {"a list", List()},  {"a table", Entries()}};
    // For each key the types, of those above, that it takes.
    const std::vector<std::tuple<std::string, std::string, std::string>> taken = {
        {"flag", "b", "true or false"},
        {"count", "i", "an integer, at least 1"},
        {"share", "n", "a number"},
        {"name", "t", "a text"},
        {"bias", "int", "a formula (a text or a number)"},
        {"list", "l", "a list"},
        {"table", "e", "a table"},
        {"all", "bintle", "a value"}};
    const std::string marks = "bintle";
    for (const auto& [key, types, wanted] : taken) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            INFO(key << " is " << values[i].first);
            const Texts found = problems({{key, values[i].second}}, key != "name");
            // An integer is a number: 3 is beyond the range of `share`.
            if (key == "share" && marks[i] == 'i')
                CHECK(found == Texts{"'share' is 3; at most 1"});
            else if (types.find(marks[i]) == std::string::npos)
                CHECK(found == Texts{"'" + key + "' is " + values[i].first + "; " + wanted});
            else if (marks[i] == 'e')
                CHECK(found == Texts{"'" + key + "' is empty; at least one value"});
            else
                CHECK(found.empty());
        }
    }
}

TEST_CASE("numbers are within their range, ends included") {
    CHECK(problems({{"count", 1LL}}).empty());
    CHECK(problems({{"count", 64LL}}).empty());
    CHECK(problems({{"count", 0LL}}) == Texts{"'count' is 0; at least 1"});
    CHECK(problems({{"count", 65LL}}) == Texts{"'count' is 65; at most 64"});
    CHECK(problems({{"share", 0.0}}).empty());
    CHECK(problems({{"share", 1.0}}).empty());
    CHECK(problems({{"share", -0.5}}) == Texts{"'share' is -0.5; at least 0"});
    CHECK(problems({{"share", 1.5}}) == Texts{"'share' is 1.5; at most 1"});
}

TEST_CASE("choices, unknown keys and missing keys are reported with the known ones") {
    Problems list;
    check_keys(entries({{"name", std::string("upp")}, {"cuont", 3LL}}), {keys}, place("owner", 9, 1), list);
    REQUIRE(list.size() == 2);
    CHECK(list.list()[0].found == "'name' cannot be 'upp'");
    CHECK(list.list()[0].hint == "known here: up, down, any. Did you mean 'up'?");
    CHECK(list.list()[1].found == "unknown key 'cuont'");
    CHECK(list.list()[1].hint == "known here: flag, count, share, name, bias, list, table, all. Did you mean 'count'?");
    Problems missing;
    check_keys(Entries(), {keys}, place("owner", 9, 1), missing);
    REQUIRE(missing.size() == 1);
    CHECK(missing.list()[0].found == "the key 'name' is missing");
    CHECK(missing.list()[0].wanted == "a text");
    CHECK(missing.list()[0].hint == "what it is called");
    CHECK(missing.list()[0].place.file == "owner");
}

TEST_CASE("readers return values of their type, and nothing else") {
    const Entries all = entries(
        {{"i", 3LL}, {"n", 0.5}, {"b", true}, {"t", std::string("x")}, {"l", List{Value{std::string("a"), {}, ""}}}});
    CHECK(read_number(all, "i") == 3);
    CHECK(read_number(all, "n") == 0.5);
    CHECK_FALSE(read_number(all, "t"));
    CHECK_FALSE(read_number(all, "gone"));
    CHECK(read_integer(all, "i") == 3);
    CHECK_FALSE(read_integer(all, "n"));
    CHECK(read_boolean(all, "b") == true);
    CHECK_FALSE(read_boolean(all, "i"));
    CHECK(read_text(all, "t") == "x");
    CHECK_FALSE(read_text(all, "n"));
    Problems list;
    CHECK(read_texts(all, "t", list) == Texts{"x"});
    CHECK(read_texts(all, "l", list) == Texts{"a"});
    CHECK(read_texts(all, "gone", list).empty());
    CHECK(list.empty());
    CHECK(read_texts(all, "n", list).empty());
    CHECK(list.list().at(0).found == "'n' is a number");
    read_texts(entries({{"l", List{Value{3LL, {}, ""}}}}), "l", list);
    CHECK(list.list().at(1).found == "'l' has an integer in it");
}

TEST_CASE("a value that is missing or of another type is replaced by the default of its row") {
    static constexpr Key rows[] = {
        Key{.name = "flag", .type = KeyType::boolean, .fallback = "true"},
        Key{.name = "count", .type = KeyType::integer, .fallback = "8"},
        Key{.name = "share", .type = KeyType::number, .fallback = "1e-3"},
        Key{.name = "name", .type = KeyType::text, .fallback = "auto"},
        Key{.name = "width", .type = KeyType::integer, .fallback = "4 width"},
        Key{.name = "yes", .type = KeyType::boolean, .fallback = "yes"},
        Key{.name = "length", .type = KeyType::integer, .required = true},
    };
    const Entries none, wrong = entries({{"flag", 1LL}, {"count", -3LL}, {"share", true}, {"name", 2LL}});
    for (const Entries* given : {&none, &wrong}) {
        const Settings values(*given, rows);
        CHECK(values.boolean("flag"));
        CHECK(values.count("count") == 8);
        CHECK(values.number("share") == 1e-3);
        CHECK(values.text("name") == "auto");
    }
    CHECK(Settings(wrong, rows).integer("count") == -3);
    const Entries all = entries({{"flag", false}, {"count", 3LL}, {"share", 0.5}, {"name", std::string("x")}});
    const Settings values(all, rows);
    CHECK_FALSE(values.boolean("flag"));
    CHECK(values.integer("count") == 3);
    CHECK(values.count("count") == 3);
    CHECK(values.number("share") == 0.5);
    CHECK(values.text("name") == "x");
    CHECK_THROWS_AS(values.integer("width"), farfield::core::PreconditionError);
    CHECK_THROWS_AS(values.boolean("yes"), farfield::core::PreconditionError);
    CHECK_THROWS_AS(values.integer("length"), farfield::core::PreconditionError);
    CHECK_THROWS_AS(values.integer("share"), farfield::core::PreconditionError);
    CHECK_THROWS_AS(values.number("gone"), farfield::core::PreconditionError);
}

TEST_CASE("the page of keys has a line for each") {
    const std::string page = document_keys(keys);
    CHECK(page.starts_with("| key | type | unit | default | meaning |\n| --- | --- | --- | --- | --- |\n"));
    CHECK(page.find("| `count` | an integer | heads | 8 | how many |\n") != std::string::npos);
    CHECK(page.find("| `name` | a text |  | required | what it is called (up, down, any) |\n") != std::string::npos);
    const Key axes[] = {Key{.name = "axis", .type = KeyType::text, .meaning = "which", .choices = "x|y|z"}};
    CHECK(document_keys(axes).find("| which (x, y, z) |\n") != std::string::npos);
}

// The nearest absent key is meant: 'cuont' is 'count' with two letters swapped, 'nmae' is 'name'.
TEST_CASE("a misspelling of a required key is one problem, at the misspelling") {
    Problems list;
    check_keys(entries({{"nmae", std::string("up")}}), {keys}, place("owner", 9, 1), list);
    REQUIRE(list.size() == 1);
    CHECK(list.list()[0].found == "unknown key 'nmae'");
    CHECK(list.list()[0].place.file == "f");
    CHECK(list.list()[0].hint.ends_with("Did you mean 'name'?"));
    CHECK(problems({{"other", true}}, false) == Texts{"unknown key 'other'; ", "the key 'name' is missing; a text"});
}

TEST_CASE("a key that is already given is not suggested for an unknown one while another is near") {
    // 'al' is one edit from 'all', which is there, and far from the others; 'list' and 'lits' are one swap apart.
    const Entries given = entries({{"al", true}, {"all", true}, {"lits", List()}, {"list", List()}});
    const std::vector<std::string> absent = absent_keys(given, {keys});
    CHECK(absent == Texts{"name", "flag", "count", "share", "bias", "table"});  // `name` is required
    for (const char* key : {"al", "all", "lits"}) CHECK(misspelt_key(key, {keys}, absent).empty());
    CHECK(misspelt_key("lits", {keys}, absent_keys({}, {keys})) == "list");
    Problems list;
    check_keys(given, {keys}, place("owner", 9, 1), list);
    CHECK(list.list()[0].hint.ends_with("Did you mean 'all'?"));
}

TEST_CASE("a misspelt key is corrected if its value has the right type") {
    Problems list;
    Entries given = entries({{"cuont", 3LL}, {"lits", true}, {"something", true}});
    correct_keys(given, {keys}, list);
    CHECK(given.list[0].key == "count");
    CHECK(given.list[1].key == "lits");
    CHECK(given.list[2].key == "something");
    REQUIRE(list.size() == 1);
    CHECK(list.list()[0].found == "unknown key 'cuont'");
    CHECK(corrected(entries({{"cuont", 3LL}}), {keys}, list).list[0].key == "count");
}
