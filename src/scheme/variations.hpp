// A scheme with many values of its params. The points of a sweep share everything that does not depend on the numbers.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farfield::scheme {

class Variations {
public:
    /// The registry must outlive this object, and must have the scheme.
    Variations(const Registry& schemes, const std::string& name);

    /// Gives the result of Registry::with_params, with the same problems. If the formulas allow it, only numbers are
    /// substituted; otherwise the scheme is read again. Several threads may call it at once.
    Scheme with_params(const std::vector<std::pair<std::string, std::string>>& params, const core::Place& place,
                       core::Problems& problems) const;

private:
    const Registry& schemes_;
    std::string name_;
    std::optional<Scheme> named_;    ///< with the names of params in its formulas; nothing if it is read again
    std::vector<std::string> used_;  ///< params that a formula depends on
};

}  // namespace farfield::scheme
