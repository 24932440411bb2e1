#include "soundness/generator.hpp"

#include <iterator>
#include <utility>

namespace farfield::soundness {
namespace {

std::string call(const std::string& name, const std::string& a) {
    return name + "(" + a + ")";
}
std::string call(const std::string& name, const std::string& a, const std::string& b) {
    return name + "(" + a + ", " + b + ")";
}
std::string infix(const std::string& a, const std::string& op, const std::string& b) {
    return "(" + a + " " + op + " " + b + ")";
}

}  // namespace

std::string Generator::literal() {
    switch (random_.below(12)) {
        case 0: return std::to_string(random_.between(0, 9));
        case 1: return std::to_string(random_.between(1, 3));
        case 2: return std::to_string(random_.between(0, 30)) + "." + std::to_string(random_.between(0, 9));
        case 3: return random_.pick({"0.3", "0.1", "0.7", "0.5", "0.25", "1.5", "2.5", "1e-3", "0.30000000000000004"});
        case 4: return random_.pick({"pi", "e", "(pi/2)", "(2*pi)", "(1/3)", "(2/3)"});
        case 5: return random_.pick({"1e300", "1e-300", "1e-15", "1e16", "1e-17", "1e154", "1e-160"});
        case 6:
            return random_.pick({"(2^53)", "9007199254740993", "4503599627370497", "(2^24)", "2048", "65504", "448"});
        case 7: return random_.pick({"(-1)", "(-2)", "(-0.5)", "(-3)", "(-0.3)"});
        case 8: return random_.one_in(8) ? "(6381956970095103*2^797)" : "2";
        default: return random_.pick({"0", "1", "2", "3", "1", "0.5"});
    }
}

std::string Generator::leaf() {
    return names_.empty() || random_.one_in(3) ? literal() : random_.of(names_);
}

int Generator::depth() {
    return static_cast<int>(std::min(random_.below(5), random_.below(5))) + 1;
}

std::string Generator::formula(int depth) {
    if (depth <= 0) return leaf();
    const auto part = [&] { return formula(depth - 1 - static_cast<int>(random_.below(2))); };
    switch (random_.below(14)) {
        case 0: return infix(part(), "+", part());
        case 1: return infix(part(), "-", part());
        case 2: return infix(part(), "*", part());
        case 3: return infix(part(), "/", part());
        case 4: return infix(part(), random_.one_in(3) ? "%" : "-", part());
        case 5:
            return infix(
                part(), "^",
                random_.one_in(3) ? part() : random_.pick({"2", "3", "0.5", "(-1)", "0", "(-2)", "(1/3)", "1.5"}));
        case 6: return "(-" + part() + ")";
        case 7: return "if(" + condition(depth - 1) + ", " + part() + ", " + part() + ")";
        case 8: return random_.one_in(2) ? reduction(depth) : function(depth);
        default: return function(depth);
    }
}

std::string Generator::function(int depth) {
    const auto part = [&] { return formula(depth - 1 - static_cast<int>(random_.below(2))); };
    switch (random_.below(8)) {
        case 0: return call("atan2", part(), part());
        case 1:
            if (random_.one_in(6))
                return call("binomial", random_.one_in(3) ? "floor(" + part() + ")" : random_.pick({"7", "30"}),
                            part());
            return call(random_.pick({"min", "max"}), part(), part());
        case 2: return "clamp(" + part() + ", " + part() + ", " + part() + ")";
        case 3:
            if (random_.one_in(3))
                return "t5_bucket(" + part() + ", " + random_.pick({"32", "8", "2", "3"}) + ", " +
                       random_.pick({"128", "20", "10", "16.5"}) + ")";
            [[fallthrough]];
        default:
            return call(random_.pick({
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) #stem,
#include <farfield/numerics/functions.def>
                            "Si", "abs", "sqrt", "floor", "ceil", "round", "sign", "softplus", "sigmoid", "fp32",
                            "fp16", "bf16", "e4m3", "e5m2", "bf16", "e4m3"}),
                        part());
    }
}

std::string Generator::reduction(int depth) {
    const std::string index = "i" + std::to_string(depth);
    const std::string from = random_.pick({"0", "1", "-2", "2", "3"});
    const std::string to = random_.one_in(6) && !names_.empty() ? "clamp(floor(" + names_.front() + "), -1, 6)"
                                                                : random_.pick({"2", "3", "1", "5"});
    names_.push_back(index);
    const std::string body = formula(depth - 1);
    names_.pop_back();
    const std::string form = random_.one_in(8) ? "integral" : random_.pick({"sum", "prod", "argmin", "argmax"});
    return form + "(" + index + ", " + from + ", " + to + ", " + body + ")";
}

