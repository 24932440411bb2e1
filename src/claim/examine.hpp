// Decides whether a condition holds, and lists the numbers that show it.
#pragma once

#include <string>
#include <vector>

#include <farfield/evaluate/enclose.hpp>

#include "claim/bind.hpp"

namespace farfield::claim {

struct Finding {
    evaluate::Truth truth = evaluate::Truth::unknown;
    /// Whether the result rests only on enclosed or exact values. For an "and" that fails, one part that certainly
    /// fails is enough; for an all() that fails, one such point; and so on.
    bool is_certain = false;
    std::vector<Used> used;
    std::vector<std::string> steps;  ///< "abs(fit.a - -0.825) <= 5e-4: 0.0074 <= 0.0005 fails"
};

/// Whether to record the steps, or only the truth value.
enum class Explaining { steps, truth };

/// Decides the condition: and, or, not by their parts (three-valued), all() and exists() point by point, a comparison
/// over enclosures. A comparison of a value that does not exist is unknown.
Finding examine(const formula::Node& condition, const std::vector<const core::Result*>& results,
                Explaining explaining = Explaining::steps);

/// "fit.a = -0.8324, within 3e-16", "t['a','b'] = 5.50 as printed", "p.width does not exist".
std::string describe(const Used& used);

/// "0.0074", "0.0074 within 1e-12", "[0.4, 0.6]", "unknown".
std::string describe(const core::Enclosure& enclosure);

}  // namespace farfield::claim
