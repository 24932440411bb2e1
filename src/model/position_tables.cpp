// Positions: computes tables from formulas.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/model/check.hpp>
#include <limits>

#include "model/positions.hpp"

namespace farfield::model {
namespace {

/// Pairs (p, i), where i varies faster.
struct PairPoints {
    std::vector<double> p;
    std::vector<double> i;

    PairPoints(std::size_t length, std::size_t pairs) {
        for (std::size_t at = 0; at < length * pairs; ++at) {
            const std::size_t position = at / pairs;
            p.push_back(static_cast<double>(position));
            i.push_back(static_cast<double>(at % pairs));
        }
    }
    std::vector<evaluate::Lane> lanes() const { return {std::span<const double>(p), std::span<const double>(i)}; }
};

template <class Real>
std::vector<double> sum_of_groups(std::span<TableGradients<Real>> groups,
                                  std::vector<Real> TableGradients<Real>::*table, std::size_t begin,
                                  std::size_t count) {
    std::vector<double> sum(count, 0.0);
    for (const TableGradients<Real>& group : groups) {
        for (std::size_t at = 0; at < count; ++at) sum[at] += static_cast<double>((group.*table)[begin + at]);
    }
    return sum;
}

}  // namespace

/// Cosines and sines of angles, with the scheme's rounding.
static std::pair<std::vector<double>, std::vector<double>> waves_of(const scheme::Scheme& scheme,
                                                                    std::span<const double> angles) {
    std::vector<double> cosines(angles.size()), sines(angles.size());
    std::transform(angles.begin(), angles.end(), cosines.begin(), [](double angle) { return std::cos(angle); });
    std::transform(angles.begin(), angles.end(), sines.begin(), [](double angle) { return std::sin(angle); });
    if (!scheme.rotate->values) return {cosines, sines};
    const formula::Program program = formula::compile(scheme.rotate->values, {{}, {"it"}, {}});
    for (std::vector<double>* waves : {&cosines, &sines})
        *waves = evaluate::evaluate(program, {{}, {std::span<const double>(*waves)}, {}, waves->size()});
    return {cosines, sines};
}

/// Distances of the line table: 0..L-1, or from -(L-1) on if later keys may be visible.
static evaluate::Range distances(const Pieces& pieces, std::size_t length) {
    const double first = pieces.scheme.causal ? 0 : 1 - static_cast<double>(length);
    return {first, 1, pieces.scheme.causal ? length : 2 * length - 1};
}

/// Visible pairs of a query and a key, and their places in a table of tiles.
struct TilePoints {
    std::vector<double> q;
    std::vector<double> k;
    std::vector<std::size_t> at;

    std::vector<evaluate::Lane> lanes() const { return {std::span<const double>(q), std::span<const double>(k)}; }
    void clear() {
        q.clear();
        k.clear();
        at.clear();
    }
};

/// Calls work(points) with the pairs of some rows of tiles at a time, because all pairs of a long mask need more memory
/// than its table.
template <class Work>
static void for_tile_points(const MaskPlan& mask, std::size_t length, const Work& work) {
    constexpr std::size_t points_at_once = 65536;
    TilePoints points;
    const std::size_t rows = mask.first().size() - 1;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::uint32_t t = mask.first()[row]; t < mask.first()[row + 1]; ++t) {
            const MaskTile& tile = mask.tiles()[t];
            for (std::size_t r = 0; r < std::min(query_tile, length - row * query_tile); ++r) {
                for (std::size_t c = tile.begin; c < tile.end; ++c) {
                    if (!mask.visible(tile, r, c)) continue;
                    points.q.push_back(static_cast<double>(row * query_tile + r));
                    points.k.push_back(static_cast<double>(tile.key + c));
                    points.at.push_back((tile.slot * query_tile + r) * key_tile + c);
                }
            }
        }
        if (points.q.size() < points_at_once && row + 1 < rows) continue;
        work(points);
        points.clear();
    }
}

