// How implementations round a scheme: recipes, lists of steps, operators in its formulas; and second rotations.
#include "soundness/generator.hpp"

namespace farfield::soundness {

/// Frequencies that are powers of one number, for recurrences.
std::string Generator::frequency_of_powers() {
    return random_.pick({"10000^(-2*i/d)", "100^(-2*i/d)", "2^(-i)", "0.3^i", "(1/3)^i", "1.5^i", "1e5^(-2*i/d)",
                         "8^(-2*i/d)", "0.001^i", "30^i", "fp16(0.3)^i", "1e-20^i"});
}

void Generator::add_rounding(Question& question) {
    const bool may_be_far = question.kind == "safe-length" && question.pieces.count("angle") != 0;
    switch (random_.below(may_be_far ? 4 : 3)) {
        case 0: return add_recipe(question);
        case 1: return add_steps(question);
        case 2: return add_operators(question);
        default: return add_far(question);
    }
}

void Generator::add_recipe(Question& question) {
    const auto recipe = [&] {
        return random_.pick(
            {"hf", "all-bf16", "fp32", "fp64-tables", "recurrence", "powf", "recurrence", "fp64-tables"});
    };
    if (question.pieces.count("angle") != 0) {
        question.pieces.erase("angle");
        question.pieces["frequency"] = random_.one_in(3) ? frequency() : frequency_of_powers();
        if (random_.one_in(8)) question.pieces["frequency"] = random_.pick({"1/(i - 1)", "sqrt(i - 1)", "log(i)"});
        question.must_be_proportional = true;
        question.numbers["head_dim"] = 2 * random_.between(1, 4);
        if (random_.one_in(6)) {
            question.pieces["let.theta"] = question.pieces["frequency"];
            question.pieces["frequency"] = "theta";
        }
    }
    const std::string name = recipe();
    if (question.kind == "logit-error" && random_.one_in(2)) {
        question.values["recipe"] = name;
        return;
    }
    if (question.kind == "safe-length" && random_.one_in(2)) {
        question.recipes = {name, recipe()};
        return;
    }
    question.pieces["recipe"] = name;
    if (name == "hf" || name == "fp64-tables")
        question.pieces["format"] = random_.pick({"fp16", "bf16", "e4m3", "e5m2", "fp32"});
}

/// Some of the steps.
void Generator::add_steps(Question& question) {
    if (question.kind != "logit-error") return add_recipe(question);
    const bool rotates = question.pieces.count("angle") != 0;
    std::vector<std::string> known = {"positions"};
    if (rotates) known.insert(known.end(), {"angles", "values"});
    if (rotates && question.must_be_proportional) known.emplace_back("frequencies");
    if (question.pieces.count("scale") != 0) known.emplace_back("scale");
    if (question.pieces.count("bias") != 0) known.emplace_back("bias");
    for (const std::string& step : known)
        if (random_.one_in(2)) question.rounded.push_back(step);
    if (question.rounded.empty()) question.rounded.push_back(random_.of(known));
}

/// Rounding operators in the formulas: what is meant has them too.
void Generator::add_operators(Question& question) {
    const auto wrapped = [&](const std::string& text) {
        return random_.pick({"fp16(", "bf16(", "fp32(", "e4m3(", "e5m2("}) + text + ")";
    };
    for (const char* name : {"angle", "scale", "bias", "temperature"}) {
        const auto piece = question.pieces.find(name);
        if (piece == question.pieces.end() || random_.one_in(3)) continue;
        piece->second = wrapped(piece->second);
        if (piece->first == "angle") question.must_be_proportional = false;
    }
    if (question.pieces.count("angle") != 0 && random_.one_in(2)) {
        question.pieces["angle"] = wrapped("p*" + wrapped(frequency()));
        question.must_be_proportional = false;
    }
}

/// Other angles of far pairs: those of other positions.
void Generator::add_far(Question& question) {
    question.pieces.erase("angle");
    question.pieces.erase("scale");
    question.pieces.erase("origin");
    question.pieces["frequency"] = random_.one_in(2) ? frequency_of_powers() : frequency();
    question.must_be_proportional = true;
    const std::string w = random_.pick({"0", "1", "2", "3", "5", "9", "2.5"});
    question.pieces["far.where"] =
        random_.pick({"n >= ", "n > ", "n == ", "n % 3 == ", "n != ", "n < ", "n >= 1 + ", "q >= ", "k < "}) + w;
    if (random_.one_in(4))
        question.pieces["far.where"] =
            random_.pick({"q + k > 9", "n*(n - 4) > 0", "1/n < 0.3", "floor(n/3) == 1", "sqrt(n - 2) > 1", "q*k < 9"});
    const auto position = [&] {
        return random_.pick({"p - 5 + 2", "p + 3", "floor(p/4)", "floor(p/2) + 3", "2", "p/2", "p - 3", "3*p", "p*p",
                             "min(p, 6)", "if(p < 7, p, 7)", "100*p", "1/(p - 3)", "p + 2040", "0", "0.1*p",
                             "sqrt(p - 3)", "2/(p - 7)"});
    };
    question.pieces["far.query"] = position();
    if (random_.one_in(2)) question.pieces["far.key"] = position();
    if (random_.one_in(2)) add_recipe(question);
    if (question.pieces.count("let.theta") != 0) question.pieces["far.query"] = "p - 1";
}

/// Pieces that act in some cases, or on a part of the head.
void Generator::add_conditions(Question& question) {
    const bool rotates = question.pieces.count("angle") != 0 || question.pieces.count("frequency") != 0;
    const bool has_far = question.pieces.count("far.where") != 0;
    if (rotates && random_.one_in(2)) {
        question.pieces["fraction"] = random_.pick({"0.5", "0.25", "0.75"});
        question.numbers["head_dim"] = 8;
    }
    const auto condition_of = [&](const char* own) {
        return random_.one_in(2) ? random_.pick({"h == 2", "L > 20", "L < 1000", "Ltr > 4", "h < H"}) : own;
    };
    if (question.pieces.count("bias") != 0) question.pieces["bias.when"] = condition_of("n > 2");
    if (question.pieces.count("scale") != 0) question.pieces["scale.when"] = condition_of("p > 2");
    if (question.pieces.count("angle") != 0 && !has_far && random_.one_in(2)) {
        question.pieces["angle.when"] = condition_of("p != 4");
        question.must_be_proportional = false;
    }
}

}  // namespace farfield::soundness
