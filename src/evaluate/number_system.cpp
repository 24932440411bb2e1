#include <farfield/evaluate/number_system.hpp>

#include <charconv>

#include <farfield/numerics/format.hpp>

namespace farfield::evaluate {

namespace {

constexpr int fewest_digits = 2;
constexpr int most_digits = 10000;

NumberSystem multiprecision(std::string_view digits, std::string_view name, const core::Place& place) {
    NumberSystem system{NumberSystem::Kind::multiprecision, {}, 0};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), system.digits);
    const bool whole = error == std::errc{} && end == digits.data() + digits.size();
    if (whole && system.digits >= fewest_digits && system.digits <= most_digits) return system;
    throw core::UserError({{place, "number system '" + std::string(name) + "'", "mpN with N decimal digits, 2 to 10000",
                            "for example mp60"}});
}

}  // namespace

std::string NumberSystem::name() const {
    switch (kind) {
        case Kind::binary64: return "double";
        case Kind::binary32: return "float";
        case Kind::low_precision: return format;
        case Kind::multiprecision: return "mp" + std::to_string(digits);
        case Kind::interval: return "interval";
    }
    return {};
}

NumberSystem read_number_system(std::string_view name, const core::Place& place) {
    if (name == "double") return {};
    if (name == "interval") return {NumberSystem::Kind::interval, {}, 0};
    if (name.starts_with("mp")) return multiprecision(name.substr(2), name, place);
    const numerics::Format* format = numerics::find_format(name);
    if (format == nullptr) {
        throw core::UserError({{place, "unknown number system '" + std::string(name) + "'", "",
                                core::known_here(name, number_system_names())}});
    }
    if (format->mantissa_bits == 23) return {NumberSystem::Kind::binary32, {}, 0};
    return {NumberSystem::Kind::low_precision, std::string(format->name), 0};
}

std::vector<std::string> number_system_names() {
    std::vector<std::string> names{"double", "float"};
    for (const numerics::Format& format : numerics::formats()) {
        if (format.mantissa_bits < 23) names.emplace_back(format.name);
    }
    names.insert(names.end(), {"mpN", "interval"});
    return names;
}

}  // namespace farfield::evaluate
