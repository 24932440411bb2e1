#include "evaluate/waves.hpp"

#include <gmp.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include <farfield/numerics/multiprecision.hpp>
#include <farfield/numerics/phase.hpp>
#include <farfield/numerics/truth.hpp>

#include "evaluate/block_plan.hpp"
#include "evaluate/interpreter.hpp"
#include "evaluate/lifted.hpp"
#include "evaluate/multiprecision_arithmetic.hpp"
#include "evaluate/shape.hpp"
#include "evaluate/traffic.hpp"

namespace farfield::evaluate {

namespace {

using formula::Instruction;
using formula::Op;
using formula::Program;
using formula::Step;
using numerics::DoubleDouble;
using numerics::Multiprecision;
using numerics::Truth;

constexpr int digits = 60;
constexpr std::size_t most_waves = 4096;

// Thrown and caught only in this file, if the formula has another form or too many waves.
struct NoForm {};

struct Affine {
    Multiprecision slope;
    Multiprecision offset;
};

// A wave before its last rounding, so that factors and exponents can cancel before it.
struct Term {
    DoubleDouble amplitude;
    DoubleDouble rate;
    Turns frequency = 0;
    Turns phase = 0;

    bool is_envelope() const { return frequency == 0 && phase == 0; }
};
using Waves = std::vector<Term>;
using Symbol = std::variant<Multiprecision, Affine, Waves>;

constexpr Turns quarter_turn = Turns{1} << 126;

// The fractional part of angle/(2 pi), rounded down to a multiple of 2^-128.
Turns to_turns(const Multiprecision& angle) {
    constexpr mpfr_exp_t largest_exponent = 60;
    if (mpfr_zero_p(numerics::raw(angle)) != 0) return 0;
    static const Multiprecision one_turn = Multiprecision::pi(digits) * Multiprecision(2, digits);
    const Multiprecision turns = angle / one_turn;
    mpfr_srcptr const value = numerics::raw(turns);
    if (mpfr_number_p(value) == 0 || mpfr_get_exp(value) > largest_exponent) throw NoForm{};
    Multiprecision fraction = turns - numerics::floor(turns);
    mpfr_mul_2ui(numerics::raw(fraction), numerics::raw(fraction), 128, MPFR_RNDN);
    mpz_t whole;
    mpz_init(whole);
    mpfr_get_z(whole, numerics::raw(fraction), MPFR_RNDD);
    std::uint64_t words[3] = {0, 0, 0};
    mpz_export(words, nullptr, -1, sizeof(words[0]), 0, 0, whole);
    mpz_clear(whole);
    return (Turns{words[1]} << 64) | words[0];
}

// A constant is a wave of frequency zero; zero, with which sums begin, is an empty list of waves.
Waves to_waves(const Symbol& symbol) {
    if (const auto* constant = std::get_if<Multiprecision>(&symbol)) {
        const DoubleDouble amplitude = to_double_double(*constant);
        return amplitude.hi == 0 ? Waves{} : Waves{{amplitude, {}, 0, 0}};
    }
    if (const auto* waves = std::get_if<Waves>(&symbol)) return *waves;
    throw NoForm{};
}

DoubleDouble times(const DoubleDouble& a, const DoubleDouble& b) {
    return a * b.hi + a * b.lo;
}

// 2 cos(x) cos(y) = cos(x + y) + cos(x - y); if either is only an envelope, one wave is enough.
void append_product(Waves& waves, const Term& a, const Term& b) {
    const DoubleDouble rate = a.rate + b.rate;
    const DoubleDouble amplitude = times(a.amplitude, b.amplitude);
    const Term sum{amplitude, rate, a.frequency + b.frequency, a.phase + b.phase};
    if (a.is_envelope() || b.is_envelope()) {
        waves.push_back(sum);
        return;
    }
    const DoubleDouble half = amplitude * 0.5;
    waves.push_back({half, rate, sum.frequency, sum.phase});
    waves.push_back({half, rate, a.frequency - b.frequency, a.phase - b.phase});
}

Symbol product_of_waves(const Waves& a, const Waves& b) {
    if (a.size() * b.size() > most_waves) throw NoForm{};
    Waves waves;
    for (const Term& left : a) {
        for (const Term& right : b) append_product(waves, left, right);
    }
    return waves;
}

// An arithmetic whose reals are constants, affine in n, or sums of waves. Operators that this class does not define
// apply only to constants.
class ConstantArithmetic : public Lifted<ConstantArithmetic, MultiprecisionArithmetic> {
public:
    explicit ConstantArithmetic(std::size_t& budget) : Lifted({digits}), budget_(&budget) {}

