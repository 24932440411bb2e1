// Converts a condition over results to a program over enclosures.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/tree.hpp>

#include "claim/find.hpp"
#include "evaluate/closed.hpp"
#include "numerics/rational.hpp"

namespace farfield::claim {

/// A value that a condition used, as the explanation shows it.
struct Used {
    std::string label;  ///< "fit.a", "row[3]"; "row" alone for a series used at many points
    core::Cell cell;
    bool whole_series = false;
};

/// The bound variable of an all() or exists() that is decided point by point.
struct Varying {
    std::string name;
    std::int64_t from;
    std::size_t count;

    std::int64_t at(std::size_t index) const { return from + static_cast<std::int64_t>(index); }
};

/// If fast enclosures leave points of an all() or exists() open, at most this many are decided one by one.
inline constexpr std::size_t most_doubtful = 1000;

/// Binds results as inputs of a program. The enclosure of a value that does not exist is NaN to NaN.
class Binding {
public:
    /// Binds the mentions of `tree`; `varying` may be null.
    Binding(const formula::Node& tree, const std::vector<const core::Result*>& results, const Varying* varying);

    const std::vector<Used>& used() const { return used_; }

    std::vector<core::Enclosure> enclose() const;
    /// Unknown if a part of the condition is not proved to have a real value. With several points, up to
    /// `most_doubtful` points stay unknown that a narrower enclosure might decide.
    std::vector<evaluate::Truth> decide() const;
    /// Whether every part is proved to have a real value; for conditions without a varying name.
    bool has_value() const;
    /// By evaluate::decide_exactly() over the values that are single numbers; for conditions without a varying name.
    evaluate::Truth decide_exactly() const;
    /// The value, if it is known to be a rational number.
    std::optional<numerics::Rational> exact() const;

private:
    formula::Node bind(const formula::Node& node, std::vector<std::string>& bound);
    formula::Node bind_mention(const formula::Node& node, const std::vector<std::string>& bound);
    formula::Node bind_cell(const formula::Node& node, const core::Cell& cell, bool printed);
    formula::Node bind_series(const formula::Node& node, const Target& target, const std::vector<std::string>& bound);
    formula::Node bind_table(const formula::Node& node, const Target& target, const std::vector<std::string>& bound);
    formula::Node input(const core::Enclosure& enclosure);
    /// The exact value as a literal if it is known, otherwise an input.
    formula::Node value_node(const core::Cell& cell);
    const std::string& table_of(const Target& target);
    void use(Used used);
    formula::Program program() const;
    std::vector<evaluate::Truth> decide(evaluate::Enclosing how) const;
    std::vector<evaluate::Truth> have_values(evaluate::Enclosing how) const;
    evaluate::ExactValues exact_values() const;

    const std::vector<const core::Result*>& results_;
    formula::Node tree_;
    formula::Signature signature_;
    evaluate::EnclosedInputs inputs_;
    std::vector<Target> columns_;  ///< of each table of the signature
    std::deque<std::vector<core::Enclosure>> tables_;
    std::vector<Used> used_;
};

}  // namespace farfield::claim
