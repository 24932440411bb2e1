// Keys of a configuration by their paths, with checks of their values.
#pragma once

#include <farfield/doctor/doctor.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/value.hpp"

namespace farfield::doctor {

/// A key that exists and is not null.
struct Found {
    const Member* member = nullptr;
    std::string path;  ///< its name in messages

    explicit operator bool() const { return member != nullptr; }
    const Value& value() const { return member->value; }
};

class Lookup {
public:
    Lookup(const Document& document, const Value& root, std::string prefix)
        : document_(document), root_(root), prefix_(std::move(prefix)) {}

    /// By the path from the root: "rope_scaling/factor".
    Found find(std::string_view path);
    /// The first of the paths that exists.
    Found first(const std::vector<std::string>& paths);
    /// The number of the key. Reports a finding and returns nothing for a value of another type, or one that is not at
    /// least `least` (`above`: larger than it).
    std::optional<double> number(const Found& found, double least = 0, bool above = true);
    std::optional<long long> integer(const Found& found, long long least = 1);
    std::optional<bool> boolean(const Found& found);
    std::optional<std::string> text(const Found& found);
    /// Whether the key has a list; reports a finding for a value of another type.
    bool list(const Found& found);

    void add(Finding finding);
    Finding finding(std::string id, Severity severity, const Found& found, std::string message, std::string fix) const;
    Finding finding(std::string id, Severity severity, std::string key, std::string message, std::string fix) const;

    const Value& root() const { return root_; }
    const Document& document() const { return document_; }
    const std::string& prefix() const { return prefix_; }
    std::vector<Finding>& findings() { return findings_; }
    std::vector<std::string>& used() { return used_; }

private:
    void wrong_kind(const Found& found, const std::string& wanted);

    const Document& document_;
    const Value& root_;
    std::string prefix_;
    std::vector<Finding> findings_;
    std::vector<std::string> used_;
};

}  // namespace farfield::doctor
