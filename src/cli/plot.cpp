#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <farfield/core/diagnostic.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/quantity/compute.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/report/plot.hpp>
#include <farfield/scheme/registry.hpp>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/formula_input.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/schemes.hpp"
#include "cli/watched.hpp"
#include "evaluate/grid_lane.hpp"
#include "quantity/work.hpp"

namespace farfield::cli {

namespace {

struct PlotCommandOptions {
    FormulaOptions subject;
    std::vector<std::string> others;      ///< schemes after the first
    std::vector<std::string> quantities;  ///< kinds, with one panel each
    std::string output;
};

void add_plot_options(CLI::App& app, PlotCommandOptions& options) {
    offer(*app.add_option("FORMULA|SCHEME", options.subject.formula, "what to plot"), offered_schemes());
    add_formula_options(app, options.subject);
    offer(add_list(app, "--with", options.others, "further schemes in the same figure"), offered_schemes());
    offer(add_list(app, "--of", options.quantities,
                   "quantities of the schemes, one panel each: curve, profile, expectation"),
          {"curve", "profile", "expectation"});
    app.add_option("-o,--output", options.output, "an SVG or PNG file; default: draw on the terminal");
}

constexpr std::size_t most_plotted_points = 1000000;
constexpr long long heads = 8;
constexpr long long last_distance = 512;

core::Value text_value(const std::string& text) {
    return {text, {}, {}};
}

core::Value integer_value(long long number) {
    return {number, {}, std::to_string(number)};
}

/// The formula is drawn over its only name without a value.
FormulaOptions with_range(FormulaOptions asked) {
    if (!asked.over.empty()) return asked;
    const formula::Node tree = formula::parse(asked.formula);
    const auto is_constant = [](const std::string& name) { return name == "pi" || name == "e" || name == "inf"; };
    // A word is more likely a misspelt scheme than a diagonal.
    if (tree->kind == formula::Kind::name && tree->text.size() > 1 && !is_constant(tree->text))
        throw core::UserError({scheme::Registry::builtin().unknown(tree->text)});
    for (const std::string& name : formula::free_names(tree)) {
        const bool has_value =
            std::any_of(asked.let.begin(), asked.let.end(), [&](const auto& each) { return each.first == name; });
        if (has_value || is_constant(name)) continue;
        asked.over = name + "=0:100:0.25";
        break;
    }
    if (asked.over.empty())
        throw core::UserError({core::Diagnostic{
            {}, "the formula has no variable to draw it over", "a name in it, or --over n=0:100", ""}});
    return asked;
}

/// Nothing after an interruption.
std::optional<core::Series> formula_series(const FormulaOptions& asked) {
    const FormulaInput input = read_formula_input(with_range(asked));
    if (input.range.count() > most_plotted_points) {
        throw core::UserError({core::Diagnostic{{},
                                                "a picture of " + std::to_string(input.range.count()) + " points",
                                                "at most a million",
                                                "--over with a larger step"}});
    }
    quantity::check_work(input.tree, static_cast<double>(input.range.count()));
    catch_interrupts();
    Watched watched("plot", (1 + quantity::operations(input.tree)) * static_cast<double>(input.range.count()));
    return watched.get([input, subject = asked.formula] {
        const formula::Program program = formula::compile(input.tree, {{}, {input.variable}, {}});
        evaluate::Inputs inputs;
        std::vector<double> points = input.range.points();
        inputs.varying.push_back(evaluate::lane_of(input.range, points));
        inputs.points = input.range.count();
        std::vector<double> values = evaluate::evaluate(program, inputs, input.system);
        const core::Column x{input.variable, std::move(points), {}};
        return core::Series{{x, {subject, std::move(values), {}}}, core::Rigour::none, 1};
    });
}

/// A quantity of a scheme, computed as in a study.
core::Result scheme_series(const scheme::Scheme& scheme, const std::string& kind_name, long long head) {
    const quantity::Kind* kind = quantity::find_kind(kind_name);
    const core::Entries distances{{{"from", {}, integer_value(0)}, {"to", {}, integer_value(last_distance)}}};
    core::Entries settings{{{"kind", {}, text_value(kind_name)},
                            {"scheme", {}, text_value(scheme.name)},
                            {"heads", {}, integer_value(heads)},
                            {"head", {}, integer_value(head)},
                            {"head_dim", {}, integer_value(64)},
                            {"distances", {}, {distances, {}, {}}}}};
    core::Problems problems;
    const auto prepared =
        quantity::prepare(*kind, {scheme.name, {}, settings, scheme::Registry::builtin(), {}, ""}, problems);
    problems.raise();
    return prepared->run({});
}

/// The curves of the heads as columns next to a column of distances.
core::Series scheme_curves(const scheme::Scheme& scheme) {
    if (!scheme.bias && !scheme.rotate) {
        throw core::UserError(
            {core::Diagnostic{{},
                              "scheme '" + scheme.name + "' has neither a bias nor a rotation to draw",
                              "",
                              "farfield show " + scheme.name}});
    }
    if (!scheme.bias) return *scheme_series(scheme, "expectation", 1).series;
    core::Series together;
    for (const long long head : {1LL, heads / 2, heads}) {
        const core::Series one = *scheme_series(scheme, "curve", head).series;
        if (together.columns.empty()) together.columns.push_back(one.columns[0]);
        together.columns.push_back(
            {"head " + std::to_string(head) + " of " + std::to_string(heads), one.columns[1].values, {}});
    }
    return together;
}

const scheme::Scheme& scheme_named(const std::string& name) {
    const scheme::Registry& schemes = scheme::Registry::builtin();
    if (const scheme::Scheme* scheme = schemes.find(name)) return *scheme;
    throw core::UserError({schemes.unknown(name)});
}

core::Value list_value(const std::vector<std::string>& texts) {
    core::List list;
    for (const std::string& text : texts) list.push_back(text_value(text));
    return {std::move(list), {}, {}};
}

struct DrawnKind {
    std::string_view name;
    std::string_view title;  ///< of its panel
};

/// Quantities that need only a scheme and are series over distances.
constexpr std::array<DrawnKind, 3> drawn_kinds = {
    DrawnKind{"curve", "bias"}, {"profile", "attention"}, {"expectation", "expected product"}};

std::string panel_title(const std::string& kind) {
    const auto known =
        std::find_if(drawn_kinds.begin(), drawn_kinds.end(), [&](const DrawnKind& each) { return each.name == kind; });
    if (known == drawn_kinds.end()) refuse_input("--of has '" + kind + "'", "curve, profile or expectation");
    return std::string(known->title);
}

/// Plots several schemes and quantities: a panel for each quantity, and a line for each scheme.
int plot_grid(const PlotCommandOptions& asked) {
    if (asked.output.empty()) refuse_input("a figure with --with or --of needs a file", "-o FILE.svg or -o FILE.png");
    std::vector<std::string> names = {asked.subject.formula};
    names.insert(names.end(), asked.others.begin(), asked.others.end());
    refuse_repeated(names);
    const std::vector<std::string> kinds =
        asked.quantities.empty() ? std::vector<std::string>{"curve"} : asked.quantities;
    core::StudyRecord study;
    std::vector<std::string> panels;
    for (const std::string& kind : kinds) {
        panels.push_back(panel_title(kind));
        for (const std::string& name : names) {
            study.quantities.push_back(scheme_series(scheme_named(name), kind, heads / 2));
            study.quantities.back().name = panels.back() + "[scheme=" + name + "]";
            study.quantities.back().kind = kind;
        }
    }
    core::FigureRecord figure;
    figure.name = "plot";
    figure.title = "Head 4 of 8, head dimension 64";
    figure.settings.list = {{"series", {}, list_value(panels)},
                            {"panels", {}, text_value("quantity")},
                            {"x", {}, {core::Entries{{{"label", {}, text_value("distance (tokens)")}}}, {}, {}}}};
    report::figure_to_file(figure, study, asked.output);
    return as_expected;
}

std::string title_of(const scheme::Scheme& scheme) {
    return scheme.name + (scheme.bias ? ": bias over distance" : ": expected product over distance, d = 64");
}

/// Refuses options of formulas for a scheme, because a scheme is drawn over its own distances and would ignore them.
void refuse_formula_options(const FormulaOptions& asked) {
    const char* option = !asked.let.empty()          ? "--let"
                         : !asked.over.empty()       ? "--over"
                         : !asked.derivative.empty() ? "--d"
                         : asked.system != "double"  ? "--in"
                                                     : nullptr;
    if (option)
        throw core::UserError(
            {core::Diagnostic{{},
                              std::string(option) + " is for a formula, and '" + asked.formula + "' is a scheme",
                              "farfield plot " + asked.formula + ", or a formula in its place",
                              ""}});
}

void draw_terminal(const core::Series& series, report::PlotOptions options) {
    winsize size = {};
    const bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40;
    if (known) options.columns = std::min<std::size_t>(size.ws_col - 1U, 160);
    if (known) options.rows = options.columns * 3 / 10;
    write_output(report::terminal_plot(series, options));
}

void require_values(const core::Series& series, const std::string& subject) {
    for (std::size_t column = 1; column < series.columns.size(); ++column) {
        const std::vector<double>& values = series.columns[column].values;
        if (std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); })) return;
    }
    refuse_input("'" + subject + "' has no finite value from " + series.columns[0].name + " = " +
                     fmt::format("{} to {}", series.columns[0].values.front(), series.columns[0].values.back()),
                 "a formula or a range (--over) with values");
}

int plot(const PlotCommandOptions& given) {
    const FormulaOptions& asked = given.subject;
    require_words(!asked.formula.empty(), "plot", "a formula or a scheme: farfield plot FORMULA");
    const scheme::Scheme* scheme = scheme::Registry::builtin().find(asked.formula);
    if (scheme) refuse_formula_options(asked);
    if (!given.others.empty() || !given.quantities.empty()) return plot_grid(given);
    report::PlotOptions options;
    options.title = scheme ? title_of(*scheme) : asked.formula;
    const std::optional<core::Series> series = scheme ? scheme_curves(*scheme) : formula_series(asked);
    if (!series) return interrupted;
    require_values(*series, asked.formula);
    if (given.output.empty())
        draw_terminal(*series, options);
    else
        report::plot_to_file(*series, given.output, options);
    return as_expected;
}

}  // namespace

const Command plot_command{"plot", "plot a formula or a scheme's bias",
                           declare<PlotCommandOptions, add_plot_options, plot>, true};

}  // namespace farfield::cli
