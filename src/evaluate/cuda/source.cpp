#include <farfield/evaluate/cuda/source.hpp>

#include <charconv>
#include <cmath>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/cuda/language.cuh>

#include "evaluate/alike.hpp"
#include "evaluate/cuda/names.hpp"
#include "evaluate/low_precision_arithmetic.hpp"
#include "evaluate/standard_arithmetic.hpp"
#include "evaluate/value_over_none.hpp"

namespace farfield::evaluate::cuda {

namespace {

using formula::Instruction;
using formula::Op;
using formula::Program;
using formula::Step;
using formula::Type;

// Loops between integers up to this size use an int counter, which a compiler can unroll.
constexpr double largest_count = 1 << 30;

/// The name of the operator in the arithmetics of language.cuh. If one of them lacks an operator, this does not
/// compile.
template <class... Arithmetic>
std::string function_of(Op op) {
    switch (op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case Op::name: \
        (static_cast<void>(&Arithmetic::name), ...); \
        return #name;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case Op::name: \
        (static_cast<void>(&Arithmetic::name), ...); \
        return #name;
#define CHOICE(name, ...) \
    case Op::name: \
        return {};
#define INTEGRAL(name, ...) \
    case Op::name: \
        return {};
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
        // clang-format on
    }
    return {};
}

std::string name_of_function(Op op) {
    return function_of<
#define EMULATED(name) device::formats::name,
#include <farfield/numerics/formats.def>
        device::Standard<double>, device::Standard<float>>(op);
}

// Operators that C++ writes like the language. In low precision, only those that need no rounding.
std::string symbol(Op op, bool rounds) {
    switch (op) {
        case Op::less: return "<";
        case Op::less_equal: return "<=";
        case Op::greater: return ">";
        case Op::greater_equal: return ">=";
        case Op::equals: return "==";
        case Op::differs: return "!=";
        case Op::logical_and: return "&&";
        case Op::logical_or: return "||";
        case Op::add:
        case Op::sum: return rounds ? "" : "+";
        case Op::subtract: return rounds ? "" : "-";
        case Op::multiply:
        case Op::product: return rounds ? "" : "*";
        case Op::divide: return rounds ? "" : "/";
        default: return "";
    }
}

std::string arithmetic_of(const NumberSystem& system) {
    switch (system.kind) {
        case NumberSystem::Kind::binary64: return "Standard<double>";
        case NumberSystem::Kind::binary32: return "Standard<float>";
        case NumberSystem::Kind::low_precision: return "formats::" + system.format;
        case NumberSystem::Kind::multiprecision:
        case NumberSystem::Kind::interval: break;
    }
    throw core::PreconditionError("evaluate::cuda::source", "system", system.name(),
                                  "double, float, fp16, bf16, e4m3 or e5m2");
}

template <class Number>
std::string shortest(Number value) {
    char buffer[40];
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    if (sizeof(Number) == sizeof(float)) text += "f";
    return value < 0 ? "(" + text + ")" : text;
}

class Writer {
public:
    Writer(const Program& program, const NumberSystem& system, const SourceOptions& options)
        : program_(program),
          system_(system),
          options_(options),
          names_(names_of(program)),
          alike_(rows_alike_at_every_point(program)),
          read_(program.real_registers + program.boolean_registers, false) {
        if (!options.remember) alike_.assign(alike_.size(), 0);
        for (std::size_t at = 0; at < program.constants.size(); ++at) names_.reals[at] = literal(at);
    }

    Source write() {
        find_uniform();
        find_remembered();
        write_head();
        write_uniform();
        write_points();
        return std::move(source_);
    }

private:
    bool is_float() const { return system_.kind == NumberSystem::Kind::binary32; }
    bool rounds() const { return system_.kind == NumberSystem::Kind::low_precision; }

    std::string literal(std::size_t at) const {
        const double value = program_.constants[at];
        const std::string& text = program_.constant_texts[at];
        if (std::isinf(value)) return "Arithmetic::infinity()";
        if (is_float()) return shortest(StandardArithmetic<float>::literal(value, text));
        if (!rounds()) return shortest(value);
        const LowPrecisionArithmetic arithmetic{numerics::find_format(system_.format)};
        const double rounded = arithmetic.literal(value, text);
        if (std::isnan(rounded)) return "Arithmetic::undefined()";
        return std::isinf(rounded) ? "Arithmetic::infinity()" : shortest(rounded);
    }

