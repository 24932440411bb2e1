#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <farfield/compare/compare.hpp>
#include <farfield/compare/laws.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/toml.hpp>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"
#include "cli/watched.hpp"

namespace farfield::cli {

namespace {

struct CompareOptions {
    std::string file;
    std::string scheme;
    std::string tensor;  ///< its name in the file
    std::string part;
    std::string axes;
    Pairs at;  ///< coordinates along an axis, or a tensor's name
    std::string input;
    std::string input_tensor;
    Pairs set;
    std::string heads;
    std::string head;
    std::string head_dim;
    std::string length;
    std::string train_length;
    std::string tolerance;
    std::string from;  ///< a study
    RecipeOptions recipe;
    std::string accept;
    bool strict = false;
    bool laws = false;
    bool json = false;
};

void add_compare_options(CLI::App& app, CompareOptions& options) {
    app.add_option("FILE", options.file, "a .npy, .npz or .safetensors file");
    offer(*app.add_option("--scheme", options.scheme, "the expected scheme, or any"), offered_schemes());
    app.add_option("--tensor", options.tensor, "which of the file's tensors; default: the only one");
    offer(*app.add_option("--part", options.part, "bias, mask, cos, sin, turn, scale, angle, cos-sin, embed, q or k"),
          compare::part_names());
    app.add_option("--axes", options.axes, "meaning of each axis: heads,queries,keys; default: by the shape");
    add_pairs(app, "--at", "AXIS=PLACES", options.at,
              "coordinates along an axis: positions=0,255,4096, =TENSOR of the file, or a formula: "
              "'positions=p + 5', 'distances=n + 1'");
    app.add_option("--input", options.input, "file of the queries or keys before the rotation");
    app.add_option("--input-tensor", options.input_tensor, "which of its tensors; default: the only one");
    add_pairs(app, "--set", "PATH=VALUE", options.set, "a value of a parameter or a learned name: slopes=1");
    app.add_option("--heads", options.heads, "number of heads; default: by the shape");
    app.add_option("--head,--first-head", options.head,
                   "the head of a tensor with one head, or the first of several, from 1; default: each is tried");
    app.add_option("--head-dim", options.head_dim, "width of a head; default: by the shape");
    app.add_option("--length", options.length, "L; default: by the shape");
    app.add_option("--train-length", options.train_length, "Ltr; default: L");
    app.add_option("--ulp", options.tolerance, "units in the last place that count as equal; default: 2, float64 16");
    app.add_option("--from", options.from, "a study whose schemes are available too");
    add_recipe(app, options.recipe);
    app.add_option("--accept", options.accept, "variations that count as equal: NAME,...");
    app.add_flag("--strict", options.strict, "exit with status 1 also for conventions and for arithmetic in fp32");
    app.add_flag("--laws", options.laws,
                 "without a scheme: check whether it is finite, causal, relative, independent of padding");
    app.add_flag("--json", options.json, "print JSON");
    add_threads(app);
}

/// Refuses options that contradict each other.
void check_options(const CompareOptions& options) {
    require_words(!options.file.empty(), "compare", "a tensor: farfield compare FILE --scheme NAME");
    if (options.scheme.empty() != options.laws)
        refuse_input(options.laws ? "--laws and --scheme are both given" : "compare needs a scheme",
                     options.laws ? "one of them" : "--scheme NAME, or --laws");
    const std::pair<const char*, bool> of_schemes[] = {{"--strict", options.strict},
                                                       {"--accept", !options.accept.empty()},
                                                       {"--axes", !options.axes.empty()},
                                                       {"--at", !options.at.empty()},
                                                       {"--input", !options.input.empty()},
                                                       {"--input-tensor", !options.input_tensor.empty()},
                                                       {"--set", !options.set.empty()},
                                                       {"--heads", !options.heads.empty()},
                                                       {"--head", !options.head.empty()},
                                                       {"--head-dim", !options.head_dim.empty()},
                                                       {"--length", !options.length.empty()},
                                                       {"--train-length", !options.train_length.empty()},
                                                       {"--from", !options.from.empty()},
                                                       {"--recipe", !options.recipe.recipe.empty()},
                                                       {"--format", !options.recipe.format.empty()}};
    for (const auto& [name, is_given] : of_schemes)
        if (options.laws && is_given)
            refuse_input(std::string(name) + " is given with --laws", "it with --scheme NAME: laws hold or fail");
    if (options.strict && !options.accept.empty()) refuse_input("--strict and --accept are both given", "one of them");
    if (options.input.empty() && !options.input_tensor.empty())
        refuse_input("--input-tensor without --input", "both options, or neither");
}

using compare::Answer;
using compare::Deviation;
using compare::names_text;
using compare::Variation;

/// A number of the command line, from `least` to `most`; `otherwise` if the option was not given.
double read_number(const char* option, const std::string& text, double least, double otherwise,
                   core::Problems& problems, double most = std::numeric_limits<double>::max()) {
    if (text.empty()) return otherwise;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_read = error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
    if (!is_read || number < least || number > most)
        problems.add({}, fmt::format("{} has '{}'", option, text),
                     most < std::numeric_limits<double>::max() ? fmt::format("a number from {} to {}", least, most)
                                                               : fmt::format("a number, {} at least", least));
    return number;
}

bool is_number(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

/// Reads places: 0,255,4096, the name of a tensor of the file, or a formula.
void read_places(const CompareOptions& options, const std::string& axis, const std::string& text,
                 compare::Question& question) {
    std::vector<double> places;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        if (!is_number(word) || text.ends_with(',')) return compare::add_places(options.file, axis, text, question);
        places.push_back(std::strtod(word.c_str(), nullptr));
    }
    question.at.emplace_back(axis, places);
}

void read_values(const CompareOptions& options, const scheme::Scheme& scheme, compare::Question& question,
                 core::Problems& problems) {
    for (const auto& [path, text] : options.set) {
        const std::string name = param_of(path, scheme.name);
        const auto learned = std::find_if(scheme.learn.begin(), scheme.learn.end(),
                                          [&](const scheme::Learned& each) { return each.name == name; });
        if (learned == scheme.learn.end())
            question.params.emplace_back(name, text);
        else if (!is_number(text))
            question.learned.emplace_back(name, compare::read_values(options.file, text));
        else
            question.context.learned.emplace_back(
                name, read_number("--set", text, std::numeric_limits<double>::lowest(), 0, problems));
    }
}

std::optional<compare::Part> read_part(const CompareOptions& options, core::Problems& problems) {
    const std::optional<compare::Part> part = compare::find_part(options.part);
    if (!part && !options.part.empty())
        problems.add({}, "unknown part '" + options.part + "'", "",
                     core::known_here(options.part, compare::part_names()));
    return part;
}

void check_context(const CompareOptions& options, const scheme::Scheme* scheme, const scheme::Context& context,
                   core::Problems& problems) {
    const std::map<std::string_view, std::pair<const char*, const std::string*>> names = {
        {"heads", {"--heads", &options.heads}},
        {"head", {"--head", &options.head}},
        {"head_dim", {"--head-dim", &options.head_dim}},
        {"length", {"--length", &options.length}},
        {"train_length", {"--train-length", &options.train_length}}};
    const auto is_given = [&](std::string_view key) {
        const auto option = names.find(key);
        return option != names.end() && !option->second.second->empty();
    };
    for (const scheme::ContextProblem& each : scheme::check_context(scheme, context, is_given))
        problems.add({}, fmt::format("{} has '{}'", names.at(each.key).first, each.value), each.wanted);
}

compare::Question read_question(const CompareOptions& options, const std::string& name,
                                const scheme::Registry& schemes) {
    core::Problems problems;
    compare::Question question;
    question.scheme = name;
    const scheme::Scheme* scheme = schemes.find(name);
    if (!scheme)
        problems.add(schemes.unknown(name));
    else
        read_values(options, *scheme, question, problems);
    if (scheme) schemes.with_params(name, question.params, {}, problems);
    question.part = read_part(options, problems);
    question.axes = options.axes;
    scheme::Context& context = question.context;
    context.heads = read_number("--heads", options.heads, 1, 0, problems);
    context.head = read_number("--head", options.head, 1, 0, problems);
    context.head_dim = read_number("--head-dim", options.head_dim, 1, 0, problems);
    context.length = read_number("--length", options.length, 1, 0, problems);
    context.train_length = read_number("--train-length", options.train_length, 1, 0, problems);
    if (!options.tolerance.empty())
        question.tolerance = read_number("--ulp", options.tolerance, 0, 0, problems, compare::most_tolerance);
    if (problems.empty()) check_context(options, scheme, context, problems);
    problems.raise();
    for (const auto& [axis, text] : options.at) read_places(options, axis, text, question);
    if (!options.input.empty()) question.input = tensor::open_tensor(options.input, options.input_tensor);
    return question;
}

std::string index_text(const std::vector<std::size_t>& index) {
    return tensor::shape_text(index);
}

std::string furthest(const Deviation& deviation) {
    return fmt::format("furthest off at {}: {} found, {} by the formula ({:.3g} units in the last place)",
                       index_text(deviation.index), deviation.found, deviation.wanted, deviation.worst);
}

std::string within(const Deviation& deviation) {
    if (deviation.worst == 0)
        return fmt::format("all {} numbers are the formula's, rounded to the format", deviation.compared);
    return fmt::format("{} numbers, {}", deviation.compared, furthest(deviation));
}

/// Prints one line for all heads with the same result: "heads 1-3, 5-8: equal".
void print_heads(const std::vector<compare::HeadAnswer>& heads) {
    const auto said = [](const compare::HeadAnswer& each) {
        if (each.is_equal) return std::string("equal");
        if (!each.variations.empty()) return "differs by " + names_text(each.variations);
        return fmt::format("differs: {} of {} numbers; {}", each.declared.beyond, each.declared.compared,
                           furthest(each.declared));
    };
    std::vector<std::pair<std::string, std::vector<double>>> lines;
    for (const compare::HeadAnswer& each : heads) {
        const std::string text = said(each);
        const auto known =
            std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.first == text; });
        if (known == lines.end())
            lines.push_back({text, {each.head}});
        else
            known->second.push_back(each.head);
    }
    for (const auto& [text, numbers] : lines) {
        std::string list;
        for (std::size_t at = 0; at < numbers.size();) {
            std::size_t last = at;
            while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
            list += list.empty() ? "" : ", ";
            list += last == at ? fmt::format("{}", numbers[at]) : fmt::format("{}-{}", numbers[at], numbers[last]);
            at = last + 1;
        }
        print("  {} {}: {}\n", numbers.size() == 1 ? "head" : "heads", list, text);
    }
}

