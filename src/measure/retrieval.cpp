// Keys that a model finds in a long text: the pass key of Mohtashami and Jaggi 2023 (arXiv 2305.16300).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/philox.hpp>
#include <farfield/numerics/statistics.hpp>

#include "measure/contexts.hpp"
#include "measure/losses.hpp"
#include "measure/tasks.hpp"
#include "measure/whole_numbers.hpp"

namespace farfield::measure {
namespace {

using core::Key;
using core::KeyType;
using train::Token;

constexpr std::string_view place_of_key = "{key}";
constexpr std::string_view usual_needle = "\nThe pass key is {key}. Remember it. {key} is the pass key.\n";
constexpr std::string_view usual_question = "\nWhat is the pass key? The pass key is";
constexpr std::uint32_t key_stream = 0x6b657973;

constexpr std::array<Key, 7> retrieval_keys = {
    of_key,
    Key{.name = "lengths",
        .type = KeyType::list,
        .unit = "tokens",
        .required = true,
        .meaning = "L: text, needle, question and answer"},
    Key{.name = "depths",
        .type = KeyType::list,
        .fallback = "[0, 0.25, 0.5, 0.75, 1]",
        .meaning = "share of the text before the needle"},
    Key{.name = "contexts",
        .type = KeyType::integer,
        .unit = "sequences",
        .fallback = "4",
        .meaning = "held-out texts, each with a key, for each length and depth",
        .least = 1,
        .most = most_repeats},
    Key{.name = "digits",
        .type = KeyType::integer,
        .fallback = "5",
        .meaning = "number of digits of a key",
        .least = 1,
        .most = 9},
    Key{.name = "needle",
        .type = KeyType::text,
        .fallback = "the sentences of the source",
        .meaning = "what is put into the text; {key} stands for the key"},
    Key{.name = "question",
        .type = KeyType::text,
        .fallback = "the question of the source",
        .meaning = "the end of the text; the answer is a blank and the key"},
};

struct Settings {
    std::vector<std::size_t> lengths;
    std::vector<double> depths;
    std::size_t contexts = 0;
    std::size_t digits = 0;
    std::string needle;
    std::string question;
    core::Place place;  ///< the place of the quantity's first key, for messages
};

/// A text with its needle and question, and the expected answer.
struct Asked {
    std::vector<Token> tokens;
    std::vector<Token> answer;
};

/// The share of correct answers of one model, by length and depth.
using Shares = std::vector<std::vector<double>>;

class Retrieval : public Prepared {
public:
    Retrieval(Settings settings, Feed feed) : settings_(std::move(settings)), feed_(std::move(feed)) {}

    Feed feed() const override { return feed_; }
    double operations(const Pass& pass) const override {
        double sum = 0;
        for (const std::size_t length : settings_.lengths) sum += pass(length);
        return sum * static_cast<double>(settings_.depths.size() * settings_.contexts);
    }
    Memory memory(const Measured& of) const override {
        return memory_of_losses({settings_.lengths, Protocol::pieces, 1, settings_.contexts, 0}, of);
    }

    core::Result run(const Inputs& inputs) const override {
        const Alive models = alive(inputs.subject);
        require_memory(inputs);
        std::vector<Shares> found = none(models);
        const std::size_t depths = settings_.depths.size();
        in_parallel(found.size() * settings_.lengths.size() * depths, inputs,
                    [&](std::size_t i, model::Workspace<float>& workspace) {
                        const std::size_t depth = i % depths, at = i / depths % settings_.lengths.size();
                        const std::size_t model = i / depths / settings_.lengths.size();
                        for (std::size_t context = 0; context < settings_.contexts && !inputs.interrupted(); ++context)
                            if (is_found(*models.models[model], inputs, at, depth, context, workspace))
                                found[model][at][depth] += 1 / static_cast<double>(settings_.contexts);
                    });
        core::Result result;
        if (inputs.interrupted()) return result;
        tell(result, models, found);
        result.notes.emplace_back("order", "the share of " + std::to_string(settings_.contexts) +
                                               " held-out texts of a length and depth; then the mean over depths, and "
                                               "over lengths");
        return result;
    }

