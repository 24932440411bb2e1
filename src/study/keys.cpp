#include <farfield/study/keys.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <farfield/claim/claim.hpp>
#include <farfield/report/report.hpp>

namespace farfield::study {

using core::Key;
using core::KeyType;

namespace {

const std::array file_table = {
    Key{.name = "study", .type = KeyType::table, .meaning = "title and source of the study"},
    Key{.name = "scheme",
        .type = KeyType::table,
        .meaning = "schemes of this file: [scheme.NAME]; they hide built-in ones"},
    Key{.name = "quantity", .type = KeyType::table, .meaning = "what is computed: [quantity.NAME]"},
    Key{.name = "figure", .type = KeyType::table, .meaning = "what is drawn: [figure.NAME]"},
    Key{.name = "claim", .type = KeyType::list, .meaning = "what is judged: [[claim]]"},
    Key{.name = "model", .type = KeyType::table, .meaning = "models to train: [model.NAME]"},
    Key{.name = "train", .type = KeyType::table, .meaning = "trainings: [train.NAME]"},
    Key{.name = "corpus", .type = KeyType::table, .meaning = "texts to train on: [corpus.NAME]"},
};

const std::array study_table = {
    Key{.name = "title", .type = KeyType::text, .meaning = "heading of the report; the file's name if absent"},
    Key{.name = "source", .type = KeyType::text, .meaning = "the publication that the study audits"},
    Key{.name = "doc", .type = KeyType::text, .meaning = "a paragraph for the reader"},
};

const std::array quantity_table = {
    Key{.name = "kind",
        .type = KeyType::text,
        .required = true,
        .meaning = "what is computed: `farfield list quantities`"},
    Key{.name = "doc", .type = KeyType::text, .meaning = "a line for the reader"},
    Key{.name = "sweep",
        .type = KeyType::table,
        .meaning = "key or parameter of the scheme = list of values, or { from, to, step }: one item for each, "
                   "NAME[key=value]"},
};

const std::array model_table = {
    Key{.name = "layers", .type = KeyType::integer, .required = true, .meaning = "R", .least = 1},
    Key{.name = "heads", .type = KeyType::integer, .required = true, .meaning = "H", .least = 1},
    Key{.name = "width", .type = KeyType::integer, .required = true, .meaning = "width of the model", .least = 1},
    Key{.name = "ffn",
        .type = KeyType::integer,
        .fallback = "4 width",
        .meaning = "width of the feed-forward layer",
        .least = 1},
    Key{.name = "norm",
        .type = KeyType::text,
        .fallback = "pre",
        .meaning = "where the norm stands",
        .choices = "pre|post"},
    Key{.name = "head",
        .type = KeyType::text,
        .fallback = "untied",
        .meaning = "output weights",
        .choices = "untied|tied"},
    Key{.name = "precision", .type = KeyType::text, .fallback = "fp32", .meaning = "of the arithmetic"},
    Key{.name = "sweep", .type = KeyType::table, .meaning = "one model for each value"},
};

const std::array train_table = {
    Key{.name = "model", .type = KeyType::text, .required = true, .meaning = "a [model.NAME]"},
    Key{.name = "scheme", .type = KeyType::text, .required = true, .meaning = "a scheme"},
    Key{.name = "corpus", .type = KeyType::text, .required = true, .meaning = "a [corpus.NAME]"},
    Key{.name = "params", .type = KeyType::table, .meaning = "values of the scheme's params"},
    Key{.name = "length", .type = KeyType::integer, .unit = "tokens", .required = true, .meaning = "Ltr", .least = 1},
    Key{.name = "batch",
        .type = KeyType::integer,
        .unit = "sequences",
        .fallback = "32",
        .meaning = "of a step",
        .least = 1},
    Key{.name = "steps", .type = KeyType::integer, .required = true, .meaning = "steps of the optimiser", .least = 1},
    Key{.name = "lr", .type = KeyType::number, .fallback = "1e-3", .meaning = "largest learning rate", .least = 0},
    Key{.name = "seeds", .type = KeyType::list, .fallback = "[0]", .meaning = "one training for each"},
    Key{.name = "sweep", .type = KeyType::table, .meaning = "one training for each value"},
};

const std::array corpus_table = {
    Key{.name = "files", .type = KeyType::list, .meaning = "paths and globs, relative to the study"},
    Key{.name = "builtin", .type = KeyType::text, .meaning = "a text that farfield brings or makes, in place of files"},
    Key{.name = "tokens", .type = KeyType::text, .fallback = "bytes", .meaning = "what a token is"},
};

const Key of_training = {.name = "of", .type = KeyType::text, .required = true, .meaning = "a [train.NAME]"};
const Key contexts = {
    .name = "contexts", .type = KeyType::integer, .unit = "sequences", .meaning = "how many are averaged", .least = 1};

const std::array perplexity_table = {
    of_training,
    Key{.name = "lengths", .type = KeyType::list, .unit = "tokens", .required = true, .meaning = "L of each value"},
    Key{.name = "protocol",
        .type = KeyType::text,
        .fallback = "last-token",
        .meaning = "which tokens are scored",
        .choices = "last-token|pieces"},
    Key{.name = "targets", .type = KeyType::integer, .unit = "tokens", .meaning = "scored in a segment", .least = 1},
    Key{.name = "segments", .type = KeyType::integer, .meaning = "of the text that are scored", .least = 1},
};

const std::array gradient_field_table = {
    of_training,
    Key{.name = "length", .type = KeyType::integer, .unit = "tokens", .required = true, .meaning = "L", .least = 1},
    Key{.name = "threshold",
        .type = KeyType::number,
        .fallback = "0.99",
        .meaning = "of c_m for the ERF",
        .least = 0,
        .most = 1},
    contexts,
};

const std::array attention_resolution_table = {
    of_training,
    Key{.name = "length", .type = KeyType::integer, .unit = "tokens", .required = true, .meaning = "L", .least = 1},
    contexts,
};

const std::array timing_table = {
    of_training,
    Key{.name = "lengths", .type = KeyType::list, .unit = "tokens", .required = true, .meaning = "L of each value"},
    Key{.name = "repeats", .type = KeyType::integer, .meaning = "how often each is timed", .least = 1},
};

const std::array trained_table = {
    TrainedKind{"perplexity", "loss of a trained model at several lengths", perplexity_table},
    TrainedKind{"gradient-field", "how far back a trained model's last output reaches", gradient_field_table},
    TrainedKind{"attention-resolution", "R(s) of a trained model's attention", attention_resolution_table},
    TrainedKind{"timing", "time of training and of generation", timing_table},
};

}  // namespace

std::span<const Key> file_keys() {
    return file_table;
}
std::span<const Key> study_keys() {
    return study_table;
}
std::span<const Key> quantity_keys() {
    return quantity_table;
}
std::span<const Key> model_keys() {
    return model_table;
}
std::span<const Key> train_keys() {
    return train_table;
}
std::span<const Key> corpus_keys() {
    return corpus_table;
}
std::span<const TrainedKind> trained_kinds() {
    return trained_table;
}

const TrainedKind* find_trained_kind(std::string_view name) {
    const auto found =
        std::find_if(trained_table.begin(), trained_table.end(), [&](const auto& kind) { return kind.name == name; });
    return found == trained_table.end() ? nullptr : &*found;
}

std::vector<Part> parts() {
    return {
        {"The file", "the tables it may have", file_keys()},
        {"[study]", "what it is about", study_keys()},
        {"[quantity.NAME]", "beside the keys of its kind", quantity_keys()},
        {"[figure.NAME]", "a picture of series", report::figure_keys()},
        {"[[claim]]", "a statement and its verdict on record", claim::claim_keys()},
        {"[[claim.reading]]", "one way of meaning it", claim::reading_keys()},
        {"[model.NAME]", "a model to train", model_keys()},
        {"[train.NAME]", "a training", train_keys()},
        {"[corpus.NAME]", "a text", corpus_keys()},
    };
}

std::string document_parts() {
    std::string text;
    for (const Part& part : parts()) {
        text += "### " + std::string(part.heading) + "\n\n" + std::string(part.meaning) + "\n\n" +
                core::document_keys(part.keys) + "\n";
    }
    for (const TrainedKind& kind : trained_kinds()) {
        text += "### kind = \"" + std::string(kind.name) + "\"\n\n" + std::string(kind.summary) + "\n\n" +
                core::document_keys(kind.keys) + "\n";
    }
    return text;
}

}  // namespace farfield::study
