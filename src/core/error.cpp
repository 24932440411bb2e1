#include <farfield/core/error.hpp>

namespace farfield::core {
namespace {

std::string join(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

}  // namespace

PreconditionError::PreconditionError(std::string_view function, std::string_view argument, std::string_view value,
                                     std::string_view wanted)
    : std::logic_error(join({function, ": ", argument, " is ", value, "; wanted ", wanted})),
      found_(join({argument, " is ", value})),
      wanted_(wanted) {}

MissingError::MissingError(std::string_view call, std::string_view reason, std::string_view advice)
    : std::runtime_error(join({call, ": ", reason, advice.empty() ? "" : "\n   ", advice})) {}

}  // namespace farfield::core