void print_text(const std::string& file, const tensor::Tensor& tensor, const Answer& answer,
                const std::string& scheme) {
    const tensor::Description& description = tensor.description();
    print("{}: {} {}, read as {} {} of {}\n", file, tensor::type_name(description.type),
          tensor::shape_text(description.shape), compare::part_name(answer.part), answer.axes, scheme);
    const Deviation& declared = answer.declared;
    if (answer.is_equal)
        print("equal: {}\n", within(declared));
    else
        print("differs: {} of {} numbers; {}{}\n", declared.beyond, declared.compared, furthest(declared),
              declared.first_beyond ? fmt::format("; the first at {}", *declared.first_beyond) : "");
    for (const Variation& each : answer.variations) print("  {}: {}\n", names_text({each}), each.meaning);
    if (answer.explained)
        print("{}: {}\n", answer.is_equal ? "with these variations" : "equal with these variations",
              within(*answer.explained));
    for (const std::vector<Variation>& other : answer.others) print("also explained by {}\n", names_text(other));
    if (!answer.others.empty()) print("the tensor does not determine which\n");
    for (const std::string& each : answer.commands)
        if (!each.empty()) print("status 0 with {}\n", each);
    if (answer.agrees && !answer.is_equal)
        print("counts as equal: these are conventions and roundings to fp32 (with --strict they differ)\n");
    if (!answer.is_equal && !answer.explained) print("none of {} sets of known variations explains it\n", answer.tried);
    print_heads(answer.heads);
    if (answer.near)
        print("nearest is {}: {} of {} numbers are off; {}\n", names_text(answer.nearest), answer.near->beyond,
              answer.near->compared, furthest(*answer.near));
    if (!answer.hidden.empty()) print("masked entries: {}\n", answer.hidden);
}

