// A scheme's bias as a function of the distance n.
#pragma once

#include <optional>

#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {

/// The key `query`, which accompanies `distances`.
inline constexpr core::Key query_key = {
    .name = "query",
    .type = core::KeyType::integer,
    .unit = "position",
    .fallback = "q = n, k = 0",
    .meaning = "position q of the query; k is q - n",
    .least = 0,
};

/// Reports the keys that the scheme's bias needs and the declaration lacks.
void require_bias(const Declaration& declaration, const scheme::Scheme& scheme, core::Problems& problems);

/// Substitutes q and k: q = n and k = 0, or, with a query, q = query and k = query - n.
formula::Node along_distance(const formula::Node& tree, std::optional<long long> query);

/// Reports distances of which the query has no key.
bool is_within_query(const Grid& distances, std::optional<long long> query, core::Problems& problems);

/// The bias of the scheme over `distances`. L is the largest position in use + 1 unless given. Reports keys that the
/// scheme needs, a scheme that rotates and has no bias, and distances beyond the query.
std::optional<Tabulation> read_bias_curve(const Declaration& declaration, core::Problems& problems);

}  // namespace farfield::quantity
