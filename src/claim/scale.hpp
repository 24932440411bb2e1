// Which verdicts of a claim are about trained models, and so about their scale.
#pragma once

#include <farfield/claim/claim.hpp>
#include <functional>
#include <string>
#include <vector>

namespace farfield::claim {

struct AtScale {
    std::vector<bool> readings;  ///< the condition uses a result of trained models
    bool claim = false;          ///< so does a counted reading
};

AtScale at_scale(const Claim& claim, const std::function<bool(const std::string& quantity)>& is_trained);

}  // namespace farfield::claim
