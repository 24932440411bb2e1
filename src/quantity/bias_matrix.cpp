#include <farfield/quantity/bias_matrix.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/array.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>

#include "quantity/bias_arrays.hpp"
#include "quantity/scheme_curve.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;

std::size_t heads_of(const scheme::Context& context) {
    return static_cast<std::size_t>(context.heads);
}

/// The bias of a head as a function of q and k.
Node bias_of_head(const scheme::Scheme& scheme, scheme::Context context, std::size_t head, std::size_t length) {
    context.head = static_cast<double>(head);
    if (context.length == 0) context.length = static_cast<double>(length);
    return scheme::bias_formula(scheme, context);
}

/// Evaluates formulas of n over a range. Sums and products over integers are computed once for all formulas that
/// contain them.
class OverDistances {
public:
    explicit OverDistances(const evaluate::Range& range) : range_(range) {}

    void evaluate(const Node& tree, std::span<double> result) {
        used_.clear();
        const Node rest = without_reductions(tree);
        formula::Signature signature{{}, {"n"}, {}};
        evaluate::Inputs inputs{{}, {range_}, {}, range_.count};
        for (const std::size_t at : used_) {
            signature.varying.push_back(name_of(at));
            inputs.varying.emplace_back(std::span<const double>(known_[at].second));
        }
        evaluate::evaluate_into(formula::compile(rest, signature), inputs, {}, result);
    }

private:
    static std::string name_of(std::size_t at) { return "reduction " + std::to_string(at); }

    /// The tree with a name in place of each outermost reduction.
    Node without_reductions(const Node& tree) {
        if (tree->kind == formula::Kind::reduction && formula::row(tree->op).result == formula::Type::real)
            return formula::make_name(name_of(index_of(tree)));
        if (tree->kind != formula::Kind::operation) return tree;
        std::vector<Node> children;
        for (const Node& child : tree->children) children.push_back(without_reductions(child));
        return formula::make(tree->op, std::move(children));
    }

    std::size_t index_of(const Node& reduction) {
        std::size_t at = 0;
        while (at < known_.size() && !formula::equal(known_[at].first, reduction)) ++at;
        if (at == known_.size()) {
            const formula::Program program = formula::compile(reduction, {{}, {"n"}, {}});
            known_.emplace_back(reduction, evaluate::evaluate(program, {{}, {range_}, {}, range_.count}));
        }
        if (std::find(used_.begin(), used_.end(), at) == used_.end()) used_.push_back(at);
        return at;
    }

    evaluate::Range range_;
    std::vector<std::pair<Node, std::vector<double>>> known_;
    std::vector<std::size_t> used_;
};

/// b[h, n] of every head over a range of distances, [heads, distances].
std::vector<double> over_distances(const std::vector<Node>& heads, const evaluate::Range& range) {
    std::vector<double> bias(heads.size() * range.count);
    OverDistances over(range);
    for (std::size_t head = 0; head < heads.size(); ++head)
        over.evaluate(along_distance(heads[head], std::nullopt),
                      std::span(bias).subspan(head * range.count, range.count));
    return bias;
}

std::vector<Node> bias_of_heads(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length) {
    std::vector<Node> heads;
    for (std::size_t head = 1; head <= heads_of(context); ++head)
        heads.push_back(bias_of_head(scheme, context, head, length));
    return heads;
}

bool depend_on_distance_only(const std::vector<Node>& heads) {
    return std::all_of(heads.begin(), heads.end(), scheme::depends_on_distance_only);
}

/// The bias by distance in the order in which each row of the matrix reads it: from earlier keys to later keys.
std::vector<double> from_before_to_after(const std::vector<Node>& heads, std::size_t length) {
    return over_distances(heads, {static_cast<double>(length) - 1, -1, 2 * length - 1});
}

std::vector<evaluate::Array> heads_of_whole(const evaluate::Array& whole, std::size_t heads) {
    const std::size_t cells = whole.size() / heads;
    std::vector<evaluate::Array> parts;
    for (std::size_t head = 0; head < heads; ++head) parts.push_back(whole.part(head * cells, cells));
    return parts;
}

}  // namespace

std::vector<double> bias_by_distance(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length) {
    const std::vector<Node> heads = bias_of_heads(scheme, context, length);
    if (length == 0) throw core::PreconditionError("quantity::bias_by_distance", "length", "0", "1 at least");
    if (!depend_on_distance_only(heads))
        throw core::PreconditionError("quantity::bias_by_distance", "scheme", scheme.name,
                                      "a bias of the distance alone");
    return over_distances(heads, {0, 1, length});
}

void bias_matrix(const scheme::Scheme& scheme, const scheme::Context& context, std::size_t length,
                 std::span<double> result) {
    const std::vector<Node> heads = bias_of_heads(scheme, context, length);
    const std::size_t cells = length * length;
    if (length == 0 || result.size() != heads.size() * cells)
        throw core::PreconditionError("quantity::bias_matrix", "result.size()", std::to_string(result.size()),
                                      "heads x length x length, not 0");
    if (depend_on_distance_only(heads))
        return evaluate::spread_into(from_before_to_after(heads, length), length, result);
    for (std::size_t head = 0; head < heads.size(); ++head)
        evaluate::evaluate_pairs_into(heads[head], length, result.subspan(head * cells, cells));
}

std::vector<evaluate::Array> bias_arrays(const scheme::Scheme& scheme, const scheme::Context& context,
                                         std::size_t length) {
    if (length == 0) throw core::PreconditionError("quantity::bias_arrays", "length", "0", "1 at least");
    const std::vector<Node> heads = bias_of_heads(scheme, context, length);
    if (!depend_on_distance_only(heads)) return evaluate::evaluate_pairs(heads, length);
    return heads_of_whole(evaluate::spread(from_before_to_after(heads, length), heads.size(), length), heads.size());
}

}  // namespace farfield::quantity
