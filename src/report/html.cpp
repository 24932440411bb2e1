#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "report/style.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

/// In the order of core::Verdict.
constexpr std::array<std::string_view, core::verdict_count> signs = {
    "\u2713", "\u2717", "?", "\u25d0", "\u2248", "\u2713", "\u2717", "?", "\u25d0", "\u2013", "\u2013"};

}  // namespace

std::string element(std::string_view name, std::string_view content, std::string_view attributes) {
    std::string text = "<" + std::string(name);
    if (!attributes.empty()) text.append(" ").append(attributes);
    return text.append(">").append(content).append("</").append(name).append(">");
}

std::string html_page(std::string_view title, std::string_view body, std::string_view script) {
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src 'self' data: file:\">\n";
    // An empty icon, so that a browser does not request one.
    page += element("title", escaped(title)) + "\n<link rel=\"icon\" href=\"data:,\">\n";
    page.append("<style>").append(page_style()).append("</style>\n</head>\n<body>\n").append(body).append("\n");
    if (!script.empty()) page.append("<script>").append(script).append("</script>\n");
    return page += "</body>\n</html>\n";
}

std::string header_row(std::initializer_list<std::string_view> names) {
    std::string cells;
    for (const std::string_view name : names) cells += element("th", name, "scope=\"col\"");
    return element("tr", cells);
}

std::string row(std::initializer_list<std::string> cells) {
    std::string text;
    for (const std::string& cell : cells) text += element("td", cell);
    return element("tr", text) + "\n";
}

std::string table(std::string_view caption, std::string_view head, std::string_view rows, std::string_view attributes) {
    std::string content = caption.empty() ? "" : element("caption", caption);
    content += element("thead", head) + "\n" + element("tbody", rows);
    return element("div", element("table", content, attributes), "class=\"scroll\"") + "\n";
}

std::string folded(std::string_view summary, std::string_view content, std::string_view attributes) {
    return element("details", element("summary", summary) + "\n" + std::string(content), attributes);
}

namespace {

/// The cells of a number: the part before its point, and the rest.
std::string number_cells(const core::Cell& cell, int digits) {
    const std::string text = cell.number ? short_number(*cell.number, digits) : "none";
    const std::size_t point = cell.number ? std::min(text.find_first_of(".e"), text.size()) : text.size();
    const std::string bound = cell.censored.empty() ? "" : "\u2265&nbsp;";
    // All digits are shown under the pointer.
    const bool is_rounded = cell.number && std::strtod(text.c_str(), nullptr) != *cell.number;
    const std::string title = is_rounded ? fmt::format(" title=\"{}\"", *cell.number) : "";
    return element("td", bound + escaped(text.substr(0, point)), "class=\"whole\"" + title) +
           element("td", escaped(text.substr(point)), "class=\"rest\"" + title);
}

}  // namespace

std::string number_columns(const core::Result& quantity, int digits) {
    constexpr std::size_t most_open = 12;
    std::string rows;
    for (const auto& [name, cell] : quantity.values) {
        const std::string note =
            cell.censored.empty() ? "" : element("td", "censored: " + escaped(cell.censored), "class=\"soft\"");
        rows += element("tr", element("th", escaped(name), "scope=\"row\"") + number_cells(cell, digits) + note) + "\n";
    }
    if (rows.empty()) return "";
    const std::string numbers =
        element("div", element("table", element("tbody", rows), "class=\"numbers\""), "class=\"scroll\"");
    const std::size_t count = quantity.values.size();
    return count > most_open ? folded(std::to_string(count) + " values", numbers) : numbers;
}

std::string_view folding_script() {
    return R"js(
(() => {
  'use strict';
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const part = target && (target.matches('details') ? target : target.querySelector('details'));
    if (part) part.open = true;
  };
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('.claim > details:not([open])')];
    for (const part of opened) part.open = true;
  });
  addEventListener('afterprint', () => { for (const part of opened) part.open = false; });
  addEventListener('hashchange', unfold);
  unfold();
})();
)js";
}

std::string picture(std::string_view svg) {
    return element("div", svg, "class=\"picture\" tabindex=\"0\"");
}

std::string verdict_badge(core::Verdict verdict) {
    const std::string name(core::verdict_name(verdict));
    const std::string sign = element("span", signs[static_cast<std::size_t>(verdict)], "aria-hidden=\"true\"");
    std::string style = name;
    std::replace(style.begin(), style.end(), ' ', '-');
    return element("span", sign + " " + name, "class=\"badge " + style + "\"");
}

std::string certainty_mark(bool certified, bool by_definition) {
    if (by_definition)
        return "<span class=\"mark soft\" title=\"decided by numbers that are typed into it, or by an expression that "
               "is "
               "compared with itself: nothing was computed\">by definition</span>";
    return certified
               ? "<span class=\"mark\" title=\"decided by interval arithmetic, exact arithmetic, printed rounding "
                 "intervals or exhaustive enumeration\">certified</span>"
               : "<span class=\"mark soft\" title=\"decided by plain floating-point numbers\">not certified</span>";
}

std::string certainty_mark(const core::ClaimRecord& claim) {
    if (!core::is_verdict(claim.verdict)) return "";
    const std::string sensitive =
        claim.is_sensitive()
            ? " <span class=\"mark soft\" title=\"the verdict of a reading changes within a quarter of a "
              "threshold that the source does not give\">sensitive</span>"
            : "";
    return certainty_mark(claim.certified, claim.is_by_definition()) + sensitive;
}

}  // namespace farfield::report
