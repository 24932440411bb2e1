#include "core/json_keys.hpp"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

using nlohmann::json;

TEST_CASE("a key that occurs twice in an object is refused at any depth") {
    const auto parsed = [](const char* text) {
        return farfield::core::parse_with_keys_once<json>(text,
                                                          [](const std::string& key) { throw std::domain_error(key); });
    };
    for (const char* text : {R"({})", R"([1, {"a": 1}, {"a": 2}])", R"({"a": {"a": 1, "b": {"a": 2}}, "b": [3]})"})
        CHECK(parsed(text) == json::parse(text));
    CHECK_THROWS_WITH(parsed(R"({"a": 1, "b": 2, "a": 1})"), "a");
    CHECK_THROWS_WITH(parsed(R"({"a": {"b": 1, "b": 2}})"), "b");
    CHECK_THROWS_WITH(parsed(R"([{"a": {"a": 1}, "c": 2, "c": 3}])"), "c");
}
