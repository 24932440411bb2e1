// A claim of a paper, its readings, and the verdict that computed tables give them.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/keys.hpp>
#include <farfield/core/record.hpp>
#include <farfield/core/table.hpp>
#include <farfield/formula/parser.hpp>

namespace farfield::claim {

/// A formula of a reading, as written and as parsed. In the parsed formula `given` names are substituted, and rounds()
/// and about() are expanded.
struct Condition {
    formula::Source source;
    formula::Node tree;
};

/// A name that `given` declares.
struct Declared {
    std::string name;
    core::Place place;
};

/// One interpretation of the text. Without `holds` the reading is `undecided`, and `shows` has its numbers.
struct Reading {
    std::string name;
    std::optional<Condition> holds;
    formula::Node open;            ///< the tree of `holds` with the names of `given` left in; null without a condition
    std::vector<Condition> shows;  ///< numbers to print beside the verdict
    std::vector<std::pair<std::string, std::string>> given;  ///< names and decimals that were put in
    std::vector<Declared> thresholds;                        ///< of its own `given`
    std::string because;
    bool extra = false;
    bool covers_part = false;  ///< follows from the claim, and the claim not from it: it can refute, never confirm
    std::optional<core::Verdict> expected;
    core::Place expect_place;
};

struct Claim {
    std::string id;
    std::string says;
    std::string source;
    std::string comment;
    core::Place place;
    core::Place expect_place;
    std::optional<core::Verdict> expected;
    std::string waits_for;  ///< not empty: what it waits for (training that was not asked for); it is `skipped`
    std::string lacks;      ///< not empty: what this machine lacks for it; it is `missing`
    std::string failure;    ///< not empty: why a quantity that it needs failed; it is `undecided`
    std::vector<Declared> thresholds;  ///< thresholds of all its readings
    std::vector<Reading> readings;
};

/// Keys of [[claim]] and [[claim.reading]].
std::span<const core::Key> claim_keys();
std::span<const core::Key> reading_keys();

/// Reads a [[claim]]; names are resolved later, against results. Problems (syntax, a printed number that is not a
/// number, an unknown verdict) are added with places.
Claim read_claim(const core::Value& value, core::Problems& problems);

/// Names of the quantities in the claim's conditions, each once. These quantities must be computed for the claim.
std::vector<std::string> quantities_of(const Claim& claim);

/// Checks every name of the conditions against the quantities known to the study: an unknown quantity is a problem with
/// a place that names the nearest one, and so is a threshold or a variable that shadows a quantity.
void check_names(const Claim& claim, const std::vector<std::string>& quantities, core::Problems& problems);

/// The comparisons of a quantity's fields that hold by definition of its kind and of its declaration
/// (quantity::Kind::facts, quantity::Prepared::define()).
using FactsOf = std::function<std::vector<std::string>(const std::string& quantity)>;

/// A text that is the same for two quantities only if their results are the same by their settings.
using SettingsOf = std::function<std::string(const std::string& quantity)>;

/// Adds a problem for a condition, or a part of one, whose truth value does not depend on the quantities: `a == a`,
/// `abs(a) >= 0`, `a.max >= a.min`, a repeated comparison; and for a threshold, or a quantity to show, that cancels.
/// Quantities with the same settings are one.
void check_form(const Claim& claim, const FactsOf& facts_of, const SettingsOf& settings_of, core::Problems& problems);

/// Adds a problem for an expected verdict that belongs to trained models (`reproduced`) in a claim that is not about
/// them, and for one that does not (`confirmed`) in a claim that is. is_trained tells whether the results of a quantity
/// come from trained models.
void check_scale(const Claim& claim, const std::function<bool(const std::string& quantity)>& is_trained,
                 core::Problems& problems);

/// Adds a problem if an earlier claim has the same text, source and conditions.
void check_repeated(const Claim& claim, const std::vector<Claim>& earlier, core::Problems& problems);

/// Checks the fields, series and cells in the conditions, once the quantities are computed.
void check_fields(const Claim& claim, const std::vector<const core::Result*>& results, core::Problems& problems);

/// The conditions and `shows` of the claim with the numbers of the results substituted. The work of the claim is
/// estimated from them.
std::vector<formula::Node> valued_conditions(const Claim& claim, const std::vector<const core::Result*>& results);

/// The verdict of each reading and of the claim (docs/verdicts.md): conditions are decided over the enclosures of the
/// values they use, values without an enclosure are used as numbers (the verdict is then not certified), and a value
/// that does not exist gives `undecided`.
core::ClaimRecord judge(const Claim& claim, const std::vector<const core::Result*>& results);

}  // namespace farfield::claim