    template <formula::Type result, class Function, class... Values>
    auto lift(Function function, const Values&... values) const {
        spend();
        const bool constants = (is_constant(values) && ...);
        if constexpr (result == formula::Type::boolean) {
            return constants ? numerics::to_truth(function(constant(values)...)) : Truth::unknown;
        } else {
            if (!constants) throw NoForm{};
            return Symbol(function(constant(values)...));
        }
    }

protected:
    static bool is_constant(const Symbol& symbol) { return std::holds_alternative<Multiprecision>(symbol); }
    static bool is_constant(Truth truth) { return truth != Truth::unknown; }
    static const Multiprecision& constant(const Symbol& symbol) { return std::get<Multiprecision>(symbol); }
    static bool constant(Truth truth) { return truth == Truth::yes; }

    void spend() const {
        if (*budget_ == 0) throw NoForm{};
        --*budget_;
    }

private:
    std::size_t* budget_;
};

class WaveArithmetic : public ConstantArithmetic {
public:
    using Real = Symbol;
    using Boolean = Truth;
    using ConstantArithmetic::ConstantArithmetic;

    Real undefined() const { return exact_.undefined(); }
    Real infinite(double infinity) const { return exact_.infinite(infinity); }
    static Boolean undecided() { return Truth::unknown; }
    static Boolean truth(bool value) { return numerics::to_truth(value); }
    Real input(double value) const { return exact_.input(value); }
    Real integer(double value) const { return exact_.integer(value); }
    Real literal(double value, const std::string& text) const { return exact_.literal(value, text); }
    static std::optional<double> integer_of(const Real& x) {
        return is_constant(x) ? MultiprecisionArithmetic::integer_of(constant(x)) : std::nullopt;
    }
    Real varying_input() const { return Affine{{1, digits}, {0, digits}}; }

    Real add(const Real& a, const Real& b) const { return combine(a, b, 1); }
    Real subtract(const Real& a, const Real& b) const { return combine(a, b, -1); }
    Real negate(const Real& a) const { return scaled(a, Multiprecision(-1, digits)); }

    Real multiply(const Real& a, const Real& b) const {
        if (is_constant(a)) return scaled(b, constant(a));
        if (is_constant(b)) return scaled(a, constant(b));
        spend();
        return product_of_waves(to_waves(a), to_waves(b));
    }

    Real divide(const Real& a, const Real& b) const {
        if (is_constant(a) && is_constant(b)) return ConstantArithmetic::divide(a, b);
        if (!is_constant(b)) throw NoForm{};
        return scaled(a, Multiprecision(1, digits) / constant(b));
    }

    Real power(const Real& a, const Real& b) const {
        const auto* exponent = std::get_if<Affine>(&b);
        if (!is_constant(a) || exponent == nullptr) return ConstantArithmetic::power(a, b);
        if (!(Multiprecision(0, digits) < constant(a))) throw NoForm{};
        spend();
        const Multiprecision logarithm = numerics::log(constant(a));
        return envelope(exponent->slope * logarithm, exponent->offset * logarithm);
    }

    Real exponential(const Real& x) const {
        const auto* exponent = std::get_if<Affine>(&x);
        if (exponent == nullptr) return ConstantArithmetic::exponential(x);
        spend();
        return envelope(exponent->slope, exponent->offset);
    }

