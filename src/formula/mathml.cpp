// MathML is translated from the output of latex(), so that only the operator table defines how an operator looks. The
// translator knows the commands that those templates may use and refuses others; a test over the whole table detects a
// missing one.
#include <algorithm>
#include <array>
#include <cctype>
#include <farfield/core/error.hpp>
#include <farfield/formula/printer.hpp>
#include <optional>
#include <string_view>

#include "formula/lexer.hpp"

namespace farfield::formula {
namespace {

struct Glyph {
    std::string_view command;
    std::string_view element;
    std::string_view text;
};

constexpr std::string_view identifier = "mi";
constexpr std::string_view sign = "mo";

constexpr std::array<Glyph, 62> symbols{{
    {"alpha", identifier, "α"},
    {"beta", identifier, "β"},
    {"gamma", identifier, "γ"},
    {"delta", identifier, "δ"},
    {"epsilon", identifier, "ε"},
    {"zeta", identifier, "ζ"},
    {"eta", identifier, "η"},
    {"theta", identifier, "θ"},
    {"iota", identifier, "ι"},
    {"kappa", identifier, "κ"},
    {"lambda", identifier, "λ"},
    {"mu", identifier, "μ"},
    {"nu", identifier, "ν"},
    {"xi", identifier, "ξ"},
    {"pi", identifier, "π"},
    {"rho", identifier, "ρ"},
    {"sigma", identifier, "σ"},
    {"tau", identifier, "τ"},
    {"upsilon", identifier, "υ"},
    {"phi", identifier, "φ"},
    {"chi", identifier, "χ"},
    {"psi", identifier, "ψ"},
    {"omega", identifier, "ω"},
    {"Gamma", identifier, "Γ"},
    {"Delta", identifier, "Δ"},
    {"Theta", identifier, "Θ"},
    {"Lambda", identifier, "Λ"},
    {"Sigma", identifier, "Σ"},
    {"Phi", identifier, "Φ"},
    {"Omega", identifier, "Ω"},
    {"infty", identifier, "∞"},
    {"exp", identifier, "exp"},
    {"ln", identifier, "ln"},
    {"log", identifier, "log"},
    {"sin", identifier, "sin"},
    {"cos", identifier, "cos"},
    {"tan", identifier, "tan"},
    {"tanh", identifier, "tanh"},
    {"min", identifier, "min"},
    {"max", identifier, "max"},
    {"cdot", sign, "⋅"},
    {"bmod", sign, "mod"},
    {"le", sign, "≤"},
    {"ge", sign, "≥"},
    {"ne", sign, "≠"},
    {"neg", sign, "¬"},
    {"land", sign, "∧"},
    {"lor", sign, "∨"},
    {"lfloor", sign, "⌊"},
    {"rfloor", sign, "⌋"},
    {"lceil", sign, "⌈"},
    {"rceil", sign, "⌉"},
    {"sum", sign, "∑"},
    {"int", sign, "∫"},
    {"prod", sign, "∏"},
    {"forall", sign, "∀"},
    {"exists", sign, "∃"},
    {"in", sign, "∈"},
    {"colon", sign, ":"},
    {",", "mspace", ""},
    {"backslash", sign, "\\"},
    {"_", sign, "_"},
}};

constexpr std::array<std::string_view, 10> functions{"exp", "ln",   "log", "sin", "cos",
                                                     "tan", "tanh", "min", "max", "operatorname"};

std::string element(std::string_view name, const std::string& content) {
    return "<" + std::string(name) + ">" + content + "</" + std::string(name) + ">";
}

std::string escaped(char c) {
    switch (c) {
        case '<': return "&lt;";
        case '>': return "&gt;";
        case '&': return "&amp;";
        default: return {c};
    }
}

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
class Translator {
public:
    explicit Translator(std::string_view latex) : text_(latex) {}