    core::Result outline(const Inputs& inputs) const override {
        const Alive models = untrained(inputs.subject);
        core::Result result;
        tell(result, models, none(models));
        return result;
    }

private:
    Shares zeros() const { return Shares(settings_.lengths.size(), std::vector<double>(settings_.depths.size(), 0)); }
    std::vector<Shares> none(const Alive& models) const { return std::vector<Shares>(models.seeds.size(), zeros()); }

    std::vector<Token> encoded(const Inputs& inputs, const std::string& text) const {
        if (std::optional<std::vector<Token>> tokens = inputs.subject.source().encode(text)) return *tokens;
        throw core::UserError({core::Diagnostic{
            settings_.place, "the corpus of '" + inputs.subject.name + "' is not a text", "a text", {}}});
    }

    std::string key_of(std::size_t at, std::size_t depth, std::size_t context) const {
        const auto place = static_cast<std::uint32_t>(at * settings_.depths.size() + depth);
        numerics::Random random(0, key_stream, place, static_cast<std::uint32_t>(context));
        std::string key(1, static_cast<char>('1' + random.below(9)));
        while (key.size() < settings_.digits) key += static_cast<char>('0' + random.below(10));
        return key;
    }

    static std::string with_key(std::string text, const std::string& key) {
        for (std::size_t at = text.find(place_of_key); at != std::string::npos;
             at = text.find(place_of_key, at + key.size()))
            text.replace(at, place_of_key.size(), key);
        return text;
    }

    /// A tokenizer without digits leaves them out, so that any key has the same tokens.
    void check_spelt(const Inputs& inputs, const std::string& key, const std::vector<Token>& answer) const {
        for (std::size_t at = 0; at < key.size(); ++at) {
            std::string other = key;
            other[at] = static_cast<char>('0' + (key[at] - '0' + 1) % 10);
            if (encoded(inputs, " " + other) == answer)
                throw core::UserError({core::Diagnostic{
                    settings_.place,
                    fmt::format("the keys {} and {} have equal tokens in '{}'", key, other, inputs.subject.name),
                    "a tokenizer with all digits",
                    {}}});
        }
    }

    Asked asked(const Inputs& inputs, std::size_t at, std::size_t depth, std::size_t context) const {
        const std::string key = key_of(at, depth, context);
        const std::vector<Token> needle = encoded(inputs, with_key(settings_.needle, key));
        const std::vector<Token> question = encoded(inputs, settings_.question);
        Asked result{{}, encoded(inputs, " " + key)};
        check_spelt(inputs, key, result.answer);
        const std::size_t length = settings_.lengths[at];
        const std::size_t used = needle.size() + question.size() + result.answer.size();
        if (used >= length)
            throw core::UserError({core::Diagnostic{
                feed_.lengths[at].place,
                fmt::format("needle, question and answer take {} tokens of a length of {}", used, length),
                "a longer length",
                {}}});
        const train::Row row = inputs.subject.source().held_out(context, settings_.contexts, length);
        const std::span<const Token> text = std::span(row.tokens).first(length - used);
        const auto before =
            static_cast<std::size_t>(std::llround(settings_.depths[depth] * static_cast<double>(text.size())));
        const auto put = [&result](std::span<const Token> part) {
            result.tokens.insert(result.tokens.end(), part.begin(), part.end());
        };
        put(text.first(before));
        put(needle);
        put(text.subspan(before));
        put(question);
        return result;
    }

    /// Whether the model continues with the answer, by greedy decoding.
    bool is_found(const Network& model, const Inputs& inputs, std::size_t at, std::size_t depth, std::size_t context,
                  model::Workspace<float>& workspace) const {
        Asked question = asked(inputs, at, depth, context);
        question.tokens.insert(question.tokens.end(), question.answer.begin(), question.answer.end() - 1);
        const std::vector<Token> found = model.predicted(question.tokens, question.answer.size(), workspace);
        if (std::find(found.begin(), found.end(), model::ignored) != found.end())
            require_finite(std::array{std::nan("")}, inputs.subject, settings_.lengths[at]);
        return found == question.answer;
    }