    Real cosine(const Real& x) const {
        const auto* angle = std::get_if<Affine>(&x);
        return angle == nullptr ? ConstantArithmetic::cosine(x) : wave(*angle, 0);
    }
    Real sine(const Real& x) const {
        const auto* angle = std::get_if<Affine>(&x);
        return angle == nullptr ? ConstantArithmetic::sine(x) : wave(*angle, quarter_turn);
    }

    Real select(Boolean condition, const Real& a, const Real& b) const {
        if (condition == Truth::unknown) throw NoForm{};
        return condition == Truth::yes ? a : b;
    }

    Real sum(const Real& accumulator, const Real& body) const { return add(accumulator, body); }
    Real product(const Real& accumulator, const Real& body) const { return multiply(accumulator, body); }
    static Boolean for_all(Boolean accumulator, Boolean body) { return numerics::both(accumulator, body); }
    static Boolean for_some(Boolean accumulator, Boolean body) { return numerics::either(accumulator, body); }

private:
    static Affine to_affine(const Real& x) {
        if (is_constant(x)) return {{0, digits}, constant(x)};
        return std::get<Affine>(x);
    }

    Real combine(const Real& a, const Real& b, int sign) const {
        spend();
        const Multiprecision factor(sign, digits);
        if (is_constant(a) && is_constant(b)) return constant(a) + factor * constant(b);
        if (!std::holds_alternative<Waves>(a) && !std::holds_alternative<Waves>(b)) {
            const Affine left = to_affine(a);
            const Affine right = to_affine(b);
            return Affine{left.slope + factor * right.slope, left.offset + factor * right.offset};
        }
        Waves waves = to_waves(a);
        for (Term term : to_waves(b)) {
            term.amplitude = term.amplitude * sign;
            waves.push_back(term);
        }
        if (waves.size() > most_waves) throw NoForm{};
        return waves;
    }

    Real scaled(const Real& x, const Multiprecision& factor) const {
        spend();
        if (is_constant(x)) return constant(x) * factor;
        if (const auto* affine = std::get_if<Affine>(&x))
            return Affine{affine->slope * factor, affine->offset * factor};
        Waves waves = std::get<Waves>(x);
        const DoubleDouble rounded = to_double_double(factor);
        for (Term& term : waves) term.amplitude = times(term.amplitude, rounded);
        return waves;
    }

    static Real envelope(const Multiprecision& rate, const Multiprecision& logarithm) {
        return Waves{{to_double_double(numerics::exp(logarithm)), to_double_double(rate), 0, 0}};
    }

    Real wave(const Affine& angle, Turns behind) const {
        spend();
        return Waves{{{1, 0}, {}, to_turns(angle.slope), to_turns(angle.offset) - behind}};
    }
};

// The form of a register as far as the rows alone show it; a cheap test that most formulas fail.
enum class Form { constant, affine, waves, other };

Form joined(Form a, Form b) {
    if (a == Form::other || b == Form::other) return Form::other;
    if (a == Form::constant || b == Form::constant) return std::max(a, b);
    return a == b ? a : Form::other;
}

class FormReader {
public:
    FormReader(const Program& program, std::size_t input)
        : program_(&program), forms_(program.real_registers, Form::constant) {
        const std::size_t first = program.first_input() + program.signature.uniform.size();
        std::fill_n(forms_.begin() + static_cast<std::ptrdiff_t>(first), program.signature.varying.size(), Form::other);
        forms_[first + input] = Form::affine;
        for (std::size_t row = program.varying_begin; row < program.rows.size(); ++row) read(program.rows[row]);
    }

    Form form(std::uint32_t real) const { return forms_[real]; }

private:
    void read(const Instruction& row) {
        if (!row.varying) return;
        switch (row.step) {
            case Step::operation:
                if (formula::row(row.op).result == formula::Type::real) forms_[row.dest] = operation(row);
                break;
            case Step::lookup: forms_[row.dest] = Form::other; break;
            case Step::loop_begin: break;
            case Step::loop_end:
                if (formula::row(row.op).result == formula::Type::real) forms_[row.dest] = reduction(row);
                break;
        }
    }

