#include "report/svg.hpp"

#include "report/text.hpp"

namespace farfield::report {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

/// Removes each part of the text from `begin` to `end`.
void remove_all(std::string& text, std::string_view begin, std::string_view end) {
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at))
        text.erase(at, text.find(end, at) + end.size() - at);
}

/// An XML name from the figure's name, with only letters, digits and "-".
std::string identifier(const std::string& name) {
    std::string result = "f-";
    for (const char c : name) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        result += plain ? c : '-';
    }
    return result;
}

std::string description(const Figure& figure) {
    std::string text = figure.kind == FigureKind::heatmap ? "Heat map of " : "Plot of ";
    for (std::size_t at = 0; at < figure.traces.size(); ++at) text += (at ? ", " : "") + figure.traces[at].label;
    if (!figure.x.label.empty()) text += " over " + figure.x.label;
    if (!figure.source.empty()) text += ". Source: " + figure.source;
    return text + ".";
}

}  // namespace

std::string finished_svg(std::string svg, const Figure& figure) {
    const std::string id = identifier(figure.name);
    const std::size_t open = svg.find("<title>"), close = svg.find("</desc>");
    if (open != std::string::npos && close != std::string::npos && open < close) {
        svg.replace(open, close + 7 - open,
                    "<title>" + escaped(figure.title) + "</title>\n<desc>" + escaped(description(figure)) + "</desc>");
    }
    // Browsers and screen readers would show the names of gnuplot's groups.
    remove_all(svg, "<title>gnuplot_plot_", "</title>");
    remove_all(svg, "\t\t<text></text>", "\n");
    replace_all(svg, "<svg \n", "<svg role=\"img\"\n");
    replace_all(svg, "'gpPt", "'" + id + "-mark");
    replace_all(svg, "'#gpPt", "'#" + id + "-mark");
    for (const char* name : {"gpDot", "textbox", "greybox"}) {
        replace_all(svg, "id='" + std::string(name), "id='" + id + "-" + name);
        replace_all(svg, "#" + std::string(name), "#" + id + "-" + name);
    }
    replace_all(svg, "id=\"gnuplot_", "id=\"" + id + "-");
    replace_all(svg, "<image ", "<image style='image-rendering:pixelated' ");
    return svg;
}

std::string inline_svg(std::string_view svg) {
    const std::size_t start = svg.find("<svg");
    return start == std::string::npos ? "" : std::string(svg.substr(start));
}

std::string with_study(std::string svg, const std::string& figure, const std::string& study) {
    const std::string id = identifier(figure) + "-";
    for (const char* before : {"'", "\"", "#"})
        replace_all(svg, before + id, before + identifier(study) + "-" + id.substr(2));
    return svg;
}

}  // namespace farfield::report
