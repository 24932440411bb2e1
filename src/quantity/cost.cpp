// Operations and bytes of attention and of generation, as functions of length, window, heads and widths.
#include <algorithm>
#include <array>
#include <optional>

#include <farfield/numerics/interval.hpp>

#include "quantity/kinds.hpp"
#include "quantity/reach.hpp"
#include "quantity/rounded.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;
using numerics::Interval;
using numerics::point;

constexpr double most_length = 0x1p53;  ///< up to here each integer is a double

constexpr std::array<Key, 2> cost_keys = {
    Key{.name = "window",
        .type = KeyType::integer,
        .unit = "keys",
        .fallback = "the scheme's window, or length",
        .meaning = "w: number of keys visible to a query, its own included, and number of cached keys",
        .least = 1,
        .most = most_length},
    Key{.name = "format",
        .type = KeyType::text,
        .fallback = "fp16",
        .meaning = "the number format of caches and matrices"},
};

struct Sizes {
    Interval length;
    Interval window;
    Interval heads;
    Interval head_dim;
    Interval layers;
    Interval bytes;                        ///< of a number
    std::optional<Interval> learned = {};  ///< parameters that the scheme learns
};

/// 1 + 2 + ... + n.
Interval triangle(const Interval& n) {
    return n * (n + point(1)) / point(2);
}

/// Scores q . k of one head and layer that are needed to produce all tokens.
struct Scores {
    Interval cached;      ///< token t attends to min(t, w) cached keys
    Interval full;        ///< token t attends to all t keys
    Interval re_encoded;  ///< beyond w, the last w tokens are encoded again for each token
};

Scores scores_of(const Sizes& sizes) {
    const Interval window = numerics::min(sizes.window, sizes.length);
    const Interval beyond = sizes.length - window;
    return {triangle(window) + beyond * window, triangle(sizes.length), triangle(window) + beyond * triangle(window)};
}

/// The cell is exact if the interval is one number, as for sums and products of integers below 2^53.
core::Cell cost_cell(const Interval& number) {
    if (numerics::is_point(number)) return core::Cell::exact(number.lo);
    return cell(numerics::midpoint(number), {number.lo, number.hi});
}

class Cost : public Prepared {
public:
    explicit Cost(Sizes sizes) : sizes_(sizes) {}

    core::Result run(const Inputs&) const override {
        const Scores scores = scores_of(sizes_);
        // A product and a sum for each of d components, for q . k and again for weight * v.
        const Interval each = point(4) * sizes_.head_dim * sizes_.heads * sizes_.layers;
        const Interval kept = point(2) * sizes_.layers * sizes_.heads * sizes_.head_dim * sizes_.bytes;
        core::Result result;
        result.set("scores_cached", cost_cell(scores.cached));
        result.set("scores_full", cost_cell(scores.full));
        result.set("scores_re_encoded", cost_cell(scores.re_encoded));
        result.set("operations_cached", cost_cell(scores.cached * each));
        result.set("operations_full", cost_cell(scores.full * each));
        result.set("operations_re_encoded", cost_cell(scores.re_encoded * each));
        result.set("cache_bytes", cost_cell(kept * numerics::min(sizes_.window, sizes_.length)));
        result.set("full_cache_bytes", cost_cell(kept * sizes_.length));
        result.set("matrix_bytes", cost_cell(sizes_.heads * sizes_.length * sizes_.length * sizes_.bytes));
        result.set("row_bytes", cost_cell(sizes_.heads * sizes_.length * sizes_.bytes));
        result.set("learned_parameters", sizes_.learned ? cost_cell(*sizes_.learned) : core::Cell::missing());
        return result;
    }

private:
    Sizes sizes_;
};

/// How many numbers a scheme learns: its `learn` names per head and layer, an embedding of the model's width, and
/// relative vectors, for one clipped distance each, in each layer.
Interval learned_parameters(const scheme::Scheme& scheme, const Sizes& sizes) {
    Interval count = point(0);
    for (const scheme::Learned& name : scheme.learn) {
        const double each = name.size > 0 ? static_cast<double>(name.size) : 1;
        const Interval one = point(1);
        count = count + point(each) * (name.per_head ? sizes.heads : one) * (name.per_layer ? sizes.layers : one);
    }
    if (scheme.embed && scheme.embed->learned)
        count = count + point(static_cast<double>(scheme.embed->max_length)) * sizes.heads * sizes.head_dim;
    if (scheme.relative) {
        const auto clip = static_cast<double>(scheme.relative->clip);
        const double vectors = (scheme.causal ? clip : 2 * clip) + 1;
        count =
            count + point(vectors * (scheme.relative->keys + scheme.relative->values)) * sizes.head_dim * sizes.layers;
    }
    return count;
}

