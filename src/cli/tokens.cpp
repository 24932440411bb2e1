#include <fmt/format.h>

#include <farfield/checkpoint/tokeniser.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/write_file.hpp>

#include "cli/commands.hpp"
#include "cli/npy.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct TokensOptions {
    std::string checkpoint;
    std::string text;
    std::string output;
};

void add_tokens_options(CLI::App& app, TokensOptions& options) {
    app.add_option("CHECKPOINT", options.checkpoint, "a .gguf file, or a folder with config.json and tokenizer.json");
    app.add_option("TEXT", options.text, "a text file in UTF-8");
    app.add_option("-o,--output", options.output, "a .npy file for the tokens, int32");
}

int tokens(const TokensOptions& options) {
    require_words(!options.checkpoint.empty() && !options.text.empty(), "tokens",
                  "a checkpoint and a text: farfield tokens CHECKPOINT TEXT -o TOKENS.npy");
    if (options.output.empty()) refuse_input("tokens needs a file for the tokens", "-o TOKENS.npy");
    refuse_output_over("-o", options.output, {options.text, options.checkpoint});
    refuse_output_over_study("-o", options.output);
    const checkpoint::Checkpoint file(options.checkpoint);
    const checkpoint::Tokeniser tokeniser(file);
    const std::string text = core::read_file(options.text);
    const std::vector<model::Token> found = tokeniser.encode(text);
    core::write_pieces(options.output, [&found](const auto& write) {
        write(npy_header("<i4", {found.size()}));
        write({reinterpret_cast<const char*>(found.data()), found.size() * sizeof(model::Token)});
    });
    print("{} bytes, {} tokens: {}\n", text.size(), found.size(), options.output);
    return as_expected;
}

}  // namespace

const Command tokens_command{"tokens", "write the tokens into which a checkpoint divides a text",
                             declare<TokensOptions, add_tokens_options, tokens>};

}  // namespace farfield::cli