    // ---- Inputs

    bool is_uniform_input(std::uint32_t index) const {
        const std::size_t first = program_.first_input();
        return index >= first && index < first + program_.signature.uniform.size();
    }

    void need(Type type, std::uint32_t index, const std::vector<bool>& computed_before) {
        read_[(type == Type::boolean ? program_.real_registers : 0) + index] = true;
        const bool computed = type == Type::boolean || !is_uniform_input(index);
        if (type == Type::real && index < program_.constants.size()) return;
        if (computed && !computed_before[(type == Type::boolean ? program_.real_registers : 0) + index]) return;
        for (const UniformValue& known : source_.uniform) {
            if (known.type == type && known.index == index) return;
        }
        source_.uniform.push_back({type, index});
    }

    // Every uniform register that a row of the kernel reads.
    void find_uniform() {
        std::vector<bool> before(program_.real_registers + program_.boolean_registers, false);
        for (std::size_t at = 0; at < program_.varying_begin; ++at) {
            const Instruction& row = program_.rows[at];
            before[(is_boolean(row) ? program_.real_registers : 0) + row.dest] = true;
        }
        for (std::size_t at = program_.varying_begin; at < program_.rows.size(); ++at) {
            if (alike_[at] != 0) {
                if (program_.rows[at].step == Step::loop_begin) at = program_.rows[at].c;
                continue;
            }
            need_operands(program_.rows[at], before);
        }
        need(program_.type, program_.result, before);
    }

    void need_operands(const Instruction& row, const std::vector<bool>& before) {
        const Type result = formula::row(row.op).result;
        if (row.step == Step::lookup) return need(Type::real, row.a, before);
        if (row.step == Step::loop_end) {
            if (formula::row(row.op).choice) need(Type::real, row.b, before);
            return need(result, row.a, before);
        }
        if (row.step == Step::loop_begin) {
            need(Type::real, row.a, before);
            return need(Type::real, row.b, before);
        }
        const std::string_view arguments = formula::row(row.op).arguments;
        const std::uint32_t operands[] = {row.a, row.b, row.c};
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            need(arguments[i] == 'b' ? Type::boolean : Type::real, operands[i], before);
        }
    }

    // Finds the rows that need not be computed but are read by others.
    void find_remembered() {
        std::vector<std::uint8_t> kept(alike_.size(), 0);
        bool any = false;
        for (std::size_t at = 0; at < alike_.size(); ++at) {
            const Instruction& row = program_.rows[at];
            const std::size_t index = (is_boolean(row) ? program_.real_registers : 0) + row.dest;
            kept[at] = alike_[at] != 0 && read_[index];
            any = any || kept[at] != 0;
        }
        if (any) source_.remembered = std::move(kept);
    }

    bool remembers() const { return !source_.remembered.empty(); }

    static bool is_boolean(const Instruction& row) {
        return row.step != Step::lookup && formula::row(row.op).result == Type::boolean;
    }

    // ---- Text

    void line(std::size_t indent, const std::string& text) {
        source_.text += std::string(4 * indent, ' ') + text + "\n";
    }

    std::string parameters() const {
        std::string text = "unsigned long long first, unsigned long long points, double* __restrict__ result";
        const std::string number = is_float() ? "float" : "double";
        text += ",\n    const " + number + "* __restrict__ uniform";
        if (remembers()) text += ", const " + number + "* __restrict__ remembered";
        for (std::size_t lane = 0; lane < program_.signature.varying.size(); ++lane) {
            const std::string& name = input(lane);
            text += options_.is_array.at(lane) ? ",\n    const double* __restrict__ " + name + "_values"
                                               : ",\n    double " + name + "_from, double " + name + "_step";
        }
        for (const std::string& table : names_.tables)
            text += ",\n    const double* __restrict__ " + table + "_entries, double " + table + "_count";
        return text;
    }

    const std::string& input(std::size_t lane) const {
        return names_.reals[program_.first_input() + program_.signature.uniform.size() + lane];
    }

    void write_head() {
        source_.text +=
            "// " + (options_.title.empty() ? std::string() : options_.title + ", ") + "in " + system_.name() + "\n";
        source_.text += "extern \"C\" __global__ void " + options_.kernel + "(\n    " + parameters() + ") {\n";
        line(1, "using Arithmetic = farfield::device::" + arithmetic_of(system_) + ";");
        line(1, "using Number = Arithmetic::Number;");
    }

