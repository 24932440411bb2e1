// Problems in what the user wrote, each with its place, gathered and reported together.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/place.hpp>

namespace farfield::core {

/// One problem of the user's text: `found` says what stands there, `wanted` what was expected, `hint` what to try
/// (the nearest valid name, what is known here). `wanted` and `hint` may be empty.
struct Diagnostic {
    Place place;
    std::string found;
    std::string wanted;
    std::string hint;
};

/// The problem as the user reads it:
///     mine.toml:14:19: unknown name 'hh'
///        bias = "-2^(-8*hh/H) * n"
///                       ^~
///        known here: h, H, n. Did you mean 'h'?
/// Ends without a line break. Excerpts over 160 characters are shortened around the place.
std::string format(const Diagnostic& diagnostic);

/// Every problem on lines of its own, then a line with their number: "2 problems; nothing was run."
std::string format(const std::vector<Diagnostic>& diagnostics);

/// A list that readers and checkers add to; a problem is added once even if two passes find it.
class Problems {
public:
    void add(Diagnostic diagnostic);
    void add(const Place& place, std::string found, std::string wanted = {}, std::string hint = {});
    bool empty() const { return list_.empty(); }
    std::size_t size() const { return list_.size(); }
    const std::vector<Diagnostic>& list() const { return list_; }

    /// Throws UserError with all problems, if there are any.
    void raise() const;

private:
    std::vector<Diagnostic> list_;
};

/// The user's file or command line is wrong (exit status 2).
class UserError : public std::runtime_error {
public:
    explicit UserError(std::vector<Diagnostic> diagnostics);
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

private:
    std::vector<Diagnostic> diagnostics_;
};

/// "Did you mean 'x'?" for the known name nearest to `name` by edit distance (at most a third of its length, at
/// least one edit, a swap of neighbours counting once); empty if none is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

/// "known here: a, b, c. Did you mean 'b'?", the list cut after twelve names.
std::string known_here(std::string_view name, const std::vector<std::string>& known);

}  // namespace farfield::core
