#include "claim/scale.hpp"

#include <algorithm>

#include "claim/reference.hpp"

namespace farfield::claim {

AtScale at_scale(const Claim& claim, const std::function<bool(const std::string& quantity)>& is_trained) {
    AtScale found;
    for (const Reading& reading : claim.readings) {
        const std::vector<Mention> used = reading.holds ? mentions(reading.holds->tree) : std::vector<Mention>();
        found.readings.push_back(std::any_of(used.begin(), used.end(),
                                             [&](const Mention& each) { return is_trained(each.reference.quantity); }));
        found.claim = found.claim || (found.readings.back() && !reading.extra);
    }
    return found;
}

}  // namespace farfield::claim