    void write_uniform() {
        for (std::size_t slot = 0; slot < source_.uniform.size(); ++slot) {
            const UniformValue& value = source_.uniform[slot];
            const std::string from = "uniform[" + std::to_string(slot) + "]";
            if (value.type == Type::boolean) {
                line(1, "const bool " + names_.booleans[value.index] + " = " + from + " != 0;  // " +
                            formula_of(program_, value.type, value.index));
            } else {
                const std::string comment =
                    is_uniform_input(value.index) ? "" : "  // " + formula_of(program_, value.type, value.index);
                line(1, "const Number " + names_.reals[value.index] + " = " + from + ";" + comment);
            }
        }
    }

    void write_points() {
        line(1, "const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;");
        line(1,
             "for (unsigned long long point = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;");
        line(1, "     point < points; point += stride) {");
        for (std::size_t lane = 0; lane < program_.signature.varying.size(); ++lane) {
            const std::string& name = input(lane);
            const std::string value = options_.is_array[lane]
                                          ? name + "_values[point]"
                                          : name + "_from + " + name + "_step * static_cast<double>(first + point)";
            line(2, "const Number " + name + " = Arithmetic::input(" + value + ");");
        }
        if (remembers()) line(2, "const Number* next = remembered;");
        for (std::size_t at = program_.varying_begin; at < program_.rows.size();) at = write_row(at);
        const std::string found = program_.type == Type::boolean ? names_.booleans[program_.result] + " ? 1.0 : 0.0"
                                                                 : names_.reals[program_.result];
        line(2, "result[point] = " + found + ";");
        line(1, "}");
        source_.text += "}\n";
    }

    std::size_t write_row(std::size_t at) {
        const Instruction& row = program_.rows[at];
        const std::size_t indent = 2 + row.depth;
        if (alike_[at] != 0) return write_remembered(at, indent);
        switch (row.step) {
            case Step::operation: line(indent, declaration(row) + expression(row) + ";"); break;
            case Step::lookup: {
                const std::string& table = names_.tables[row.b];
                line(indent, "const Number " + names_.reals[row.dest] + " = farfield::device::look_up<Arithmetic>(" +
                                 table + "_entries, " + table + "_count, " + names_.reals[row.a] + ");");
                break;
            }
            case Step::loop_begin: write_loop(row, indent); break;
            case Step::loop_end:
                line(indent + 1, dest(row) + " = " + folded(row) + ";");
                if (formula::row(row.op).choice)
                    line(indent + 1, names_.reals[formula::best_of(row)] + " = " + names_.reals[row.b] + ";");
                line(indent, "}");
                break;
        }
        return at + 1;
    }

    std::size_t write_remembered(std::size_t at, std::size_t indent) {
        const Instruction& row = program_.rows[at];
        const std::size_t after = row.step == Step::loop_begin ? row.c + 1 : at + 1;
        if (!remembers() || source_.remembered[at] == 0) return after;
        const bool boolean = is_boolean(row);
        const std::string what = formula_of(program_, boolean ? Type::boolean : Type::real, row.dest);
        line(indent, (boolean ? "const bool " + names_.booleans[row.dest] + " = *next++ != 0;"
                              : "const Number " + names_.reals[row.dest] + " = *next++;") +
                         "  // " + what);
        return after;
    }

    std::string dest(const Instruction& row) const {
        return formula::row(row.op).result == Type::boolean ? names_.booleans[row.dest] : names_.reals[row.dest];
    }

    std::string declaration(const Instruction& row) const {
        const bool boolean = formula::row(row.op).result == Type::boolean;
        return (boolean ? "const bool " : "const Number ") + dest(row) + " = ";
    }

    std::string operand(const Instruction& row, std::size_t at) const {
        const std::uint32_t operands[] = {row.a, row.b, row.c};
        const bool boolean = formula::row(row.op).arguments[at] == 'b';
        return boolean ? names_.booleans[operands[at]] : names_.reals[operands[at]];
    }

    std::string expression(const Instruction& row) const {
        const std::string written = symbol(row.op, rounds());
        if (!written.empty()) return operand(row, 0) + " " + written + " " + operand(row, 1);
        if (row.op == Op::negate) return "-" + operand(row, 0);
        if (row.op == Op::logical_not) return "!" + operand(row, 0);
        if (row.op == Op::select) return operand(row, 0) + " ? " + operand(row, 1) + " : " + operand(row, 2);
        std::string text = "Arithmetic::" + name_of_function(row.op) + "(";
        for (std::size_t i = 0; i < formula::row(row.op).arguments.size(); ++i)
            text += (i == 0 ? "" : ", ") + operand(row, i);
        return text + ")";
    }