Json json_of(const Deviation& deviation) {
    return {{"compared", deviation.compared},
            {"beyond", deviation.beyond},
            {"ulp", report::json_number(deviation.worst)},
            {"index", deviation.index},
            {"found", report::json_number(deviation.found)},
            {"wanted", report::json_number(deviation.wanted)},
            {"first_beyond", deviation.first_beyond ? report::json_number(*deviation.first_beyond) : Json()}};
}

Json json_of(const std::vector<Variation>& set) {
    Json list = Json::array();
    for (const Variation& each : set)
        list.push_back(
            {{"name", each.name}, {"meaning", each.meaning}, {"supposes", each.supposes}, {"options", each.options}});
    return list;
}

Json json_of(const compare::HeadAnswer& answer) {
    return {{"head", answer.head},
            {"equal", answer.is_equal},
            {"declared", json_of(answer.declared)},
            {"variations", json_of(answer.variations)}};
}

void print_json(const std::string& file, const tensor::Tensor& tensor, const Answer& answer,
                const std::string& scheme) {
    Json json = {{"file", file},
                 {"type", tensor::type_name(tensor.description().type)},
                 {"shape", tensor.description().shape},
                 {"scheme", scheme},
                 {"part", compare::part_name(answer.part)},
                 {"axes", answer.axes},
                 {"equal", answer.is_equal},
                 {"agrees", answer.agrees},
                 {"tolerance", answer.tolerance},
                 {"declared", json_of(answer.declared)},
                 {"variations", json_of(answer.variations)},
                 {"others", Json::array()},
                 {"commands", answer.commands},
                 {"explained", answer.explained ? json_of(*answer.explained) : Json()},
                 {"nearest", json_of(answer.nearest)},
                 {"near", answer.near ? json_of(*answer.near) : Json()},
                 {"heads", Json::array()},
                 {"tried", answer.tried},
                 {"hidden", answer.hidden}};
    for (const std::vector<Variation>& other : answer.others) json["others"].push_back(json_of(other));
    for (const compare::HeadAnswer& each : answer.heads) json["heads"].push_back(json_of(each));
    write_output(json_lines(json));
}

