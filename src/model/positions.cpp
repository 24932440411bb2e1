#include "model/positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/size_text.hpp>
#include <farfield/model/check.hpp>
#include <farfield/scheme/context.hpp>

#include "model/positional_formulas.hpp"

namespace farfield::model {
namespace {

bool mentions(const formula::Node& tree, const LearnedNames& names, const char* variable, bool scheme::Learned::*per) {
    if (!tree) return false;
    std::vector<std::string> used = formula::free_names(tree);
    const std::vector<std::string> tables = formula::indexed_names(tree);
    used.insert(used.end(), tables.begin(), tables.end());
    return std::any_of(used.begin(), used.end(), [&](const std::string& name) {
        const LearnedName* const learned = names.find(name);
        return name == variable || (learned != nullptr && learned->spec.*per);
    });
}

bool any_learns(const std::vector<LearnedFormula>& formulas) {
    return std::any_of(formulas.begin(), formulas.end(), [](const LearnedFormula& f) { return f.learns(); });
}

bool any_changes(const std::vector<LearnedFormula>& formulas) {
    return std::any_of(formulas.begin(), formulas.end(), [](const LearnedFormula& f) { return f.uses_learned(); });
}

}  // namespace

template <class Real>
Variation Positions<Real>::variation(const std::vector<const scheme::Piece*>& pieces) const {
    Variation result;
    for (const scheme::Piece* const piece : pieces) {
        for (const formula::Node& tree : {piece->formula, piece->when}) {
            if (mentions(tree, pieces_->names, "layer", &scheme::Learned::per_layer)) {
                result.layers = pieces_->config.layers;
            }
            if (mentions(tree, pieces_->names, "h", &scheme::Learned::per_head)) result.heads = pieces_->config.heads;
        }
    }
    return result;
}

template <class Real>
std::vector<LearnedFormula> Positions<Real>::formulas(const Variation& variation,
                                                      const std::vector<std::string>& variables,
                                                      formula::Node (*tree)(const Pieces&, std::size_t, std::size_t,
                                                                            std::size_t)) const {
    std::vector<LearnedFormula> result;
    for (std::size_t layer = 0; layer < variation.layers; ++layer) {
        for (std::size_t head = 0; head < variation.heads; ++head) {
            result.emplace_back(tree(*pieces_, length_, layer, head), variables, pieces_->names, layer, head);
        }
    }
    return result;
}

template <class Real>
Positions<Real>::Positions(std::shared_ptr<const Pieces> pieces, std::size_t length)
    : pieces_(std::move(pieces)), length_(length), padded_((length + key_tile - 1) / key_tile * key_tile) {
    if (pieces_->scheme.mask) mask_of_ = variation({&*pieces_->scheme.mask});
    make_bias();
    make_temperature();
    make_rotation();
    make_embedding();
}

template <class Real>
void Positions<Real>::make_masks() {
    if (!masks_.empty()) return;
    const scheme::Scheme& scheme = pieces_->scheme;
    for (std::size_t layer = 0; layer < mask_of_.layers; ++layer) {
        for (std::size_t head = 0; head < mask_of_.heads; ++head) {
            const formula::Node mask = scheme.mask || !scheme.causal
                                           ? scheme::mask_formula(scheme, context_of(*pieces_, length_, layer, head))
                                           : nullptr;
            masks_.emplace_back(mask, scheme.causal, length_);
        }
    }
    const auto is_empty = [](const MaskPlan& plan) { return plan.tiles().empty(); };
    if (scheme.mask && std::all_of(masks_.begin(), masks_.end(), is_empty))
        throw PieceError("mask", "false for all queries and keys at length " + std::to_string(length_),
                         "a mask that leaves a key visible");
}

template <class Real>
void Positions<Real>::make_far_plans() {
    if (!has_far() || !far_plans_.empty()) return;
    for (std::size_t layer = 0; layer < far_of_.layers; ++layer) {
        for (std::size_t head = 0; head < far_of_.heads; ++head)
            far_plans_.emplace_back(far_where_tree(*pieces_, length_, layer, head), mask_plan(layer, head), length_);
    }
}

template <class Real>
void Positions<Real>::make_bias() {
    const scheme::Scheme& scheme = pieces_->scheme;
    if (!scheme.bias) return;
    bias_of_ = variation({&*scheme.bias});
    by_distance_ = bias_depends_on_distance(*pieces_, length_, bias_of_);
    if (by_distance_) {
        bias_formulas_ = formulas(bias_of_, {"n"}, bias_by_distance_tree);
        bias_size_ = length_ + padded_ + key_tile;
    } else {
        bias_of_ = {std::max(bias_of_.layers, mask_of_.layers), std::max(bias_of_.heads, mask_of_.heads)};
        bias_formulas_ = formulas(bias_of_, {"q", "k"}, bias_tree);
        make_masks();
        std::size_t most = 0;
        for (const MaskPlan& mask : masks_) most = std::max(most, mask.tiles().size());
        bias_size_ = most * query_tile * key_tile;
    }
    constexpr std::size_t most_bytes = std::size_t{2} << 30;
    if (bias_count() > most_bytes / sizeof(Real)) {
        const std::string size = core::size_text(static_cast<double>(bias_count()) * sizeof(Real));
        throw PieceError("bias", fmt::format("a table of {} at length {}", size, length_),
                         "2 GiB at most, of a bias that depends on q and k");
    }
}

template <class Real>
void Positions<Real>::make_temperature() {
    const scheme::Scheme& scheme = pieces_->scheme;
    if (scheme.temperature) {
        factor_of_ = variation({&*scheme.temperature});
        temperature_formulas_ = formulas(factor_of_, {"q"}, temperature_tree);
    }
}

template <class Real>
void Positions<Real>::make_rotation() {
    const scheme::Scheme& scheme = pieces_->scheme;
    if (!scheme.rotate) return;
    std::vector<const scheme::Piece*> pieces = {&scheme.rotate->angle};
    if (scheme.rotate->scale) pieces.push_back(&*scheme.rotate->scale);
    if (const std::optional<scheme::FarRotation>& far = scheme.rotate->far) {
        pieces.push_back(&far->query);
        if (far->key) pieces.push_back(&*far->key);
        const Variation where = variation({&far->where});
        far_of_ = {std::max(mask_of_.layers, where.layers), std::max(mask_of_.heads, where.heads)};
    }
    turn_of_ = variation(pieces);
    angle_formulas_ = formulas(turn_of_, {"p", "i"}, angle_tree);
    scale_formulas_ = formulas(turn_of_, {"p", "i"}, scale_tree);
    if (!scheme.rotate->far) return;
    far_query_formulas_ = formulas(turn_of_, {"p", "i"}, far_query_tree);
    far_key_formulas_ = formulas(turn_of_, {"p", "i"}, far_key_tree);
}

template <class Real>
void Positions<Real>::make_embedding() {
    const scheme::Scheme& scheme = pieces_->scheme;
    if (!scheme.embed || (!scheme.embed->even && !scheme.embed->odd)) return;
    embedding_formulas_ = formulas({}, {"p", "i"}, even_tree);
    const std::vector<LearnedFormula> odd = formulas({}, {"p", "i"}, odd_tree);
    embedding_formulas_.push_back(odd.front());
}

template <class Real>
void Positions<Real>::allocate() {
    make_masks();
    make_far_plans();
    bias_.assign(bias_count(), Real{0});
    const auto root = std::sqrt(static_cast<double>(pieces_->config.head_dim()));
    factor_.assign(factor_count(), static_cast<Real>(1 / root));
    angles_.assign(turn_count() / 4, 0);
    scales_.assign(turn_count() / 4, 1);
    query_turn_.assign(turn_count(), Real{0});
    key_turn_ = query_turn_;
    if (has_far()) {
        far_query_angles_ = far_key_angles_ = angles_;
        far_query_turn_ = far_key_turn_ = query_turn_;
    }
    embedding_.assign(embedding_count(), Real{0});
}

template <class Real>
void Positions<Real>::update_pieces(Which which) {
    const auto is_wanted = [which](std::initializer_list<const std::vector<LearnedFormula>*> piece) {
        if ((*piece.begin())->empty()) return false;
        const bool changes = std::any_of(piece.begin(), piece.end(), [](const auto* f) { return any_changes(*f); });
        return which == Which::all || changes == (which == Which::changing);
    };
    if (is_wanted({&bias_formulas_})) update_bias();
    if (is_wanted({&temperature_formulas_})) update_temperature();
    if (is_wanted({&angle_formulas_, &scale_formulas_, &far_query_formulas_, &far_key_formulas_})) update_rotation();
    if (is_wanted({&embedding_formulas_})) update_embedding();
}

template <class Real>
void Positions<Real>::update(std::span<const Real> parameters) {
    std::vector<double> values = pieces_->names.values(parameters);
    if (!fresh_ && values == values_) return;
    if (factor_.empty()) allocate();
    values_ = std::move(values);
    const Which which = fresh_ ? Which::all : Which::changing;
    fresh_ = true;
    update_pieces(which);
    fresh_ = false;
}

template <class Real>
void Positions<Real>::update_fixed() {
    allocate();
    update_pieces(Which::fixed);
}

template <class Real>
bool Positions<Real>::visible(std::size_t layer, std::size_t head, std::size_t q, std::size_t k) const {
    const MaskPlan& mask = mask_plan(layer, head);
    const MaskTile* const tile = mask.find(q, k);
    return tile != nullptr && mask.visible(*tile, q % query_tile, k - tile->key);
}

template <class Real>
bool Positions<Real>::is_far(std::size_t layer, std::size_t head, std::size_t q, std::size_t k) const {
    if (!has_far()) return false;
    const MaskTile* const tile = mask_plan(layer, head).find(q, k);
    return tile != nullptr && far_plans_[far_of_.index(layer, head)].holds(*tile, q % query_tile, k - tile->key);
}

template <class Real>
Real Positions<Real>::bias_at(std::size_t layer, std::size_t head, std::size_t q, std::size_t k) const {
    if (!has_bias()) return Real{0};
    if (by_distance_) return bias(layer, head)[length_ - 1 - q + k];
    const MaskTile* const tile = mask_plan(layer, head).find(q, k);
    if (tile == nullptr) return Real{0};
    return bias(layer, head)[(tile->slot * query_tile + q % query_tile) * key_tile + k - tile->key];
}

template <class Real>
TableGradients<Real> Positions<Real>::gradients() const {
    TableGradients<Real> result;
    if (any_learns(bias_formulas_)) result.bias.assign(bias_count(), Real{0});
    if (any_learns(temperature_formulas_)) result.temperature.assign(factor_count(), Real{0});
    if (rotation_learns()) {
        result.query_turn.assign(turn_count(), Real{0});
        result.key_turn = result.query_turn;
        if (has_far()) result.far_query_turn = result.far_key_turn = result.query_turn;
    }
    if (any_learns(embedding_formulas_)) result.embedding.assign(embedding_count(), Real{0});
    return result;
}

template <class Real>
bool Positions<Real>::rotation_learns() const {
    return any_learns(angle_formulas_) || any_learns(scale_formulas_) || any_learns(far_query_formulas_) ||
           any_learns(far_key_formulas_);
}

template <class Real>
std::size_t Positions<Real>::gradients_size() const {
    std::size_t size = any_learns(bias_formulas_) ? bias_count() : 0;
    if (any_learns(temperature_formulas_)) size += factor_count();
    if (rotation_learns()) size += turn_tables() * turn_count();
    return any_learns(embedding_formulas_) ? size + embedding_count() : size;
}

template <class Real>
void Positions<Real>::add_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient) {
    if (groups.empty()) return;
    if (!groups[0].bias.empty()) add_bias_gradient(groups, gradient);
    if (!groups[0].temperature.empty()) add_temperature_gradient(groups, gradient);
    if (!groups[0].query_turn.empty()) add_rotation_gradient(groups, gradient);
    if (!groups[0].embedding.empty()) add_embedding_gradient(groups, gradient);
}

template <class Real>
std::size_t Positions<Real>::bytes() const {
    const std::size_t reals = bias_count() + factor_count() + turn_tables() * turn_count() + embedding_count();
    const std::size_t masks = mask_of_.layers * mask_of_.heads *
                              MaskPlan::least_bytes(pieces_->scheme.mask.has_value(), pieces_->scheme.causal, length_);
    return reals * sizeof(Real) + turn_tables() * turn_count() / 4 * sizeof(double) + masks;
}

template struct TableGradients<float>;
template struct TableGradients<double>;
template class Positions<float>;
template class Positions<double>;

}  // namespace farfield::model
