#include <algorithm>
#include <cmath>
#include <farfield/formula/tree.hpp>
#include <farfield/model/check.hpp>
#include <farfield/scheme/pieces.hpp>

#include "model/positions.hpp"

namespace farfield::model {
namespace {

[[noreturn]] void refuse(std::string_view argument, const std::string& value, std::string_view wanted) {
    throw core::PreconditionError("model::Model", argument, value, wanted);
}

void require_shape(const Config& config) {
    if (config.layers == 0) refuse("config.layers", "0", "at least 1");
    if (config.heads == 0) refuse("config.heads", "0", "at least 1");
    if (config.width == 0 || config.width % config.heads != 0) {
        refuse("config.width", std::to_string(config.width), "a multiple of the number of heads");
    }
    if (config.vocabulary == 0) refuse("config.vocabulary", "0", "at least 1");
    if (config.train_length == 0) refuse("config.train_length", "0", "at least 1");
}

scheme::Scheme without_learned(scheme::Scheme scheme) {
    scheme.learn.clear();
    return scheme;
}

void refuse_learned(const formula::Node& tree, const LearnedNames& names, const std::string& piece) {
    if (!tree) return;
    std::vector<std::string> used = formula::free_names(tree);
    const std::vector<std::string> tables = formula::indexed_names(tree);
    used.insert(used.end(), tables.begin(), tables.end());
    for (const std::string& name : used) {
        if (names.find(name) == nullptr) continue;
        throw PieceError(piece, "a condition on the learned name '" + name + "'",
                         "a condition without learned names: the loss is not a smooth function of them");
    }
}

std::size_t rotated_columns(const scheme::Scheme& scheme, const Config& config) {
    if (!scheme.rotate) return 0;
    const double columns = scheme.rotate->columns(static_cast<double>(config.head_dim()));
    const auto whole = static_cast<std::size_t>(std::llround(columns));
    if (std::abs(columns - static_cast<double>(whole)) > 1e-9 || whole % 2 != 0) {
        refuse("scheme.rotate.fraction", std::to_string(scheme.rotate->fraction),
               "a fraction that turns an even number of a head's " + std::to_string(config.head_dim()) + " columns");
    }
    return whole;
}

}  // namespace

Pieces::Pieces(const Config& shape, const scheme::Scheme& whole, Layout& layout)
    : config((require_shape(shape), shape)),
      scheme(without_learned(whole)),
      names(whole, shape.layers, shape.heads, layout),
      rotated(rotated_columns(whole, shape)) {
    if (scheme.rotate && scheme.rotate->far) {
        refuse_learned(scheme.rotate->far->where.formula, names, "rotate.far.where");
        if (scheme.relative)
            throw PieceError("rotate.far", "a second rotation beside relative vectors",
                             "one of both: relative vectors are multiplied by queries of one rotation");
    }
    if (scheme.mask) refuse_learned(scheme.mask->formula, names, "mask");
    for (const auto& [name, piece] : scheme::pieces_of(scheme)) refuse_learned(piece->when, names, name + ".when");
}

}  // namespace farfield::model
