#include "cli/command.hpp"

#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/processors.hpp>

namespace farfield::cli {

namespace {

std::size_t read_threads(const std::string& text) {
    constexpr std::size_t most = 4096;
    std::size_t threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    const bool is_read = error == std::errc() && end == text.data() + text.size();
    if (!is_read || threads < 1 || threads > most)
        refuse_input("--threads has '" + text + "'", "a whole number from 1 to " + std::to_string(most));
    return threads;
}

}  // namespace

void refuse_input(std::string found, std::string wanted, std::string hint) {
    throw core::UserError({core::Diagnostic{{}, std::move(found), std::move(wanted), std::move(hint)}});
}

void require_words(bool are_given, std::string_view command, std::string wanted) {
    if (!are_given) refuse_input(std::string(command) + " has nothing to work on", std::move(wanted));
}

void add_threads(CLI::App& app) {
    app.add_option_function<std::string>(
        "--threads", [](const std::string& text) { numerics::set_processors(read_threads(text)); },
        "number of threads; default: the processors it may run on");
}

void add_pairs(CLI::App& app, const std::string& option, const std::string& shape, Pairs& pairs,
               const std::string& help) {
    const auto read = [option, shape, &pairs](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            const std::size_t equals = text.find('=');
            if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
                refuse_input(option + " has '" + text + "'", shape);
            pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
        }
    };
    app.add_option_function<std::vector<std::string>>(option, read, help)->allow_extra_args(false);
}

void add_list(CLI::App& app, const std::string& option, std::vector<std::string>& texts, const std::string& help) {
    app.add_option(option, texts, help)->delimiter(',')->allow_extra_args(false);
}

}  // namespace farfield::cli
