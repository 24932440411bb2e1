// Any text: read, checked, printed and read back, simplified, differentiated and compiled without a crash or a hang.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <farfield/core/error.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>

using namespace farfield;

namespace {

void require(bool holds, const char* claim, const std::string& text) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s, for: %s\n", claim, text.c_str());
    std::abort();
}

formula::Scope scope() {
    formula::Scope names({"q", "k", "n", "h", "H", "i", "d", "L", "w", "base", "fit.a"});
    names.add({"weight", formula::Type::real, {formula::Type::real}});
    names.add({"table", formula::Type::real, {formula::Type::text, formula::Type::text}});
    return names;
}

/// Compiles what has no published tables in it; more than 31 nested reductions are refused by an exception.
void compile(const formula::Node& tree, const std::string& text) {
    for (const std::string& name : formula::indexed_names(tree)) {
        if (name != "weight") return;
    }
    try {
        const formula::Program program =
            formula::compile(tree, {{"k", "h", "H", "d", "L", "w", "base", "fit.a"}, {"q", "n", "i"}, {"weight"}});
        require(!formula::disassemble(program).empty(), "a program has lines", text);
    } catch (const core::PreconditionError&) {
        require(text.find('(') != std::string::npos, "only reductions can be too many", text);
    }
}

void use(const formula::Node& tree, formula::Type type, const std::string& text) {
    const formula::Node simple = formula::simplify(tree);
    require(formula::equal(formula::simplify(simple), simple), "simplify is idempotent", text);
    require(formula::equal(formula::parse(formula::print(simple)), simple), "a simplified tree is read back", text);
    compile(tree, text);
    compile(simple, text);
    if (type != formula::Type::real) return;
    formula::proves_equal(tree, simple);
    const bool reads_texts = text.find("table") != std::string::npos;
    if (!reads_texts) compile(formula::derivative(tree, "n"), text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const formula::Source source{text, {}};
    formula::Node tree;
    try {
        tree = formula::parse(source);
    } catch (const core::UserError& error) {
        require(!core::format(error.diagnostics()).empty(), "an error has a message", text);
        return 0;
    }
    const std::string printed = formula::print(tree);
    require(formula::equal(formula::parse(printed), tree), "a printed formula is read back", printed);
    require(!formula::mathml(tree).empty(), "a formula has MathML", text);
    core::Problems problems;
    const auto type = formula::check(tree, scope(), source, problems);
    require(type.has_value() == problems.empty(), "a formula has a type or a problem", text);
    if (type && *type != formula::Type::text) use(tree, *type, text);
    return 0;
}
