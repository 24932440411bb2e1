#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/study/version.hpp>

namespace farfield::cli {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// NAME=VALUE, as --let and --set take it.
void add_pairs(const std::string& option, const std::string& shape, const std::vector<std::string>& texts,
               Pairs& pairs) {
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
            refuse_input(option + " has '" + text + "'", shape);
        }
        pairs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
}

/// Everything CLI11 writes into, before it is put into a CommandLine.
struct Raw {
    CommandLine line;
    std::vector<std::string> set;
    std::vector<std::string> let;
    std::vector<std::string> at;
    std::string cache;
    std::optional<std::string> threads;
    bool no_figures = false;
};

void add_threads(CLI::App& command, Raw& raw) {
    command.add_option("--threads", raw.threads, "number of threads; default: the processors it may run on");
}

void add_store(CLI::App& command, Raw& raw) {
    command.add_option("--store,--cache", raw.cache,
                       "folder of finished results, which machines may share; default: FARFIELD_STORE, or the user's "
                       "cache folder");
}

/// What decides which tasks there are.
void add_selection(CLI::App& command, Raw& raw) {
    command.add_option("PATH", raw.line.paths, "studies, or folders of them");
    command.add_option("--only", raw.line.only, "quantities, figures and claims, and their dependencies")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--set", raw.set, "override a value of the file: scheme.x.params.w=80")->allow_extra_args(false);
    command.add_option("--device", raw.line.device, "auto, cpu or cuda");
}

void add_run_options(CLI::App& command, Raw& raw) {
    add_selection(command, raw);
    add_store(command, raw);
    command.add_flag("--fresh", raw.line.fresh, "compute everything again");
    command.add_flag("--times", raw.line.times, "print the time of each study and its slowest quantities");
    command.add_flag("--train", raw.line.train, "train the models that studies in folders need");
    add_threads(command, raw);
}

void add_run(CLI::App& app, Raw& raw) {
    CLI::App* command = app.add_subcommand("run", "compute everything in the studies: numbers, figures, verdicts");
    add_run_options(*command, raw);
    command->add_option("-o,--output", raw.line.output, "folder of the results; default: results");
    command->add_flag("--no-figures", raw.no_figures, "draw no figures");
    command->add_flag("--update", raw.line.update, "record the verdicts found in the studies");
    command->add_option("--because", raw.line.because, "the reason, with --update");
    command->add_option("--shard", raw.line.shard, "compute shard I of N into the store, and nothing else: 0/4");
    command->add_option("--task", raw.line.task, "compute one task into the store, and nothing else: its id");
    command->add_flag("--same-kind", raw.line.same_kind, "refuse results of other kinds of processors");
}

void add_scale(CLI::App& app, Raw& raw) {
    CLI::App* tasks = app.add_subcommand("tasks", "list the independent units of work of studies");
    add_selection(*tasks, raw);
    add_store(*tasks, raw);
    tasks->add_flag("--train", raw.line.train, "with the models that studies in folders need");
    tasks->add_option("--shards", raw.line.shards, "how long they take on so many cores: 10,100,1000");
    tasks->add_flag("--json", raw.line.json, "for programs, one object a line");
    CLI::App* store = app.add_subcommand("store", "list, verify, clean, export or import the store of results");
    store->add_option("ACTION", raw.line.subject, "ls, verify, gc, export or import");
    store->add_option("PATH", raw.line.paths, "export: studies, or folders of them; import: a file");
    add_store(*store, raw);
    store->add_flag("--train", raw.line.train, "export: with the models that studies in folders need");
    store->add_flag("--other-programs", raw.line.other_programs,
                    "gc: also what other versions of the program computed");
    store->add_option("-o,--output", raw.line.output, "export: the tar file");
    store->add_flag("--json", raw.line.json, "ls: for programs, one object a line");
    CLI::App* submit = app.add_subcommand("submit", "submit the missing shards of studies to a cluster");
    submit->add_option("SCHEDULER", raw.line.subject, "slurm");
    add_selection(*submit, raw);
    add_store(*submit, raw);
    submit->add_flag("--train", raw.line.train, "train the models that studies in folders need");
    submit->add_option("--shards", raw.line.shards, "number of shards");
    submit->add_flag("--same-kind", raw.line.same_kind, "refuse results of other kinds of processors");
    submit->add_option("--time", raw.line.time, "time limit of a shard, as sbatch takes it");
    CLI::App* status = app.add_subcommand("status", "say what of the shards is done, running, failed or lost");
    add_selection(*status, raw);
    add_store(*status, raw);
    status->add_flag("--train", raw.line.train, "with the models that studies in folders need");
    status->add_option("--shards", raw.line.shards, "number of shards that were started");
}

