// Correlation of two samples, of their values (Pearson) or their ranks (Spearman).
#include <algorithm>
#include <array>
#include <cmath>

#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/statistics.hpp>

#include "quantity/enclosed_sample.hpp"
#include "quantity/kinds.hpp"
#include "quantity/sample.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;
using numerics::Interval;
using numerics::point;

constexpr std::array<Key, 2> correlation_keys = {
    Key{.name = "x",
        .type = KeyType::any,
        .required = true,
        .meaning = "a sample, written as for a ttest; usually { of = NAMES, value = FIELD }, where a swept name means "
                   "all its items"},
    Key{.name = "y", .type = KeyType::any, .required = true, .meaning = "the other sample, in the same order"},
};

/// Pearson's correlation; undefined if a sample may not vary. Two points lie on a line.
Interval pearson_correlation(const std::vector<Interval>& x, const std::vector<Interval>& y) {
    if (x.size() == 2) {
        const Interval product = (x[1] - x[0]) * (y[1] - y[0]);
        if (product.lo > 0 || product.hi < 0) return point(product.lo > 0 ? 1 : -1);
    }
    const std::vector<Interval> a = deviations(x);
    const std::vector<Interval> b = deviations(y);
    Interval product = point(0), square_of_a = point(0), square_of_b = point(0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        product = product + a[i] * b[i];
        square_of_a = square_of_a + numerics::abs(a[i]) * numerics::abs(a[i]);
        square_of_b = square_of_b + numerics::abs(b[i]) * numerics::abs(b[i]);
    }
    const Interval both = square_of_a * square_of_b;
    if (!(both.lo > 0)) return numerics::undefined_interval();
    return numerics::clamp(product / numerics::sqrt(both), point(-1), point(1));
}

/// Whether the order of the values is certain, ties included.
bool has_order(std::vector<Interval> values) {
    std::sort(values.begin(), values.end(), [](const Interval& a, const Interval& b) { return a.lo < b.lo; });
    const auto is_uncertain = [](const Interval& a, const Interval& b) {
        const bool is_tie = is_point(a) && is_point(b) && a.lo == b.lo;
        return !(a.hi < b.lo) && !is_tie;
    };
    return std::adjacent_find(values.begin(), values.end(), is_uncertain) == values.end();
}

std::vector<Interval> points(const std::vector<double>& numbers) {
    std::vector<Interval> all;
    std::transform(numbers.begin(), numbers.end(), std::back_inserter(all), point);
    return all;
}

/// The probability of a correlation at least as large if there were none, by Student's t with n - 2 degrees of freedom.
double p_of(double correlation, std::size_t n) {
    const double freedom = static_cast<double>(n) - 2;
    const double left = 1 - correlation * correlation;
    const double t = left > 0 ? correlation * std::sqrt(freedom / left) : INFINITY;
    return numerics::two_sided_p(t, freedom);
}

/// p falls as the correlation's magnitude rises.
Interval p_of(const Interval& correlation, std::size_t n) {
    if (is_undefined(correlation)) return correlation;
    const Interval freedom = count(n - 2);
    const auto at = [&](double size) {
        if (size == 1) return point(0);
        const Interval left = point(1) - point(size) * point(size);
        return p_value(point(size) * numerics::sqrt(freedom / left), freedom);
    };
    const Interval size = numerics::abs(correlation);
    return {at(size.hi).lo, at(size.lo).hi};
}

/// Sets a correlation and its p, which do not exist if a sample does not vary.
void set_both(core::Result& result, const std::string& name, double number, const Interval& interval,
              core::Rigour rigour, std::size_t n) {
    const bool exists = !std::isnan(number);
    const bool has_p = exists && n > 2;
    result.set(name, exists ? statistic_cell(number, interval, rigour) : core::Cell::missing());
    result.set(name + "_p", has_p ? statistic_cell(p_of(number, n), p_of(interval, n), rigour) : core::Cell::missing());
}

class Correlation : public Prepared {
public:
    Correlation(SampleSource x, SampleSource y) : x_(std::move(x)), y_(std::move(y)) {}

    std::vector<std::string> needs() const override {
        std::vector<std::string> names = x_.needs();
        names.insert(names.end(), y_.needs().begin(), y_.needs().end());
        return names;
    }

    core::Result run(const Inputs& inputs) const override {
        const std::vector<Observation> xs = x_.observe(inputs);
        const std::vector<Observation> ys = y_.observe(inputs);
        check(xs.size(), ys.size());
        const std::vector<double> x = numbers_of(xs);
        const std::vector<double> y = numbers_of(ys);
        const EnclosedSample a = enclosed(xs);
        const EnclosedSample b = enclosed(ys);
        const core::Rigour rigour = std::min(a.rigour, b.rigour);
        const bool has_ranks = has_order(a.values) && has_order(b.values);
        core::Result result;
        set_both(result, "pearson", numerics::pearson_correlation(x, y), pearson_correlation(a.values, b.values),
                 rigour, x.size());
        set_both(result, "spearman", numerics::spearman_correlation(x, y),
                 has_ranks ? pearson_correlation(points(numerics::ranks(x)), points(numerics::ranks(y)))
                           : numerics::undefined_interval(),
                 rigour, x.size());
        if (rigour != core::Rigour::none) {
            state_origins(result.evidence, "x", xs);
            state_origins(result.evidence, "y", ys);
        }
        result.set("n", core::Cell::exact(static_cast<double>(x.size())));
        result.series = core::Series{{{"x", x, {}}, {"y", y, {}}}, core::Rigour::none, 1};
        core::Table table{{}, {"x", "y"}, {}};
        for (std::size_t i = 0; i < x.size(); ++i) {
            table.rows.push_back(ys[i].name);
            table.cells.push_back(xs[i].cell);
            table.cells.push_back(ys[i].cell);
        }
        result.table = std::move(table);
        return result;
    }

private:
    void check(std::size_t xs, std::size_t ys) const {
        if (xs != ys) {
            throw core::UserError(
                {{y_.place(), "samples of " + std::to_string(xs) + " and " + std::to_string(ys) + " numbers", "pairs",
                  ""}});
        }
        if (xs < 2)
            throw core::UserError({{x_.place(), "a sample of " + std::to_string(xs), "two numbers at least", ""}});
    }

    SampleSource x_;
    SampleSource y_;
};

std::unique_ptr<Prepared> prepare_correlation(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.size();
    SampleSource x(declaration, "x", problems);
    SampleSource y(declaration, "y", problems);
    if (problems.size() == before && x.is_same(y))
        problems.add(y.place(), "a correlation of a sample with itself", "another sample");
    for (const SampleSource* sample : {&x, &y})
        if (problems.size() == before && sample->is_constant())
            problems.add(sample->place(), "all numbers of the sample are the same", "a sample that varies");
    if (problems.size() != before) return nullptr;
    return std::make_unique<Correlation>(std::move(x), std::move(y));
}

}  // namespace

const Kind& correlation_kind() {
    static const Kind kind{
        "correlation",
        "Pearson's and Spearman's correlation of two samples",
        correlation_keys,
        false,
        prepare_correlation,
        SearchRule::none,
        {"pearson >= -1 and pearson <= 1 and spearman >= -1 and spearman <= 1 and pearson_p >= 0 and pearson_p <= 1 "
         "and spearman_p >= 0 and spearman_p <= 1 and pearson_p_holm >= pearson_p and pearson_p_holm <= 1 and "
         "spearman_p_holm >= spearman_p and spearman_p_holm <= 1 and n >= 2 and n == floor(n)"}};
    return kind;
}

}  // namespace farfield::quantity
