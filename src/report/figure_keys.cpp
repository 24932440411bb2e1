#include <algorithm>
#include <cmath>
#include <farfield/report/report.hpp>

#include "report/figure.hpp"

namespace farfield::report {
namespace {

using core::Key;
using core::KeyType;

constexpr Key figures[] = {
    {.name = "title", .type = KeyType::text, .fallback = "the figure's name", .meaning = "heading of the figure"},
    {.name = "source",
     .type = KeyType::text,
     .fallback = "the study's source",
     .meaning = "the publication and figure that is redrawn, shown below the figure"},
    {.name = "series",
     .type = KeyType::any,
     .unit = "name or list of names",
     .required = true,
     .meaning = "the quantities drawn, in this order; a swept quantity's name means all its entries; a fit is "
                "drawn over its data"},
    {.name = "labels",
     .type = KeyType::list,
     .unit = "texts",
     .fallback = "the quantities' labels or names",
     .meaning = "names in the legend, one for each series"},
    {.name = "panels",
     .type = KeyType::text,
     .fallback = "one",
     .meaning = "how the figure is divided: one panel; a panel for each series; a panel for each name in `series`, "
                "with its swept items as lines; or a panel for each column",
     .choices = "one|series|quantity|column"},
    {.name = "columns",
     .type = KeyType::any,
     .unit = "name or list of names",
     .fallback = "the first that is not a variable",
     .meaning = "which columns of the series are drawn"},
    {.name = "kind",
     .type = KeyType::text,
     .fallback = "heatmap for matrices, points for correlations, else lines",
     .meaning = "how the series are drawn",
     .choices = "lines|points|heatmap"},
    {.name = "x", .type = KeyType::table, .meaning = "horizontal axis: `{ label, log, range }`"},
    {.name = "y", .type = KeyType::table, .meaning = "vertical axis: `{ label, log, range }`"},
    {.name = "z", .type = KeyType::table, .meaning = "colours of a heat map: `{ label, log, range }`"},
};

constexpr Key axes[] = {
    {.name = "label",
     .type = KeyType::text,
     .fallback = "the column's name",
     .meaning = "what the axis shows, with its unit"},
    {.name = "log",
     .type = KeyType::boolean,
     .fallback = "false",
     .meaning = "logarithmic; values that are not above 0 are left out"},
    {.name = "range",
     .type = KeyType::any,
     .unit = "[lo, hi] or { from, to }",
     .fallback = "all values",
     .meaning = "the part shown, ends included"},
};

struct Ends {
    const core::Value* least = nullptr;
    const core::Value* most = nullptr;
};

Ends ends_of(const core::Value& value) {
    if (const core::List* list = value.list(); list && list->size() == 2) return {&list->front(), &list->back()};
    const core::Entries* keys = value.entries();
    if (!keys || keys->list.size() != 2) return {};
    const core::Entry* from = keys->find("from");
    const core::Entry* to = keys->find("to");
    return {from ? &from->value : nullptr, to ? &to->value : nullptr};
}

void read_range(const core::Value& value, Axis& axis, core::Problems& problems) {
    const Ends ends = ends_of(value);
    if (!ends.least || !ends.most || !ends.least->is_number() || !ends.most->is_number() ||
        !(ends.least->number() < ends.most->number()) || !std::isfinite(ends.most->number() - ends.least->number())) {
        problems.add(value.place, "'range' is not a pair of a number and a larger one",
                     "[lo, hi] or { from = lo, to = hi }");
        return;
    }
    axis.least = ends.least->number();
    axis.most = ends.most->number();
    if (axis.log && !(*axis.least > 0)) {
        problems.add(ends.least->place, "a logarithmic axis cannot start at " + ends.least->text, "above 0");
    }
}

/// Checks a list of names, which must differ; labels may be equal.
void check_texts(const core::Entries& settings, std::string_view key, core::Problems& problems) {
    const core::Entry* entry = settings.find(key);
    const std::vector<std::string> texts = core::read_texts(settings, key, problems);
    const core::List* list = entry ? entry->value.list() : nullptr;
    if (!list) return;
    if (list->empty()) problems.add(entry->value.place, "'" + std::string(key) + "' is empty", "at least one");
    if (texts.size() != list->size()) return;
    for (std::size_t at = 0; at < texts.size(); ++at)
        if (texts[at].empty())
            problems.add((*list)[at].place, "a text of '" + std::string(key) + "' is empty", "a name");
    if (key == "labels") return;
    for (std::size_t at = 0; at < texts.size(); ++at) {
        const auto first = texts.begin() + static_cast<std::ptrdiff_t>(at);
        if (std::find(texts.begin(), first, texts[at]) != first)
            problems.add((*list)[at].place, "'" + texts[at] + "' is listed twice in '" + std::string(key) + "'",
                         "each name once");
    }
}

}  // namespace

std::span<const core::Key> figure_keys() {
    return figures;
}

std::span<const core::Key> axis_keys() {
    return axes;
}

Axis read_axis(const core::Entries& settings, std::string_view key, core::Problems& problems) {
    Axis axis;
    const core::Entry* entry = settings.find(key);
    const core::Entries* keys = entry ? entry->value.entries() : nullptr;
    if (!keys) return axis;
    core::check_keys(*keys, {axis_keys()}, entry->key_place, problems);
    axis.label = core::read_text(*keys, "label").value_or("");
    axis.log = core::Settings(*keys, axis_keys()).boolean("log");
    if (const core::Entry* range = keys->find("range")) read_range(range->value, axis, problems);
    return axis;
}

void check_figure(const core::Entries& settings, const core::Place& owner, core::Problems& problems) {
    core::check_keys(settings, {figure_keys()}, owner, problems);
    for (const char* axis : {"x", "y", "z"}) read_axis(settings, axis, problems);
    for (const char* names : {"series", "labels", "columns"}) check_texts(settings, names, problems);
}

}  // namespace farfield::report
