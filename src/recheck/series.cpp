#include "recheck/series.hpp"

#include <arb_mat.h>
#include <arb_poly.h>

namespace farfield::recheck {
namespace {

void set(arb_t ball, const Interval& x) {
    arb_set_interval_arf(ball, x.lo.get(), x.hi.get(), Precision::bits());
}

Interval interval(const arb_t ball) {
    if (arb_is_finite(ball) == 0) return Interval::line();
    Interval x;
    arb_get_interval_arf(x.lo.get(), x.hi.get(), ball, Precision::bits());
    return x;
}

class Polynomial {
public:
    Polynomial() { arb_poly_init(p_); }
    explicit Polynomial(const Row& row) : Polynomial() {
        arb_t ball;
        arb_init(ball);
        for (std::size_t i = 0; i < row.size(); ++i) {
            set(ball, row[i]);
            arb_poly_set_coeff_arb(p_, static_cast<slong>(i), ball);
        }
        arb_clear(ball);
    }
    Polynomial(const Polynomial&) = delete;
    Polynomial& operator=(const Polynomial&) = delete;
    ~Polynomial() { arb_poly_clear(p_); }

    arb_poly_struct* get() { return p_; }
    Row row(std::size_t length) {
        Row row;
        arb_t ball;
        arb_init(ball);
        for (std::size_t i = 0; i < length; ++i) {
            arb_poly_get_coeff_arb(ball, p_, static_cast<slong>(i));
            row.push_back(interval(ball));
        }
        arb_clear(ball);
        return row;
    }

private:
    arb_poly_t p_;
};

}  // namespace

Row convolution_power(const Row& row, unsigned long count) {
    if (count == 1) return row;
    Polynomial base(row);
    Polynomial result;
    arb_poly_pow_ui_trunc_binexp(result.get(), base.get(), count, static_cast<slong>(row.size()), Precision::bits());
    return result.row(row.size());
}

Row convolution(const Row& a, const Row& b) {
    Polynomial left(a);
    Polynomial right(b);
    arb_poly_mullow(left.get(), left.get(), right.get(), static_cast<slong>(a.size()), Precision::bits());
    return left.row(a.size());
}

std::optional<Row> solution(const std::vector<Row>& matrix, const Row& right) {
    const auto size = static_cast<slong>(right.size());
    arb_mat_t a;
    arb_mat_t b;
    arb_mat_init(a, size, size);
    arb_mat_init(b, size, 1);
    for (slong i = 0; i < size; ++i) {
        for (slong j = 0; j < size; ++j)
            set(arb_mat_entry(a, i, j), matrix[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
        set(arb_mat_entry(b, i, 0), right[static_cast<std::size_t>(i)]);
    }
    std::optional<Row> result;
    if (arb_mat_solve(b, a, b, Precision::bits()) != 0) {
        result.emplace();
        for (slong i = 0; i < size; ++i) result->push_back(interval(arb_mat_entry(b, i, 0)));
    }
    arb_mat_clear(a);
    arb_mat_clear(b);
    return result;
}

}  // namespace farfield::recheck
