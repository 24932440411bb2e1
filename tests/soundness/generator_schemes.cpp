// Random schemes, and what is asked of them.
#include "soundness/generator.hpp"

namespace farfield::soundness {

/// A formula with operators that round, and the one that is meant: the same without them, or another.
void Generator::fill_rounding_pair(Question& question) {
    question.over.push_back(random_.one_in(2) ? grid("n", 24) : stretch("x"));
    names_ = {question.over.front().name};
    if (random_.one_in(4)) {
        question.over.push_back(random_.one_in(2) ? grid("m", 6) : stretch("y"));
        names_.push_back(question.over.back().name);
    }
    const auto rounded = [&](const std::string& text) {
        return random_.pick({"fp16(", "bf16(", "fp32(", "e4m3(", "e5m2("}) + text + ")";
    };
    const std::string x = names_.front();
    const std::string y = names_.back();
    switch (random_.below(6)) {
        case 0: question.formula = rounded(formula(depth())); break;
        case 1: question.formula = rounded("cos(" + rounded(rounded(x) + "*" + rounded(literal())) + ")"); break;
        case 2: question.formula = rounded(polynomial(x, 2)); break;
        case 3: question.formula = rounded(x) + random_.pick({" - ", " + ", "*", "/"}) + rounded(y); break;
        case 4: question.formula = rounded(monotone_formula(x)); break;
        default: question.formula = rounded(rounded(x) + random_.pick({" - ", "*", " + "}) + literal());
    }
    const bool is_own = !random_.one_in(4);
    question.other = is_own              ? without_rounding(question.formula)
                     : random_.one_in(2) ? question.formula
                                         : "(" + without_rounding(question.formula) + ") + " + literal();
    if (random_.one_in(8)) question.other = formula(2);
    if (random_.one_in(8)) question.other = rounded(question.other);
}

std::string Generator::bias() {
    const auto slope = [&] {
        return random_.pick({"0.3", "2^(-8*h/H)", "1/h", "0.5", "3", "1e-3", "1e-5", "h", "100"});
    };
    const std::string c = random_.pick({"0", "1", "3", "7", "0.5", "16"});
    switch (random_.below(12)) {
        case 0: return "-" + slope() + "*n";
        case 1: return "-" + slope() + "*log1p(" + random_.pick({"n", "0.3*n", "abs(n)", "n/h"}) + ")";
        case 2: return "-" + slope() + "*abs(n - " + c + ")";
        case 3: return "-" + slope() + "*floor(n/" + random_.pick({"2", "3", "7"}) + ")";
        case 4: return "if(n < " + c + ", 0, -" + slope() + "*n)";
        case 5: return "if(h == 2, -" + slope() + "*n, 0)";
        case 6: return "-" + slope() + "*n^" + random_.pick({"2", "0.5", "3", "1.5", "(-1)"});
        case 7:
            return random_.pick({"log(n)", "1/n", "1/(n - 3)", "log(q - 2)", "sqrt(k - 1)", "-q*k", "0.3*k", "n/n"});
        case 8: return "-" + slope() + "*t5_bucket(n, 8, 20)";
        case 9: return "-" + slope() + "*min(n, " + c + ")";
        default: return formula(depth());
    }
}

std::string Generator::mask() {
    const std::string w = random_.pick({"0", "1", "2", "3", "5", "17", "40", "-1", "2.5", "h", "layer"});
    const std::string b = random_.pick({"1", "2", "3", "5", "16", "0.5", "layer"});
    switch (random_.below(14)) {
        case 0: return "n < " + w;
        case 1: return "n <= " + w;
        case 2: return "floor(q/" + b + ") - floor(k/" + b + ") <= " + random_.pick({"0", "1", "2", "-1"});
        case 3: return "floor(q/" + b + ") == floor(k/" + b + ")";
        case 4: return "k < " + w + " or n < " + random_.pick({"1", "2", "4"});
        case 5: return "n % " + b + " == 0";
        case 6: return "n > " + w;
        case 7: return "q >= " + w + " and n < 4";
        case 8: return "abs(n) <= " + w;
        case 9: return "n == 0 or n == " + w;
        case 10:
            return random_.pick({"n/n == 1", "1/k < 1 and n < 3", "sqrt(q - 3) >= 0", "log(n) < 1", "n*(n/n) < 4",
                                 "n < 3 or 1/(q - 5) < 0", "k % 3 == 0 and q % 2 == 0", "q*k < 30", "q + k < 9",
                                 "floor(n/2)*2 == n", "min(q, k) < 3", "1 == 1", "1 == 0", "n < 10^15 + 0.5"});
        case 11: return "n < " + w + " and " + condition(1);
        default: return condition(2);
    }
}

std::string Generator::frequency() {
    return random_.pick({"10000^(-2*i/d)",
                         "100^(-2*i/d)",
                         "1",
                         "0.3",
                         "0.1",
                         "if(i == 0, 1, 0.01)",
                         "1/(i + 1)",
                         "if(h == 2, 0.3, 0.001)",
                         "h*0.01",
                         "0.001",
                         "1e-6",
                         "-0.3",
                         "30",
                         "34.1",
                         "5000",
                         "19.3",
                         "2817",
                         "3000.7",
                         "2^(-i)",
                         "0",
                         "1/(i - 1)",
                         "sqrt(i - 1)",
                         "1^(-2*i/d)",
                         "fp16(0.3)"});
}

void Generator::add_rotation(Question& question) {
    const std::string turns = frequency();
    question.must_be_proportional = !random_.one_in(4);
    if (question.must_be_proportional) {
        question.pieces["angle"] = random_.one_in(2) ? "p*" + turns : turns + "*p";
        if (turns == "1/(i - 1)" || turns == "sqrt(i - 1)") question.must_be_proportional = false;
    } else if (random_.one_in(2)) {
        question.pieces["angle"] = random_.pick({"p^2*0.1", "sqrt(p)", "floor(p/2)*0.3", "log1p(p)", "abs(p - 3)",
                                                 "p*0.3 + 1", "p % 3", "log(p)", "p*p/p", "min(p, 5)", "1/(p - 2)"});
    } else {
        names_ = {"p", "i"};
        question.pieces["angle"] = formula(2);
    }
    if (random_.one_in(3)) add_scale(question);
}

void Generator::add_scale(Question& question) {
    question.pieces["scale"] = random_.pick({"0.9^p",
                                             "1.1^p",
                                             "((i + 1)/2)^(p/8)",
                                             "1.5 - p",
                                             "p - 2.5",
                                             "0.1^p",
                                             "10^p",
                                             "1 + p",
                                             "1/(1 + p)",
                                             "p",
                                             "if(p < 5, 1, 0.5)",
                                             "abs(p - 3.5)",
                                             "2",
                                             "(-1)^p",
                                             "0.5 - 0.1*p",
                                             "exp(-p)",
                                             "log(p)",
                                             "if(h == 2, 3, 1)",
                                             "0",
                                             "1 + 0.5*sin(p)",
                                             "100",
                                             "1e-4",
                                             "2 - (p - 3)^2"});
    if (random_.one_in(3)) question.pieces["origin"] = random_.pick({"centre", "end", "start"});
}

Question Generator::of_scheme(const std::string& kind) {
    Question question;
    question.kind = kind;
    const bool is_of_format = kind == "safe-length" || kind == "logit-error";
    const bool rotates = kind == "expectation" || (is_of_format && !random_.one_in(3));
    const long heads = random_.between(1, 3);
    const long pairs = random_.between(1, 2);
    if (rotates) {
        add_rotation(question);
        question.numbers["head_dim"] = 2 * pairs;
    }
    names_ = {"q", "k", "n", "n", "h"};
    if (kind != "expectation" && (!rotates || random_.one_in(4))) question.pieces["bias"] = bias();
    if (is_of_format) question.format = random_.pick({"fp16", "bf16", "e4m3", "e5m2", "fp32"});
    question.numbers["heads"] = heads;
    if (is_of_format && random_.one_in(2)) add_rounding(question);
    if (is_of_format && random_.one_in(8)) add_conditions(question);
    if (kind == "safe-length") {
        question.numbers.emplace("head_dim", 2 * pairs);
        question.numbers["longest"] = random_.one_in(6) ? random_.between(1, 3) : random_.between(4, rotates ? 25 : 33);
        question.tolerance = random_.pick({"0.01", "0.01", "0.1", "1e-4", "0.5", "3", "1e-7"});
        question.is_stepwise = random_.one_in(3);  // positions are exact
        if (random_.one_in(4))
            question.pieces["temperature"] = random_.pick(
                {"2", "0.1", "if(h == 2, 100, 1)", "log(q + 2)", "h", "0", "-3", "if(q < 3, 1, 50)", "1/q", "1 + q"});
        return question;
    }
    question.numbers["head"] = random_.between(1, static_cast<int>(heads));
    if (kind == "logit-error") {
        Side positions{"p", std::to_string(random_.between(0, 20)), "", random_.pick({"1", "1", "3", "100"})};
        if (random_.one_in(3)) positions.from = random_.pick({"2040", "65500", "16777214", "9007199254740000", "250"});
        positions.to = std::to_string(std::stoll(positions.from) + std::stoll(positions.step) * random_.between(0, 8));
        question.over.push_back(positions);
        if (!random_.one_in(3)) question.numbers["key"] = random_.between(0, 30);
        if (question.pieces.count("origin") != 0) question.numbers["length"] = random_.between(40, 60);
        return question;
    }
    if (kind == "expectation") {
        for (auto& [name, piece] : question.pieces) piece = with_name(piece, "h", "1");
        if (random_.one_in(4)) add_relative_far(question);
        if (random_.one_in(4)) question.flags["last"] = random_.one_in(3) ? false : true;
        if (random_.one_in(4)) {
            question.pieces["fraction"] = random_.pick({"0.5", "0.25", "0.75"});
            question.numbers["head_dim"] = 8;
        }
        question.numbers.erase("heads");
        question.numbers.erase("head");
        question.over.push_back({"n", "0", std::to_string(random_.between(1, 20)), "1"});
        return question;
    }
    const long length = random_.one_in(5) ? random_.between(1, 2) : random_.between(3, 24);
    if (kind == "profile")
        question.over.push_back({"n", "0", std::to_string(length - 1), "1"});
    else
        question.numbers["length"] = length;
    if (random_.one_in(2)) question.values["mass"] = random_.pick({"0.5", "0.9", "0.25", "0.75", "0.999999"});
    if (random_.one_in(4)) question.values["residual"] = random_.pick({"0.5", "0.1", "0", "0.99"});
    names_ = {"q", "k", "n"};
    if (kind == "receptive-field") {
        const int layers = random_.between(1, 4);
        question.is_causal = !random_.one_in(4);
        if (random_.one_in(2)) {
            names_.push_back("layer");
            question.numbers["layers"] = layers;
            question.pieces["mask"] = mask();
            if (random_.one_in(3)) add_layers(question);
            return question;
        }
        question.pieces.clear();
        question.numbers.erase("heads");
        question.numbers.erase("head");
        for (int layer = random_.one_in(2) ? 1 : layers; layer > 0; --layer) {
            std::string text = mask();
            while (text.find('h') != std::string::npos || text.find("layer") != std::string::npos) text = mask();
            question.masks.push_back(text);
        }
        question.numbers["layers"] = question.masks.size() == 1 ? layers : static_cast<long>(question.masks.size());
        return question;
    }
    if (kind == "profile" && random_.one_in(3)) {
        question.numbers.erase("head");
        question.flags["all_heads"] = true;
    }
    if (kind == "profile" && random_.one_in(4)) add_operators(question);
    if (kind == "profile" && random_.one_in(4)) add_recipe(question);
    if (random_.one_in(2)) question.pieces["mask"] = with_name(mask(), "layer", "2");
    if (random_.one_in(2)) question.numbers["layers"] = random_.between(1, 4);
    if (random_.one_in(2)) question.numbers["within"] = random_.between(1, static_cast<int>(length));
    if (random_.one_in(4)) question.numbers["query"] = length - 1 + random_.between(0, 3);
    return question;
}

/// Layers that differ in what they see.
void Generator::add_layers(Question& question) {
    const std::string other = random_.pick({"layer % 2 == 0", "layer == 1", "layer > 2", "layer == R"});
    question.pieces["mask"] = "(" + other + " and (" + mask() + ")) or (not (" + other + ") and (" + mask() + "))";
}

/// Second angles that depend on the distance alone.
void Generator::add_relative_far(Question& question) {
    if (!question.must_be_proportional) return;
    question.pieces.erase("angle");
    question.pieces["frequency"] = frequency();
    question.pieces["far.where"] = random_.pick({"n >= 3", "n > 5", "n % 2 == 0", "q - k < 4", "n == 7", "q >= 3"});
    question.pieces["far.query"] = random_.pick({"p - 5 + 2", "p + 3", "p", "p - 3", "floor(p/2)", "2*p"});
    question.pieces["far.key"] = random_.pick({"p", "p + 1", "p - 0.5", "2*p"});
}

/// Scores of a scheme: its expectation, or the bias at distances from the key 0.
void Generator::score_by_scheme(Question& question) {
    question.formula.clear();
    question.curve_kind = random_.pick({"expectation", "curve"});
    const long heads = random_.between(1, 3);
    if (question.curve_kind == "expectation") {
        question.pieces["angle"] = "p*" + with_name(frequency(), "h", "2");
        question.curve_numbers["head_dim"] = 2 * random_.between(1, 3);
        if (random_.one_in(3)) question.pieces["scale"] = random_.pick({"0.9^p", "1.1^p", "2^(-p/8)", "exp(-p)"});
    } else {
        names_ = {"q", "k", "n", "n", "h"};
        question.pieces["bias"] = bias();
        question.curve_numbers = {{"head", random_.between(1, static_cast<int>(heads))}, {"heads", heads}};
    }
}

/// Scores by distance.
Question Generator::of_scores(const std::string& kind) {
    Question question;
    question.kind = kind;
    const int last = random_.between(0, 12);
    question.over.push_back({"n", "0", std::to_string(random_.one_in(6) ? last : last + 1), "1"});
    names_ = {"n"};
    switch (random_.below(5)) {
        case 0: question.formula = formula(depth()); break;
        case 1: question.formula = polynomial("n", 2); break;
        case 2:
            question.formula =
                "if(n < " + literal() + ", " + literal() + ", " + random_.pick({"-inf", "0", "-n"}) + ")";
            break;
        case 3: question.formula = "-n*" + literal(); break;
        default: question.formula = monotone_formula("n");
    }
    if (question.over.front().to == "0") question.over.front().to = "1";
    question.is_of_curve = true;
    if (random_.one_in(3)) score_by_scheme(question);
    question.numbers["N"] = last;
    if (random_.one_in(2)) question.numbers["last"] = random_.between(0, last);
    if (random_.one_in(2)) question.values["scale"] = random_.pick({"1/sqrt(64)", "0.1", "-1", "1000", "1/3"});
    const bool is_whole = question.numbers.count("last") == 0 || question.numbers["last"] == last;
    if (is_whole && random_.one_in(2)) question.values["after"] = random_.pick({"0", "-inf", "1", "-1000", "0.3"});
    return question;
}

}  // namespace farfield::soundness