    Form operation(const Instruction& row) const {
        const Form a = forms_[row.a];
        switch (row.op) {
            case Op::add:
            case Op::subtract: return joined(a, forms_[row.b]);
            case Op::negate: return a;
            case Op::multiply: return product_of(a, forms_[row.b]);
            case Op::divide: return forms_[row.b] == Form::constant ? a : Form::other;
            case Op::power: return a == Form::constant && forms_[row.b] == Form::affine ? Form::waves : Form::other;
            case Op::exponential:
            case Op::sine:
            case Op::cosine: return a == Form::affine ? Form::waves : Form::other;
            case Op::select:
                return program_->boolean_varies[row.a] != 0 ? Form::other : joined(forms_[row.b], forms_[row.c]);
            default: return Form::other;
        }
    }

    // The content of a loop of another form does not matter, so it is not examined.
    Form reduction(const Instruction& tail) const {
        const bool is_sum = tail.op == Op::sum && !has_varying_bounds(*program_, program_->rows[tail.c]);
        return is_sum ? forms_[tail.a] : Form::other;
    }

    static Form product_of(Form a, Form b) {
        if (a == Form::affine && b == Form::affine) return Form::other;
        return joined(a, b);
    }

    const Program* program_;
    std::vector<Form> forms_;
};

std::vector<Wave> rounded(const Waves& terms) {
    std::vector<Wave> waves;
    waves.reserve(terms.size());
    for (const Term& term : terms) {
        if (term.amplitude.hi == 0) continue;
        waves.push_back({term.amplitude.hi, term.rate.hi, term.frequency, term.phase});
    }
    return waves;
}

// The real register that a row writes, or nothing if it writes a condition.
std::optional<std::uint32_t> real_written(const Instruction& row) {
    const Traffic traffic = traffic_of(row);
    const Register written = row.step == Step::loop_end ? traffic.reads.back() : traffic.writes.front();
    return written.boolean ? std::nullopt : std::optional(written.index);
}

}  // namespace

std::vector<std::uint32_t> find_wave_registers(const Program& program, std::size_t input) {
    const FormReader reader(program, input);
    std::vector<std::uint8_t> is_candidate(program.real_registers, 0);
    std::vector<std::uint32_t> found;
    const auto add = [&](const Register& which) {
        if (which.boolean || is_candidate[which.index] == 0) return;
        is_candidate[which.index] = 0;
        found.push_back(which.index);
    };
    std::size_t depth = 0;
    bool is_in_waves = true;  // the outermost loop adds up to waves, or there is none
    for (std::size_t at = program.varying_begin; at < program.rows.size(); ++at) {
        const Instruction& row = program.rows[at];
        const std::optional<std::uint32_t> real = real_written(row);
        const bool is_waves = row.varying && real && reader.form(*real) == Form::waves;
        if (row.step == Step::loop_begin && depth++ == 0) is_in_waves = is_waves;
        if (row.step == Step::loop_end && --depth == 0) is_in_waves = true;
        if (is_waves && depth == 0) is_candidate[*real] = 1;
        // A register that is read by another sum of waves is part of that sum.
        if (is_waves && is_in_waves) continue;
        for (const Register& read : traffic_of(row).reads) add(read);
    }
    add({program.type == formula::Type::boolean, program.result});
    return found;
}

std::optional<std::vector<Wave>> find_waves(const Program& program, const Inputs& inputs, std::size_t input,
                                            std::size_t budget) {
    try {
        Interpreter<WaveArithmetic, double> interpreter(program, WaveArithmetic(budget), inputs.tables);
        for (std::size_t i = 0; i < inputs.uniform.size(); ++i) interpreter.set_input(i, inputs.uniform[i]);
        interpreter.set_real(program.first_input() + inputs.uniform.size() + input,
                             interpreter.arithmetic().varying_input());
        interpreter.run_uniform();
        interpreter.run_varying();
        if (const Waves* waves = std::get_if<Waves>(&interpreter.real_result())) return rounded(*waves);
    } catch (const NoForm&) {
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace farfield::evaluate
