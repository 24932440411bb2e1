#include "study/trainings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/checkpoint/builtin.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/study/keys.hpp>
#include <filesystem>
#include <optional>
#include <set>

#include "numerics/parallel.hpp"
#include "study/cache.hpp"
#include "study/starts.hpp"

namespace farfield::study {

const core::Entries& table_under(const core::Entries& document, std::string_view heading) {
    static const core::Entries none;
    const core::Entry* entry = document.find(heading);
    const core::Entries* table = entry ? entry->value.entries() : nullptr;
    return table ? *table : none;
}

namespace {

using core::Entries;
using core::Entry;
using core::Problems;

std::size_t count_or(const Entries& settings, std::string_view key, std::size_t otherwise) {
    const auto number = core::read_integer(settings, key);
    return number && *number >= 0 ? static_cast<std::size_t>(*number) : otherwise;
}

struct Model {
    core::Place place;
    model::Config config;
};

struct Corpus {
    train::CorpusSettings settings;
    std::string text;
};

/// The parts that trainings name.
struct Parts {
    std::map<std::string, Model> models;
    std::map<std::string, Corpus> corpora;
};

class TrainingReader {
public:
    TrainingReader(const Entries& document, const scheme::Registry& schemes, std::string folder, Problems& problems,
                   Parts& parts)
        : document_(document), schemes_(schemes), folder_(std::move(folder)), problems_(problems), parts_(parts) {}

    Trainings run(const Labels& scheme_labels) {
        const Labels model_labels = read_models();
        const Labels corpus_labels = read_corpora();
        Expander expander(table_under(document_, "train"), {"start"}, problems_);
        expander.know("scheme", scheme_labels);
        expander.know("model", model_labels);
        expander.know("corpus", corpus_labels);
        const auto is_key = [](const Entries&, const std::string& key) { return has_key(train_keys(), key); };
        Trainings trainings;
        trainings.items = read_all(expander.expand(is_key));
        for (std::size_t i = 0; i < trainings.items.size(); ++i) trainings.index.emplace(trainings.items[i].name, i);
        trainings.labels = expander.labels();
        read_checkpoints(scheme_labels, corpus_labels, trainings);
        check_starts(trainings, problems_);
        return trainings;
    }

private:
    /// Reads all trainings in parallel, with the problems in the order of the trainings.
    std::vector<TrainItem> read_all(std::vector<Expanded> expanded) {
        std::vector<TrainItem> items(expanded.size());
        std::vector<Problems> problems(expanded.size());
        numerics::in_parallel(expanded.size(), 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                TrainingReader reader(document_, schemes_, folder_, problems[i], parts_);
                core::check_keys(expanded[i].settings, {train_keys()}, expanded[i].place, problems[i]);
                items[i] = reader.read_training(std::move(expanded[i]));
            }
        });
        for (const Problems& each : problems) problems_.add(each);
        return items;
    }

    static bool any_key(const Entries&, const std::string&) { return true; }

    Labels read_models() {
        Expander expander(table_under(document_, "model"), {}, problems_);
        for (const Expanded& each : expander.expand(any_key)) {
            core::check_keys(each.settings, {model_keys()}, each.place, problems_);
            model::Config config;
            config.layers = count_or(each.settings, "layers", 1);
            config.heads = std::max<std::size_t>(count_or(each.settings, "heads", 1), 1);
            config.width = count_or(each.settings, "width", 1);
            config.ffn = count_or(each.settings, "ffn", 0);
            const core::Settings values(each.settings, model_keys());
            config.tied = values.text("head") == "tied";
            config.norm = values.text("norm") == "post" ? model::Norm::post : model::Norm::pre;
            const bool rounds = values.text("precision") == "bf16";
            config.precision = rounds ? model::Precision::bf16 : model::Precision::fp32;
            const Entry* width = each.settings.find("width");
            if (width && config.width % config.heads != 0) {
                problems_.add(width->value.place, fmt::format("'width' is {}", config.width),
                              fmt::format("a multiple of 'heads', {}", config.heads));
            }
            parts_.models[each.name] = {each.place, config};
        }
        return expander.labels();
    }

    Labels read_corpora() {
        Expander expander(table_under(document_, "corpus"), {}, problems_);
        for (const Expanded& each : expander.expand(any_key)) {
            core::check_keys(each.settings, {corpus_keys()}, each.place, problems_);
            parts_.corpora[each.name] = {read_corpus(each), canonical(each.settings)};
        }
        return expander.labels();
    }

