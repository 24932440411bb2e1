#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/model/check.hpp>
#include <farfield/numerics/processors.hpp>
#include <farfield/tensor/tensor.hpp>

#include "cli/commands.hpp"
#include "cli/npy.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"
#include "cli/watched.hpp"

namespace farfield::cli {

namespace {

struct ForwardOptions {
    std::string checkpoint;
    std::string tokens;
    std::string output;
    std::string scheme;
    Pairs set;
    std::string from;  ///< a study
};

void add_forward_options(CLI::App& app, ForwardOptions& options) {
    app.add_option("CHECKPOINT", options.checkpoint, "a .gguf file, or a folder with config.json and safetensors");
    app.add_option("--tokens", options.tokens, "a .npy file of one axis: the tokens, whole numbers");
    app.add_option("-o,--output", options.output, "a .npy file for the logits, float32 [tokens, vocabulary]");
    offer(*app.add_option("--scheme", options.scheme, "the position scheme of every layer; default: the file's own"),
          offered_schemes());
    add_pairs(app, "--set", "NAME=VALUE", options.set, "a value of a parameter: factor=4");
    app.add_option("--from", options.from, "a study whose schemes are available too");
    add_threads(app);
}

std::vector<model::Token> read_tokens(const std::string& path) {
    const tensor::Tensor tensor = tensor::open_tensor(path);
    const tensor::Description& description = tensor.description();
    const auto fail = [&path](const std::string& found, const std::string& wanted) {
        core::Place place;
        place.file = path;
        throw core::UserError({core::Diagnostic{place, found, wanted, {}}});
    };
    const bool is_whole = tensor::format_of(description.type).empty() &&
                          description.type != tensor::ElementType::float64 &&
                          description.type != tensor::ElementType::boolean;
    if (!is_whole || description.is_complex)
        fail(fmt::format("the tokens are {}", tensor::type_name(description.type)), "whole numbers, such as int32");
    if (description.shape.size() != 1)
        fail("the tokens have the shape " + tensor::shape_text(description.shape), "one axis");
    constexpr std::size_t most = std::size_t{1} << 24;
    if (description.count() == 0 || description.count() > most)
        fail(fmt::format("the file has {} tokens", description.count()), "1 to 2^24");
    std::vector<double> numbers(description.count());
    tensor.read(0, numbers);
    std::vector<model::Token> tokens;
    for (const double number : numbers) {
        if (!(number >= 0 && number < 2147483648.0))
            fail(fmt::format("token {} at position {}", number, tokens.size()), "0 to 2^31 - 1");
        tokens.push_back(static_cast<model::Token>(number));
    }
    return tokens;
}

std::string scheme_text(const scheme::Scheme& scheme) {
    std::string text = scheme.name;
    for (const auto& [name, value] : scheme.params) text += fmt::format(" {}={}", name, value);
    return text;
}

int forward(const ForwardOptions& options) {
    require_words(!options.checkpoint.empty(), "forward",
                  "a checkpoint: farfield forward CHECKPOINT --tokens FILE.npy -o LOGITS.npy");
    if (options.tokens.empty()) refuse_input("forward needs tokens", "--tokens FILE.npy");
    if (options.output.empty()) refuse_input("forward needs a file for the logits", "-o LOGITS.npy");
    refuse_output_over("-o", options.output, {options.tokens, options.checkpoint, options.from});
    refuse_output_over_study("-o", options.output);
    const checkpoint::Checkpoint file(options.checkpoint);
    const std::vector<model::Token> tokens = read_tokens(options.tokens);
    std::vector<std::pair<std::string, std::string>> params;
    for (const auto& [path, value] : options.set) params.emplace_back(param_of(path, options.scheme), value);
    const std::optional<std::string> name = options.scheme.empty() ? std::nullopt : std::optional(options.scheme);
    const scheme::Scheme scheme = file.scheme(schemes_with(options.from), name, params);
    const auto compute = [&] {
        const checkpoint::Forward model(file, numerics::processors());
        core::write_pieces(options.output, [&](const auto& write) {
            write(npy_header("<f4", {tokens.size(), file.shape().vocabulary}));
            try {
                model.logits(scheme, tokens, [&](std::span<const float> rows) {
                    if (!std::all_of(rows.begin(), rows.end(), [](float x) { return std::isfinite(x); }))
                        throw core::MissingError("computing the logits of '" + options.checkpoint + "'",
                                                 "a number of the model overflows fp32",
                                                 "smaller weights, or another scheme");
                    write({reinterpret_cast<const char*>(rows.data()), rows.size_bytes()});
                });
            } catch (const core::PreconditionError& error) {
                refuse_input("scheme '" + scheme.name + "': " + error.found(), error.wanted());
            }
        });
    };
    // An interruption ends the process, so the job is never abandoned.
    Watched("forward", checkpoint::forward_steps(file, tokens.size())).run(compute);
    const checkpoint::Shape& shape = file.shape();
    const bool has_window = !name && shape.window > 0;
    print("{}, {} layers, {} parameters; {}{}; {} tokens: {}\n", shape.architecture, shape.layers, file.parameters(),
          scheme_text(scheme), has_window ? fmt::format(", {} keys for a query", shape.window) : "", tokens.size(),
          options.output);
    return as_expected;
}

}  // namespace

const Command forward_command{"forward", "compute a trained model's logits under any scheme",
                              declare<ForwardOptions, add_forward_options, forward>};

}  // namespace farfield::cli