/// Marks the distances at which a key is visible to some query: n at [n + L - 1].
static void mark_seen(const MaskPlan& mask, std::size_t length, std::vector<bool>& seen) {
    for (std::size_t row = 0; row + 1 < mask.first().size(); ++row) {
        for (std::uint32_t t = mask.first()[row]; t < mask.first()[row + 1]; ++t) {
            const MaskTile& tile = mask.tiles()[t];
            for (std::size_t r = 0; r < std::min(query_tile, length - row * query_tile); ++r) {
                for (std::size_t c = tile.begin; c < tile.end; ++c) {
                    if (mask.visible(tile, r, c)) seen[row * query_tile + r + length - 1 - (tile.key + c)] = true;
                }
            }
        }
    }
}

/// The masks of all layers and heads that share a table.
template <class Real>
std::vector<const MaskPlan*> Positions<Real>::masks_over(const Variation& tables, std::size_t variant) const {
    std::vector<const MaskPlan*> masks;
    for (std::size_t layer = 0; layer < mask_of_.layers; ++layer) {
        for (std::size_t head = 0; head < mask_of_.heads; ++head) {
            const bool own_layer = tables.layers == 1 || mask_of_.layers == 1 || layer == variant / tables.heads;
            const bool own_head = tables.heads == 1 || mask_of_.heads == 1 || head == variant % tables.heads;
            if (own_layer && own_head) masks.push_back(&mask_plan(layer, head));
        }
    }
    return masks;
}

/// Whether any key is visible to q.
static bool sees_any(const std::vector<const MaskPlan*>& masks, std::size_t q) {
    return std::any_of(masks.begin(), masks.end(), [q](const MaskPlan* mask) {
        const std::size_t row = q / query_tile;
        for (std::uint32_t t = mask->first()[row]; t < mask->first()[row + 1]; ++t) {
            const MaskTile& tile = mask->tiles()[t];
            for (std::size_t c = tile.begin; c < tile.end; ++c) {
                if (mask->visible(tile, q % query_tile, c)) return true;
            }
        }
        return false;
    });
}

/// Whether a Real can represent the number.
template <class Real>
static bool is_held(double value) {
    return std::fabs(value) <= static_cast<double>(std::numeric_limits<Real>::max());
}

/// A bias of -inf masks the key.
template <class Real>
static bool is_bias(double value) {
    return is_held<Real>(value) || value == -INFINITY;
}

/// The place of a table in the model: "head 2, layer 1".
static std::string owner(const Variation& variation, std::size_t variant) {
    return "head " + std::to_string(variant % variation.heads + 1) + ", layer " +
           std::to_string(variant / variation.heads + 1);
}

static std::string whole(double number) {
    return std::to_string(static_cast<long long>(number));
}

template <class Real>
[[noreturn]] static void refuse(const char* piece, double value, const std::string& where, const char* otherwise) {
    // A NaN may have a sign, which has no meaning.
    const std::string shown = std::isnan(value) ? "nan" : fmt::format("{:g}", value);
    const std::string most = fmt::format("{:.3g}", static_cast<double>(std::numeric_limits<Real>::max()));
    throw PieceError(piece, shown + " at " + where,
                     std::isfinite(value) ? "at most " + most + " in size, the largest float" : otherwise);
}

template <class Real>
void Positions<Real>::update_bias() {
    const char* const bias_wanted = "a number below infinity wherever the mask shows a key";
    const evaluate::Range range = distances(*pieces_, length_);
    for (std::size_t variant = 0; variant < bias_of_.count(); ++variant) {
        Real* const table = bias_.data() + variant * bias_size_;
        if (by_distance_) {
            const std::vector<double> values = bias_formulas_[variant].evaluate(values_, {range}, range.count);
            std::vector<bool> seen;
            if (!std::all_of(values.begin(), values.end(), is_bias<Real>)) {
                seen.assign(2 * length_ - 1, false);
                for (const MaskPlan* mask : masks_over(bias_of_, variant)) mark_seen(*mask, length_, seen);
            }
            for (std::size_t at = 0; at < range.count; ++at) {
                const double n = range.at(at);
                const bool is_usable = is_bias<Real>(values[at]);
                const auto offset = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(n));
                if (!is_usable && seen[length_ - 1 + offset]) {
                    refuse<Real>("bias", values[at], owner(bias_of_, variant) + ", distance " + whole(n), bias_wanted);
                }
                table[length_ - 1 - offset] = is_usable ? static_cast<Real>(values[at]) : Real{0};
            }
            continue;
        }
        const MaskPlan& mask = mask_plan(variant / bias_of_.heads, variant % bias_of_.heads);
        for_tile_points(mask, length_, [&](const TilePoints& points) {
            const std::vector<double> values =
                bias_formulas_[variant].evaluate(values_, points.lanes(), points.q.size());
            for (std::size_t at = 0; at < values.size(); ++at) {
                if (!is_bias<Real>(values[at])) {
                    refuse<Real>("bias", values[at],
                                 owner(bias_of_, variant) + ", distance " + whole(points.q[at] - points.k[at]) +
                                     " of query " + whole(points.q[at]),
                                 bias_wanted);
                }
                table[points.at[at]] = static_cast<Real>(values[at]);
            }
        });
    }
}

