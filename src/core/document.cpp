#include <algorithm>
#include <farfield/core/document.hpp>
#include <limits>

namespace farfield::core {

const Entry* Entries::find(std::string_view key) const {
    const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& entry) { return entry.key == key; });
    return found == list.end() ? nullptr : &*found;
}

double Value::number() const {
    if (const auto* integer = std::get_if<long long>(&data)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&data)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
}

std::string_view Value::type_name() const {
    switch (data.index()) {
        case 0: return "a boolean";
        case 1: return "an integer";
        case 2: return "a number";
        case 3: return "a text";
        case 4: return "a list";
        default: return "a table";
    }
}

}  // namespace farfield::core