void add_check(CLI::App& app, Raw& raw) {
    CLI::App* command = app.add_subcommand("check", "check the claims only, for continuous integration");
    add_run_options(*command, raw);
    command->add_option("--junit", raw.line.junit, "file for the verdicts as JUnit XML");
    command->add_option("--markdown", raw.line.markdown, "file for the verdicts as a Markdown table");
}

void add_formula_options(CLI::App& command, Raw& raw) {
    command.add_option("--let", raw.let, "a value of a name: n=3")->allow_extra_args(false);
    command.add_option("--over", raw.line.over, "a variable's range, ends included: n=0:8191:1");
    command.add_option("--in", raw.line.system, "number system: double, float, fp16, bf16, e4m3, e5m2, mp50, interval");
    command.add_option("--d", raw.line.derivative, "the derivative with respect to this name instead");
    add_threads(command, raw);
}

void add_formula_commands(CLI::App& app, Raw& raw) {
    CLI::App* eval = app.add_subcommand("eval", "evaluate a formula");
    eval->add_option("FORMULA", raw.line.subject, "it may begin with a minus sign");
    add_formula_options(*eval, raw);
    CLI::App* plot = app.add_subcommand("plot", "plot a formula or a scheme's bias");
    plot->add_option("FORMULA|SCHEME", raw.line.subject, "what to plot");
    add_formula_options(*plot, raw);
    plot->add_option("-o,--output", raw.line.output, "an SVG or PNG file; without it on the terminal");
}

void add_lookups(CLI::App& app, Raw& raw) {
    CLI::App* list = app.add_subcommand("list", "list schemes, quantities, functions and formats");
    list->add_option("WHAT", raw.line.subject, "schemes, quantities, functions or formats; default: all");
    list->add_flag("--json", raw.line.json, "for programs");
    CLI::App* show = app.add_subcommand("show", "print a scheme or a study: formulas, source, cost");
    show->add_option("SCHEME|STUDY", raw.line.subject, "a name or a file; with --cuda also a formula");
    show->add_flag("--cuda", raw.line.cuda, "the CUDA C++ of its formulas");
    show->add_option("--in", raw.line.system, "number system of --cuda: double, float, fp16, bf16, e4m3, e5m2");
    CLI::App* report = app.add_subcommand("report", "write one page over the results of many studies");
    report->add_option("DIR", raw.line.subject, "folder of results; default: results");
    CLI::App* recheck = app.add_subcommand("recheck", "prove certified verdicts again with a second implementation");
    recheck->add_option("RESULTS", raw.line.paths, "files results.json, or folders of them");
    recheck->add_flag("--strict", raw.line.strict, "status 1 also if a verdict is not proved again");
    recheck->add_flag("--json", raw.line.json, "for programs");
}

