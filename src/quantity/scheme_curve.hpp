// A scheme's bias as a function of the distance n.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {

/// Values of the scheme's learned tables: those of the context, else `init` throughout.
std::vector<std::pair<std::string, std::vector<double>>> tables_of(const Selection& selection);

/// The key `query`, beside `distances`.
inline constexpr core::Key query_key = {
    .name = "query",
    .type = core::KeyType::integer,
    .unit = "position",
    .fallback = "q = n, k = 0",
    .meaning = "position q of the query; k is q - n",
    .least = 0,
};

/// Puts q and k in: q = n and k = 0, or with a query q = query and k = query - n.
formula::Node along_distance(const formula::Node& tree, std::optional<long long> query);

/// The bias of the scheme over `distances`. L is the largest position in use + 1 unless given. Reports keys that the
/// scheme needs, a scheme that rotates and has no bias, and distances beyond the query.
std::optional<Tabulation> read_bias_curve(const Declaration& declaration, core::Problems& problems);

}  // namespace farfield::quantity