/// The window of a scheme whose mask leaves only the nearest keys visible; the length if it masks none.
std::optional<long long> window_of(const Declaration& declaration, long long length, core::Problems& problems) {
    const std::size_t before = problems.reports();
    std::optional<Selection> selection = read_scheme(declaration, problems);
    if (selection && selection->scheme.mask) require_context(declaration, *selection->scheme.mask, problems);
    if (problems.reports() != before || !selection) return std::nullopt;
    selection->context.length = static_cast<double>(length);
    const MaskReach reach(scheme::mask_formula(selection->scheme, selection->context), length, selection->place);
    const auto& distances = reach.distances();
    const bool is_window = distances && distances->list().size() == 1 && distances->list().front().first == 0;
    if (is_window) return distances->list().front().last + 1;
    problems.add(selection->place, "the mask of '" + selection->scheme.name + "' is not a window of the nearest keys",
                 "the key 'window'");
    return std::nullopt;
}

std::unique_ptr<Prepared> prepare_cost(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const long long length = core::read_integer(declaration.settings, "length").value_or(0);
    if (length < 1)
        problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'length'", "length = 8192");
    if (length > static_cast<long long>(most_length))
        problems.add(place_of_key(declaration, "length"), "'length' is " + std::to_string(length), "at most 2^53");
    if (declaration.settings.find("width"))
        problems.add(place_of_key(declaration, "width"), "'width' of a cost",
                     "'heads' and 'head_dim', whose product is the model's width");
    std::optional<long long> window = core::read_integer(declaration.settings, "window");
    if (window && length >= 1 && *window > length)
        problems.add(place_of_key(declaration, "window"), "'window' is " + std::to_string(*window),
                     "at most 'length', " + std::to_string(length));
    core::Problems ignored;
    const bool has_both = problems.reports() == before && window && declaration.settings.find("scheme");
    const std::optional<long long> own = has_both ? window_of(declaration, length, ignored) : std::nullopt;
    if (own && *own < length)
        problems.add(place_of_key(declaration, "window"), "the scheme has a window of its own, " + std::to_string(*own),
                     "another scheme, or no key 'window'");
    if (problems.reports() == before && !window)
        window = declaration.settings.find("scheme") ? window_of(declaration, length, problems) : length;
    const numerics::Format* format =
        declaration.settings.find("format") ? read_format(declaration, problems) : numerics::find_format("fp16");
    if (problems.reports() != before || !window || !format) return nullptr;
    for (const char* key : {"length", "heads", "head_dim", "layers"}) use_key(declaration, key);
    const auto size = [&](std::string_view key) {
        return point(core::read_number(declaration.settings, key).value_or(1));
    };
    const int bytes = numerics::width_in_bits(*format) / 8;
    Sizes sizes{point(static_cast<double>(length)),
                point(static_cast<double>(*window)),
                size("heads"),
                size("head_dim"),
                size("layers"),
                point(bytes)};
    if (declaration.settings.find("scheme")) {
        const std::optional<Selection> selection = read_scheme(declaration, problems);
        if (!selection) return nullptr;
        sizes.learned = learned_parameters(selection->scheme, sizes);
    }
    return std::make_unique<Cost>(sizes);
}

}  // namespace

const Kind& cost_kind() {
    static const Kind kind{
        "cost",
        "operations and bytes of attention and generation",
        cost_keys,
        true,
        prepare_cost,
        SearchRule::none,
        {"scores_cached >= 1 and scores_cached == floor(scores_cached) and "
         "scores_full >= scores_cached and scores_full == floor(scores_full) and "
         "scores_re_encoded >= scores_cached and scores_re_encoded == floor(scores_re_encoded) and "
         "operations_cached >= 0 and operations_cached == floor(operations_cached) and "
         "operations_full >= operations_cached and operations_full == floor(operations_full) and "
         "operations_re_encoded >= operations_cached and "
         "operations_re_encoded == floor(operations_re_encoded) and "
         "cache_bytes >= 0 and full_cache_bytes >= cache_bytes and matrix_bytes >= 0 and "
         "row_bytes >= 0 and cache_bytes == floor(cache_bytes) and full_cache_bytes == floor(full_cache_bytes) and "
         "matrix_bytes == floor(matrix_bytes) and row_bytes == floor(row_bytes) and learned_parameters >= 0 and "
         "learned_parameters == floor(learned_parameters)"}};
    return kind;
}

}  // namespace farfield::quantity