void add_safe_length(CLI::App& app, Raw& raw) {
    CLI::App* command = app.add_subcommand("safe-length", "compute the longest sequence that number formats support");
    command->add_option("SCHEME", raw.line.schemes, "schemes; default: all built-in ones");
    const auto add_list = [&](const char* name, std::vector<std::string>& texts, const char* meaning) {
        command->add_option(name, texts, meaning)->delimiter(',')->allow_extra_args(false);
    };
    add_list("--in", raw.line.formats, "number formats: fp32,fp16,bf16,e4m3,e5m2; default: all");
    add_list("--recipe", raw.line.recipes,
             "how an implementation rounds: hf,all-bf16,fp32,fp64-tables,recurrence,powf; default: every step in the "
             "format");
    add_list("--head-dim", raw.line.widths, "widths of a head; default: 64");
    command->add_option("--heads", raw.line.heads, "number of heads, all of which are checked; default: 8");
    command->add_option("--bound", raw.line.bound, "largest error of a logit per unit |q||k|/sqrt(d); default: 0.01");
    command->add_option("--longest", raw.line.longest, "longest sequence to check; default: 33554432");
    command->add_flag("--exact-positions", raw.line.exact_positions, "positions are integers, not of the format");
    command->add_option("--let", raw.let, "a value of a scheme's parameter: B=2048")->allow_extra_args(false);
    command->add_option("--from", raw.line.from, "a study whose schemes are available too");
    command->add_flag("--json", raw.line.json, "for programs");
    add_threads(*command, raw);
}

void add_compare(CLI::App& app, Raw& raw) {
    CLI::App* command = app.add_subcommand("compare", "compare a tensor of an implementation with a scheme's formulas");
    command->add_option("FILE", raw.line.subject, "a .npy, .npz or .safetensors file");
    command->add_option("--scheme", raw.line.scheme, "the expected scheme, or any");
    command->add_option("--tensor", raw.line.tensor, "which of the file's tensors; default: the only one");
    command->add_option("--part", raw.line.part, "bias, mask, cos, sin, turn, scale, angle, cos-sin, embed, q or k");
    command->add_option("--axes", raw.line.axes, "meaning of each axis: heads,queries,keys; default: by the shape");
    command
        ->add_option("--at", raw.at,
                     "coordinates along an axis: positions=0,255,4096, =TENSOR of the file, or a formula: "
                     "'positions=p + 5', 'distances=n + 1'")
        ->allow_extra_args(false);
    command->add_option("--input", raw.line.input, "file of the queries or keys before the rotation");
    command->add_option("--input-tensor", raw.line.input_tensor, "which of its tensors; default: the only one");
    command->add_option("--set", raw.set, "a value of a parameter or a learned name: slopes=1")
        ->allow_extra_args(false);
    command->add_option("--heads", raw.line.compare_heads, "number of heads; default: by the shape");
    command->add_option("--head,--first-head", raw.line.head,
                        "which head a tensor of one is, or the first of several, from 1; default: each is tried");
    command->add_option("--head-dim", raw.line.head_dim, "width of a head; default: by the shape");
    command->add_option("--length", raw.line.length, "L; default: by the shape");
    command->add_option("--train-length", raw.line.train_length, "Ltr; default: L");
    command->add_option("--ulp", raw.line.tolerance,
                        "units in the last place that count as equal; default: 2, float64 16");
    command->add_option("--from", raw.line.from, "a study whose schemes are available too");
    command->add_option("--recipe", raw.line.recipe,
                        "how an implementation rounds the scheme: hf, all-bf16, fp32, fp64-tables, recurrence, powf");
    command->add_option("--format", raw.line.format, "number format of the model, for --recipe");
    command->add_option("--accept", raw.line.accept, "variations that count as equal: NAME,...");
    command->add_flag("--strict", raw.line.strict, "status 1 also for conventions and for arithmetic in fp32");
    command->add_flag("--laws", raw.line.laws,
                      "without a scheme: check whether it is finite, causal, relative, independent of padding");
    command->add_flag("--json", raw.line.json, "for programs");
    add_threads(*command, raw);
}

