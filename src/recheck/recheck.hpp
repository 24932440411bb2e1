// Proves recorded verdicts again with the second implementation.
#pragma once

#include <string>
#include <vector>

namespace farfield::recheck {

enum class Outcome {
    proved,        ///< the verdict follows from the recomputed values
    open,          ///< it was not proved again, and nothing contradicts it
    contradicted,  ///< the recomputed values refute it
};

/// The outcome of a certified reading.
struct Checked {
    std::string reading;
    Outcome outcome = Outcome::open;
    std::string why;  ///< the reason why it was not proved
};

/// A claim with at least one certified reading.
struct CheckedClaim {
    std::string study;
    std::string id;
    std::string verdict;        ///< on record
    bool is_certified = false;  ///< the claim as a whole
    std::vector<Checked> readings;
    std::string why;  ///< not empty: the claim's verdict does not follow from those of its readings

    /// The worst of its readings.
    Outcome outcome() const;
};

/// Proves the certified verdicts of a results.json again. Throws std::runtime_error if the text is invalid.
std::vector<CheckedClaim> recheck(const std::string& results_json);

}  // namespace farfield::recheck