/// The variations that --accept names.
std::vector<std::string> read_accepted(const CompareOptions& options) {
    std::vector<std::string> known;
    for (const Variation& each : compare::variations()) known.push_back(each.name);
    core::Problems problems;
    std::vector<std::string> accepted;
    if (options.accept.empty()) return accepted;
    for (const std::string& word : split_list(options.accept, "--accept")) {
        if (std::find(known.begin(), known.end(), word) == known.end())
            problems.add({}, "--accept has '" + word + "'", "names of variations", core::known_here(word, known));
        accepted.push_back(word);
    }
    refuse_repeated(accepted, "--accept");
    problems.raise();
    return accepted;
}

/// Whether the tensor is the scheme's, or has an explanation that contains only accepted variations and conventions.
bool passes(const CompareOptions& options, const std::vector<std::string>& accepted, const Answer& answer) {
    if (options.strict || !answer.explained) return answer.is_equal;
    const auto is_named = [&](const Variation& each) {
        return std::find(accepted.begin(), accepted.end(), each.name) != accepted.end();
    };
    const auto is_accepted = [&](const std::vector<Variation>& set) {
        const auto is_meant = [&](const Variation& each) { return each.is_convention || is_named(each); };
        return std::all_of(set.begin(), set.end(), is_meant) && std::any_of(set.begin(), set.end(), is_named);
    };
    return answer.agrees || is_accepted(answer.variations) ||
           std::any_of(answer.others.begin(), answer.others.end(), is_accepted);
}

/// Shows the laws of a bias, a mask or a rotation's table, all of which must hold.
int show_laws(const CompareOptions& options) {
    core::Problems problems;
    const double tolerance = read_number("--ulp", options.tolerance, 0, 2, problems, compare::most_tolerance);
    const std::optional<compare::Part> part = read_part(options, problems);
    problems.raise();
    const tensor::Tensor tensor = tensor::open_tensor(options.file, options.tensor);
    bool all_hold = true;
    Json json = Json::array();
    for (const compare::Law& law : compare::laws_of(tensor, options.file, part, tolerance)) {
        all_hold = all_hold && law.holds;
        json.push_back({{"law", law.name},
                        {"meaning", law.meaning},
                        {"holds", law.holds},
                        {"counterexample", law.counterexample}});
        if (!options.json)
            print("{:<12} {}  {}{}\n", law.name, law.holds ? "holds" : "fails", law.meaning,
                  law.holds ? "" : ": " + law.counterexample);
    }
    if (options.json) write_output(json_lines(json));
    return all_hold ? as_expected : unexpected;
}

/// A scheme that explains a tensor, and how.
struct Likely {
    std::string scheme;
    Answer answer;
};

