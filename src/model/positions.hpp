// A scheme's tables at one length, which attention and the input embedding read, and the gradients with respect to
// them.
#pragma once

#include <cstddef>
#include <farfield/model/config.hpp>
#include <farfield/scheme/scheme.hpp>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/learned_names.hpp"
#include "model/mask_plan.hpp"

namespace farfield::model {

/// The parts of a scheme that do not depend on the length.
struct Pieces {
    Config config;
    scheme::Scheme scheme;  ///< without its `learn`, so that the formulas keep the learned names
    LearnedNames names;
    std::size_t rotated = 0;  ///< rotated columns of a head, an even number

    Pieces(const Config& shape, const scheme::Scheme& whole, Layout& layout);
};

/// The layers and heads (from 0) that have their own tables.
struct Variation {
    std::size_t layers = 1;
    std::size_t heads = 1;

    std::size_t count() const { return layers * heads; }
    std::size_t index(std::size_t layer, std::size_t head) const {
        return (layers > 1 ? layer : 0) * heads + (heads > 1 ? head : 0);
    }
};

/// Gradients with respect to the tables, from one group of sequences. Empty if nothing is learned.
template <class Real>
struct TableGradients {
    std::vector<Real> bias;         ///< as the bias tables
    std::vector<Real> temperature;  ///< [variant, L], with respect to the factor
    std::vector<Real> query_turn;   ///< [variant, 2, L, rotated]: with respect to cosine and sine
    std::vector<Real> key_turn;
    std::vector<Real> far_query_turn;
    std::vector<Real> far_key_turn;
    std::vector<Real> embedding;  ///< [L, C]

    std::size_t size() const {
        return bias.size() + temperature.size() + query_turn.size() + key_turn.size() + far_query_turn.size() +
               far_key_turn.size() + embedding.size();
    }
};

template <class Real>
class Positions {
public:
    /// Computes the sizes of the tables; the first update() creates masks and tables.
    Positions(std::shared_ptr<const Pieces> pieces, std::size_t length);

    const Pieces& pieces() const { return *pieces_; }
    std::size_t length() const { return length_; }
    std::size_t padded() const { return padded_; }

    /// Sets the learned values. Throws PieceError for a number that is used and that Real cannot represent.
    void update(std::span<const Real> parameters);
    /// Updates only the tables of formulas without learned names.
    void update_fixed();

    MaskView mask(std::size_t layer, std::size_t head) const { return masks_[mask_of_.index(layer, head)].view(); }
    const MaskPlan& mask_plan(std::size_t layer, std::size_t head) const { return masks_[mask_of_.index(layer, head)]; }
    bool has_bias() const { return !bias_formulas_.empty(); }
    bool bias_by_distance() const { return by_distance_; }
    const Real* bias(std::size_t layer, std::size_t head) const {
        return bias_.data() + bias_of_.index(layer, head) * bias_size_;
    }
    /// Whether k is visible to q, and the bias between them (0 without one).
    bool visible(std::size_t layer, std::size_t head, std::size_t q, std::size_t k) const;
    Real bias_at(std::size_t layer, std::size_t head, std::size_t q, std::size_t k) const;
    const Real* factor(std::size_t layer, std::size_t head) const {
        return factor_.data() + factor_of_.index(layer, head) * length_;
    }
    /// cosine, then sine, [L, rotated] each.
    const Real* query_turn(std::size_t layer, std::size_t head) const {
        return query_turn_.data() + turn_of_.index(layer, head) * turn_size();
    }
    const Real* key_turn(std::size_t layer, std::size_t head) const {
        return key_turn_.data() + turn_of_.index(layer, head) * turn_size();
    }
    /// Whether some logits use a second rotation, where far() says so, with its tables.
    bool has_far() const { return !far_query_formulas_.empty() && pieces_->rotated > 0; }
    FarView far(std::size_t layer, std::size_t head) const { return far_plans_[far_of_.index(layer, head)].view(); }
    bool is_far(std::size_t layer, std::size_t head, std::size_t q, std::size_t k) const;
    const Real* far_query_turn(std::size_t layer, std::size_t head) const {
        return far_query_turn_.data() + turn_of_.index(layer, head) * turn_size();
    }
    const Real* far_key_turn(std::size_t layer, std::size_t head) const {
        return far_key_turn_.data() + turn_of_.index(layer, head) * turn_size();
    }
    std::size_t turn_size() const { return 2 * length_ * pieces_->rotated; }
    /// The numbers that formulas add to the embedding, [L, C]; empty without such formulas.
    const std::vector<Real>& embedding() const { return embedding_; }