    train::CorpusSettings read_corpus(const Expanded& item) {
        const Entries& settings = item.settings;
        train::CorpusSettings corpus;
        corpus.place = item.place;
        corpus.folder = folder_;
        corpus.files = core::read_texts(settings, "files", problems_);
        const Entry* files = settings.find("files");
        if (const core::List* list = files ? files->value.list() : nullptr; list && list->size() == corpus.files.size())
            for (std::size_t i = 0; i < list->size(); ++i) {
                const auto end = corpus.files.begin() + static_cast<std::ptrdiff_t>(i);
                const auto plain = [](const std::string& file) {
                    return std::filesystem::path(file).lexically_normal();
                };
                if (std::any_of(corpus.files.begin(), end,
                                [&](const std::string& file) { return plain(file) == plain(corpus.files[i]); }))
                    problems_.add((*list)[i].place, "'" + corpus.files[i] + "' is listed twice in 'files'",
                                  "each text once");
            }
        corpus.builtin = core::read_text(settings, "builtin").value_or("");
        const core::Settings values(settings, corpus_keys());
        corpus.tokens = values.text("tokens");
        corpus.by_document = values.text("split") == "document";
        corpus.held_out = values.number("held_out");
        corpus.block = values.count("block");
        corpus.symbols = count_or(settings, "symbols", 0);
        corpus.order = values.count("order");
        corpus.alpha = values.number("alpha");
        corpus.seed = values.count("seed");
        if (const Entry* share = settings.find("held_out"); share && corpus.held_out == 0)
            problems_.add(share->value.place, "'held_out' is 0: nothing is left to measure on", "a share above 0");
        if (corpus.files.empty() == corpus.builtin.empty()) {
            problems_.add(item.place,
                          fmt::format("the corpus '{}' has {}", item.name,
                                      corpus.files.empty() ? "no text" : "files and a builtin text"),
                          "either files = [...] or builtin = \"...\"");
        }
        check_builtin(settings, corpus.builtin);
        check_used(settings, corpus);
        return corpus;
    }

    void read_checkpoints(const Labels& scheme_labels, const Labels& corpus_labels, Trainings& trainings) {
        Expander expander(table_under(document_, "checkpoint"), {}, problems_);
        expander.know("scheme", scheme_labels);
        expander.know("corpus", corpus_labels);
        const auto is_key = [](const Entries&, const std::string& key) { return has_key(checkpoint_keys(), key); };
        for (const Expanded& each : expander.expand(is_key)) {
            core::check_keys(each.settings, {checkpoint_keys()}, each.place, problems_);
            if (!trainings.index.emplace(each.name, trainings.items.size()).second)
                problems_.add(each.place, fmt::format("'{}' is a training too", each.name), "names that differ");
            trainings.items.push_back(read_checkpoint(each));
        }
        const Labels labels = expander.labels();
        trainings.labels.insert(labels.begin(), labels.end());
    }

    TrainItem read_checkpoint(const Expanded& each) {
        const Entries& settings = each.settings;
        TrainItem item;
        item.name = each.name;
        item.training.name = each.name;
        item.training.place = each.place;
        item.seeds = {0};
        item.settings = settings;
        if (const Corpus* found = referred(settings, "corpus", parts_.corpora)) {
            item.corpus = found->settings;
            item.corpus_text = found->text;
        }
        CheckpointSettings& own = item.checkpoint.emplace();
        own.builtin = core::read_text(settings, "builtin").value_or("");
        own.path = core::read_text(settings, "file").value_or("");
        if (own.builtin.empty() == own.path.empty())
            problems_.add(each.place,
                          fmt::format("the checkpoint '{}' has {}", item.name,
                                      own.path.empty() ? "no file" : "a file and a builtin model"),
                          "either file = \"...\" or builtin = \"...\"");
        if (!own.path.empty()) own.path = (std::filesystem::path(folder_) / own.path).string();
        std::vector<std::string> known;
        for (const checkpoint::Builtin& builtin : checkpoint::builtins()) known.emplace_back(builtin.name);
        if (!own.builtin.empty() && std::find(known.begin(), known.end(), own.builtin) == known.end())
            problems_.add(settings.find("builtin")->value.place, "unknown checkpoint '" + own.builtin + "'", "",
                          core::known_here(own.builtin, known));
        own.scheme = core::read_text(settings, "scheme");
        if (!own.scheme && settings.find("params"))
            problems_.add(settings.find("params")->value.place, "'params' without 'scheme'",
                          "scheme = \"rotary\" next to it");
        Problems reported;
        own.params = TrainingReader(document_, schemes_, folder_, reported, parts_).read_params(settings);
        item.training.scheme = own.scheme ? read_scheme(settings).value_or(scheme::Scheme{}) : *schemes_.find("rotary");
        return item;
    }

