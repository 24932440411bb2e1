// A scheme with many values of its params: the points of a sweep share what the numbers do not change.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farfield::scheme {

class Variations {
public:
    /// The registry must outlive it, and have the scheme.
    Variations(const Registry& schemes, const std::string& name);

    /// What Registry::with_params gives, with the same problems. Only numbers are put in where the formulas allow it;
    /// otherwise the scheme is read again. Several threads may call it at once.
    Scheme with_params(const std::vector<std::pair<std::string, std::string>>& params, const core::Place& place,
                       core::Problems& problems) const;

private:
    const Registry& schemes_;
    std::string name_;
    std::optional<Scheme> named_;    ///< with the names of params in its formulas; nothing if it is read again
    std::vector<std::string> used_;  ///< params that a formula depends on
};

}  // namespace farfield::scheme
