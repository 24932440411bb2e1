// A results.json as the recheck reads it: the questions, the results and the claims.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recheck/tree.hpp"

namespace farfield::recheck {

/// A text with a name.
using Facts = std::map<std::string, std::string, std::less<>>;

/// A recorded quantity.
struct Quantity {
    std::string name;
    std::string kind;
    Facts facts;  ///< its evidence
    Facts notes;
    std::map<std::string, std::optional<double>, std::less<>> values;  ///< empty: the value does not exist
    std::map<std::string, std::pair<double, double>, std::less<>> enclosures;
    std::vector<std::string> rows;  ///< of a table
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> printed;  ///< cells as printed; "" without a number

    /// The text of a fact; null if it is missing.
    const std::string* fact(std::string_view key) const;
    /// Likewise; throws Unprovable if it is missing.
    const std::string& needed(std::string_view key) const;
    /// The formula under `key` with every name substituted, or the setting of that name with its `let` and `params`
    /// substituted.
    Node formula(const std::string& key) const;
};

struct Reading {
    std::string name;
    std::string holds;
    std::string verdict;
    bool is_certified = false;
    bool is_extra = false;
    bool covers_part = false;
    std::vector<std::pair<std::string, std::string>> given;
};

struct Claim {
    std::string id;
    std::string verdict;
    bool is_certified = false;
    std::vector<Reading> readings;
};

struct Results {
    std::string study;
    std::map<std::string, Quantity, std::less<>> quantities;
    std::vector<Claim> claims;
};

/// Throws Unprovable if the text is not a results.json.
Results read_results(const std::string& json);

}  // namespace farfield::recheck