    /// Reports keys that the text or process does not use.
    void check_used(const Entries& settings, const train::CorpusSettings& corpus) {
        struct Use {
            const char* key;
            std::vector<std::string_view> processes;  ///< none: for texts
        };
        static const Use uses[] = {{"tokens", {}},
                                   {"split", {}},
                                   {"held_out", {}},
                                   {"block", {}},
                                   {"order", {"chain"}},
                                   {"seed", {"chain"}},
                                   {"alpha", {"urn", "chain"}},
                                   {"symbols", {"urn", "chain", "copy"}}};
        const bool is_process = train::is_process(corpus.builtin);
        for (const Use& use : uses) {
            const Entry* entry = settings.find(use.key);
            const bool is_block_of_documents = corpus.by_document && std::string_view(use.key) == "block";
            const bool is_used = use.processes.empty() ? !is_process && !is_block_of_documents
                                                       : std::find(use.processes.begin(), use.processes.end(),
                                                                   corpus.builtin) != use.processes.end();
            if (!entry || is_used) continue;
            const std::string what = is_block_of_documents ? "split = \"document\""
                                     : is_process          ? "the process '" + corpus.builtin + "'"
                                                           : "a text";
            problems_.add(entry->key_place, fmt::format("'{}' is unused: {} does not depend on it", use.key, what),
                          use.processes.empty()
                              ? "a corpus that is a text, held out by blocks"
                              : fmt::format("builtin = \"{}\"", fmt::join(use.processes, "\" or \"")));
        }
    }

    void check_builtin(const Entries& settings, const std::string& name) {
        std::vector<std::string> known;
        for (const train::Builtin& each : train::builtins()) known.emplace_back(each.name);
        if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
        problems_.add(settings.find("builtin")->value.place, "unknown corpus '" + name + "'", "",
                      core::known_here(name, known));
    }

    /// The item that a key of the training names; null, with a problem, if there is none.
    template <class Item>
    const Item* referred(const Entries& settings, std::string_view key, const std::map<std::string, Item>& items) {
        const Entry* entry = settings.find(key);
        const std::string* name = entry ? entry->value.string() : nullptr;
        if (!name) return nullptr;
        const auto found = items.find(*name);
        if (found != items.end()) return &found->second;
        std::vector<std::string> known;
        known.reserve(items.size());
        for (const auto& [each, item] : items) known.push_back(each);
        problems_.add(entry->value.place, fmt::format("unknown {} '{}'", key, *name),
                      known.empty() ? fmt::format("a [{}.NAME] of the study; it has none", key) : "",
                      known.empty() ? "" : core::known_here(*name, known));
        return nullptr;
    }

    /// Names and decimal texts.
    std::vector<std::pair<std::string, std::string>> read_params(const Entries& settings) {
        const Entry* params = settings.find("params");
        const Entries* table = params ? params->value.entries() : nullptr;
        std::vector<std::pair<std::string, std::string>> texts;
        for (const Entry& each : table ? table->list : std::vector<Entry>{}) {
            if (!each.value.is_number()) {
                problems_.add(each.value.place,
                              fmt::format("the parameter '{}' is {}", each.key, each.value.type_name()), "a number");
                continue;
            }
            texts.emplace_back(each.key,
                               each.value.text.empty() ? fmt::format("{}", each.value.number()) : each.value.text);
        }
        return texts;
    }

    static core::Place place_of_param(const Entries& settings, std::string_view name) {
        const Entry* params = settings.find("params");
        const Entry* param = params && params->value.entries() ? params->value.entries()->find(name) : nullptr;
        return param ? param->key_place : core::Place{};
    }

    std::optional<scheme::Scheme> read_scheme(const Entries& settings) {
        const Entry* entry = settings.find("scheme");
        const std::string* name = entry ? entry->value.string() : nullptr;
        if (!name) return std::nullopt;
        if (!schemes_.find(*name)) {
            problems_.add(schemes_.unknown(*name, entry->value.place));
            return std::nullopt;
        }
        const auto texts = read_params(settings);
        if (texts.empty()) return *schemes_.find(*name);
        return schemes_.with_placed_params(
            *name, texts, [&](std::string_view param) { return place_of_param(settings, param); }, problems_);
    }