void add_export(CLI::App& app, Raw& raw) {
    CLI::App* command =
        app.add_subcommand("export", "write a scheme as source for numpy, PyTorch, FlexAttention, JAX or LaTeX");
    command->add_option("SCHEME", raw.line.subject, "a built-in scheme, or one of --from");
    command->add_option("--to", raw.line.target, "numpy, torch, flex-attention, jax or latex");
    command->add_option("--set", raw.set, "a parameter's default, or the initial value of a learned name: slopes=1")
        ->allow_extra_args(false);
    command->add_option("-o,--out", raw.line.output, "a file; without it the source is printed");
    command->add_option("--from", raw.line.from, "a study whose schemes are available too");
    command->add_option("--recipe", raw.line.recipe,
                        "how an implementation rounds the scheme: hf, all-bf16, fp32, fp64-tables, recurrence, powf");
    command->add_option("--format", raw.line.format, "number format of the model, for --recipe");
}

void add_import(CLI::App& app, Raw& raw) {
    CLI::App* command = app.add_subcommand("import", "convert a file of another program into a study");
    command->add_option("FILE", raw.line.subject, "FILE.fpcore: benchmarks of FPBench");
    command->add_option("-o,--output", raw.line.output, "the study's file; without it the study is printed");
    command->add_flag("--skip", raw.line.skip, "leave out what cannot be imported, with the reason as a comment");
}

void add_doctor(CLI::App& app, Raw& raw) {
    CLI::App* command =
        app.add_subcommand("doctor", "report what a model's configuration computes, and what is wrong with it");
    command->add_option(
        "CONFIG", raw.line.paths,
        "a config.json, a folder with one, a .gguf, a .safetensors, or - for standard input; two are compared");
    command->add_option("--against", raw.line.against,
                        "an engine's own tables, in a .npz, .npy or .safetensors, compared with the declared ones");
    command->add_flag("--markdown", raw.line.as_markdown, "findings as a table for pull requests");
    command->add_flag("--html", raw.line.html, "one self-contained page with figures, which gnuplot draws");
    command->add_flag("--sarif", raw.line.sarif, "findings as SARIF 2.1.0");
    command->add_option("--served", raw.line.served,
                        "tokens served; default: the longest that the configuration names");
    command->add_option("--in", raw.line.formats, "number format of cosines and sines; default: fp32")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option(
        "--recipe", raw.line.recipe,
        "hf, all-bf16, fp32, fp64-tables, recurrence, powf, or format: every step in the format; default: hf");
    command->add_option("--engine", raw.line.engines, "engines to compare with the declared meaning")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_flag("--json", raw.line.json, "for programs");
    add_threads(*command, raw);
}

std::vector<std::string> names_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

/// Options of the command that take a value.
bool takes_value(const CLI::App& command, const std::string& name) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->check_name(name)) return option->get_items_expected_max() > 0;
    }
    return false;
}

bool is_option(const CLI::App& command, const std::string& argument) {
    const std::vector<std::string> known = options_of(command);
    const std::string name = argument.substr(0, argument.find('='));
    return std::find(known.begin(), known.end(), argument.starts_with("--") ? name : argument) != known.end();
}

/// A word that begins with a minus sign but is not an option: unknown, or a formula.
bool looks_like_option(const std::string& argument) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return argument.size() > 2 && argument.starts_with("--") && is_letter(argument[2]) &&
           argument.find_first_of("*/+^(") == std::string::npos;
}

/// Puts the words that are not options behind "--", so that CLI11 takes none that begins with a minus sign for one.
/// Unknown options are refused here.
std::vector<std::string> words_last(const CLI::App& command, const std::vector<std::string>& arguments, bool formula) {
    std::vector<std::string> options, words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const bool dashed = argument.size() > 1 && argument[0] == '-';
        if (argument == "--") {
            words.insert(words.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
            break;
        }
        if (dashed && is_option(command, argument)) {
            options.push_back(argument);
            if (argument.find('=') != std::string::npos || !takes_value(command, argument)) continue;
            if (i + 1 == arguments.size()) refuse_input("the option " + argument + " has no value", "a value after it");
            // Joined, so that a value may begin with a minus sign.
            if (argument.starts_with("--"))
                options.back() += "=" + arguments[++i];
            else
                options.push_back(arguments[++i]);
        } else if (dashed && (!formula || looks_like_option(argument))) {
            refuse_input("unknown option '" + argument + "' of " + command.get_name(), "",
                         core::known_here(argument, options_of(command)));
        } else {
            words.push_back(argument);
        }
    }
    options.emplace_back("--");
    options.insert(options.end(), words.begin(), words.end());
    return options;
}

