#include <farfield/study/keys.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <farfield/claim/claim.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/registry.hpp>

namespace farfield::study {

using core::Key;
using core::KeyType;

namespace {

const std::array file_table = {
    Key{.name = "study", .type = KeyType::table, .meaning = "title and source of the study", .may_be_empty = true},
    Key{.name = "scheme",
        .type = KeyType::table,
        .meaning = "schemes of this file: [scheme.NAME]; they override built-in ones"},
    Key{.name = "quantity", .type = KeyType::table, .meaning = "what is computed: [quantity.NAME]"},
    Key{.name = "figure", .type = KeyType::table, .meaning = "what is drawn: [figure.NAME]"},
    Key{.name = "claim", .type = KeyType::list, .meaning = "what a source claims: [[claim]]"},
    Key{.name = "model", .type = KeyType::table, .meaning = "models to train: [model.NAME]"},
    Key{.name = "train", .type = KeyType::table, .meaning = "trainings: [train.NAME]"},
    Key{.name = "corpus", .type = KeyType::table, .meaning = "texts to train on: [corpus.NAME]"},
    Key{.name = "checkpoint", .type = KeyType::table, .meaning = "trained models in files: [checkpoint.NAME]"},
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
    Key{.name = "label",
        .type = KeyType::text,
        .fallback = "the training's label or name, or the quantity's name",
        .meaning = "label of its series in figures; `{w}` is the value of the swept key w"},
    Key{.name = "sweep",
        .type = KeyType::table,
        .meaning = "key or parameter of the scheme = list of values, or { from, to, step }: one item for each, "
                   "NAME[key=value]"},
};

const std::array model_table = {
    Key{.name = "layers",
        .type = KeyType::integer,
        .required = true,
        .meaning = "R, the number of layers",
        .least = 1,
        .most = 1000},
    Key{.name = "heads",
        .type = KeyType::integer,
        .required = true,
        .meaning = "H, the number of heads",
        .least = 1,
        .most = 1000},
    Key{.name = "width",
        .type = KeyType::integer,
        .required = true,
        .meaning = "width of the model, a multiple of `heads`",
        .least = 1,
        .most = 65536},
    Key{.name = "ffn",
        .type = KeyType::integer,
        .fallback = "4 width",
        .meaning = "width of the feed-forward layer",
        .least = 1,
        .most = 1048576},
    Key{.name = "norm",
        .type = KeyType::text,
        .fallback = "pre",
        .meaning = "position of the norm",
        .choices = "pre|post"},
    Key{.name = "head",
        .type = KeyType::text,
        .fallback = "untied",
        .meaning = "output weights: separate ones, or those of the token embedding",
        .choices = "untied|tied"},
    Key{.name = "precision",
        .type = KeyType::text,
        .fallback = "fp32",
        .meaning = "precision of matrix products: float, or operands rounded to bf16 with sums in float",
        .choices = "fp32|bf16"},
    Key{.name = "sweep", .type = KeyType::table, .meaning = "one model for each value"},
};

const std::array train_table = {
    Key{.name = "model", .type = KeyType::text, .required = true, .meaning = "a [model.NAME]"},
    Key{.name = "scheme", .type = KeyType::text, .required = true, .meaning = "a scheme"},
    Key{.name = "corpus", .type = KeyType::text, .required = true, .meaning = "a [corpus.NAME]"},
    Key{.name = "start",
        .type = KeyType::text,
        .fallback = "random weights",
        .meaning = "a [train.NAME]; this training starts from its trained weights of the same seed"},
    Key{.name = "params", .type = KeyType::table, .meaning = "values of the scheme's params"},
    Key{.name = "label",
        .type = KeyType::text,
        .fallback = "its name",
        .meaning = "label of its measured series in figures; `{w}` is the value of the swept key w"},
    Key{.name = "length",
        .type = KeyType::integer,
        .unit = "tokens",
        .required = true,
        .meaning = "Ltr, the training length",
        .least = 1,
        .most = 1048576},
    Key{.name = "batch",
        .type = KeyType::integer,
        .unit = "sequences",
        .fallback = "32",
        .meaning = "size of a batch",
        .least = 1,
        .most = 65536},
    Key{.name = "accumulate",
        .type = KeyType::integer,
        .fallback = "1",
        .meaning = "batches whose gradients are averaged for a step",
        .least = 1,
        .most = 65536},
    Key{.name = "steps",
        .type = KeyType::integer,
        .required = true,
        .meaning = "number of steps of the optimizer, AdamW",
        .least = 1,
        .most = 1e9},
    Key{.name = "lr", .type = KeyType::number, .fallback = "1e-3", .meaning = "largest learning rate", .least = 0},
    Key{.name = "warmup",
        .type = KeyType::integer,
        .unit = "steps",
        .fallback = "a twentieth of the steps",
        .meaning = "steps over which the learning rate rises linearly; then it falls along half a cosine",
        .least = 0},
    Key{.name = "lr_end",
        .type = KeyType::number,
        .fallback = "0.1",
        .meaning = "share of the learning rate that is left at the end",
        .least = 0,
        .most = 1},
    Key{.name = "decay", .type = KeyType::number, .fallback = "0.01", .meaning = "weight decay", .least = 0},
    Key{.name = "beta2",
        .type = KeyType::number,
        .fallback = "0.999",
        .meaning = "decay rate of the second moment; that of the first is 0.9",
        .least = 0,
        .most = 0.999999},
    Key{.name = "clip",
        .type = KeyType::number,
        .fallback = "1",
        .meaning = "largest norm of the gradient; 0: no limit",
        .least = 0},
    Key{.name = "seeds", .type = KeyType::list, .fallback = "[0]", .meaning = "one training for each"},
    Key{.name = "sweep",
        .type = KeyType::table,
        .meaning = "key or parameter of the scheme = list of values: one training for each, NAME[key=value]"},
};

const std::array corpus_table = {
    Key{.name = "files", .type = KeyType::list, .meaning = "paths, globs and folders, relative to the study"},
    Key{.name = "builtin",
        .type = KeyType::text,
        .meaning = "a text or process in place of files: kjv, cpp-headers, documentation, urn, chain, copy, parity"},
    Key{.name = "tokens",
        .type = KeyType::text,
        .fallback = "bytes",
        .meaning = "what a token is: a byte, or an entry of a vocabulary, given as the path of a file with one string "
                   "on each line"},
    Key{.name = "split",
        .type = KeyType::text,
        .fallback = "block",
        .meaning = "unit of text that is held out as a whole",
        .choices = "block|document"},
    Key{.name = "held_out",
        .type = KeyType::number,
        .fallback = "0.1",
        .meaning = "share of the blocks or documents that are not trained on",
        .least = 0,
        .most = 0.9},
    Key{.name = "block",
        .type = KeyType::integer,
        .unit = "tokens",
        .fallback = "65536",
        .meaning = "length of a block; at most the held-out share of the whole text",
        .least = 2},
    Key{.name = "symbols",
        .type = KeyType::integer,
        .fallback = "urn 32, chain 8, copy 16",
        .meaning = "number of symbols of a process",
        .least = 2,
        .most = 65536},
    Key{.name = "order",
        .type = KeyType::integer,
        .fallback = "2",
        .meaning = "previous tokens that determine the next one of the chain",
        .least = 1,
        .most = 20},
    Key{.name = "alpha",
        .type = KeyType::number,
        .fallback = "1",
        .meaning = "concentration of the Dirichlet distributions of urn and chain",
        .least = 1e-6,
        .most = 1e6},
    Key{.name = "seed",
        .type = KeyType::integer,
        .fallback = "0",
        .meaning = "seed of the chain's probabilities",
        .least = 0},
    Key{.name = "sweep", .type = KeyType::table, .meaning = "one corpus for each value"},
};

const std::array checkpoint_table = {
    Key{.name = "builtin", .type = KeyType::text, .meaning = "a model by name: smollm2-135m"},
    Key{.name = "file",
        .type = KeyType::text,
        .meaning = "a .gguf file, or a folder with config.json and safetensors, relative to the study"},
    Key{.name = "corpus", .type = KeyType::text, .required = true, .meaning = "a [corpus.NAME] that is a text"},
    Key{.name = "scheme",
        .type = KeyType::text,
        .fallback = "the file's own",
        .meaning = "the position scheme of every layer"},
    Key{.name = "params",
        .type = KeyType::table,
        .meaning = "values of the scheme's params; `base` and `original` are the file's unless they are given"},
    Key{.name = "sweep",
        .type = KeyType::table,
        .meaning = "key or parameter of the scheme = list of values: one checkpoint for each, NAME[key=value]"},
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
std::span<const Key> checkpoint_keys() {
    return checkpoint_table;
}
std::vector<Part> parts() {
    return {
        {"The file", "the tables it may have", file_keys()},
        {"[study]", "what it is about", study_keys()},
        {"[scheme.NAME]", "a scheme of the file's own; [adding a scheme](adding-a-scheme.md) explains the keys",
         scheme::scheme_keys()},
        {"[scheme.NAME.rotate]", "the keys of `rotate`", scheme::rotate_keys()},
        {"[scheme.NAME.rotate.far]", "the keys of `far`", scheme::far_keys()},
        {"[scheme.NAME.embed]", "the keys of `embed`", scheme::embed_keys()},
        {"[scheme.NAME.learn]", "the keys of each table of `learn`", scheme::learn_keys()},
        {"[scheme.NAME.relative]", "the keys of `relative`", scheme::relative_keys()},
        {"[quantity.NAME]", "in addition to the keys of its kind", quantity_keys()},
        {"[figure.NAME]", "a picture of series", report::figure_keys()},
        {"[[claim]]", "a statement and its verdict on record", claim::claim_keys()},
        {"[[claim.reading]]", "one way to interpret the claim", claim::reading_keys()},
        {"[model.NAME]", "a model to train", model_keys()},
        {"[train.NAME]", "a training", train_keys()},
        {"[corpus.NAME]", "a text", corpus_keys()},
        {"[checkpoint.NAME]", "a trained model in a file", checkpoint_keys()},
    };
}

bool has_key(std::span<const core::Key> keys, std::string_view name) {
    return std::any_of(keys.begin(), keys.end(), [&](const core::Key& each) { return each.name == name; });
}

std::string document_parts() {
    std::string text;
    for (const Part& part : parts()) {
        text += "### " + std::string(part.heading) + "\n\n" + std::string(part.meaning) + "\n\n" +
                core::document_keys(part.keys) + "\n";
    }
    for (const measure::Kind& kind : measure::kinds()) {
        text += "### kind = \"" + std::string(kind.name) + "\"\n\n" + std::string(kind.summary) + "\n\n" +
                core::document_keys(kind.keys) + "\n";
    }
    return text;
}

}  // namespace farfield::study
