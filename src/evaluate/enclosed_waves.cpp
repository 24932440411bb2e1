#include "evaluate/enclosed_waves.hpp"

#include <gmp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include <farfield/numerics/interval.hpp>

#include "evaluate/cuda/waves.cuh"
#include "evaluate/enclosure_arithmetic.hpp"
#include "evaluate/interpreter.hpp"
#include "evaluate/kernel/kernel.hpp"
#include "evaluate/lifted.hpp"
#include "evaluate/linear_phase.hpp"
#include "evaluate/turn_table.hpp"
#include "evaluate/waves.hpp"
#include "numerics/directed.hpp"
#include "numerics/parallel.hpp"

namespace farfield::evaluate {

namespace {

using numerics::MpfiValue;
using numerics::Truth;

constexpr long bits = 256;
constexpr std::size_t most_enclosed_waves = 4096;
constexpr std::size_t most_columns = 512;
constexpr std::size_t rows_at_once = 24;
constexpr double entry_error = 0x1p-48;
constexpr double largest_phase_error = 0x1p-60;  ///< in turns
constexpr double largest_amplitude = 0x1p500;

// Thrown and caught only in this file, if the formula has another form.
struct NoEnclosedForm {};

struct EnclosedAffine {
    MpfiValue slope;
    MpfiValue offset;
};

// amplitude cos(frequency n + phase), angles in turns.
struct EnclosedTerm {
    MpfiValue amplitude;
    MpfiValue frequency;
    MpfiValue phase;
};
using Terms = std::vector<EnclosedTerm>;
using EnclosedSymbol = std::variant<MpfiValue, EnclosedAffine, Terms>;

// Applies operators to constants; everything else is refused.
class ConstantIntervals : public Lifted<ConstantIntervals, EnclosureArithmetic<RigorousIntervals>> {
public:
    ConstantIntervals() : Lifted(EnclosureArithmetic<RigorousIntervals>{{bits}}) {}

    template <formula::Type result, class Function, class... Values>
    auto lift(Function function, const Values&... values) const {
        const bool are_constants = (is_constant(values) && ...);
        if constexpr (result == formula::Type::boolean) {
            return are_constants ? function(constant(values)...) : Truth::unknown;
        } else {
            if (!are_constants) throw NoEnclosedForm{};
            return EnclosedSymbol(function(constant(values)...));
        }
    }

protected:
    static bool is_constant(const EnclosedSymbol& symbol) { return std::holds_alternative<MpfiValue>(symbol); }
    static bool is_constant(Truth /*truth*/) { return true; }
    static const MpfiValue& constant(const EnclosedSymbol& symbol) { return std::get<MpfiValue>(symbol); }
    static Truth constant(Truth truth) { return truth; }
};

class WaveIntervals : public ConstantIntervals {
public:
    using Real = EnclosedSymbol;
    using Boolean = Truth;

    Real undefined() const { return exact_.undefined(); }
    Real infinite(double infinity) const { return exact_.infinite(infinity); }
    static Boolean undecided() { return Truth::unknown; }
    static Boolean truth(bool value) { return numerics::to_truth(value); }
    Real input(const core::Enclosure& value) const { return exact_.input(value); }
    Real integer(std::int64_t value) const { return exact_.integer(value); }
    Real literal(double value, const std::string& text) const { return exact_.literal(value, text); }
    std::optional<std::int64_t> integer_of(const Real& x) const {
        return is_constant(x) ? exact_.integer_of(constant(x)) : std::nullopt;
    }
    Real varying_input() const { return EnclosedAffine{exact_.integer(1), exact_.integer(0)}; }