    /// The number of values in such tables.
    std::size_t gradients_size() const;
    /// Zero gradient tables of the right sizes for the learned tables.
    TableGradients<Real> gradients() const;
    Real* bias_gradient(TableGradients<Real>& to, std::size_t layer, std::size_t head) const {
        return to.bias.empty() ? nullptr : to.bias.data() + bias_of_.index(layer, head) * bias_size_;
    }
    Real* factor_gradient(TableGradients<Real>& to, std::size_t layer, std::size_t head) const {
        return to.temperature.empty() ? nullptr : to.temperature.data() + factor_of_.index(layer, head) * length_;
    }
    Real* turn_gradient(std::vector<Real>& to, std::size_t layer, std::size_t head) const {
        return to.empty() ? nullptr : to.data() + turn_of_.index(layer, head) * turn_size();
    }

    /// Adds the gradient with respect to the learned values, from the sum of the groups' tables and the derivatives of
    /// the formulas.
    void add_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient);

    /// The memory of the tables, after update() has created them; of masks with a formula, a lower bound.
    std::size_t bytes() const;

private:
    std::size_t bias_count() const { return has_bias() ? bias_of_.count() * bias_size_ : 0; }
    std::size_t factor_count() const { return factor_of_.count() * length_; }
    std::size_t turn_count() const { return angle_formulas_.empty() ? 0 : turn_of_.count() * turn_size(); }
    std::size_t turn_tables() const { return has_far() ? 4 : 2; }
    bool rotation_learns() const;
    std::size_t embedding_count() const { return embedding_formulas_.empty() ? 0 : length_ * pieces_->config.width; }
    void allocate();
    void make_masks();      ///< once
    void make_far_plans();  ///< once, after the masks
    void make_bias();
    void make_temperature();
    void make_rotation();
    void make_embedding();
    enum class Which { all, changing, fixed };  ///< selects pieces by whether their formulas use learned names
    void update_pieces(Which which);
    void update_bias();
    void update_temperature();
    void update_rotation();
    void update_embedding();
    std::vector<const MaskPlan*> masks_over(const Variation& tables, std::size_t variant) const;
    void check_rotation(const char* piece, std::size_t variant, const std::vector<double>& angles,
                        const std::vector<double>& scales) const;
    void update_far(std::size_t variant);
    void fill_turn(std::size_t variant, const std::vector<double>& cosines, const std::vector<double>& sines,
                   bool is_key, std::vector<Real>& turns) const;
    void add_bias_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient);
    void add_temperature_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient);
    void add_rotation_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient);
    void add_embedding_gradient(std::span<TableGradients<Real>> groups, std::span<double> gradient);
    Variation variation(const std::vector<const scheme::Piece*>& pieces) const;
    std::vector<LearnedFormula> formulas(const Variation& variation, const std::vector<std::string>& variables,
                                         formula::Node (*tree)(const Pieces&, std::size_t length, std::size_t layer,
                                                               std::size_t head)) const;

    std::shared_ptr<const Pieces> pieces_;
    std::size_t length_;
    std::size_t padded_;
    std::vector<double> values_;  ///< of the learned names
    bool fresh_ = true;           ///< not all tables match the values yet

    Variation mask_of_;
    std::vector<MaskPlan> masks_;

    Variation bias_of_;
    bool by_distance_ = true;
    std::size_t bias_size_ = 0;
    std::vector<LearnedFormula> bias_formulas_;
    std::vector<Real> bias_;

    Variation factor_of_;
    std::vector<LearnedFormula> temperature_formulas_;
    std::vector<Real> factor_;

    Variation turn_of_;
    std::vector<LearnedFormula> angle_formulas_;
    std::vector<LearnedFormula> scale_formulas_;
    std::vector<double> angles_;  ///< [variant, L, pairs]
    std::vector<double> scales_;
    std::vector<Real> query_turn_;
    std::vector<Real> key_turn_;

    Variation far_of_;  ///< of the masks and the condition
    std::vector<FarPlan> far_plans_;
    std::vector<LearnedFormula> far_query_formulas_;  ///< empty: no second rotation
    std::vector<LearnedFormula> far_key_formulas_;
    std::vector<double> far_query_angles_;
    std::vector<double> far_key_angles_;
    std::vector<Real> far_query_turn_;
    std::vector<Real> far_key_turn_;

    std::vector<LearnedFormula> embedding_formulas_;  ///< even, odd
    std::vector<Real> embedding_;
};

extern template class Positions<float>;
extern template class Positions<double>;

}  // namespace farfield::model
