// Problems in what the user wrote, each with its place, gathered and reported together.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <farfield/core/place.hpp>

namespace farfield::core {

/// One problem of the user's text. `found` describes the invalid text, `wanted` what was expected, and `hint` what to
/// try (the nearest valid name, or the names known at this place). `wanted` and `hint` may be empty.
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

/// Every problem on separate lines, then a line with their number: "2 problems." `more` is the number
/// of further problems that are not in the list.
std::string format(const std::vector<Diagnostic>& diagnostics, std::size_t more = 0);

class UserError;

/// A list to which parsers and checkers add problems. A problem is added once even if two passes find it. Only the
/// first 50 problems are stored; the others are counted.
class Problems {
public:
    static constexpr std::size_t most_kept = 50;

    void add(Diagnostic diagnostic);
    void add(const Place& place, std::string found, std::string wanted = {}, std::string hint = {});
    /// Adds all problems of another list.
    void add(const UserError& error);
    void add(const Problems& others);
    bool empty() const { return list_.empty(); }
    std::size_t size() const { return list_.size() + more_; }
    /// How often a problem was added, repeated ones included: grows if and only if something was found to be wrong.
    std::size_t reports() const { return reports_; }
    /// Whether the list is full, so that a further problem would only be counted. Its hint then need not be computed.
    bool is_full() const { return list_.size() >= most_kept; }
    const std::vector<Diagnostic>& list() const { return list_; }

    /// Throws UserError with all problems, if there are any.
    void raise() const;

private:
    std::vector<Diagnostic> list_;
    std::size_t more_ = 0;
    std::size_t reports_ = 0;
    std::unordered_set<std::size_t> known_;  ///< digests of all problems
};

/// The user's file or command line is wrong (exit status 2).
class UserError : public std::runtime_error {
public:
    explicit UserError(std::vector<Diagnostic> diagnostics, std::size_t more = 0);
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
    /// The number of problems that are not among the diagnostics.
    std::size_t more() const { return more_; }

private:
    std::vector<Diagnostic> diagnostics_;
    std::size_t more_ = 0;
};

/// The known name nearest to `name` by edit distance (at most a third of its length, at least one edit, a swap of
/// neighbours counting once), the first of several; empty if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "Did you mean 'x'?" for the nearest name; empty if none is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

/// "known here: a, b, c. Did you mean 'b'?", the list cut after twelve names. A near name among `likely` is suggested
/// before the others.
std::string known_here(std::string_view name, const std::vector<std::string>& known,
                       const std::vector<std::string>& likely = {});

}  // namespace farfield::core
