#include "evaluate/cuda/prepare.hpp"

#include <cstring>

#include <farfield/numerics/format.hpp>

#include "evaluate/interpreter.hpp"
#include "evaluate/low_precision_arithmetic.hpp"
#include "evaluate/standard_arithmetic.hpp"

namespace farfield::evaluate::cuda {

namespace {

template <class Number>
void append(std::vector<unsigned char>& bytes, Number value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

double at_first_point(const Lane& lane) {
    if (const Range* range = std::get_if<Range>(&lane)) return range->at(0);
    return std::get<std::span<const double>>(lane)[0];
}

template <class Arithmetic>
class Preparation {
public:
    using Number = typename Arithmetic::Real;

    Preparation(const formula::Program& program, const Inputs& inputs, Arithmetic arithmetic)
        : program_(program), inputs_(inputs), interpreter_(program, arithmetic, inputs.tables) {
        for (std::size_t i = 0; i < inputs.uniform.size(); ++i) interpreter_.set_input(i, inputs.uniform[i]);
        interpreter_.run_uniform();
    }

    Prepared run(const NumberSystem& system, SourceOptions options) {
        Prepared prepared;
        prepared.constant = constant();
        if (prepared.constant) return prepared;
        run_first_point();
        const auto remembered = interpreter_.remembered();
        options.remember = !remembered.empty();
        prepared.source = source(program_, system, options);
        for (const UniformValue& value : prepared.source.uniform) {
            const bool is_boolean = value.type == formula::Type::boolean;
            append(prepared.uniform,
                   is_boolean ? Number(interpreter_.boolean(value.index)) : interpreter_.real(value.index));
        }
        for (const auto& each : remembered) {
            if (!prepared.source.remembered.empty() && prepared.source.remembered[each.row] != 0)
                append(prepared.remembered, each.value);
        }
        return prepared;
    }

    Registers registers() const {
        Registers made;
        made.constant = constant();
        for (std::size_t i = 0; i < program_.real_registers; ++i) append(made.reals, interpreter_.real(i));
        for (std::size_t i = 0; i < program_.boolean_registers; ++i)
            made.truths.push_back(interpreter_.boolean(i) ? 1 : 0);
        return made;
    }

private:
    std::optional<double> constant() const {
        const bool boolean = program_.type == formula::Type::boolean;
        if ((boolean ? program_.boolean_varies : program_.real_varies)[program_.result] != 0) return std::nullopt;
        return boolean ? static_cast<double>(interpreter_.boolean_result())
                       : static_cast<double>(interpreter_.real_result());
    }

    void run_first_point() {
        for (std::size_t lane = 0; lane < inputs_.varying.size(); ++lane)
            interpreter_.set_input(inputs_.uniform.size() + lane, at_first_point(inputs_.varying[lane]));
        interpreter_.run_varying();
    }

    const formula::Program& program_;
    const Inputs& inputs_;
    Interpreter<Arithmetic, double> interpreter_;
};

/// Calls with(arithmetic) for the arithmetic of the number system.
template <class With>
auto in_arithmetic(const NumberSystem& system, With with) {
    switch (system.kind) {
        case NumberSystem::Kind::binary32: return with(StandardArithmetic<float>{});
        case NumberSystem::Kind::low_precision:
            return with(LowPrecisionArithmetic{numerics::find_format(system.format)});
        default: return with(StandardArithmetic<double>{});
    }
}

}  // namespace

Prepared prepare(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                 const std::string& kernel, const std::string& title) {
    SourceOptions options{kernel, title, {}, true};
    for (const Lane& lane : inputs.varying) options.is_array.push_back(!std::holds_alternative<Range>(lane));
    return in_arithmetic(
        system, [&](auto arithmetic) { return Preparation(program, inputs, arithmetic).run(system, options); });
}

Registers prepare_registers(const formula::Program& program, const Inputs& inputs, const NumberSystem& system) {
    return in_arithmetic(system, [&](auto arithmetic) { return Preparation(program, inputs, arithmetic).registers(); });
}

}  // namespace farfield::evaluate::cuda
