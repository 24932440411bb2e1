// A small study whose every number is chosen by hand.
#pragma once

#include <cmath>
#include <farfield/core/record.hpp>
#include <string>

#include "report/series_file.hpp"
#include "support/folder.hpp"

namespace farfield::tests {

/// The bytes of a series' .npy file.
inline std::string npy_of(const core::Series& series) {
    std::string bytes;
    report::write_series_npy(series, [&bytes](std::string_view piece) { bytes += piece; });
    return bytes;
}

inline core::Value text_value(std::string text) {
    core::Value value;
    value.data = std::move(text);
    return value;
}

inline core::Entry entry(std::string key, core::Value value) {
    return {std::move(key), {}, std::move(value)};
}

inline core::Entry texts(std::string key, const std::vector<std::string>& each) {
    core::Value value;
    core::List list;
    for (const std::string& text : each) list.push_back(text_value(text));
    value.data = std::move(list);
    return entry(std::move(key), std::move(value));
}

struct AxisSettings {
    std::string label;
    bool log = false;
};

inline core::Entry axis(std::string key, const AxisSettings& settings) {
    core::Entries keys;
    keys.list.push_back(entry("label", text_value(settings.label)));
    core::Value log;
    log.data = settings.log;
    keys.list.push_back(entry("log", log));
    core::Value value;
    value.data = std::move(keys);
    return entry(std::move(key), std::move(value));
}

/// n = 0..rows-1 and f(n).
template <typename Function>
core::Result curve(std::string name, std::size_t rows, Function function) {
    core::Result result;
    result.name = std::move(name);
    result.kind = "curve";
    core::Series series;
    series.columns = {{"n", {}, {}}, {"value", {}, {}}};
    for (std::size_t n = 0; n < rows; ++n) {
        series.columns[0].values.push_back(static_cast<double>(n));
        series.columns[1].values.push_back(function(static_cast<double>(n)));
    }
    result.series = std::move(series);
    return result;
}

/// q, k = 0..size-1 and f(q, k).
template <typename Function>
core::Result matrix(std::string name, std::size_t size, Function function) {
    core::Result result;
    result.name = std::move(name);
    result.kind = "matrix";
    core::Series series;
    series.columns = {{"q", {}, {}}, {"k", {}, {}}, {"value", {}, {}}};
    series.variables = 2;
    for (std::size_t q = 0; q < size; ++q) {
        for (std::size_t k = 0; k < size; ++k) {
            series.columns[0].values.push_back(static_cast<double>(q));
            series.columns[1].values.push_back(static_cast<double>(k));
            series.columns[2].values.push_back(function(static_cast<double>(q), static_cast<double>(k)));
        }
    }
    result.series = std::move(series);
    return result;
}

/// One refuted claim over a fit, one confirmed and certified, with a hostile title.
inline core::StudyRecord sample_study() {
    core::StudyRecord study;
    study.study = "paper/sample";
    study.file = "studies/paper/sample.toml";
    study.title = "Biases <b>&</b> \"fits\"";
    study.source = "Somebody 2023, section 6";
    study.seconds = 0.25;
    study.manifest = {{"version", "0.1.0"}, {"commit", "abc"}};
    study.quantities.push_back(
        curve("row", 8192, [](double n) { return -0.7 * std::log1p(n) - std::sin(n / 40) / 5; }));
    study.quantities.back().set("first", core::Cell::exact(0));
    study.quantities.back().set("width", core::Cell::missing());
    core::Result fit = curve("fit", 8192, [](double n) { return -0.7 * std::log1p(n); });
    fit.kind = "fit";
    fit.set("a", core::Cell::enclosed(-0.1, {-0.11, -0.09}));
    fit.set("b", core::Cell::of(1.0 / 3));
    fit.set("ratio", core::Cell::of(-INFINITY));
    fit.notes = {{"method", "QR"}};
    fit.seconds = 0.0005;
    study.quantities.push_back(std::move(fit));
    core::ClaimRecord refuted;
    refuted.id = "EX-01";
    refuted.says = "The slope is -0.825 & the offset < 0.";
    refuted.source = "Somebody 2023, Fig. 9";
    refuted.place = {refuted.id, 21, 1, 1, ""};
    refuted.verdict = core::Verdict::refuted;
    refuted.expected = core::Verdict::refuted;
    refuted.readings = {{"whole row",
                         "rounds(fit.a, '-0.825')",
                         "",
                         false,
                         core::Verdict::refuted,
                         {},
                         false,
                         "fit.a = -0.1, printed -0.825"}};
    refuted.uses = {"fit"};
    core::ClaimRecord confirmed;
    confirmed.id = "EX-02";
    confirmed.says = "The row starts at zero.";
    confirmed.verdict = core::Verdict::confirmed;
    confirmed.expected = core::Verdict::undecided;
    confirmed.certified = true;
    confirmed.readings = {
        {"as printed", "row.first == 0", "", false, core::Verdict::confirmed, {}, true, "row.first = 0"}};
    confirmed.uses = {"row"};
    study.claims = {refuted, confirmed};
    core::FigureRecord figure{"fig9", "The row and its fit", "Somebody 2023, Fig. 9", {}};
    figure.settings.list = {texts("series", {"row", "fit"}), axis("x", {"distance"}), axis("y", {"bias"})};
    study.figures = {figure};
    study.formulas = {{"scheme.sample.bias", "-log(1 + n)", "<math><mi>n</mi></math>"}};
    return study;
}

}  // namespace farfield::tests
