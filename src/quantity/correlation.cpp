// Correlation of two samples, of their values (Pearson) or their ranks (Spearman).
#include <array>
#include <cmath>

#include <farfield/numerics/statistics.hpp>

#include "quantity/kinds.hpp"
#include "quantity/sample.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 2> correlation_keys = {
    Key{.name = "x",
        .type = KeyType::any,
        .required = true,
        .meaning = "a sample, written as for a ttest; usually { of = NAMES, value = FIELD }, where a swept name means "
                   "all its items"},
    Key{.name = "y", .type = KeyType::any, .required = true, .meaning = "the other sample, in the same order"},
};

/// A correlation does not exist if a sample does not vary.
core::Cell cell_of(double number) {
    return std::isnan(number) ? core::Cell::missing() : core::Cell::of(number);
}

/// The probability of a correlation at least as large if there were none, by Student's t with n - 2 degrees of freedom.
core::Cell p_of(double correlation, std::size_t n) {
    if (std::isnan(correlation) || n < 3) return core::Cell::missing();
    const double freedom = static_cast<double>(n) - 2;
    const double left = 1 - correlation * correlation;
    const double t = left > 0 ? correlation * std::sqrt(freedom / left) : INFINITY;
    return core::Cell::of(numerics::two_sided_p(t, freedom));
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
        const double pearson = numerics::pearson_correlation(x, y);
        const double spearman = numerics::spearman_correlation(x, y);
        core::Result result;
        result.set("pearson", cell_of(pearson));
        result.set("pearson_p", p_of(pearson, x.size()));
        result.set("spearman", cell_of(spearman));
        result.set("spearman_p", p_of(spearman, x.size()));
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