std::string help_of(const CLI::App& app, const CLI::App* command) {
    return command ? command->help("farfield") : app.help();
}

CommandLine printed(std::string text) {
    CommandLine line;
    line.text = std::move(text);
    return line;
}

struct Requirement {
    std::string_view command;
    bool needs_paths;
    bool needs_subject;
    std::string_view wanted;
};

constexpr Requirement requirements[] = {
    {"run", true, false, "a study or a folder of studies: farfield run PATH..."},
    {"check", true, false, "a study or a folder of studies: farfield check PATH..."},
    {"doctor", true, false, "a configuration: farfield doctor config.json"},
    {"recheck", true, false, "a results.json or a folder of results: farfield recheck results"},
    {"eval", false, true, "a formula: farfield eval FORMULA"},
    {"plot", false, true, "a formula or a scheme: farfield plot FORMULA"},
    {"compare", false, true, "a tensor: farfield compare FILE --scheme NAME"},
    {"export", false, true, "a scheme: farfield export SCHEME --to numpy"},
    {"import", false, true, "a file: farfield import FILE.fpcore -o study.toml"},
    {"show", false, true, "a scheme or a study: farfield show SCHEME"},
    {"tasks", true, false, "a study or a folder of studies: farfield tasks PATH..."},
    {"status", true, false, "a study or a folder of studies: farfield status PATH..."},
    {"store", false, true, "an action: farfield store ls"},
    {"submit", true, true, "a scheduler and studies: farfield submit slurm PATH... --shards N"},
};

/// A shard computes into the store alone.
void check_shard(const CommandLine& line) {
    if (line.shard.empty() && line.task.empty()) return;
    const std::string given = line.shard.empty() ? "--task" : "--shard";
    const std::pair<const char*, bool> others[] = {{"--task", !line.shard.empty() && !line.task.empty()},
                                                   {"--fresh", line.fresh},
                                                   {"--update", line.update},
                                                   {"-o", !line.output.empty()}};
    for (const auto& [name, is_given] : others)
        if (is_given) refuse_input(fmt::format("{} and {} are both given", given, name), "one of them");
}

void check_requirements(const CommandLine& line) {
    for (const Requirement& each : requirements) {
        if (each.command != line.command) continue;
        const bool lacks = (each.needs_paths && line.paths.empty()) || (each.needs_subject && line.subject.empty());
        if (lacks) refuse_input(line.command + " has nothing to work on", std::string(each.wanted));
    }
    const std::vector<std::string> devices = {"auto", "cpu", "cuda"};
    if (std::find(devices.begin(), devices.end(), line.device) == devices.end()) {
        refuse_input("unknown device '" + line.device + "'", "", core::known_here(line.device, devices));
    }
    if (line.command == "compare" && line.scheme.empty() != line.laws)
        refuse_input(line.laws ? "--laws and --scheme are both given" : "compare needs a scheme",
                     line.laws ? "one of them" : "--scheme NAME, or --laws");
    if (line.laws && (line.strict || !line.accept.empty()))
        refuse_input(std::string(line.strict ? "--strict" : "--accept") + " is given with --laws",
                     "it with --scheme NAME: laws hold or fail");
    if (line.command == "compare" && line.strict && !line.accept.empty())
        refuse_input("--strict and --accept are both given", "one of them");
    if (line.command == "export" && line.target.empty())
        refuse_input("export needs a target", "--to numpy, torch, flex-attention, jax or latex");
    if (line.update && line.because.empty())
        refuse_input("--update has no reason", "--because \"why the verdicts on record change\"");
    if (!line.because.empty() && !line.update) refuse_input("--because needs --update", "both options, or neither");
    check_shard(line);
}