    std::vector<std::uint64_t> read_seeds(const Entries& settings) {
        const Entry* entry = settings.find("seeds");
        if (!entry) return {0};
        const core::List* list = entry->value.list();
        std::vector<std::uint64_t> seeds;
        if (!list) return seeds;  // check_keys reports it
        if (list->empty()) problems_.add(entry->value.place, "'seeds' is empty", "at least one seed");
        for (const core::Value& value : *list) {
            const auto* number = std::get_if<long long>(&value.data);
            const bool is_seed = number && *number >= 0;
            if (!is_seed) {
                problems_.add(value.place,
                              fmt::format("a seed is {}", value.text.empty() ? value.type_name() : value.text),
                              "a whole number from 0 on");
                continue;
            }
            const auto seed = static_cast<std::uint64_t>(*number);
            if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end())
                problems_.add(value.place, fmt::format("the seed {} is listed twice", seed), "every seed once");
            seeds.push_back(seed);
        }
        return seeds;
    }

    /// Checks combinations of the model, the scheme and the schedule, which the checks of single keys do not cover.
    void check_training(const Entries& settings, const train::Training& training) {
        const auto refuse = [&](const char* key, std::string found, std::string wanted) {
            if (const Entry* entry = settings.find(key))
                problems_.add(entry->value.place, std::move(found), std::move(wanted));
        };
        const std::size_t heads = training.config.heads;
        const bool is_reported = heads == 0 || training.config.width % heads != 0 || training.scheme.name.empty();
        if (is_reported) return;
        scheme::Context context;
        const std::size_t head_dim = training.config.width / heads;
        context.head_dim = static_cast<double>(head_dim);
        const auto is_given = [](std::string_view key) { return key == "head_dim"; };
        for (const scheme::ContextProblem& each : scheme::check_context(&training.scheme, context, is_given))
            refuse("model", fmt::format("heads of width {} for '{}'", each.value, training.scheme.name), each.wanted);
        const auto& embed = training.scheme.embed;
        if (embed && embed->learned && static_cast<long long>(training.config.train_length) > embed->max_length)
            refuse("length",
                   fmt::format("a length of {} for '{}', whose learned embedding has {} positions",
                               training.config.train_length, training.scheme.name, embed->max_length),
                   fmt::format("at most {}", embed->max_length));
        if (training.schedule.warm_up > training.schedule.steps)
            refuse("warmup", fmt::format("'warmup' is {}", training.schedule.warm_up),
                   fmt::format("at most the number of steps, {}", training.schedule.steps));
        else if (training.schedule.warm_up == training.schedule.steps)
            refuse("lr_end", "'lr_end' is unused: all steps are of the warmup", "a shorter warmup, or no 'lr_end'");
        if (training.schedule.peak == 0) refuse("lr", "'lr' is 0", "a number above 0");
    }

    TrainItem read_training(Expanded each) {
        const Entries& settings = each.settings;
        TrainItem item;
        item.name = each.name;
        item.label = core::read_text(settings, "label").value_or("");
        item.start = core::read_text(settings, "start").value_or("");
        check_label(each, problems_);
        train::Training& training = item.training;
        training.name = each.name;
        training.place = each.place;
        if (const Model* found = referred(settings, "model", parts_.models)) training.config = found->config;
        if (const Corpus* found = referred(settings, "corpus", parts_.corpora)) {
            item.corpus = found->settings;
            item.corpus_text = found->text;
        }
        if (auto found = read_scheme(settings)) training.scheme = std::move(*found);
        training.config.train_length = count_or(settings, "length", 1);
        const core::Settings values(settings, train_keys());
        training.batch = values.count("batch");
        training.accumulate = values.count("accumulate");
        training.schedule.steps = count_or(settings, "steps", 1);
        training.schedule.peak = values.number("lr");
        training.schedule.warm_up = count_or(settings, "warmup", training.schedule.steps / 20);
        training.schedule.floor = values.number("lr_end");
        training.optimiser.decay = values.number("decay");
        training.optimiser.beta2 = values.number("beta2");
        training.clip = values.number("clip");
        item.seeds = read_seeds(settings);
        check_training(settings, training);
        item.settings = std::move(each.settings);
        return item;
    }

    const Entries& document_;
    const scheme::Registry& schemes_;
    std::string folder_;
    Problems& problems_;
    Parts& parts_;
};

}  // namespace

const TrainItem* Trainings::find(std::string_view name) const {
    const auto found = index.find(name);
    return found == index.end() ? nullptr : &items[found->second];
}

Trainings read_trainings(const Entries& document, const scheme::Registry& schemes, const Labels& scheme_labels,
                         const std::string& folder, Problems& problems) {
    Parts parts;
    return TrainingReader(document, schemes, folder, problems, parts).run(scheme_labels);
}

}  // namespace farfield::study