std::string Generator::condition(int depth) {
    const std::string comparison = random_.pick({"<", "<=", ">", ">=", "==", "!="});
    if (depth > 0 && random_.one_in(5)) {
        const std::string a = condition(depth - 1);
        if (random_.one_in(3)) return "(not " + a + ")";
        return infix(a, random_.pick({"and", "or"}), condition(depth - 1));
    }
    if (depth > 0 && random_.one_in(10)) {
        const std::string index = "j" + std::to_string(depth);
        names_.push_back(index);
        const std::string body = condition(depth - 1);
        names_.pop_back();
        return random_.pick({"all", "exists"}) + "(" + index + ", " + random_.pick({"0", "1", "-2"}) + ", " +
               random_.pick({"2", "3", "0"}) + ", " + body + ")";
    }
    return infix(formula(depth), comparison, random_.one_in(2) ? literal() : formula(depth - 1));
}

std::string Generator::top_condition() {
    names_.clear();
    const std::string index = "k";
    switch (random_.below(8)) {
        case 0: {  // counted near the ends of doubles and of integers
            const std::string base =
                random_.pick({"2^53", "10^16", "2^62", "2^63 - 20", "-2^53 - 5", "9007199254740990", "0"});
            const std::string count = std::to_string(random_.between(0, 12));
            names_ = {index};
            const std::string body = random_.one_in(2) ? condition(random_.between(1, 2))
                                                       : "(" + index + " % " + random_.pick({"2", "3", "10"}) +
                                                             random_.pick({" == ", " != ", " < "}) +
                                                             random_.pick({"0", "1", "2"}) + ")";
            names_.clear();
            return random_.pick({"all", "exists"}) + "(k, " + base + ", " + base + " + " + count + ", " + body + ")";
        }
        case 1:
            return "about(" + formula(2) + ", " + formula(2) + ", " + random_.pick({"1e-3", "1e-15", "0.5", "0"}) + ")";
        case 2:
            return "rounds(" + formula(depth()) + ", '" +
                   random_.pick({"0.50", "1", "2.72", "0.3", "1e3", "-0.3", "0", "0.10"}) + "')";
        case 3: {  // two ways to write one number, or nearly one
            Question pair;
            rewrite(pair);
            return infix(pair.formula, random_.pick({"==", "<=", "!=", "<", ">="}), pair.other);
        }
        default: return condition(depth());
    }
}

/// Conditions that hold on a part of the domain.
std::string Generator::feasible_condition() {
    const std::string x = names_.front();
    const auto comparison = [&] {
        const std::string left = random_.one_in(3)   ? formula(depth())
                                 : random_.one_in(2) ? monotone_formula(x)
                                                     : polynomial(x, 3);
        return infix(left, random_.pick({"<", "<=", ">", ">=", "==", "!="}), literal());
    };
    switch (random_.below(6)) {
        case 0: return infix(comparison(), random_.pick({"and", "or"}), comparison());
        case 1: return "(not " + comparison() + ")";
        case 2: {
            // Integers that doubles do not count.
            static constexpr std::pair<const char*, const char*> far[] = {{"9007199254740990", "9007199254740994"},
                                                                          {"9007199254740993", "9007199254740997"},
                                                                          {"-9007199254740996", "-9007199254740991"},
                                                                          {"36028797018963967", "36028797018963970"}};
            const auto [from, to] = far[random_.below(std::size(far))];
            const std::string distance = "(k - " + std::string(random_.one_in(2) ? from : to) + ")";
            const std::string left = random_.one_in(2) ? infix(distance, random_.pick({"+", "-", "*"}), x) : distance;
            const std::string body = infix(left, random_.pick({"<", "<=", ">", ">=", "==", "!="}),
                                           random_.one_in(2) ? x : random_.pick({"0", "1", "-1", "4"}));
            return random_.pick({"all", "exists", "not all", "not exists"}) + "(k, " + from + ", " + to + ", " + body +
                   ")";
        }
        case 3: {
            const std::string from = random_.pick({"0", "1", "-2"});
            const std::string to = random_.pick({"3", "8", "0", "-3"});
            names_.push_back("k");
            const std::string body = infix(formula(depth()), random_.pick({"<", "<=", ">", ">="}), formula(1));
            names_.pop_back();
            return random_.pick({"all", "exists", "not all", "all"}) + "(k, " + from + ", " + to + ", " + body + ")";
        }
        default: return comparison();
    }
}

