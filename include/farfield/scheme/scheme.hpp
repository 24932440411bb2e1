// A positional scheme: embed, rotate, bias, mask, temperature and relative vectors, each a formula.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/core/document.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::scheme {

/// A checked formula in which the scheme's params (as decimal literals) and let names are substituted. Its free names
/// are the standard variables (q k n p h H i d L Ltr layer R) and learned names. If there is a `when`, the formula
/// applies only where `when` holds.
struct Piece {
    formula::Node formula;
    formula::Node when;  ///< boolean; null: always
    formula::Source source;
    formula::Source when_source = {};       ///< empty where there is no `when`
    std::vector<std::string> depends = {};  ///< params, let and learned names behind both, through let names too
};

enum class Origin { start, centre, end };
/// Which dimensions are rotated together: 2i and 2i + 1, or i and i + d/2.
enum class Pairs { interleaved, halves };

/// Other rotation angles of queries and keys, which apply where a condition on the query and the key holds.
struct FarRotation {
    Piece where;               ///< a condition on q and k, without a `when`
    Piece query;               ///< radians, a function of p, i, d
    std::optional<Piece> key;  ///< null: the rotation's own angle
};

struct Rotation {
    Piece angle;  ///< radians, a function of p, i, d
    std::optional<FarRotation> far;
    std::optional<Piece> scale;
    formula::Node values;  ///< what a cosine or a sine becomes, a formula of `it`; null: itself
    Origin origin = Origin::start;
    Pairs pairs = Pairs::interleaved;
    double fraction = 1;

    /// The columns of a head that are rotated. A decimal fraction of a whole number of columns counts as this number,
    /// though the double's product may be below it: 0.58 of 100 are 58.
    double columns(double head_dim) const {
        const double product = fraction * head_dim;
        return std::abs(product - std::round(product)) <= 1e-12 * head_dim ? std::round(product) : product;
    }
};

struct Embedding {
    std::optional<Piece> even;
    std::optional<Piece> odd;
    bool learned = false;
    long long max_length = 0;
};

/// A learned name. `init` is the value after positivity (softplus).
struct Learned {
    std::string name;
    double init = 0;
    bool positive = false;
    bool per_layer = false;
    bool per_head = false;
    long long size = 0;  ///< of a table; 0 for a scalar
};

struct Relative {
    long long clip = 16;
    bool keys = true;
    bool values = true;
};

/// A scheme as it was declared, checked.
struct Scheme {
    std::string name;                                         ///< as other schemes and quantities call it
    std::string doc;                                          ///< one sentence
    std::string source;                                       ///< the paper and its equation
    std::vector<std::pair<std::string, std::string>> params;  ///< name, decimal text
    std::vector<std::pair<std::string, formula::Source>> let;
    std::vector<Learned> learn;
    std::optional<Embedding> embed;
    std::optional<Rotation> rotate;
    std::optional<Piece> bias;
    bool bias_scaled = false;
    std::optional<Piece> mask;
    bool causal = true;
    std::optional<Piece> temperature;
    std::optional<Relative> relative;
    std::string recipe;      ///< how the formulas are rounded (recipe.hpp); empty: not
    std::string format;      ///< the number format of the recipe; may be empty
    core::Entries settings;  ///< merged over `extends`, as written: what `farfield show` prints
};

}  // namespace farfield::scheme
