#include "cli/json.hpp"

namespace farfield::cli {

std::string json_lines(const Json& value) {
    return value.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string json_line(const Json& value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace farfield::cli
