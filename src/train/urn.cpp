#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/numerics/philox.hpp>
#include <farfield/numerics/sum.hpp>
#include <farfield/train/synthetic.hpp>
#include <string>

#include "train/draw.hpp"
#include "train/streams.hpp"

namespace farfield::train {

namespace {

class Urn : public Source {
public:
    Urn(std::size_t symbols, double alpha) : symbols_(symbols), alpha_(alpha) {}

    std::size_t vocabulary() const override { return symbols_; }
    std::string identity() const override { return "urn " + std::to_string(symbols_) + " " + std::to_string(alpha_); }

    Row sample(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::size_t length) const override {
        return draw(numerics::Random(seed, data_stream, step, row), length);
    }

    Row held_out(std::size_t index, std::size_t, std::size_t length) const override {
        return draw(numerics::Random(0, held_out_stream, 0, static_cast<std::uint32_t>(index)), length);
    }

    std::optional<double> optimal_nll(std::span<const Token> context, Token next) const override {
        double count = 0;
        for (const Token token : context) count += token == next;
        const double total = alpha_ * static_cast<double>(symbols_) + static_cast<double>(context.size());
        return -std::log((alpha_ + count) / total);
    }

private:
    Row draw(numerics::Random random, std::size_t length) const {
        const std::vector<double> probabilities = draw_dirichlet(symbols_, alpha_, random);
        Row row{{}, std::vector<float>(length, 1)};
        row.tokens.reserve(length + 1);
        for (std::size_t t = 0; t <= length; ++t) row.tokens.push_back(draw_from(probabilities, random));
        return row;
    }

    std::size_t symbols_;
    double alpha_;
};

void check(const char* function, std::size_t symbols, double alpha) {
    if (symbols == 0) throw core::PreconditionError(function, "symbols", "0", "at least 1");
    if (!(alpha > 0)) throw core::PreconditionError(function, "alpha", std::to_string(alpha), "above 0");
}

/// lgamma without its sign, which the C library stores in a variable that all threads share.
double log_gamma(double x) {
    int sign = 0;
    return ::lgamma_r(x, &sign);
}

double log_beta(double a, double b) {
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

}  // namespace

std::shared_ptr<const Source> make_urn(std::size_t symbols, double alpha) {
    check("make_urn", symbols, alpha);
    return std::make_shared<Urn>(symbols, alpha);
}

double urn_nll(std::size_t symbols, double alpha, std::size_t context) {
    check("urn_nll", symbols, alpha);
    if (symbols == 1) return 0;
    const auto t = static_cast<double>(context);
    const double others = alpha * static_cast<double>(symbols - 1);
    numerics::Accumulator sum;
    for (std::size_t count = 0; count <= context; ++count) {
        const auto c = static_cast<double>(count);
        const double ways = log_gamma(t + 1) - log_gamma(c + 1) - log_gamma(t - c + 1);
        const double chance = std::exp(ways + log_beta(c + alpha, t - c + others) - log_beta(alpha, others));
        const double p = (alpha + c) / (alpha + others + t);
        sum.add(-chance * p * std::log(p));
    }
    return static_cast<double>(symbols) * sum.total();
}

}  // namespace farfield::train
