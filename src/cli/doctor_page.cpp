// A diagnosis, and the differences of two, as one self-contained page.
#include "cli/doctor_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html.hpp"
#include "report/render.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace farfield::cli {

namespace {

using doctor::Diagnosis;
using doctor::Positions;
using report::element;
using report::escaped;

std::string code(std::string_view text) {
    return element("code", escaped(text));
}

std::string short_text(double value) {
    return escaped(report::short_number(value));
}

std::string tokens_text(const std::optional<long long>& length) {
    return length ? fmt::format("{}", *length) : "?";
}

/// Curves over one variable, drawn by the report module.
class Picture {
public:
    Picture(std::string name, std::string title, std::string variable, std::vector<double> places) {
        figure_.name = std::move(name);
        figure_.title = std::move(title);
        figure_.x.label = variable;
        series_.columns.push_back({std::move(variable), std::move(places), {}});
    }

    void add(const std::string& label, std::vector<double> values) {
        if (values.size() == series_.rows()) series_.columns.push_back({label, std::move(values), {}});
    }
    void log_x() { figure_.x.log = true; }
    void log_y() { figure_.y.log = true; }
    void label_y(std::string label) { figure_.y.label = std::move(label); }

    /// "" without curves.
    std::string section(const std::string& caption) {
        if (series_.columns.size() < 2 || series_.rows() < 2) return "";
        for (std::size_t column = 1; column < series_.columns.size(); ++column)
            figure_.traces.push_back({series_.columns[column].name, &series_, column, false});
        const std::string svg = report::inline_svg(report::render_svg(figure_));
        return element("figure", report::picture(svg) + element("figcaption", escaped(caption))) + "\n";
    }

private:
    core::Series series_;
    report::Figure figure_;
};

std::vector<double> as_numbers(const std::vector<long long>& list) {
    return {list.begin(), list.end()};
}

std::vector<double> pair_indices(std::size_t count) {
    std::vector<double> indices(count);
    for (std::size_t i = 0; i < count; ++i) indices[i] = static_cast<double>(i);
    return indices;
}

std::string of_type(const Positions& positions) {
    return positions.layer_type.empty() ? "" : " (" + positions.layer_type + ")";
}

std::string frequency_figure(const Positions& positions, std::size_t number) {
    std::vector<double> unscaled;
    unscaled.reserve(positions.pair_numbers.size());
    for (const doctor::Pair& each : positions.pair_numbers) unscaled.push_back(each.unscaled);
    Picture picture(fmt::format("frequency-{}", number), "Frequency of each pair" + of_type(positions),
                    "pair of dimensions", pair_indices(unscaled.size()));
    picture.label_y("radians per position");
    picture.log_y();
    picture.add("before scaling", std::move(unscaled));
    picture.add("after scaling", positions.inv_freq());
    return picture.section("Frequencies before and after scaling. Without scaling the curves coincide.");
}

const Positions* of_layer_type(const std::vector<Positions>& list, const std::string& type) {
    for (const Positions& each : list)
        if (each.layer_type == type) return &each;
    return nullptr;
}

/// Logits by distance of the configuration, and by how much those of each engine differ.
std::string logit_figures(const Diagnosis& diagnosis, const Positions& positions, std::size_t number) {
    const long long served = diagnosis.served.value_or(4096);
    const std::vector<long long> distances =
        doctor::figure_distances(positions.window > 0 ? std::min(positions.window, served) : served);
    const std::vector<double> declared = doctor::logits_at(positions, distances);
    std::vector<double> places = as_numbers(distances);
    for (double& each : places) each += 1;
    Picture picture(fmt::format("logits-{}", number), "Logit of an equal query and key" + of_type(positions),
                    "distance + 1", places);
    picture.log_x();
    picture.label_y("logit / (|q||k|/sqrt(d))");
    picture.add("declared", declared);
    std::string text = picture.section("Logits of equal queries and keys by distance, as declared.");
    Picture difference(fmt::format("engines-{}", number), "Engines less declared" + of_type(positions), "distance + 1",
                       places);
    difference.log_x();
    difference.label_y("logit difference / (|q||k|/sqrt(d))");
    for (const doctor::EngineAnswer& engine : diagnosis.engines) {
        const Positions* const own = of_layer_type(engine.layer_types, positions.layer_type);
        if (!own || !engine.refusal.empty()) continue;
        std::vector<double> values = doctor::logits_at(*own, distances);
        if (values.size() != declared.size()) continue;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] -= declared[i];
        if (std::all_of(values.begin(), values.end(), [](double each) { return each == 0; })) continue;
        difference.add(engine.engine, std::move(values));
    }
    return text + difference.section(
                      "Logits of equal queries and keys: each engine's less the declared ones. Engines without a "
                      "difference have no curve.");
}