template <class Real>
void Positions<Real>::add_bias_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient) {
    const evaluate::Range range = distances(*pieces_, length_);
    for (std::size_t variant = 0; variant < bias_of_.count(); ++variant) {
        const auto slope = [&](std::size_t at) {
            double sum = 0;
            for (const TableGradients<Real>& group : groups)
                sum += static_cast<double>(group.bias[variant * bias_size_ + at]);
            return sum;
        };
        std::vector<double> along;
        if (by_distance_) {
            for (std::size_t at = 0; at < range.count; ++at) {
                const auto n = static_cast<std::ptrdiff_t>(range.at(at));
                along.push_back(slope(length_ - 1 - static_cast<std::size_t>(n)));
            }
            bias_formulas_[variant].add_gradient(values_, {range}, along, gradient);
            continue;
        }
        const MaskPlan& mask = mask_plan(variant / bias_of_.heads, variant % bias_of_.heads);
        for_tile_points(mask, length_, [&](const TilePoints& points) {
            along.clear();
            for (const std::size_t at : points.at) along.push_back(slope(at));
            bias_formulas_[variant].add_gradient_of_part(values_, points.lanes(), along, gradient);
        });
    }
}

template <class Real>
void Positions<Real>::update_temperature() {
    const double root = std::sqrt(static_cast<double>(pieces_->config.head_dim()));
    for (std::size_t variant = 0; variant < factor_of_.count(); ++variant) {
        const std::vector<double> values =
            temperature_formulas_[variant].evaluate(values_, {evaluate::Range{0, 1, length_}}, length_);
        for (std::size_t q = 0; q < length_; ++q) {
            const bool is_usable = is_held<Real>(values[q]);
            if (!is_usable && sees_any(masks_over(factor_of_, variant), q)) {
                refuse<Real>("temperature", values[q], owner(factor_of_, variant) + ", query " + std::to_string(q),
                             "a number at every query with a visible key");
            }
            factor_[variant * length_ + q] = is_usable ? static_cast<Real>(values[q] / root) : Real{0};
        }
    }
}

template <class Real>
void Positions<Real>::add_temperature_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient) {
    const double root = std::sqrt(static_cast<double>(pieces_->config.head_dim()));
    for (std::size_t variant = 0; variant < factor_of_.count(); ++variant) {
        std::vector<double> along =
            sum_of_groups(groups, &TableGradients<Real>::temperature, variant * length_, length_);
        for (double& slope : along) slope /= root;
        temperature_formulas_[variant].add_gradient(values_, {evaluate::Range{0, 1, length_}}, along, gradient);
    }
}

/// Queries are multiplied by the scale, keys by its inverse. `piece` gave the angles.
template <class Real>
void Positions<Real>::check_rotation(const char* piece, std::size_t variant, const std::vector<double>& angles,
                                     const std::vector<double>& scales) const {
    const std::size_t pairs = pieces_->rotated / 2;
    for (std::size_t at = 0; at < angles.size(); ++at) {
        const bool is_angle = std::isfinite(angles[at]);
        if (is_angle && is_held<Real>(scales[at]) && is_held<Real>(1 / scales[at])) continue;
        const std::string where = owner(turn_of_, variant) + ", position " + std::to_string(at / pairs) + ", pair " +
                                  std::to_string(at % pairs);
        if (!is_angle) refuse<Real>(piece, angles[at], where, "a number");
        if (is_held<Real>(scales[at])) {
            throw PieceError("rotate.scale", fmt::format("{:g} at {}", scales[at], where),
                             "a number whose inverse, by which keys are multiplied, is a float");
        }
        refuse<Real>("rotate.scale", scales[at], where, "a number");
    }
}