/// The schemes that explain the tensor with at most one change, those without a change first. Adds to `unfit` the
/// number of schemes that cannot be compared with it, because they have no such part or because of its shape. If none
/// can, throws the most common error, which is then due to the input.
std::vector<Likely> likely_schemes(const CompareOptions& options, const tensor::Tensor& tensor,
                                   const scheme::Registry& schemes, std::size_t& unfit) {
    std::vector<Likely> list;
    std::vector<std::pair<core::UserError, std::size_t>> errors;
    for (const std::string& name : schemes.names()) {
        try {
            compare::Question question = read_question(options, name, schemes);
            question.most_changes = 1;
            const Answer answer = compare::compare(tensor, options.file, question, schemes);
            if (answer.is_equal || answer.explained) list.push_back({name, answer});
        } catch (const core::UserError& error) {
            ++unfit;
            const auto known = std::find_if(errors.begin(), errors.end(), [&](const auto& each) {
                return std::string_view(each.first.what()) == error.what();
            });
            if (known == errors.end())
                errors.emplace_back(error, 1);
            else
                ++known->second;
        }
    }
    if (unfit == schemes.names().size())
        throw std::max_element(errors.begin(), errors.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    std::stable_sort(list.begin(), list.end(), [](const Likely& a, const Likely& b) {
        const auto rank = [](const Answer& each) {
            return std::tuple(!each.agrees, each.is_equal ? 0 : each.variations.size());
        };
        return rank(a.answer) < rank(b.answer);
    });
    return list;
}

/// --scheme any: 0 if the tensor belongs to at least one of the schemes.
int compare_any(const CompareOptions& options, const scheme::Registry& schemes) {
    core::Problems problems;
    if (!options.set.empty()) problems.add({}, "--set is given with --scheme any", "the scheme whose param it is");
    read_part(options, problems);
    problems.raise();
    const std::vector<std::string> accepted = read_accepted(options);
    const tensor::Tensor tensor = tensor::open_tensor(options.file, options.tensor);
    catch_interrupts();
    const auto found = Watched("compare", 0).get([=] {
        std::size_t unfit = 0;
        std::vector<Likely> list = likely_schemes(options, tensor, schemes, unfit);
        return std::pair(std::move(list), unfit);
    });
    if (!found) return interrupted;
    const auto& [list, unfit] = *found;
    Json json = Json::array();
    for (const auto& [name, answer] : list) {
        const std::vector<Variation> varied = answer.is_equal ? std::vector<Variation>() : answer.variations;
        json.push_back(
            {{"scheme", name}, {"equal", answer.is_equal}, {"agrees", answer.agrees}, {"variations", json_of(varied)}});
        if (!options.json)
            print("{:<18} {}{}\n", name,
                  answer.is_equal ? "equal"
                  : answer.agrees ? "equal by "
                                  : "differs by ",
                  names_text(varied));
    }
    if (options.json)
        write_output(json_lines(json));
    else
        print("{} of {} schemes explain it with one change at most; {} have no such tensor\n", list.size(),
              schemes.names().size(), unfit);
    const bool any = std::any_of(list.begin(), list.end(),
                                 [&](const Likely& each) { return passes(options, accepted, each.answer); });
    return any ? as_expected : unexpected;
}

int compare_file(const CompareOptions& options) {
    check_options(options);
    if (options.laws) return show_laws(options);
    scheme::Registry schemes = schemes_with(options.from);
    apply_recipe(schemes, options.scheme, options.recipe);
    if (options.scheme == "any" && !schemes.find("any")) return compare_any(options, schemes);
    const std::vector<std::string> accepted = read_accepted(options);
    const std::string file = options.file;
    const compare::Question question = read_question(options, options.scheme, schemes);
    const tensor::Tensor tensor = tensor::open_tensor(file, options.tensor);
    catch_interrupts();
    const auto found = Watched("compare", 0).get([=] { return compare::compare(tensor, file, question, schemes); });
    if (!found) return interrupted;
    const Answer& answer = *found;
    (options.json ? print_json : print_text)(file, tensor, answer, options.scheme);
    return passes(options, accepted, answer) ? as_expected : unexpected;
}

}  // namespace

const Command compare_command{"compare", "compare a tensor of an implementation with a scheme's formulas",
                              declare<CompareOptions, add_compare_options, compare_file>};

}  // namespace farfield::cli
