#include "model/learned_names.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::model {
namespace {

double softplus(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

bool is_zero(const formula::Node& tree) {
    return tree->kind == formula::Kind::number && tree->number == 0;
}

}  // namespace

LearnedNames::LearnedNames(const scheme::Scheme& scheme, std::size_t layers, std::size_t heads, Layout& layout) {
    for (const scheme::Learned& learned : scheme.learn) {
        LearnedName name{learned,
                         learned.per_layer ? layers : 1,
                         learned.per_head ? heads : 1,
                         learned.size > 0 ? static_cast<std::size_t>(learned.size) : 1,
                         size_,
                         0};
        layout.add("scheme." + learned.name, {name.layers, name.heads, name.size}, false);
        name.offset = layout.slices().back().offset;
        size_ += name.count();
        names_.push_back(std::move(name));
    }
}

const LearnedName* LearnedNames::find(std::string_view name) const {
    for (const LearnedName& learned : names_) {
        if (learned.spec.name == name) return &learned;
    }
    return nullptr;
}

template <class Real>
void LearnedNames::start(std::span<Real> parameters) const {
    for (const LearnedName& name : names_) {
        const double init = name.spec.init;
        const double raw = name.spec.positive ? init + std::log(-std::expm1(-init)) : init;
        for (Real& value : parameters.subspan(name.offset, name.count())) value = static_cast<Real>(raw);
    }
}

template <class Real>
std::vector<double> LearnedNames::values(std::span<const Real> parameters) const {
    std::vector<double> all;
    all.reserve(size_);
    for (const LearnedName& name : names_) {
        for (const Real raw : parameters.subspan(name.offset, name.count())) {
            const auto value = static_cast<double>(raw);
            all.push_back(name.spec.positive ? softplus(value) : value);
        }
    }
    return all;
}

template <class Real>
void LearnedNames::add_gradient(std::span<const Real> parameters, std::span<const double> gradient, double scale,
                                std::span<Real> arena) const {
    for (const LearnedName& name : names_) {
        for (std::size_t i = 0; i < name.count(); ++i) {
            const auto raw = static_cast<double>(parameters[name.offset + i]);
            const double through = name.spec.positive ? sigmoid(raw) : 1;
            arena[name.offset + i] += static_cast<Real>(scale * gradient[name.first + i] * through);
        }
    }
}

template void LearnedNames::start<float>(std::span<float>) const;
template void LearnedNames::start<double>(std::span<double>) const;
template std::vector<double> LearnedNames::values<float>(std::span<const float>) const;
template std::vector<double> LearnedNames::values<double>(std::span<const double>) const;
template void LearnedNames::add_gradient<float>(std::span<const float>, std::span<const double>, double,
                                                std::span<float>) const;
template void LearnedNames::add_gradient<double>(std::span<const double>, std::span<const double>, double,
                                                 std::span<double>) const;

LearnedFormula::LearnedFormula(const formula::Node& tree, std::vector<std::string> variables, const LearnedNames& names,
                               std::size_t layer, std::size_t head) {
    signature_.varying = std::move(variables);
    std::vector<const LearnedName*> used;
    for (const std::string& text : formula::free_names(tree)) {
        const LearnedName* const name = names.find(text);
        if (name == nullptr || name->spec.size > 0) continue;
        used.push_back(name);
        signature_.uniform.push_back(text);
        scalars_.push_back(name->at(layer, head));
    }
    for (const std::string& text : formula::indexed_names(tree)) {
        const LearnedName* const name = names.find(text);
        if (name == nullptr) continue;
        used.push_back(name);
        signature_.tables.push_back(text);
        tables_.emplace_back(name->at(layer, head), name->size);
    }
    program_ = formula::compile(tree, signature_);
    for (const LearnedName* const name : used) derive(tree, *name, layer, head);
}

void LearnedFormula::derive(const formula::Node& tree, const LearnedName& name, std::size_t layer, std::size_t head) {
    const std::size_t first = name.at(layer, head);
    if (name.spec.size == 0) return add_derivative(formula::derivative(tree, name.spec.name), first);
    for (std::size_t entry = 0; entry < name.size; ++entry) {
        const formula::Node index = formula::make_number(static_cast<double>(entry));
        add_derivative(formula::derivative_of_entry(tree, name.spec.name, index), first + entry);
    }
}

void LearnedFormula::add_derivative(const formula::Node& derivative, std::size_t value) {
    if (is_zero(derivative)) return;
    bool fixed = formula::indexed_names(derivative).empty();
    for (const std::string& name : formula::free_names(derivative)) {
        const auto& learned = signature_.uniform;
        fixed = fixed && std::find(learned.begin(), learned.end(), name) == learned.end();
    }
    derivatives_.push_back({formula::compile(derivative, signature_), value, fixed, {}});
}

evaluate::Inputs LearnedFormula::inputs(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                                        std::size_t points) const {
    evaluate::Inputs result;
    for (const std::size_t at : scalars_) result.uniform.push_back(values[at]);
    for (const auto& [first, count] : tables_) result.tables.push_back(values.subspan(first, count));
    result.varying = lanes;
    result.points = points;
    return result;
}

std::vector<double> LearnedFormula::evaluate(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                                             std::size_t points) const {
    return evaluate::evaluate(program_, inputs(values, lanes, points));
}

/// A point of weight 0 adds nothing, even where the derivative has no value.
static double sum_of_products(std::span<const double> along, const std::vector<double>& column) {
    double total = 0;
    for (std::size_t i = 0; i < along.size(); ++i) total += along[i] == 0 ? 0 : along[i] * column[i];
    return total;
}

void LearnedFormula::add_gradient(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                                  std::span<const double> along, std::span<double> gradient) {
    const evaluate::Inputs in = inputs(values, lanes, along.size());
    std::vector<double> fresh;
    for (Derivative& derivative : derivatives_) {
        std::vector<double>& column = derivative.fixed ? derivative.column : fresh;
        if (column.size() != along.size() || !derivative.fixed) column = evaluate::evaluate(derivative.program, in);
        gradient[derivative.value] += sum_of_products(along, column);
    }
}

void LearnedFormula::add_gradient_of_part(std::span<const double> values, const std::vector<evaluate::Lane>& lanes,
                                          std::span<const double> along, std::span<double> gradient) const {
    const evaluate::Inputs in = inputs(values, lanes, along.size());
    for (const Derivative& derivative : derivatives_)
        gradient[derivative.value] += sum_of_products(along, evaluate::evaluate(derivative.program, in));
}

}  // namespace farfield::model