std::string finding_table(const Diagnosis& diagnosis) {
    if (diagnosis.findings.empty()) return element("p", "No findings.");
    std::string rows;
    for (const doctor::Finding& each : diagnosis.findings) {
        const std::string style = each.severity == doctor::Severity::error     ? "badge refuted"
                                  : each.severity == doctor::Severity::warning ? "badge undecided"
                                                                               : "badge skipped";
        std::string text =
            escaped(each.message) + " " + element("span", "[" + escaped(each.id) + "]", "class=\"soft\"");
        if (!each.fix.empty()) text += "<br>" + element("span", "Fix: " + escaped(each.fix), "class=\"soft\"");
        if (!each.report.empty())
            text += "<br>" + element("span", "Reported: " + escaped(each.report), "class=\"soft\"");
        rows += report::row({element("span", escaped(doctor::severity_name(each.severity)), "class=\"" + style + "\""),
                             each.place.known() ? fmt::format("{}", each.place.line) : "", text});
    }
    return report::table("", report::header_row({"Severity", "Line", "Finding"}), rows);
}

std::string positions_section(const Positions& positions) {
    std::string text =
        element("h3", escaped(positions.layer_type.empty() ? "All layers" : positions.layer_type)) + "\n";
    std::string facts = report::row({"scheme", code(positions.scheme)});
    if (!positions.formula.empty())
        facts += report::row({positions.rotated > 0 ? "angle" : "bias", code(positions.formula)});
    for (const doctor::Param& each : positions.params)
        facts += report::row(
            {escaped(each.name),
             short_text(each.value) + " " +
                 element("span",
                         escaped(each.from) + (each.place.known() ? fmt::format(", line {}", each.place.line) : ""),
                         "class=\"soft\"")});
    if (positions.rotated > 0) {
        facts += report::row({"rotated", fmt::format("{} of {} dimensions, {}", positions.rotated, positions.head_dim,
                                                     positions.pairs)});
        facts += report::row({"attention factor", short_text(positions.attention_factor)});
        if (positions.softmax_factor != 1)
            facts += report::row({"factor of all logits", short_text(positions.softmax_factor)});
        facts += report::row({"first negative sum of cosines",
                              positions.first_negative ? fmt::format("distance {}", *positions.first_negative)
                                                       : "none found below the served length and 2^20"});
    }
    if (positions.window > 0)
        facts += report::row({positions.has_chunks() ? "chunks" : "window", fmt::format("{}", positions.window)});
    if (positions.resolution)
        facts += report::row(
            {"attention resolution R(s)",
             short_text(*positions.resolution) + fmt::format(", distances below {}", positions.resolution_distances)});
    for (const doctor::RecipeLength& each : positions.safe_lengths)
        facts += report::row({"safe length, recipe " + escaped(each.recipe), doctor::length_text(each)});
    return text + report::table("", report::header_row({"What", "Value"}), facts);
}

std::string pair_table(const Positions& positions) {
    if (positions.pair_numbers.empty()) return "";
    std::string rows;
    for (std::size_t i = 0; i < positions.pair_numbers.size(); ++i) {
        const doctor::Pair& each = positions.pair_numbers[i];
        rows += report::row({fmt::format("{}", i), short_text(each.unscaled), short_text(each.frequency),
                             short_text(each.wavelength), short_text(each.trained_turns), short_text(each.served_turns),
                             short_text(each.kept)});
    }
    return report::table(positions.layer_type,
                         report::header_row({"Pair", "Unscaled", "Frequency", "Wavelength", "Periods trained",
                                             "Periods served", "Kept"}),
                         rows);
}

}  // namespace