std::string Generator::polynomial(const std::string& variable, int degree) {
    std::string text = random_.pick({"1", "0", "0.5", "-2", "3", "0.1"});
    for (int power = 1; power <= degree; ++power)
        text += " + " + random_.pick({"1", "0.3", "(-1)", "2", "1e-3", "1e-15", "0.1"}) + "*" + variable + "^" +
                std::to_string(power);
    return "(" + text + ")";
}

/// Mostly rises where it has a value.
std::string Generator::rising_part(const std::string& x) {
    const std::string c = random_.pick({"0", "0.3", "0.5", "1", "2", "-1", "0.1"});
    const std::string inner = random_.one_in(3) ? "(" + x + " - " + c + ")" : x;
    switch (random_.below(10)) {
        case 0: return inner + "^" + random_.pick({"3", "5", "1"});
        case 1: return "exp(" + inner + ")";
        case 2: return "(-exp(-" + inner + "))";
        case 3: return call(random_.pick({"log", "sqrt", "log1p", "log2", "tan"}), inner);
        case 4: return call(random_.pick({"floor", "ceil", "round", "sign", "e4m3", "bf16", "fp16"}), inner);
        case 5: return call(random_.pick({"tanh", "softplus", "sigmoid", "erf", "expm1"}), inner);
        case 6: return "clamp(" + inner + ", " + c + ", " + random_.pick({"1", "2", "0.7"}) + ")";
        case 7: return call(random_.pick({"min", "max"}), inner, random_.one_in(2) ? c : "2*" + x);
        case 8: return random_.pick({"2", "0.3", "1", "0"}) + "*" + inner;
        default: return "30*" + inner + "^2";
    }
}

/// What turns, jumps, or has no value somewhere.
std::string Generator::spoiler(const std::string& x) {
    const std::string c = random_.pick({"0", "0.3", "0.5", "1", "2", "-1", "0.1", "pi", "1.7"});
    const std::string shifted = "(" + x + " - " + c + ")";
    const std::string scale = random_.pick({"", "", "40*", "1e-3*", "1e-15*", "0*", "2*"});
    switch (random_.below(14)) {
        case 0: return scale + "abs" + shifted;
        case 1: return scale + "(1/" + shifted + ")";
        case 2: return scale + shifted + "^(-" + random_.pick({"1", "2", "3"}) + ")";
        case 3:
            return scale + "if(" + x + random_.pick({" < ", " <= ", " == ", " > "}) + c + ", 0, " +
                   random_.pick({"1", "0.1", "1e-20", x.c_str()}) + ")";
        case 4: return scale + random_.pick({"floor", "ceil", "round", "sign", "e5m2", "bf16", "fp32"}) + shifted;
        case 5: return scale + "(" + x + " % " + random_.pick({"1", "0.3", "2", "(-1)"}) + ")";
        case 6: return scale + random_.pick({"sin", "cos", "tan"}) + shifted;
        case 7: return scale + random_.pick({"0", "2", "0.5"}) + "^" + x;
        case 8: return scale + "abs" + shifted + "^" + random_.pick({"0.5", "1.5", "(-0.5)", "0"});
        case 9: return scale + random_.pick({"log", "sqrt"}) + shifted;
        case 10: return scale + "(" + shifted + "/" + shifted + ")";
        case 11: return scale + "atan2(" + shifted + ", " + random_.pick({"-1", "0", "1", x.c_str()}) + ")";
        case 12: return scale + "min(" + x + ", " + c + " - " + x + ")";
        default: return scale + "t5_bucket(" + x + ", 8, 20)";
    }
}

std::string Generator::monotone_formula(const std::string& x) {
    std::string text = rising_part(x);
    for (int more = random_.between(0, 2); more > 0; --more) text += " + " + rising_part(x);
    for (int more = random_.between(0, 2); more > 0; --more) text += random_.pick({" - ", " + "}) + spoiler(x);
    if (random_.one_in(5))
        text = call(random_.pick({"exp", "floor", "tanh", "abs", "sqrt", "log", "max", "sigmoid"}), text);
    if (text.starts_with("max(")) text.insert(text.size() - 1, ", " + spoiler(x));
    if (random_.one_in(4)) text = "-(" + text + ")";
    return text;
}