/// One variant's cosines and sines, times the scale of queries or keys.
template <class Real>
void Positions<Real>::fill_turn(std::size_t variant, const std::vector<double>& cosines,
                                const std::vector<double>& sines, bool is_key, std::vector<Real>& turns) const {
    const std::size_t rotated = pieces_->rotated;
    const std::size_t pairs = rotated / 2;
    const bool halves = pieces_->scheme.rotate->pairs == scheme::Pairs::halves;
    const double* const scales = scales_.data() + variant * cosines.size();
    Real* const table = turns.data() + variant * turn_size();
    for (std::size_t at = 0; at < cosines.size(); ++at) {
        const std::size_t row = at / pairs * rotated;
        const std::size_t first = row + (halves ? at % pairs : 2 * (at % pairs));
        const std::size_t second = halves ? first + pairs : first + 1;
        const double scale = is_key ? 1 / scales[at] : scales[at];
        table[first] = table[second] = static_cast<Real>(scale * cosines[at]);
        table[length_ * rotated + first] = static_cast<Real>(-scale * sines[at]);
        table[length_ * rotated + second] = static_cast<Real>(scale * sines[at]);
    }
}

template <class Real>
void Positions<Real>::update_rotation() {
    const std::size_t pairs = pieces_->rotated / 2;
    const std::size_t count = length_ * pairs;
    const PairPoints points(length_, pairs);
    for (std::size_t variant = 0; variant < turn_of_.count(); ++variant) {
        const std::vector<double> angles = angle_formulas_[variant].evaluate(values_, points.lanes(), count);
        const std::vector<double> scales = scale_formulas_[variant].evaluate(values_, points.lanes(), count);
        check_rotation("rotate.angle", variant, angles, scales);
        const auto [cosines, sines] = waves_of(pieces_->scheme, angles);
        std::copy(angles.begin(), angles.end(), angles_.begin() + static_cast<std::ptrdiff_t>(variant * count));
        std::copy(scales.begin(), scales.end(), scales_.begin() + static_cast<std::ptrdiff_t>(variant * count));
        fill_turn(variant, cosines, sines, false, query_turn_);
        fill_turn(variant, cosines, sines, true, key_turn_);
        if (has_far()) update_far(variant);
    }
}

/// The tables of a variant's second rotation, whose scales are those of the first.
template <class Real>
void Positions<Real>::update_far(std::size_t variant) {
    const std::size_t pairs = pieces_->rotated / 2;
    const std::size_t count = length_ * pairs;
    const PairPoints points(length_, pairs);
    const auto update = [&](const char* piece, std::vector<LearnedFormula>& formulas, std::vector<double>& kept,
                            bool is_key, std::vector<Real>& turns) {
        const std::vector<double> angles = formulas[variant].evaluate(values_, points.lanes(), count);
        check_rotation(piece, variant, angles, std::vector<double>(count, 1.0));
        const auto [cosines, sines] = waves_of(pieces_->scheme, angles);
        std::copy(angles.begin(), angles.end(), kept.begin() + static_cast<std::ptrdiff_t>(variant * count));
        fill_turn(variant, cosines, sines, is_key, turns);
    };
    update("rotate.far.query", far_query_formulas_, far_query_angles_, false, far_query_turn_);
    const bool has_own_key = pieces_->scheme.rotate->far->key.has_value();
    update(has_own_key ? "rotate.far.key" : "rotate.angle", far_key_formulas_, far_key_angles_, true, far_key_turn_);
}