    Real add(const Real& a, const Real& b) const {
        if (is_constant(a) && is_constant(b)) return constant(a) + constant(b);
        if (!std::holds_alternative<Terms>(a) && !std::holds_alternative<Terms>(b)) {
            const EnclosedAffine left = to_affine(a);
            const EnclosedAffine right = to_affine(b);
            return EnclosedAffine{left.slope + right.slope, left.offset + right.offset};
        }
        Terms terms = to_terms(a);
        const Terms more = to_terms(b);
        terms.insert(terms.end(), more.begin(), more.end());
        return limited(std::move(terms));
    }
    Real negate(const Real& x) const { return scaled(x, exact_.integer(-1)); }
    Real subtract(const Real& a, const Real& b) const { return add(a, negate(b)); }

    Real multiply(const Real& a, const Real& b) const {
        if (is_constant(a)) return scaled(b, constant(a));
        if (is_constant(b)) return scaled(a, constant(b));
        const Terms left = to_terms(a);
        const Terms right = to_terms(b);
        if (left.size() * right.size() * 2 > most_enclosed_waves) throw NoEnclosedForm{};
        Terms terms;
        terms.reserve(2 * left.size() * right.size());
        const MpfiValue half(0.5, bits);
        for (const EnclosedTerm& x : left) {
            for (const EnclosedTerm& y : right) {
                const MpfiValue amplitude = half * x.amplitude * y.amplitude;
                terms.push_back({amplitude, x.frequency + y.frequency, x.phase + y.phase});
                terms.push_back({amplitude, x.frequency - y.frequency, x.phase - y.phase});
            }
        }
        return terms;
    }

    Real divide(const Real& a, const Real& b) const {
        if (!is_constant(b)) throw NoEnclosedForm{};
        if (is_constant(a)) return constant(a) / constant(b);
        return scaled(a, exact_.integer(1) / constant(b));
    }

    Real cosine(const Real& x) const { return wave(x, 0); }
    Real sine(const Real& x) const { return wave(x, 0.25); }

    Real select(Boolean condition, const Real& a, const Real& b) const {
        if (condition == Truth::unknown) throw NoEnclosedForm{};
        return condition == Truth::yes ? a : b;
    }

    Real sum(const Real& accumulator, const Real& body) const { return add(accumulator, body); }
    Real product(const Real& accumulator, const Real& body) const { return multiply(accumulator, body); }
    static Boolean for_all(Boolean accumulator, Boolean body) { return numerics::both(accumulator, body); }
    static Boolean for_some(Boolean accumulator, Boolean body) { return numerics::either(accumulator, body); }

    /// A constant is a wave of frequency zero.
    Terms to_terms(const Real& x) const {
        if (const auto* terms = std::get_if<Terms>(&x)) return *terms;
        if (!is_constant(x)) throw NoEnclosedForm{};
        const MpfiValue& value = constant(x);
        if (value.is_point() && value.has_zero()) return {};
        return {{value, exact_.integer(0), exact_.integer(0)}};
    }

private:
    EnclosedAffine to_affine(const Real& x) const {
        if (is_constant(x)) return {exact_.integer(0), constant(x)};
        return std::get<EnclosedAffine>(x);
    }

    static Terms limited(Terms terms) {
        if (terms.size() > most_enclosed_waves) throw NoEnclosedForm{};
        return terms;
    }

    Real scaled(const Real& x, const MpfiValue& factor) const {
        if (is_constant(x)) return constant(x) * factor;
        if (const auto* affine = std::get_if<EnclosedAffine>(&x))
            return EnclosedAffine{affine->slope * factor, affine->offset * factor};
        Terms terms = std::get<Terms>(x);
        for (EnclosedTerm& term : terms) term.amplitude = term.amplitude * factor;
        return terms;
    }

    /// cos(x - 2 pi behind).
    Real wave(const Real& x, double behind) const {
        if (is_constant(x)) return behind == 0 ? numerics::cos(constant(x)) : numerics::sin(constant(x));
        const auto* angle = std::get_if<EnclosedAffine>(&x);
        if (angle == nullptr) throw NoEnclosedForm{};
        return Terms{
            {exact_.integer(1), angle->slope * per_radian_, angle->offset * per_radian_ - MpfiValue(behind, bits)}};
    }

