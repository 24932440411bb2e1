#include "evaluate/cuda/names.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <farfield/formula/printer.hpp>

namespace farfield::evaluate::cuda {

namespace {

using formula::Instruction;
using formula::Node;
using formula::Step;
using formula::Type;

// Words of C++ and names that kernels use themselves.
constexpr std::array reserved = std::to_array<std::string_view>(
    {"Arithmetic", "Number",   "alignas",    "alignof",  "and",      "asm",      "auto",      "bool",      "break",
     "case",       "catch",    "char",       "class",    "compl",    "concept",  "const",     "consteval", "constexpr",
     "constinit",  "continue", "decltype",   "default",  "delete",   "device",   "do",        "double",    "else",
     "enum",       "explicit", "export",     "extern",   "false",    "farfield", "first",     "float",     "for",
     "friend",     "goto",     "if",         "inline",   "int",      "long",     "mutable",   "namespace", "new",
     "noexcept",   "not",      "nullptr",    "operator", "or",       "point",    "points",    "private",   "protected",
     "public",     "register", "remembered", "requires", "result",   "return",   "short",     "signed",    "sizeof",
     "static",     "stride",   "struct",     "switch",   "template", "this",     "throw",     "true",      "try",
     "typedef",    "typeid",   "typename",   "uniform",  "union",    "unsigned", "using",     "virtual",   "void",
     "volatile",   "while",    "xor",        "next",     "blockIdx", "blockDim", "threadIdx", "gridDim"});

// x3, b3 and k3 are registers and counters.
bool is_register(const std::string& name) {
    return name.size() > 1 && std::string_view("xbk").find(name[0]) != std::string_view::npos &&
           std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string identifier(const std::string& name) {
    std::string made;
    for (const char c : name) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
        made += fits ? c : '_';
    }
    const bool taken = std::find(reserved.begin(), reserved.end(), made) != reserved.end() || is_register(made);
    return taken || made != name ? made + "_" : made;
}

// Two inputs, such as a table and a variable, must not have the same name.
std::string distinct(std::string name, const std::vector<std::string>& used) {
    while (std::find(used.begin(), used.end(), name) != used.end()) name += "_";
    return name;
}

// Rebuilds trees from rows.
class Rebuilder {
public:
    explicit Rebuilder(const formula::Program& program) : program_(program) {}

    Node real(std::uint32_t index) const {
        if (index < program_.constants.size()) return constant(index);
        std::size_t input = index - program_.first_input();
        const auto& signature = program_.signature;
        if (input < signature.uniform.size()) return formula::make_name(signature.uniform[input]);
        input -= signature.uniform.size();
        if (input < signature.varying.size()) return formula::make_name(signature.varying[input]);
        return computed(Type::real, index);
    }

    Node boolean(std::uint32_t index) const { return computed(Type::boolean, index); }

private:
    Node constant(std::uint32_t index) const {
        const std::string& text = program_.constant_texts[index];
        const bool is_name = text == "pi" || text == "e" || text == "inf";
        return is_name ? formula::make_name(text) : formula::make_number(text);
    }

    // A value that is used often would be written out each time. After some uses, it keeps the name of its register.
    Node computed(Type type, std::uint32_t index) const {
        if (left_ == 0) return formula::make_name("x" + std::to_string(index));
        --left_;
        for (const Instruction& row : program_.rows) {
            if (row.step == Step::loop_begin && type == Type::real && row.variable == index)
                return formula::make_name("i" + std::to_string(index));
            const Type made = row.step == Step::lookup ? Type::real : formula::row(row.op).result;
            if (row.dest == index && made == type && row.step != Step::loop_end) return tree(row);
        }
        return formula::make_name("x" + std::to_string(index));
    }

    Node tree(const Instruction& row) const {
        if (row.step == Step::lookup) return formula::make_index(program_.signature.tables[row.b], {real(row.a)});
        const formula::OperatorRow& operation = formula::row(row.op);
        if (row.step == Step::loop_begin) {
            const Instruction& end = program_.rows[row.c];
            const Node body = operation.choice                    ? real(body_of_choice(end))
                              : operation.result == Type::boolean ? boolean(end.a)
                                                                  : real(end.a);
            return formula::make_reduction(row.op, "i" + std::to_string(row.variable), real(row.a), real(row.b), body);
        }
        std::vector<Node> arguments;
        const std::uint32_t operands[] = {row.a, row.b, row.c};
        for (std::size_t i = 0; i < operation.arguments.size(); ++i) {
            arguments.push_back(operation.arguments[i] == 'b' ? boolean(operands[i]) : real(operands[i]));
        }
        return formula::make(row.op, arguments);
    }

    /// The row that computes the best value reads the best so far and the body.
    std::uint32_t body_of_choice(const Instruction& end) const {
        const auto best = std::find_if(program_.rows.begin(), program_.rows.end(), [&](const Instruction& row) {
            return row.step == Step::operation && formula::row(row.op).result == Type::real && row.dest == end.b;
        });
        return best->b;
    }

    const formula::Program& program_;
    mutable int left_ = 40;
};

}  // namespace

Names names_of(const formula::Program& program) {
    Names names;
    std::vector<std::string> used;
    const auto add = [&](const std::string& name) { return used.emplace_back(distinct(identifier(name), used)); };
    names.reals.resize(program.first_input());
    for (const std::string& name : program.signature.uniform) names.reals.push_back(add(name));
    for (const std::string& name : program.signature.varying) names.reals.push_back(add(name));
    for (const std::string& name : program.signature.tables) names.tables.push_back(add(name));
    for (std::size_t i = names.reals.size(); i < program.real_registers; ++i)
        names.reals.push_back("x" + std::to_string(i));
    for (std::size_t i = 0; i < program.boolean_registers; ++i) names.booleans.push_back("b" + std::to_string(i));
    return names;
}

std::string formula_of(const formula::Program& program, Type type, std::uint32_t index) {
    constexpr std::size_t longest = 80;
    const Rebuilder rebuilder(program);
    std::string text = formula::print(type == Type::real ? rebuilder.real(index) : rebuilder.boolean(index));
    if (text.size() > longest) text = text.substr(0, longest) + " ...";
    return text;
}

}  // namespace farfield::evaluate::cuda
