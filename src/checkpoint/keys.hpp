// Keys of a GGUF file with the prefix of its architecture, checked as numbers of a model.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/names.hpp"
#include "checkpoint/source.hpp"

namespace farfield::checkpoint {

/// Each function refuses the file if the value has another type or is out of range.
class Keys {
public:
    Keys(const Source& file, std::string architecture) : file_(file), architecture_(std::move(architecture)) {}

    std::optional<double> number(std::string_view key) const {
        const tensor::GgufValue* const value = file_.value(architecture_ + "." + std::string(key));
        if (value == nullptr) return {};
        if (value->kind != tensor::GgufValue::Kind::number || !std::isfinite(value->number))
            refuse(file_, fmt::format("'{}' is not a number", shown(key)), "a number");
        return value->number;
    }
    double positive(std::string_view key, std::optional<double> otherwise = {}) const {
        const std::optional<double> value = number(key);
        if (!value && otherwise) return *otherwise;
        if (!value) refuse(file_, fmt::format("'{}' is missing", shown(key)), "a number above 0");
        if (!(*value > 0)) refuse(file_, fmt::format("'{}' is {}", shown(key), *value), "a number above 0");
        return *value;
    }
    /// Empty if it is missing.
    std::string text(std::string_view key) const {
        const tensor::GgufValue* const value = file_.value(architecture_ + "." + std::string(key));
        if (value == nullptr) return {};
        if (value->kind != tensor::GgufValue::Kind::text)
            refuse(file_, fmt::format("'{}' is not a text", shown(key)), "a text");
        return value->text;
    }
    bool truth(std::string_view key, bool otherwise) const {
        const tensor::GgufValue* const value = file_.value(architecture_ + "." + std::string(key));
        if (value == nullptr) return otherwise;
        if (value->kind != tensor::GgufValue::Kind::boolean)
            refuse(file_, fmt::format("'{}' is not true or false", shown(key)), "a boolean");
        return value->number != 0;
    }
    std::size_t count(std::string_view key, std::optional<std::size_t> otherwise = {}) const {
        constexpr double most = 1 << 30;
        const std::optional<double> value = number(key);
        if (!value && otherwise) return *otherwise;
        if (!value) refuse(file_, fmt::format("'{}' is missing", shown(key)), "a whole number from 1");
        if (!(*value >= 1 && *value <= most && std::floor(*value) == *value))
            refuse(file_, fmt::format("'{}' is {}", shown(key), *value), "a whole number from 1 to 2^30");
        return static_cast<std::size_t>(*value);
    }

    /// The name of a key in messages.
    std::string shown(std::string_view key) const { return file_.shown(fmt::format("{}.{}", architecture_, key)); }

private:
    const Source& file_;
    std::string architecture_;
};

}  // namespace farfield::checkpoint