/// Two ways to write one formula by a law of the reals, which may hold on a part of the domain alone; sometimes with a
/// small difference.
void Generator::rewrite(Question& question) {
    const std::string f = formula(random_.between(0, 2));
    const std::string g = formula(random_.between(0, 2));
    const std::vector<std::vector<std::string>> laws = {
        {"exp(log(" + f + "))", f},
        {"log(exp(" + f + "))", f},
        {"sqrt(" + f + ")^2", f},
        {"sqrt(" + f + "^2)", "abs(" + f + ")"},
        {"sqrt(" + f + "^2)", f},
        {infix(infix(f, "*", g), "/", g), f},
        {infix(f, "/", f), "1"},
        {infix(f, "-", f), "0"},
        {"(0*" + f + ")", "0"},
        {f + "^0", "1"},
        {"(" + f + ")^2*(" + f + ")^0.5", "(" + f + ")^2.5"},
        {"(" + f + ")^2*(" + f + ")^(-1)", f},
        {"((" + f + ")^2)^0.5", f},
        {"((" + f + ")^0.5)^2", f},
        {"((" + f + ")^3)^(1/3)", f},
        {"log(" + f + "*" + g + ")", "(log(" + f + ") + log(" + g + "))"},
        {"log((" + f + ")^2)", "2*log(" + f + ")"},
        {"sqrt(" + f + "*" + g + ")", "sqrt(" + f + ")*sqrt(" + g + ")"},
        {"(" + f + " + " + g + ")^2", "((" + f + ")^2 + 2*" + f + "*" + g + " + (" + g + ")^2)"},
        {"(sin(" + f + ")^2 + cos(" + f + ")^2)", "1"},
        {"tan(" + f + ")*cos(" + f + ")", "sin(" + f + ")"},
        {"softplus(" + f + ")", "log(1 + exp(" + f + "))"},
        {"sigmoid(" + f + ")", "1/(1 + exp(-" + f + "))"},
        {"tanh(" + f + ")", "((exp(2*" + f + ") - 1)/(exp(2*" + f + ") + 1))"},
        {"(min(" + f + ", " + g + ") + max(" + f + ", " + g + "))", infix(f, "+", g)},
        {"abs(" + f + ")", "max(" + f + ", -" + f + ")"},
        {"(floor(" + f + ") + " + f + " % 1)", f},
        {"sign(" + f + ")*abs(" + f + ")", f},
        {"if(" + condition(1) + ", " + f + ", " + f + ")", f},
        {"if(" + f + "/" + f + " == 1, " + g + ", 0)", g},
        {"2^log2(" + f + ")", f},
        {"fp16(fp16(" + f + "))", "fp16(" + f + ")"},
        {"bf16(fp32(" + f + "))", "bf16(" + f + ")"},
        {"e4m3(-" + f + ")", "-e4m3(" + f + ")"},
        {"fp16(" + f + " + " + g + ")", "(fp16(" + f + ") + fp16(" + g + "))"},
        {"fp32(" + f + ")", f},
        {"(expm1(" + f + ") + 1)", "exp(" + f + ")"},
        {"log1p(" + f + ")", "log(1 + " + f + ")"},
        {"(" + f + ")^" + g, "exp(" + g + "*log(" + f + "))"},
        {"sum(j, 0, 2, " + f + ")", "(3*" + f + ")"},
        {"prod(j, 1, 2, " + f + ")", "(" + f + ")^2"},
        {"clamp(" + f + ", 0, " + g + ")", "min(max(" + f + ", 0), " + g + ")"},
        {"atan2(sin(" + f + "), cos(" + f + "))", f},
        {"round(" + f + ")", "floor(" + f + " + 0.5)"},
        {"ceil(" + f + ")", "-floor(-" + f + ")"},
        {"erf(-" + f + ")", "-erf(" + f + ")"},
        {infix(infix(f, "-", g), "*", infix(f, "+", g)), "((" + f + ")^2 - (" + g + ")^2)"},
        {infix("1/" + f, "-", "1/" + g), "((" + g + " - " + f + ")/(" + f + "*" + g + "))"},
    };
    const std::vector<std::string>& law = random_.of(laws);
    question.formula = law[0];
    question.other = law[1];
    if (random_.one_in(8))
        question.other =
            infix(question.other, "+", random_.pick({"1e-300", "1e-17", "1e-9", "0*" + g == "" ? "0" : "1e-30"}));
    if (random_.one_in(8))
        question.formula = infix(question.formula, "+", "0*" + g), question.other = infix(question.other, "*", "1");
}

