// The two kinds of failure that are not the user's text: a broken promise inside the program, and the world.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace farfield::core {

/// A caller violated the precondition of a farfield function. The message names the function, the argument and its
/// value.
class PreconditionError : public std::logic_error {
public:
    PreconditionError(std::string_view function, std::string_view argument, std::string_view value,
                      std::string_view wanted);

    const std::string& found() const { return found_; }    ///< "length is 0"
    const std::string& wanted() const { return wanted_; }  ///< "at least one token"

private:
    std::string found_;
    std::string wanted_;
};

/// Something outside the program is missing or failed (a file, a device, gnuplot, the disk); exit status 3.
class MissingError : public std::runtime_error {
public:
    /// `call` is the call that failed, `reason` its error code or text, `advice` what the user can try.
    MissingError(std::string_view call, std::string_view reason, std::string_view advice);
};

}  // namespace farfield::core