    std::string run() {
        std::string content = row_until({});
        return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\">" + content + "</math>";
    }

private:
    bool at_end() const { return at_ >= text_.size(); }
    bool sees(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
    void skip_spaces() {
        while (!at_end() && text_[at_] == ' ') ++at_;
    }
    bool accept(std::string_view what) {
        if (!sees(what)) return false;
        at_ += what.size();
        return true;
    }

    /// Everything to `stop` (which is consumed) or to the end, as one <mrow>.
    std::string row_until(std::string_view stop) {
        std::string content;
        for (skip_spaces(); !at_end(); skip_spaces()) {
            if (!stop.empty() && accept(stop)) break;
            content += scripted();
        }
        return element("mrow", content);
    }

    /// An item with its index and exponent, if it has them.
    std::string scripted() {
        const std::size_t start = at_;
        const std::string base = item();
        const bool is_big = text_.substr(start, 4) == "\\sum" || text_.substr(start, 5) == "\\prod";
        std::optional<std::string> below, above;
        while (sees("_") || sees("^")) {
            std::optional<std::string>& script = text_[at_++] == '_' ? below : above;
            script = item();
        }
        const std::string both = below.value_or("") + above.value_or("");
        const std::string applied = applies(start) ? "<mo>&#x2061;</mo>" : "";
        if (below && above) return element(is_big ? "munderover" : "msubsup", base + both) + applied;
        if (below) return element("msub", base + both) + applied;
        if (above) return element("msup", base + both) + applied;
        return base + applied;
    }

    /// Whether the command that starts there is the name of a function.
    bool applies(std::size_t start) const {
        if (text_[start] != '\\') return false;
        std::size_t end = start + 1;
        while (end < text_.size() && is_letter(text_[end])) ++end;
        const std::string_view command = text_.substr(start + 1, end - start - 1);
        return std::find(functions.begin(), functions.end(), command) != functions.end();
    }

    std::string item() {
        const char c = text_[at_];
        if (c == '\\') return command();
        if (c == '{') {
            ++at_;
            return row_until("}");
        }
        if (is_digit(c)) return number();
        ++at_;
        if (is_letter(c)) return element(identifier, escaped(c));
        return element(sign, c == '-' ? "−" : escaped(c));
    }

    std::string number() {
        const std::size_t start = at_;
        while (!at_end() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
        return element("mn", std::string(text_.substr(start, at_ - start)));
    }

    /// The content of {...} as text, with its escapes removed.
    std::string braced_text() {
        std::string content;
        for (++at_; !at_end() && text_[at_] != '}'; ++at_) {
            if (accept("\\backslash ")) {
                content += '\\';
                --at_;
                continue;
            }
            if (text_[at_] == '\\') ++at_;
            content += escaped(text_[at_]);
        }
        ++at_;
        return content;
    }

    std::string braced() {
        skip_spaces();
        return item();
    }

    std::string command() {
        ++at_;
        const std::size_t start = at_;
        while (!at_end() && is_letter(text_[at_])) ++at_;
        if (at_ == start) ++at_;
        const std::string_view name = text_.substr(start, at_ - start);
        for (const auto& [known, build] : structures) {
            if (known == name) return (this->*build)();
        }
        return symbol(name);
    }

    std::string fraction() {
        const std::string above = braced();
        return element("mfrac", above + braced());
    }
    /// \binom{n}{k}
    std::string binomial() {
        const std::string above = braced();
        return element("mrow", "<mo>(</mo><mfrac linethickness=\"0\">" + above + braced() + "</mfrac><mo>)</mo>");
    }
    std::string root() { return element("msqrt", braced()); }
    std::string upright() { return "<mi mathvariant=\"normal\">" + braced_text() + "</mi>"; }
    std::string plain_text() { return element("mtext", braced_text()); }

    static std::string symbol(std::string_view name) {
        const auto found = std::find_if(symbols.begin(), symbols.end(),
                                        [&](const Glyph& candidate) { return candidate.command == name; });
        if (found == symbols.end()) {
            throw core::PreconditionError("mathml", "command", name, "a command that the translator knows");
        }
        if (found->element == "mspace") return "<mspace width=\"0.17em\"/>";
        return element(found->element, std::string(found->text));
    }

    /// \left( ... \right)
    std::string fenced() {
        const std::string open = element(sign, escaped(text_[at_++]));
        const std::string content = row_until("\\right");
        const std::string close = element(sign, escaped(text_[at_++]));
        return element("mrow", open + content + close);
    }

    /// \begin{cases} value & condition \\ value & condition \end{cases}
    std::string cases() {
        at_ += std::string_view("{cases}").size();
        std::string rows;
        for (bool is_last = false; !is_last;) {
            const std::string value = row_until("&");
            std::string condition;
            for (skip_spaces(); !at_end(); skip_spaces()) {
                if (accept("\\\\")) break;
                is_last = accept("\\end{cases}");
                if (is_last) break;
                condition += scripted();
            }
            is_last = is_last || at_end();
            rows += element("mtr", element("mtd", value) + element("mtd", element("mrow", condition)));
        }
        return element("mrow", "<mo>{</mo><mtable columnalign=\"left\">" + rows + "</mtable>");
    }

    struct Structure {
        std::string_view command;
        std::string (Translator::*build)();
    };
    static const std::array<Structure, 8> structures;

    std::string_view text_;
    std::size_t at_ = 0;
};

const std::array<Translator::Structure, 8> Translator::structures{{
    {"frac", &Translator::fraction},
    {"binom", &Translator::binomial},
    {"sqrt", &Translator::root},
    {"mathrm", &Translator::upright},
    {"operatorname", &Translator::upright},
    {"text", &Translator::plain_text},
    {"left", &Translator::fenced},
    {"begin", &Translator::cases},
}};

}  // namespace

std::string mathml(const Node& tree) {
    return Translator(latex(tree)).run();
}

}  // namespace farfield::formula
