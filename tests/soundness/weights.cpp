#include "soundness/weights.hpp"

#include <algorithm>

namespace farfield::soundness {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

Number value_of(const Question& question, const std::string& key, const std::string& otherwise) {
    const auto known = question.values.find(key);
    return Formula(known == question.values.end() ? otherwise : known->second).at({});
}

Weights softmax(const Weights& logits) {
    // Shifted by a score that is among the largest, as exp has no room for more.
    std::optional<Number> shift;
    for (const Number& logit : logits)
        if (logit.infinite() == 0 && (!shift || recheck::less(*shift, logit) == Truth::yes)) shift = logit;
    Weights row;
    Number sum{Rational(0)};
    for (const Number& logit : logits) {
        const bool is_hidden = logit.infinite() < 0;
        row.push_back(is_hidden ? Number(Rational(0)) : recheck::exp(logit - *shift));
        sum = sum + row.back();
    }
    for (Number& weight : row) weight = weight / sum;
    return row;
}

Weights with_residual(Weights row, const Number& residual) {
    for (Number& weight : row) weight = weight * (Number(Rational(1)) - residual);
    row.front() = row.front() + residual;
    return row;
}

Weights convolved(const Weights& a, const Weights& b, std::size_t size) {
    Weights row(size, Number(Rational(0)));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size() && i + j < size; ++j) row[i + j] = row[i + j] + a[i] * b[j];
    return row;
}

Outcome judge_width(const std::string& name, const core::Cell& cell, const Weights& row, const Number& mass) {
    Number sum{Rational(0)};
    for (std::size_t i = 0; i < row.size(); ++i) {
        sum = sum + row[i];
        const Number count(Rational(static_cast<long>(i) + 1));
        if (has_no_value(sum)) return wrong(name + ": no value", within(name, cell));
        const Truth is_more = recheck::less(mass, sum);
        if (is_more == Truth::yes && is_below(count, cell))
            return wrong(name + ": " + std::to_string(i + 1) + " suffice", within(name, cell));
        if (is_more == Truth::no && !is_below(count, cell) && (cell.enclosure->hi <= static_cast<double>(i + 1)))
            return wrong(name + ": " + std::to_string(i + 1) + " do not suffice", within(name, cell));
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