    MpfiValue per_radian_ = MpfiValue(0.5, bits) / MpfiValue::pi(bits);
};

/// An angle that is at least `turns` and at most `turns` + `error`.
struct Angle {
    Turns turns = 0;
    double error = 0;
};

Angle angle_of(const MpfiValue& turns) {
    constexpr mpfr_exp_t largest_exponent = 100;
    if (turns.is_undefined() || turns.has_infinity()) throw NoEnclosedForm{};
    if (mpfr_zero_p(turns.lower()) == 0 && mpfr_get_exp(turns.lower()) > largest_exponent) throw NoEnclosedForm{};
    mpfr_t low;
    mpfr_init2(low, bits);
    mpfr_floor(low, turns.lower());
    mpfr_sub(low, turns.lower(), low, MPFR_RNDD);
    mpfr_mul_2ui(low, low, 128, MPFR_RNDD);
    mpz_t whole;
    mpz_init(whole);
    mpfr_get_z(whole, low, MPFR_RNDD);
    std::uint64_t words[3] = {0, 0, 0};
    mpz_export(words, nullptr, -1, sizeof(words[0]), 0, 0, whole);
    mpz_clear(whole);
    mpfr_sub(low, turns.upper(), turns.lower(), MPFR_RNDU);
    const double width = mpfr_get_d(low, MPFR_RNDU);
    mpfr_clear(low);
    return {(Turns{words[1]} << 64) | words[0], numerics::add_up(width, 0x1p-126)};
}

struct EnclosedWave {
    double amplitude = 0;  ///< within 2^-52 of itself
    Angle frequency;
    Angle phase;
};

std::vector<EnclosedWave> waves_of(const Terms& terms) {
    std::vector<EnclosedWave> waves;
    waves.reserve(terms.size());
    for (const EnclosedTerm& term : terms) {
        const numerics::Interval amplitude = term.amplitude.to_interval();
        const double middle = numerics::midpoint(amplitude);
        const double reach = std::fabs(middle) * 0x1p-52;
        const bool is_narrow = amplitude.lo >= middle - reach && amplitude.hi <= middle + reach;
        if (!is_narrow || !(std::fabs(middle) < largest_amplitude)) throw NoEnclosedForm{};
        waves.push_back({middle, angle_of(term.frequency), angle_of(term.phase)});
    }
    return waves;
}

class EnclosedSum {
public:
    EnclosedSum(std::vector<EnclosedWave> waves, const Range& range) : waves_(std::move(waves)), range_(range) {
        while (columns_ * columns_ < range.count && columns_ < most_columns) columns_ *= 2;
        const double farthest = std::max(std::fabs(range.from), std::fabs(range.at(range.count)));
        double amplitudes = 0;
        for (const EnclosedWave& wave : waves_) {
            const double drift = numerics::multiply_up(farthest, wave.frequency.error);
            if (!(numerics::add_up(drift, wave.phase.error) <= largest_phase_error)) throw NoEnclosedForm{};
            amplitudes = numerics::add_up(amplitudes, std::fabs(wave.amplitude));
        }
        const double additions = 4 * static_cast<double>(waves_.size()) + 8;
        const double relative = 4.5 * entry_error + additions * 0x1p-53;  // exact in doubles
        // Products may underflow. The last part covers the rounding of the ends, of at most 1.5 times the amplitudes.
        reach_ = numerics::add_up(numerics::multiply_up(amplitudes, relative), 0x1p-900);
        reach_ = numerics::add_up(reach_, numerics::multiply_up(amplitudes, 0x1.8p-53));
        largest_ = 1.25 * amplitudes;
        right_.resize(inner() * columns_);
        numerics::in_parallel(waves_.size(), 1, [this](std::size_t begin, std::size_t end) {
            for (std::size_t wave = begin; wave < end; ++wave) fill_right(wave);
        });
    }

