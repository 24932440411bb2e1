// Copy and parity: the first tokens determine the last ones.
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/numerics/philox.hpp>
#include <farfield/train/synthetic.hpp>
#include <string>

#include "train/streams.hpp"

namespace farfield::train {

namespace {

[[noreturn]] void refuse(const char* task, std::size_t length) {
    throw core::UserError(
        {core::Diagnostic{{},
                          std::string("a row of the ") + task + " task of length " + std::to_string(length),
                          "at least 2 tokens",
                          {}}});
}

class Copy : public Source {
public:
    explicit Copy(std::size_t symbols) : symbols_(symbols) {}

    std::size_t vocabulary() const override { return symbols_ + 1; }
    std::string identity() const override { return "copy " + std::to_string(symbols_); }
    bool is_divisible() const override { return false; }
    std::size_t shortest_row() const override { return 2; }

    Row sample(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::size_t length) const override {
        return draw(numerics::Random(seed, data_stream, step, row), length);
    }

    Row held_out(std::size_t index, std::size_t, std::size_t length) const override {
        return draw(numerics::Random(0, held_out_stream, 0, static_cast<std::uint32_t>(index)), length);
    }

    std::optional<double> optimal_nll(std::span<const Token> context, Token next) const override {
        // A symbol of the second half is as far after the mark as the symbol that it copies is before it.
        const auto mark = static_cast<Token>(symbols_);
        for (std::size_t at = 0; at < context.size(); ++at) {
            if (context[at] != mark) continue;
            const std::size_t copied = context.size() - at - 1;
            if (copied < at) return context[copied] == next ? 0.0 : INFINITY;
        }
        return std::log(static_cast<double>(symbols_));
    }

private:
    Row draw(numerics::Random random, std::size_t length) const {
        const std::size_t half = length / 2;
        if (half == 0) refuse("copy", length);
        Row row{std::vector<Token>(length + 1, static_cast<Token>(symbols_)), std::vector<float>(length, 0)};
        for (std::size_t i = 0; i < half; ++i) {
            row.tokens[i] = row.tokens[half + 1 + i] = static_cast<Token>(random.below(symbols_));
            row.weights[half + i] = 1;
        }
        return row;
    }

    std::size_t symbols_;
};

class Parity : public Source {
public:
    std::size_t vocabulary() const override { return 4; }
    std::string identity() const override { return "parity"; }
    bool is_divisible() const override { return false; }
    std::size_t shortest_row() const override { return 2; }

    Row sample(std::uint64_t seed, std::uint32_t step, std::uint32_t row, std::size_t length) const override {
        if (length < 2) refuse("parity", length);
        numerics::Random random(seed, data_stream, step, row);
        const std::size_t bits = 1 + random.below(length - 1);
        return draw(random, bits, length);
    }

    Row held_out(std::size_t index, std::size_t, std::size_t length) const override {
        if (length < 2) refuse("parity", length);
        return draw(numerics::Random(0, held_out_stream, 0, static_cast<std::uint32_t>(index)), length - 1, length);
    }

    std::optional<double> optimal_nll(std::span<const Token> context, Token next) const override {
        if (context.empty() || context.back() != mark) return std::log(2.0);
        Token parity = 0;
        for (const Token token : context.first(context.size() - 1)) parity ^= token;
        return parity == next ? 0.0 : INFINITY;
    }

private:
    static constexpr Token mark = 2;
    static constexpr Token padding = 3;

    static Row draw(numerics::Random random, std::size_t bits, std::size_t length) {
        Row row{std::vector<Token>(length + 1, padding), std::vector<float>(length, 0)};
        Token parity = 0;
        for (std::size_t i = 0; i < bits; ++i) {
            row.tokens[i] = static_cast<Token>(random.below(2));
            parity ^= row.tokens[i];
        }
        row.tokens[bits] = mark;
        row.tokens[bits + 1] = parity;
        row.weights[bits] = 1;
        return row;
    }
};

}  // namespace

std::shared_ptr<const Source> make_copy(std::size_t symbols) {
    if (symbols == 0) throw core::PreconditionError("make_copy", "symbols", "0", "at least 1");
    return std::make_shared<Copy>(symbols);
}

std::shared_ptr<const Source> make_parity() {
    return std::make_shared<Parity>();
}

}  // namespace farfield::train
