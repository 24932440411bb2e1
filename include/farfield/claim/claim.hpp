// A claim of a paper, its readings, and the verdict that computed tables give them.
#pragma once

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

/// A formula of a reading as written and as read: `given` names put in, rounds() and about() written out.
struct Condition {
    formula::Source source;
    formula::Node tree;
};

/// A name that `given` declares.
struct Declared {
    std::string name;
    core::Place place;
};

/// One way the text can be meant. Without `holds` nothing decides it: it is `undecided`, and `shows` are its numbers.
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
Claim read_claim(const core::Value& claim, core::Problems& problems);

/// Names of the quantities that the claim's conditions mention, each once: what must be computed for it.
std::vector<std::string> quantities_of(const Claim& claim);

/// Checks every name of the conditions against the quantities known to the study: an unknown quantity is a placed
/// problem naming the nearest, and so is a threshold or a variable that hides a quantity.
void check_names(const Claim& claim, const std::vector<std::string>& quantities, core::Problems& problems);

/// A condition, or a part of one, that says nothing whatever the quantities are: `a == a`, `abs(a) >= 0`, a comparison
/// that stands twice.
void check_form(const Claim& claim, core::Problems& problems);

/// Once they are computed: fields, series and cells of the quantities that the conditions mention.
void check_fields(const Claim& claim, const std::vector<const core::Result*>& results, core::Problems& problems);

/// The conditions of the claim, and what it shows, with the numbers of the results put in: what its work is estimated
/// from.
std::vector<formula::Node> valued_conditions(const Claim& claim, const std::vector<const core::Result*>& results);

/// The verdict of each reading and of the claim (docs/verdicts.md): conditions are decided over the enclosures of the
/// values they use, values without one over the number itself (then not certified), a value that does not exist gives
/// `undecided`.
core::ClaimRecord judge(const Claim& claim, const std::vector<const core::Result*>& results);

}  // namespace farfield::claim
