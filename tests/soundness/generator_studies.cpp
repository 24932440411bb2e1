// Random studies: a curve, perhaps swept, a table of printed numbers, and a claim about both with a threshold.
#include "soundness/generator.hpp"

namespace farfield::soundness {
namespace {

Said joined(const Said& a, const std::string& op, const Said& b) {
    return {"(" + a.study + " " + op + " " + b.study + ")", "(" + a.oracle + " " + op + " " + b.oracle + ")"};
}

}  // namespace

/// A value of the curve at a coordinate, or at a variable of all() or exists().
Said Generator::curve_said(const Question& question, const std::string& index, bool is_bound) {
    std::string name = "c";
    std::string formula = question.formula;
    if (!question.sweep.empty()) {
        const std::string w = random_.of(question.sweep);
        name = "'c[w=" + w + "]'";
        formula = with_name(formula, "w", w);
    }
    if (!is_bound && random_.one_in(5)) {
        // Extremes are variables of the oracle: "max(" is no name.
        const bool is_most = random_.one_in(2);
        const std::string own = question.sweep.empty() ? "" : name.substr(5, name.size() - 7);
        std::string suffix;
        for (const char letter : own) suffix += letter == '.' ? 'd' : letter == '-' ? 'm' : letter;
        return {name + (is_most ? ".max" : ".min"), (is_most ? "most_" : "least_") + suffix};
    }
    return {name + "[" + index + "]", "(" + with_name(formula, "n", index) + ")"};
}

Said Generator::value_said(const Question& question) {
    const Side& side = question.over.front();
    switch (random_.below(6)) {
        case 0: {
            const std::string row = random_.pick({"a", "b"});
            const std::string column = random_.pick({"u", "v"});
            if (random_.one_in(3))
                return {"printed(t['" + row + "', '" + column + "'])", "(" + question.cells.at(row + column) + ")"};
            return {"t['" + row + "', '" + column + "']", "cell_" + row + column};
        }
        case 1: return {"snug", "snug"};
        case 2: {
            const std::string number = literal();
            return {number, number};
        }
        default: return curve_said(question, shifted(side.from, side.step, 4L * random_.between(0, 3)), false);
    }
}

Said Generator::comparison_said(const Question& question) {
    Said left = value_said(question);
    const auto more = [&] { left = joined(left, random_.pick({"+", "-", "*", "/"}), value_said(question)); };
    for (int parts = random_.between(0, 2); parts > 0; --parts) more();
    if (random_.one_in(6)) left = {"abs(" + left.study + ")", "abs(" + left.oracle + ")"};
    return joined(left, random_.pick({"<", "<=", ">", ">=", "==", "!="}), value_said(question));
}

Said Generator::condition_said(const Question& question) {
    const Side& side = question.over.front();
    switch (random_.below(7)) {
        case 6: {  // two turns of the verdict in the threshold
            const Said value = value_said(question);
            const std::string within = random_.pick({"1", "0.3", "0.5", "2"});
            const std::string way = random_.pick({" > ", " < ", " >= "});
            return {"abs(snug - " + value.study + ")" + way + within,
                    "abs(snug - (" + value.oracle + "))" + way + within};
        }
        case 0: return joined(comparison_said(question), random_.pick({"and", "or"}), comparison_said(question));
        case 1: {
            const Said inner = comparison_said(question);
            return {"(not " + inner.study + ")", "(not " + inner.oracle + ")"};
        }
        case 2: {
            const Said a = value_said(question);
            const Said b = value_said(question);
            const std::string within = random_.pick({"1e-3", "0.5", "0", "0.01"});
            return {"about(" + a.study + ", " + b.study + ", " + within + ")",
                    "abs((" + a.oracle + ") - (" + b.oracle + ")) <= " + within + "*abs(" + b.oracle + ")"};
        }
        case 3:
        case 4: {
            if (side.step != "1" || side.from.find('.') != std::string::npos) return comparison_said(question);
            const std::string to = shifted(side.from, "1", 4L * random_.between(0, 4));
            const Said left = curve_said(question, random_.pick({"k", "k", "k + 1"}), true);
            const Said right = random_.one_in(2) ? value_said(question) : curve_said(question, "k", true);
            const Said body = joined(left, random_.pick({"<", "<=", ">", ">=", "!="}), right);
            const std::string head = random_.pick({"all", "exists"}) + "(k, " + side.from + ", " + to + ", ";
            return {head + body.study + ")", head + body.oracle + ")"};
        }
        default: return comparison_said(question);
    }
}

Question Generator::of_study() {
    Question question;
    question.kind = "study";
    question.over.push_back(grid("n", 10));
    names_ = {"n"};
    if (random_.one_in(3)) {
        question.sweep = {random_.pick({"0.3", "1", "2", "-1", "0.1"})};
        const std::string other = random_.pick({"0.30000000000000004", "3", "0.5", "-0.3", "1000"});
        question.sweep.push_back(other);
        names_ = {"n", "w", "w"};
    }
    question.formula = random_.one_in(3)   ? formula(depth())
                       : random_.one_in(2) ? polynomial("n", 2)
                                           : monotone_formula("n");
    if (!question.sweep.empty())
        question.formula = "(" + question.formula + ")" + random_.pick({" + w", "*w", " - w*n"});
    for (const char* place : {"au", "av", "bu", "bv"})
        question.cells[place] =
            random_.pick({"5.50", "1", "0.30", "-0.3", "2e3", "0.0", "12", "1.00", "0.1", "-7.25", "1e-3", "100"});
    question.threshold = random_.pick({"0.5", "0.3", "1", "2", "0.95", "1e-3", "10", "0.1"});
    names_.clear();
    question.claim = condition_said(question);
    return question;
}

}  // namespace farfield::soundness
