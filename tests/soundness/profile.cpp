// Attention by distance: the softmax of the bias of one query, convolved with itself.
#include <cmath>

#include "soundness/scheme_oracle.hpp"
#include "soundness/weights.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

long whole(const Question& question, const char* key, long otherwise) {
    const auto known = question.numbers.find(key);
    return known == question.numbers.end() ? otherwise : known->second;
}

Weights head_of(const Question& question, std::size_t size, long head) {
    const long query = whole(question, "query", static_cast<long>(size) - 1);
    SchemeOracle scheme(question, query + 1);
    scheme.set("h", head);
    Weights logits;
    for (std::size_t n = 0; n < size; ++n) {
        const long key = query - static_cast<long>(n);
        const Truth is_seen = scheme.sees(query, key);
        if (is_seen == Truth::no)
            logits.push_back(Number::infinity(-1));
        else
            logits.push_back(is_seen == Truth::maybe ? Number::unknown() : scheme.computed_bias(query, key));
    }
    return softmax(logits);
}

/// Of one head, or the mean of all.
Weights layer_of(const Question& question, std::size_t size) {
    const bool is_mean = question.flags.count("all_heads") != 0;
    const long heads = is_mean ? whole(question, "heads", 1) : 1;
    Weights mean(size, Number(Rational(0)));
    for (long head = 1; head <= heads; ++head) {
        const Weights row = head_of(question, size, is_mean ? head : whole(question, "head", 1));
        for (std::size_t n = 0; n < size; ++n) mean[n] = mean[n] + row[n];
    }
    for (Number& weight : mean) weight = weight / Number(Rational(heads));
    return with_residual(mean, value_of(question, "residual", "0"));
}

}  // namespace

Outcome judge_profile(const Question& question, const core::Result& result) {
    if (!result.series || result.series->rigour < core::Rigour::rigorous) return {};
    const core::Column& values = result.series->columns[1];
    const core::Column& sums = result.series->columns[2];
    if (values.enclosures.empty() || sums.enclosures.empty()) return {};
    const std::size_t size = values.enclosures.size();
    const Weights layer = layer_of(question, size);
    Weights row = {Number(Rational(1))};
    for (long i = 0; i < whole(question, "layers", 1); ++i) row = convolved(row, layer, size);
    Number sum{Rational(0)};
    const core::Cell* const share = result.find("share");
    for (std::size_t n = 0; n < size; ++n) {
        sum = sum + row[n];
        core::Cell value;
        value.enclosure = values.enclosures[n];
        core::Cell cumulative;
        cumulative.enclosure = sums.enclosures[n];
        const std::string at = " at " + std::to_string(n);
        if (!std::isfinite(value.enclosure->hi)) continue;
        if (has_no_value(row[n])) return wrong("no value" + at, "q.max >= 0");
        if (is_below(row[n], value) || is_above(row[n], value))
            return wrong("the weight is " + show(row[n]) + at + ", enclosed in [" + decimal(value.enclosure->lo) +
                             ", " + decimal(value.enclosure->hi) + "]",
                         "q[" + std::to_string(n) + "] >= " + decimal(value.enclosure->lo));
        if (is_below(sum, cumulative) || is_above(sum, cumulative))
            return wrong("the sum is " + show(sum) + at, "q.max >= 0");
        const bool is_shared = static_cast<long>(n) + 1 == whole(question, "within", 0);
        if (is_shared && is_certified(share) && (is_below(sum, *share) || is_above(sum, *share)))
            return wrong("the share is " + show(sum), within("share", *share));
    }
    const core::Cell* const width = result.find("width");
    if (!is_certified(width)) return {true, std::nullopt};
    return judge_width("width", *width, row, value_of(question, "mass", "0.99"));
}

}  // namespace farfield::soundness
