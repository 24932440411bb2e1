#include "doctor/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/printable.hpp>

namespace farfield::doctor {

namespace {

std::string shown(const Value& value) {
    if (value.is(Value::Kind::number)) return core::shortened(value.text, 40);
    if (value.is(Value::Kind::boolean)) return value.number != 0 ? "true" : "false";
    if (value.is(Value::Kind::text)) return "\"" + core::shortened(core::printable_line(value.text), 40) + "\"";
    return std::string(value.kind_name());
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

}  // namespace

Found Lookup::find(std::string_view path) {
    const Value* value = &root_;
    const Member* member = nullptr;
    std::string_view rest = path;
    std::string shown_path = prefix_;
    while (!rest.empty()) {
        const std::size_t slash = rest.find('/');
        const std::string_view key = rest.substr(0, slash);
        rest = slash == std::string_view::npos ? std::string_view{} : rest.substr(slash + 1);
        member = value->is(Value::Kind::object) ? value->find(key) : nullptr;
        if (!member || member->value.is(Value::Kind::null)) return {};
        if (!member->shown.empty()) {
            shown_path = member->shown;  // whole, as the file has it
        } else {
            if (!shown_path.empty() && shown_path.back() != '/') shown_path += '/';
            shown_path += key;
        }
        value = &member->value;
    }
    return {member, core::printable_line(shown_path)};
}

Found Lookup::first(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
        if (Found found = find(path)) return found;
    return {};
}

void Lookup::wrong_kind(const Found& found, const std::string& wanted) {
    add(finding("wrong-type", Severity::error, found,
                fmt::format("'{}' is {}, not {}. Readers refuse it, or take their default without a word.", found.path,
                            shown(found.value()), wanted),
                "write " + wanted));
}

std::optional<double> Lookup::number(const Found& found, double least, bool above) {
    if (!found) return {};
    const Value& value = found.value();
    if (!value.is(Value::Kind::number)) {
        wrong_kind(found, "a number");
        return {};
    }
    if (!std::isfinite(value.number) || value.number < least || (above && value.number == least)) {
        add(finding("out-of-range", Severity::error, found,
                    fmt::format("'{}' is {}, which must be {} {}.", found.path, shown(value),
                                above ? "above" : "at least", least),
                    "write the value that the model was trained with"));
        return {};
    }
    used_.push_back(found.path);
    return value.number;
}

std::optional<long long> Lookup::integer(const Found& found, long long least) {
    if (!found) return {};
    const Value& value = found.value();
    constexpr double most = 1e15;
    if (!value.is(Value::Kind::number) || value.number != std::floor(value.number)) {
        wrong_kind(found, "a whole number");
        return {};
    }
    if (value.number < static_cast<double>(least) || value.number > most) {
        add(finding("out-of-range", Severity::error, found,
                    fmt::format("'{}' is {}, which must be from {} to 1e15.", found.path, shown(value), least),
                    "write the value that the model was trained with"));
        return {};
    }
    used_.push_back(found.path);
    return static_cast<long long>(value.number);
}

std::optional<bool> Lookup::boolean(const Found& found) {
    if (!found) return {};
    if (!found.value().is(Value::Kind::boolean)) {
        wrong_kind(found, "true or false");
        return {};
    }
    used_.push_back(found.path);
    return found.value().number != 0;
}

std::optional<std::string> Lookup::text(const Found& found) {
    if (!found) return {};
    if (!found.value().is(Value::Kind::text)) {
        wrong_kind(found, "a text");
        return {};
    }
    used_.push_back(found.path);
    return found.value().text;
}

bool Lookup::list(const Found& found) {
    if (!found) return false;
    if (found.value().is(Value::Kind::list)) return true;
    wrong_kind(found, "a list of numbers");
    return false;
}

void Lookup::add(Finding finding) {
    const bool is_known = std::any_of(findings_.begin(), findings_.end(), [&](const Finding& each) {
        return each.id == finding.id && each.key == finding.key && each.message == finding.message;
    });
    if (!is_known) findings_.push_back(std::move(finding));
}

Finding Lookup::finding(std::string id, Severity severity, const Found& found, std::string message,
                        std::string fix) const {
    Finding result = finding(std::move(id), severity, found.path, std::move(message), std::move(fix));
    if (found) result.place = document_.place(*found.member);
    return result;
}

Finding Lookup::finding(std::string id, Severity severity, std::string key, std::string message,
                        std::string fix) const {
    Finding result;
    // Messages name the keys that the file has.
    for (const auto& [name, own] : document_.own_names) {
        for (const char quote : {'\'', '"'}) {
            replace_all(message, quote + name + quote, quote + own + quote);
            replace_all(fix, quote + name + quote, quote + own + quote);
        }
        if (key == name) key = own;
    }
    result.id = std::move(id);
    result.severity = severity;
    result.key = std::move(key);
    result.message = std::move(message);
    result.fix = std::move(fix);
    result.place.file = document_.file;
    return result;
}

}  // namespace farfield::doctor