/// Converts gradients of cosine and sine tables to gradients of angle and scale: with a = d/d(s cos) and b = d/d(s
/// sin), d/d angle is s (b cos - a sin), d/d scale is a cos + b sin; keys have 1/s for s.
template <class Real>
void Positions<Real>::add_rotation_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient) {
    using Gradients = TableGradients<Real>;
    const std::size_t rotated = pieces_->rotated;
    const std::size_t pairs = rotated / 2;
    const std::size_t count = length_ * pairs;
    const bool halves = pieces_->scheme.rotate->pairs == scheme::Pairs::halves;
    const PairPoints points(length_, pairs);
    for (std::size_t variant = 0; variant < turn_of_.count(); ++variant) {
        std::vector<double> by_scale(count);
        const auto add = [&](std::vector<Real> Gradients::*of, const std::vector<double>& angles, bool is_key,
                             std::vector<double>& by_angle) {
            const std::vector<double> table = sum_of_groups(groups, of, variant * turn_size(), turn_size());
            for (std::size_t at = 0; at < count; ++at) {
                const std::size_t first = at / pairs * rotated + (halves ? at % pairs : 2 * (at % pairs));
                const std::size_t second = halves ? first + pairs : first + 1;
                const double cosine = std::cos(angles[variant * count + at]);
                const double sine = std::sin(angles[variant * count + at]);
                const double scale = scales_[variant * count + at];
                const double a = table[first] + table[second];
                const double b = table[length_ * rotated + second] - table[length_ * rotated + first];
                by_angle[at] += (is_key ? 1 / scale : scale) * (b * cosine - a * sine);
                const double by_factor = a * cosine + b * sine;
                by_scale[at] += is_key ? -by_factor / (scale * scale) : by_factor;
            }
        };
        std::vector<double> by_angle(count);
        add(&Gradients::query_turn, angles_, false, by_angle);
        add(&Gradients::key_turn, angles_, true, by_angle);
        angle_formulas_[variant].add_gradient(values_, points.lanes(), by_angle, gradient);
        if (has_far()) {
            std::vector<double> by_query(count), by_key(count);
            add(&Gradients::far_query_turn, far_query_angles_, false, by_query);
            add(&Gradients::far_key_turn, far_key_angles_, true, by_key);
            far_query_formulas_[variant].add_gradient(values_, points.lanes(), by_query, gradient);
            far_key_formulas_[variant].add_gradient(values_, points.lanes(), by_key, gradient);
        }
        scale_formulas_[variant].add_gradient(values_, points.lanes(), by_scale, gradient);
    }
}

template <class Real>
void Positions<Real>::update_embedding() {
    const std::size_t width = pieces_->config.width;
    const std::size_t pairs = (width + 1) / 2;
    const PairPoints points(length_, pairs);
    for (std::size_t parity = 0; parity < 2; ++parity) {
        const std::vector<double> values =
            embedding_formulas_[parity].evaluate(values_, points.lanes(), length_ * pairs);
        for (std::size_t at = 0; at < values.size(); ++at) {
            const std::size_t column = 2 * (at % pairs) + parity;
            if (column >= width) continue;
            if (!is_held<Real>(values[at])) {
                refuse<Real>(parity == 0 ? "embed.even" : "embed.odd", values[at],
                             "position " + std::to_string(at / pairs) + ", pair " + std::to_string(at % pairs),
                             "a number");
            }
            embedding_[at / pairs * width + column] = static_cast<Real>(values[at]);
        }
    }
}

template <class Real>
void Positions<Real>::add_embedding_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient) {
    const std::size_t width = pieces_->config.width;
    const std::size_t pairs = (width + 1) / 2;
    const PairPoints points(length_, pairs);
    const std::vector<double> table = sum_of_groups(groups, &TableGradients<Real>::embedding, 0, embedding_.size());
    for (std::size_t parity = 0; parity < 2; ++parity) {
        std::vector<double> along(length_ * pairs, 0.0);
        for (std::size_t at = 0; at < along.size(); ++at) {
            const std::size_t column = 2 * (at % pairs) + parity;
            if (column < width) along[at] = table[at / pairs * width + column];
        }
        embedding_formulas_[parity].add_gradient(values_, points.lanes(), along, gradient);
    }
}

template class Positions<float>;
template class Positions<double>;

}  // namespace farfield::model
