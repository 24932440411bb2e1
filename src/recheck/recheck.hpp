// Verdicts on record, proved again by the second implementation.
#pragma once

#include <string>
#include <vector>

namespace farfield::recheck {

enum class Outcome {
    proved,        ///< the verdict follows from what was computed again
    open,          ///< it was not proved again; nothing speaks against it
    contradicted,  ///< what was computed again refutes it
};

/// What came of a certified reading.
struct Checked {
    std::string reading;
    Outcome outcome = Outcome::open;
    std::string why;  ///< of what was not proved
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