std::size_t read_threads(const std::string& text) {
    constexpr std::size_t most = 4096;
    std::size_t threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    const bool is_read = error == std::errc() && end == text.data() + text.size();
    if (!is_read || threads < 1 || threads > most)
        refuse_input("--threads has '" + text + "'", "a whole number from 1 to " + std::to_string(most));
    return threads;
}

CommandLine finish(Raw& raw, const CLI::App& command) {
    raw.line.command = command.get_name();
    raw.line.figures = !raw.no_figures;
    if (!raw.cache.empty()) raw.line.cache = raw.cache;
    if (raw.threads) raw.line.threads = read_threads(*raw.threads);
    add_pairs("--let", "NAME=VALUE", raw.let, raw.line.let);
    add_pairs("--set", "PATH=VALUE", raw.set, raw.line.set);
    add_pairs("--at", "AXIS=PLACES", raw.at, raw.line.at);
    check_requirements(raw.line);
    return raw.line;
}

/// The parser takes the next word for the value that is not there.
void refuse_empty_values(const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool is_option = words[i].starts_with("--");
        const bool is_bare = is_option && words[i].find('=') == words[i].size() - 1;
        if (is_bare) refuse_input("'" + words[i] + "' has no value", words[i] + "VALUE");
        if (is_option && i + 1 < words.size() && words[i + 1].empty())
            refuse_input("the value of '" + words[i] + "' is empty", "a value");
    }
}

}  // namespace

void refuse_input(std::string found, std::string wanted, std::string hint) {
    throw core::UserError({core::Diagnostic{{}, std::move(found), std::move(wanted), std::move(hint)}});
}

CommandLine read_command_line(std::vector<std::string> arguments) {
    CLI::App app("Declare, simulate and check theories about positional encodings in Transformers.", "farfield");
    Raw raw;
    add_run(app, raw);
    add_check(app, raw);
    add_formula_commands(app, raw);
    add_lookups(app, raw);
    add_safe_length(app, raw);
    add_compare(app, raw);
    add_export(app, raw);
    add_doctor(app, raw);
    add_import(app, raw);
    add_scale(app, raw);
    app.set_version_flag("--version", std::string(study::version()));
    app.footer("In the repository, ./farfield test runs the tests and ./farfield bench the benchmarks.");

    const std::vector<std::string> commands = names_of(app);
    const std::string first = arguments.empty() ? "--help" : arguments.front();
    if (first == "--help" || first == "-h" || first == "help") return printed(help_of(app, nullptr));
    if (first == "--version") return printed("farfield " + std::string(study::version()) + "\n");
    if (std::find(commands.begin(), commands.end(), first) == commands.end()) {
        const bool option = first.starts_with("-");
        const std::vector<std::string> options = {"--help", "--version"};
        refuse_input((option ? "unknown option '" : "unknown command '") + first + "'", "",
                     core::known_here(first, option ? options : commands));
    }
    CLI::App* command = app.get_subcommand(first);
    std::vector<std::string> own(arguments.begin() + 1, arguments.end());
    if (first == "submit") {
        const auto dashes = std::find(own.begin(), own.end(), "--");
        if (dashes != own.end()) raw.line.passed.assign(dashes + 1, own.end());
        own.erase(dashes, own.end());
    }
    if (std::find(own.begin(), own.end(), "--help") != own.end()) return printed(help_of(app, command));
    refuse_empty_values(own);
    std::vector<std::string> reordered =
        words_last(*command, own, first == "eval" || first == "plot" || first == "show");
    std::reverse(reordered.begin(), reordered.end());
    try {
        command->parse(reordered);
    } catch (const CLI::ParseError& error) {
        if (error.get_name() == "CallForHelp") return printed(help_of(app, command));
        std::string found = error.what();
        std::replace(found.begin(), found.end(), '\n', ' ');
        refuse_input(found, "", "farfield " + first + " --help lists its options.");
    }
    return finish(raw, *command);
}

}  // namespace farfield::cli