std::string doctor_page(const Diagnosis& diagnosis) {
    std::string body = element("h1", "farfield doctor: " + escaped(diagnosis.file)) + "\n";
    body += element("p",
                    escaped(fmt::format("{}trained {}, served {} tokens; {}, recipe {}",
                                        diagnosis.model_type.empty() ? "" : diagnosis.model_type + ": ",
                                        tokens_text(diagnosis.trained), tokens_text(diagnosis.served), diagnosis.format,
                                        diagnosis.recipe)),
                    "class=\"soft\"");
    if (diagnosis.reach)
        body += element("p", fmt::format("All layers have windows: the last one reaches {} tokens.", *diagnosis.reach));
    body += element("h2", "Findings") + "\n" + finding_table(diagnosis) + element("h2", "Positions") + "\n";
    for (const Positions& each : diagnosis.layer_types) body += positions_section(each);
    std::string figures, pairs;
    for (std::size_t i = 0; i < diagnosis.layer_types.size(); ++i) {
        const Positions& each = diagnosis.layer_types[i];
        if (each.pair_numbers.empty()) continue;
        figures += frequency_figure(each, i) + logit_figures(diagnosis, each, i);
        pairs += pair_table(each);
    }
    if (!figures.empty()) body += element("h2", "Figures") + "\n" + figures;
    if (!pairs.empty()) body += element("h2", "Pairs of dimensions") + "\n" + pairs;
    return report::html_page("farfield doctor: " + diagnosis.file, element("main", body));
}

std::string doctor_page(const doctor::Comparison& comparison, const Diagnosis& a, const Diagnosis& b) {
    std::string body = element("h1", escaped(fmt::format("farfield doctor: {} and {}", a.file, b.file))) + "\n";
    std::string rows;
    for (const doctor::Difference& each : comparison.differences)
        rows += report::row({escaped(each.layer_type), escaped(each.what), escaped(each.a), escaped(each.b)});
    for (const doctor::Fault& each : comparison.faults) body += element("p", escaped(each.text() + "."));
    if (comparison.are_same()) body += element("p", "The same positions.");
    if (!rows.empty()) body += report::table("", report::header_row({"Layer type", "What", "A", "B"}), rows);
    if (!comparison.logits.by_distance.empty())
        body += element(
            "p", fmt::format("Logits of equal queries and keys differ by up to {:.3g} |q||k|/sqrt(d), at distance {}.",
                             std::abs(comparison.logits.largest), comparison.logits.distance));
    std::string figures;
    for (std::size_t i = 0; i < a.layer_types.size(); ++i) {
        const Positions& mine = a.layer_types[i];
        const Positions* other = of_layer_type(b.layer_types, mine.layer_type);
        if (!other && a.layer_types.size() == 1 && b.layer_types.size() == 1) other = &b.layer_types.front();
        if (!other || mine.pair_numbers.empty() || other->pair_numbers.empty()) continue;
        Picture frequency(fmt::format("frequency-{}", i), "Frequency of each pair" + of_type(mine),
                          "pair of dimensions", pair_indices(mine.pair_numbers.size()));
        frequency.label_y("radians per position");
        frequency.log_y();
        frequency.add("A: " + a.file, mine.inv_freq());
        frequency.add("B: " + b.file, other->inv_freq());
        figures += frequency.section("Frequencies after scaling.");
        const std::vector<long long> distances =
            doctor::figure_distances(std::max(a.served.value_or(4096), b.served.value_or(4096)));
        std::vector<double> places = as_numbers(distances), difference = doctor::logits_at(mine, distances);
        const std::vector<double> second = doctor::logits_at(*other, distances);
        for (std::size_t at = 0; at < places.size(); ++at) {
            places[at] += 1;
            difference[at] -= second[at];
        }
        Picture logits(fmt::format("logits-{}", i), "Logits: A less B" + of_type(mine), "distance + 1", places);
        logits.log_x();
        logits.label_y("logit difference / (|q||k|/sqrt(d))");
        logits.add("A less B", std::move(difference));
        figures += logits.section("Difference of the logits of equal queries and keys by distance.");
    }
    if (!figures.empty()) body += element("h2", "Figures") + "\n" + figures;
    return report::html_page("farfield doctor: " + a.file + " and " + b.file, element("main", body));
}

}  // namespace farfield::cli
