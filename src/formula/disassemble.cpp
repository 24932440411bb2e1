#include <farfield/formula/program.hpp>

namespace farfield::formula {
namespace {

/// r3 for a real register (with its content if that is a constant or an input), b2 for a boolean register.
std::string name_of(const Program& program, Type type, std::uint32_t index) {
    if (type == Type::boolean) return "b" + std::to_string(index);
    if (index < program.constants.size()) return program.constant_texts[index];
    std::size_t input = index - program.first_input();
    if (input < program.signature.uniform.size()) return program.signature.uniform[input];
    input -= program.signature.uniform.size();
    if (input < program.signature.varying.size()) return program.signature.varying[input];
    return "r" + std::to_string(index);
}

std::string operation_line(const Program& program, const Instruction& row) {
    const OperatorRow& operation = formula::row(row.op);
    std::string line = name_of(program, operation.result, row.dest) + " = " + std::string(operation.spelling);
    const std::uint32_t operands[] = {row.a, row.b, row.c};
    for (std::size_t at = 0; at < operation.arguments.size(); ++at) {
        const Type type = operation.arguments[at] == 'b' ? Type::boolean : Type::real;
        line += " " + name_of(program, type, operands[at]);
    }
    return line;
}

std::string line_of(const Program& program, const Instruction& row) {
    const OperatorRow& operation = formula::row(row.op);
    const auto real = [&](std::uint32_t index) { return name_of(program, Type::real, index); };
    switch (row.step) {
        case Step::operation: return operation_line(program, row);
        case Step::lookup: return real(row.dest) + " = " + program.signature.tables[row.b] + "[" + real(row.a) + "]";
        case Step::loop_begin:
            return name_of(program, operation.result, row.dest) + " = " + std::string(operation.spelling) + " over " +
                   real(row.variable) + " from " + real(row.a) + " to " + real(row.b);
        case Step::loop_end:
            if (operation.integral)
                return real(row.dest) + " takes " + real(row.a) + " with fourth derivative " + real(row.b);
            if (operation.choice)
                return real(row.dest) + ", " + real(best_of(row)) + " = " + real(row.a) + ", " + real(row.b);
            return name_of(program, operation.result, row.dest) + " takes " + name_of(program, operation.result, row.a);
    }
    return {};
}

}  // namespace

std::string disassemble(const Program& program) {
    std::string text;
    for (std::size_t at = 0; at < program.rows.size(); ++at) {
        if (at == program.varying_begin) text += "for each point:\n";
        const Instruction& row = program.rows[at];
        text +=
            std::string(std::size_t{2} * row.depth, ' ') + (row.varying ? "* " : "  ") + line_of(program, row) + "\n";
    }
    return text + "result " + name_of(program, program.type, program.result) + "\n";
}

}  // namespace farfield::formula
