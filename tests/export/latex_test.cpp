// What TeX would stop at in an exported text: groups and environments that do not close, \left without \right, commands
// that neither LaTeX nor amsmath has, signs of mathematics outside of it. TeX itself is too large to ask.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/export/export.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::exporting {
namespace {

// LaTeX's own, and of amsmath iff, text, operatorname and bmod.
// clang-format off
constexpr std::string_view commands[] = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu",
    "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
    "Sigma", "Phi", "Omega", "vartheta", "infty", "mathrm", "mathbf", "frac", "sqrt", "cdot", "bmod", "le", "ge", "ne", "in",
    "neg", "land", "lor", "iff", "forall", "exists", "colon", "sum", "prod", "ln", "log", "exp", "sin", "cos",
    "tan", "tanh", "min", "max", "operatorname", "text", "quad", "qquad", "lfloor", "rfloor", "lceil", "rceil",
    "left", "right", "begin", "end", "textasciicircum", "textasciitilde", "textbackslash",
};
// clang-format on
constexpr std::array<std::string_view, 2> environments = {"align*", "cases"};

/// Goes through a text and notes what does not fit.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    std::vector<std::string> problems() {
        while (at_ < text_.size()) read();
        for (const std::string& open : open_) note("'" + open + "' is not closed");
        return problems_;
    }

private:
    void note(const std::string& problem) { problems_.push_back(problem); }

    void close(const std::string& opener, const std::string& closer) {
        if (!open_.empty() && open_.back() == opener)
            open_.pop_back();
        else
            note("'" + closer + "' closes nothing");
    }

    bool is_mathematics() const {
        for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
            if (*open == "\\text{") return false;
            if (*open == "$" || *open == "align*" || *open == "cases") return true;
        }
        return false;
    }

    void read() {
        const char c = text_[at_++];
        if (c == '\\') return command();
        if (c == '%') at_ = std::min(text_.find('\n', at_), text_.size());
        if (c == '{') open_.emplace_back("{");
        if (c == '}') close(!open_.empty() && open_.back() == "\\text{" ? "\\text{" : "{", "}");
        if (c == '$') dollar();
        if ((c == '_' || c == '^' || c == '&') && !is_mathematics())
            note(std::string(1, c) + " outside of mathematics");
        if (c == '#') note("'#' is not escaped");
    }

    void dollar() {
        if (!open_.empty() && open_.back() == "$")
            open_.pop_back();
        else if (is_mathematics())
            note("'$' within mathematics");
        else
            open_.emplace_back("$");
    }

    std::string word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    void command() {
        const std::string name = word();
        if (name.empty()) {
            if (std::string_view("\\_#$%&{},").find(text_[at_++]) == std::string_view::npos)
                note(std::string("unknown command '\\") + text_[at_ - 1] + "'");
            return;
        }
        if (std::find(std::begin(commands), std::end(commands), name) == std::end(commands))
            note("unknown command '\\" + name + "'");
        const bool has_group =
            name == "frac" || name == "sqrt" || name == "mathrm" || name == "mathbf" || name == "text";
        if (has_group && text_.substr(at_, 1) != "{") note("'\\" + name + "' has no group");
        if (name == "text" && text_.substr(at_, 1) == "{") {
            ++at_;
            open_.emplace_back("\\text{");
        }
        if (name == "left" || name == "right") delimiter();
        if (name == "left") open_.emplace_back("\\left");
        if (name == "right") close("\\left", "\\right");
        if (name == "begin" || name == "end") environment(name == "begin");
    }

    void delimiter() {
        if (at_ < text_.size() && std::string_view("()[]|.").find(text_[at_]) != std::string_view::npos)
            ++at_;
        else if (text_.substr(at_, 1) != "\\")
            note("no delimiter");
    }

    void environment(bool begins) {
        const std::size_t end = std::min(text_.find('}', at_), text_.size() - 1);
        const std::string name(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        if (std::find(environments.begin(), environments.end(), name) == environments.end())
            note("unknown environment '" + name + "'");
        if (begins)
            open_.push_back(name);
        else
            close(name, "\\end{" + name + "}");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<std::string> open_;
    std::vector<std::string> problems_;
};

TEST_CASE("the LaTeX of every built-in scheme has nothing that TeX rejects") {
    const scheme::Registry schemes = scheme::Registry::builtin();
    for (const std::string& name : schemes.names()) {
        const std::string text = source(*schemes.find(name), Target::latex);
        INFO(text);
        CHECK(Reader(text).problems().empty());
    }
}

TEST_CASE("every symbol of an equation is defined below it") {
    const scheme::Registry schemes = scheme::Registry::builtin();
    for (const std::string& name : schemes.names()) {
        const std::string text = source(*schemes.find(name), Target::latex);
        INFO(text);
        const std::string below = text.substr(text.find("\\end{align*}"));
        const std::string above = text.substr(0, text.find("\\end{align*}"));
        for (const char* symbol : {"\\mathbf{q}", "\\vartheta_i(p)", "s_i(p)", "b_h", "t(q)", "R_", "\\mathbf{r}"})
            if (above.find(symbol) != std::string::npos) CHECK(below.find(symbol) != std::string::npos);
        for (const auto& param : schemes.find(name)->params)
            if (param.first.size() == 1) CHECK(below.find("$" + param.first) != std::string::npos);
    }
    const std::string xpos = source(*schemes.find("xpos"), Target::latex);
    CHECK(xpos.find("$R_p$ rotates the dimensions $2i$ and $2i + 1$ by the angle $\\vartheta_i(p)$") !=
          std::string::npos);
    const std::string alibi = source(*schemes.find("alibi"), Target::latex);
    CHECK(alibi.find("$n$ is the distance $q - k$;\n$h$ is the head, from 1;\n$H$ is the number of heads") !=
          std::string::npos);
}

TEST_CASE("text that TeX rejects is detected") {
    for (const char* text : {"\\begin{align*} \\frac{a}{b \\end{align*}", "$\\left(a$", "$a\\right)$",
                             "\\begin{align*} a", "a_b", "$a$ & b", "$\\fraction{a}{b}$", "\\begin{equation}",
                             "$\\sqrt a$", "5 # 3", "$\\left{a\\right)$", "$\\;a$"}) {
        INFO(text);
        CHECK_FALSE(Reader(text).problems().empty());
    }
    CHECK(Reader(
              "% 5 # 3\na\\_b: $\\left(a_{1}\\right)^{2}$ \\begin{align*} \\text{$q$ sees} &\\iff k \\\\ \\end{align*}")
              .problems()
              .empty());
}

}  // namespace
}  // namespace farfield::exporting