    std::string folded(const Instruction& row) const {
        const bool boolean = formula::row(row.op).result == Type::boolean;
        std::string body = boolean ? names_.booleans[row.a] : names_.reals[row.a];
        if (formula::row(row.op).choice) return body;
        const std::string written = symbol(row.op, rounds());
        if (!written.empty()) return dest(row) + " " + written + " " + body;
        return "Arithmetic::" + name_of_function(row.op) + "(" + dest(row) + ", " + body + ")";
    }

    bool is_constant(std::uint32_t index) const { return index < program_.constants.size(); }

    /// A loop's bound as a double. A literal is exact, although its register may be rounded.
    std::string bound(std::uint32_t index) const {
        if (!is_constant(index)) return names_.reals[index];
        const double value = program_.constants[index];
        return std::isfinite(value) ? shortest(value) : "farfield::device::not_a_number()";
    }

    /// Whether a bound is an integer. A larger number that is computed may have been rounded.
    std::string is_whole(std::uint32_t index) const {
        return "farfield::device::is_integer(" + bound(index) + ", " +
               (is_constant(index) ? "0x1p53" : "Arithmetic::largest_integer()") + ")";
    }

    bool is_counted(std::uint32_t index) const {
        if (!is_constant(index)) return false;
        const double value = program_.constants[index];
        return std::fabs(value) <= largest_count && std::trunc(value) == value;
    }

    /// The initial value of the accumulator of a loop with bounds.
    std::string start_of(const Instruction& row) const {
        const std::string& from = names_.reals[row.a];
        if (formula::row(row.op).choice)
            return "(" + bound(row.a) + " <= " + bound(row.b) + " ? " + from + " : Arithmetic::undefined())";
        const double none = value_over_none(row.op);
        if (formula::row(row.op).result == Type::boolean) return none != 0 ? "true" : "false";
        return shortest(none) + (is_float() ? "f" : "");
    }

    void write_loop(const Instruction& row, std::size_t indent) {
        const std::string from = bound(row.a);
        const std::string to = bound(row.b);
        const std::string counter = "k" + std::to_string(row.variable);
        const bool boolean = formula::row(row.op).result == Type::boolean;
        const std::string none = start_of(row);
        const std::string type = boolean ? "bool " : "Number ";
        if (formula::row(row.op).choice) {
            const std::string worst = worst_of(row.op) < 0 ? "-Arithmetic::infinity()" : "Arithmetic::infinity()";
            line(indent, "Number " + names_.reals[formula::best_of(row)] + " = " + worst + ";");
        }
        if (is_counted(row.a) && is_counted(row.b)) {
            line(indent, type + dest(row) + " = " + none + ";");
            line(indent, "for (int " + counter + " = static_cast<int>(" + from + "); " + counter +
                             " <= static_cast<int>(" + to + "); ++" + counter + ") {");
        } else {
            const std::string whole = counter + "_is_whole";
            line(indent, "const bool " + whole + " = " + is_whole(row.a) + " && " + is_whole(row.b) + ";");
            line(indent, type + dest(row) + " = " + whole + " ? " + none + " : " +
                             (boolean ? "false" : "Arithmetic::undefined()") + ";");
            line(indent, "for (double " + counter + " = " + from + "; " + whole + " && " + counter + " <= " + to +
                             "; ++" + counter + ") {");
        }
        if (read_[row.variable])
            line(indent + 1, "const Number " + names_.reals[row.variable] + " = Arithmetic::input(" + counter + ");");
    }

    const Program& program_;
    const NumberSystem& system_;
    const SourceOptions& options_;
    Names names_;
    std::vector<std::uint8_t> alike_;
    std::vector<bool> read_;  ///< [real registers, then boolean ones] whether a row of the kernel reads it
    Source source_;
};

}  // namespace

std::string source_prologue() {
    return "#include <farfield/evaluate/cuda/language.cuh>\n\n";
}

Source source(const Program& program, const NumberSystem& system, const SourceOptions& options) {
    return Writer(program, system, options).write();
}

}  // namespace farfield::evaluate::cuda