    /// Works in pieces that fit into a processor's cache.
    template <class Visit>
    void visit_values(const Visit& visit) const {
        const std::size_t at_once = rows_at_once * columns_;
        numerics::in_parallel(range_.count, at_once, [&](std::size_t begin, std::size_t end) {
            std::vector<double> left(rows_at_once * inner());
            std::vector<double> out(at_once);
            std::vector<core::Enclosure> piece(at_once);
            for (std::size_t at = begin; at < end; at += at_once) {
                const std::size_t count = std::min(at_once, end - at);
                run(at, at + count, left, out, piece.data());
                visit(at, std::span<const core::Enclosure>(piece.data(), count));
            }
        });
    }

private:
    std::size_t inner() const { return 2 * waves_.size(); }

    void fill_right(std::size_t m) {
        const std::size_t panel = kernel_.panel_columns;
        const Turns stride = device::times(waves_[m].frequency.turns, static_cast<std::int64_t>(range_.step));
        Turns turns = 0;
        for (std::size_t b = 0; b < columns_; ++b, turns += stride) {
            const CosineSine at = table_.at(turns);
            double* const place = right_.data() + (b / panel * inner() + 2 * m) * panel + b % panel;
            place[0] = at.cosine;
            place[panel] = at.sine;
        }
    }

    void fill_left(double start, double* left) const {
        for (const EnclosedWave& wave : waves_) {
            const CosineSine at =
                table_.at(device::times(wave.frequency.turns, static_cast<std::int64_t>(start)) + wave.phase.turns);
            *left++ = wave.amplitude * at.cosine;
            *left++ = -wave.amplitude * at.sine;
        }
    }

    void run(std::size_t begin, std::size_t end, std::vector<double>& left, std::vector<double>& out,
             core::Enclosure* result) const {
        const std::size_t rows = (end - begin + columns_ - 1) / columns_;
        for (std::size_t i = 0; i < rows; ++i) fill_left(range_.at(begin + i * columns_), left.data() + i * inner());
        kernel_.multiply({left.data(), rows, inner(), right_.data(), inner(), columns_, out.data()});
        for (std::size_t at = begin; at < end; ++at) {
            const double value = out[at - begin];
            const bool is_known = std::fabs(value) <= largest_;
            *result++ = is_known ? core::Enclosure{value - reach_, value + reach_}
                                 : core::Enclosure{-numerics::infinity, numerics::infinity};
        }
    }

    std::vector<EnclosedWave> waves_;
    Range range_;
    const Kernel<double>& kernel_ = *kernels<double>()[0];
    std::size_t columns_ = 64;
    std::vector<double> right_;
    double reach_ = 0;
    double largest_ = 0;  ///< larger values are unknown
    const TurnTable& table_ = TurnTable::shared();
};

}  // namespace

bool enclose_waves(const formula::Program& program, const Range& range,
                   const std::function<void(std::size_t first, std::span<const core::Enclosure>)>& visit) {
    if (formula::has_integral(program) || program.type != formula::Type::real ||
        program.signature.varying.size() != 1 || !program.signature.uniform.empty() ||
        !program.signature.tables.empty() || !are_integers(range) ||
        find_wave_registers(program, 0) != std::vector<std::uint32_t>{program.result})
        return false;
    try {
        const WaveIntervals arithmetic;
        Interpreter<WaveIntervals, core::Enclosure> interpreter(program, arithmetic, {});
        interpreter.set_real(program.first_input(), arithmetic.varying_input());
        interpreter.run_uniform();
        interpreter.run_varying();
        EnclosedSum(waves_of(arithmetic.to_terms(interpreter.real_result())), range).visit_values(visit);
        return true;
    } catch (const NoEnclosedForm&) {
        return false;
    }
}

}  // namespace farfield::evaluate