Question Generator::question(const std::string& kind) {
    Question question;
    question.kind = kind;
    names_.clear();
    if (kind == "safe-length" || kind == "logit-error" || kind == "receptive-field" || kind == "profile" ||
        kind == "expectation")
        return of_scheme(kind);
    if (kind == "resolution") return of_scores(kind);
    if (kind == "study") return of_study();
    const bool is_grid =
        kind == "collision" || kind == "curve" || kind == "oscillation" || kind == "fit" || random_.one_in(3);
    if (kind == "condition") {
        question.formula = top_condition();
    } else if (kind == "value") {
        question.formula = formula(depth());
    } else if (kind == "identity") {
        fill(question, is_grid, true);
        rewrite(question);
        question.tolerance = random_.pick({"", "", "0", "1e-9", "1e-3", "0.1"});
    } else if (kind == "monotone") {
        fill(question, is_grid, true);
        question.formula = random_.one_in(4) ? formula(depth()) : monotone_formula(question.over.front().name);
        if (question.over.size() > 1)
            question.formula = infix(question.formula, random_.pick({"+", "*", "/", "^"}), formula(1));
        question.direction = random_.pick({"increasing", "increasing", "nondecreasing", "decreasing", "nonincreasing"});
    } else if (kind == "fit") {
        question.over.push_back(grid("n", 10));
        question.is_of_curve = true;
        add_range(question);
        question.formula = polynomial("n", 2);
        // With fixed parts, and with parts whose value the simplifier knows where they have none.
        question.model =
            random_.pick({"p0 + p1*n", "p0 + p1*n", "p0 + p1*n + n^2", "p0 - abs(n) + p1*n", "p0*(n/n) + p1*n",
                          "p0 + p1*sqrt(n)^2", "p0 + p1*exp(log(n))", "(p0 + p1*n)/(n + 1)", "p0 + p1*floor(n/2)",
                          "p0 + p1*n + 0*log(n)", "p0 + p1*n + 0/exp(1/n)"});
        question.other = random_.pick({"", "", "n^2 + 1", "1/(1 + exp(-1/n))", "(1 + 1e-15*n) - 1", "1/(1 + n^2)",
                                       "1e-30*(1 + n^2)", "abs(n) + 0.1", "(1e16 + n^2) - 1e16"});
    } else if (kind == "feasible") {
        fill(question, is_grid, true);
        question.formula = feasible_condition();
    } else if (kind == "optimum") {
        fill(question, is_grid, true);
        question.formula = random_.one_in(2) ? formula(depth()) : polynomial(names_.front(), 3);
        if (!random_.one_in(4)) question.other = feasible_condition();
        question.goal = random_.pick({"least", "greatest"});
    } else if (kind == "rounding-error" && random_.one_in(3)) {
        fill_overflow(question);
    } else if (kind == "rounding-error" && random_.one_in(2)) {
        fill_rounding_pair(question);
    } else if (kind == "integral") {
        fill(question, false, false);
        question.formula = random_.one_in(2) ? formula(depth()) : monotone_formula(question.over.front().name);
        if (random_.one_in(4)) question.formula = polynomial(names_.front(), 3);
    } else if (kind == "crossing") {
        fill(question, is_grid, false);
        add_curve(question);
        question.formula = random_.one_in(2) ? formula(depth()) : monotone_formula(question.over.front().name);
        if (random_.one_in(4)) question.formula = infix(polynomial(names_.front(), 3), "-", literal());
        if (random_.one_in(4)) question.formula = "sin(" + literal() + "*" + names_.front() + ")";
        question.direction = random_.pick({"any", "any", "up", "down"});
    } else {
        fill(question, is_grid, kind == "extremum" && !is_grid);
        if (kind == "extremum" || kind == "oscillation") add_curve(question);
        question.formula = random_.one_in(2) ? formula(depth()) : monotone_formula(question.over.front().name);
        if (kind == "rounding-error") {
            question.format = random_.pick({"fp16", "bf16", "e4m3", "e5m2"});
            question.are_inputs_numbers = random_.one_in(3);
        }
        if (kind == "collision" || kind == "range") {
            question.format = random_.pick({"fp16", "bf16", "e4m3", "e5m2", "fp32"});
            if (random_.one_in(3))
                question.formula = random_.pick({"100", "1e4", "1e-5", "1e-8", "1e30", "-1000"}) + "*" +
                                   infix(question.formula, "+", "0");
            question.is_stepwise = is_grid && question.format != "fp32" && random_.one_in(5);
        }
    }
    return question;
}

}  // namespace farfield::soundness