    void tell(core::Result& result, const Alive& models, const std::vector<Shares>& found) const {
        core::Series series;
        series.columns = {{"depth", settings_.depths, {}}};
        std::vector<double> all(found.size(), 0);
        for (std::size_t at = 0; at < settings_.lengths.size(); ++at) {
            const std::string length = std::to_string(settings_.lengths[at]);
            std::vector<double> of_length;
            core::Column column{"at_" + length, {}, {}};
            for (std::size_t depth = 0; depth < settings_.depths.size(); ++depth) {
                std::vector<double> here;
                here.reserve(found.size());
                for (const Shares& each : found) here.push_back(each[at][depth]);
                set_over_seeds(result, "accuracy", fmt::format("length={},depth={}", length, settings_.depths[depth]),
                               models, here);
                column.values.push_back(numerics::mean(here));
            }
            series.columns.push_back(std::move(column));
            for (std::size_t model = 0; model < found.size(); ++model) {
                of_length.push_back(numerics::mean(found[model][at]));
                all[model] += of_length.back() / static_cast<double>(settings_.lengths.size());
            }
            set_over_seeds(result, "accuracy", "length=" + length, models, of_length);
        }
        set_over_seeds(result, "accuracy", "", models, all);
        result.series = series;
    }

    Settings settings_;
    Feed feed_;
};

std::vector<double> read_depths(const core::Entries& settings, core::Problems& problems) {
    const core::Entry* entry = settings.find("depths");
    if (!entry) return {0, 0.25, 0.5, 0.75, 1};
    std::vector<double> depths;
    const core::List* list = entry->value.list();
    if (!list) return depths;  // check_keys reports it
    if (list->empty()) problems.add(entry->value.place, "'depths' is empty", "at least one depth");
    for (const core::Value& value : *list) {
        const bool is_share = value.is_number() && value.number() >= 0 && value.number() <= 1;
        if (!is_share)
            problems.add(value.place,
                         "a depth is " + (value.text.empty() ? std::string(value.type_name()) : value.text),
                         "a number from 0 to 1");
        else if (std::find(depths.begin(), depths.end(), value.number()) != depths.end())
            problems.add(value.place, "the depth " + value.text + " is listed twice", "every depth once");
        else
            depths.push_back(value.number());
    }
    return depths;
}

std::unique_ptr<Prepared> prepare_retrieval(const core::Entries& settings, core::Problems& problems) {
    const std::size_t before = problems.reports();
    Settings read;
    read.lengths = read_lengths(settings, problems);
    read.depths = read_depths(settings, problems);
    read.contexts = core::Settings(settings, retrieval_keys).count("contexts");
    read.digits = core::Settings(settings, retrieval_keys).count("digits");
    read.needle = core::read_text(settings, "needle").value_or(std::string(usual_needle));
    read.question = core::read_text(settings, "question").value_or(std::string(usual_question));
    if (!settings.list.empty()) read.place = settings.list.front().key_place;
    if (const core::Entry* needle = settings.find("needle");
        needle && read.needle.find(place_of_key) == std::string::npos)
        problems.add(needle->value.place, "'needle' has no {key}", "a text with {key} where the key is put in");
    if (const core::Entry* question = settings.find("question")) {
        if (read.question.empty()) problems.add(question->value.place, "'question' is empty", "a text");
        if (read.question.find(place_of_key) != std::string::npos)
            problems.add(question->value.place, "'question' has {key}", "a question without its answer");
    }
    if (problems.reports() != before || read.lengths.empty()) return nullptr;
    Feed feed = read_feed(settings, "contexts", read.contexts);
    return std::make_unique<Retrieval>(std::move(read), std::move(feed));
}

}  // namespace

const Kind& retrieval_kind() {
    static const Kind kind = {"retrieval",
                              "share of keys in a long text that a model finds",
                              retrieval_keys,
                              true,
                              prepare_retrieval,
                              false,
                              true,
                              true,
                              {"accuracy >= 0 and accuracy <= 1 and accuracy_sd >= 0"}};
    return kind;
}

}  // namespace farfield::measure
