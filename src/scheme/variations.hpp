// A scheme with many values of its params. The points of a sweep share everything that does not depend on the numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/scheme.hpp>

#include "scheme/requirements.hpp"

namespace farfield::scheme {

class Variations {
public:
    explicit Variations(const Scheme& scheme);

    /// The scheme with other values of some of its params, and the problems of reading it with them. Nothing if it must
    /// be read: its formulas do not allow the substitution of numbers, or a param is unknown, unused or no number.
    /// Several threads may call it at once.
    std::optional<Scheme> with_params(const std::vector<std::pair<std::string, std::string>>& params,
                                      const std::function<core::Place(std::string_view param)>& place_of,
                                      core::Problems& problems) const;

private:
    std::optional<Scheme> named_;    ///< with the names of params in its formulas; nothing if it must be read
    std::vector<std::string> used_;  ///< params that a formula depends on
    std::vector<Requirement> requirements_;
};

}  // namespace farfield::scheme
