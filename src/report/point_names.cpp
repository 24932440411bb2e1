#include "report/point_names.hpp"

#include <algorithm>
#include <cmath>

#include "report/metrics.hpp"
#include "report/traces.hpp"

namespace farfield::report {
namespace {

constexpr double marker = 5;      ///< half of a marker's width
constexpr double farthest = 110;  ///< of a name from its point, in pixels
constexpr double half_line = note_size * 0.62;

struct Box {
    double left, top, right, bottom;

    bool touches(const Box& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

struct Point {
    double x, y;
    const std::string* name;
};

class NamePlacer {
public:
    NamePlacer(const Figure& figure, std::size_t panel, const PanelPlace& place)
        : area_{place.left, place.top, place.left + place.width, place.top + place.height} {
        for (const Trace& trace : figure.traces)
            if (trace.panel == panel) add_points(trace, place);
    }

    PointNames run() {
        for (const Point& point : points_) {
            if (!point.name || point.name->empty()) continue;
            if (!find_place(point)) ++found_.left_out;
        }
        return std::move(found_);
    }

private:
    void add_points(const Trace& trace, const PanelPlace& place) {
        const std::vector<double>& x = trace.series->columns.front().values;
        const std::vector<double>& y = trace.series->columns[trace.column].values;
        for (std::size_t row = 0; row < x.size(); ++row) {
            if (!is_drawable(x[row], place.x) || !is_drawable(y[row], place.y)) continue;
            const double across = share_of(x[row], place.x), up = share_of(y[row], place.y);
            if (across < 0 || across > 1 || up < 0 || up > 1) continue;
            const Point point = {place.left + across * place.width, place.top + (1 - up) * place.height,
                                 row < trace.point_names.size() ? &trace.point_names[row] : nullptr};
            points_.push_back(point);
            taken_.push_back({point.x - marker, point.y - marker, point.x + marker, point.y + marker});
        }
    }

    bool is_free(const Box& box) const {
        const bool is_inside = box.left >= area_.left + 2 && box.right <= area_.right && box.top >= area_.top &&
                               box.bottom <= area_.bottom - 2;
        return is_inside &&
               std::none_of(taken_.begin(), taken_.end(), [&](const Box& each) { return each.touches(box); });
    }

    /// Tries rings around the point, the nearest first; on each, right and left before above and below.
    bool find_place(const Point& point) {
        const double width = text_width(*point.name, note_size);
        constexpr int directions = 16;
        for (int ring = 0; marker + 3 + 6 * ring <= farthest; ++ring) {
            const double radius = marker + 3 + 6 * ring;
            for (int step = 0; step < directions; ++step) {
                const int eighths = (step / 2 % 2 == 0 ? 1 : -1) * (step / 4);
                const double angle = (step % 2 == 0 ? 0 : M_PI) + eighths * M_PI / 8;
                const double x = point.x + radius * std::cos(angle), y = point.y + radius * std::sin(angle);
                const bool right = std::cos(angle) >= 0;
                const double left = right ? x : x - width;
                const Box box = {left - 2, y - half_line, left + width + 2, y + half_line};
                if (!is_free(box)) continue;
                taken_.push_back(box);
                found_.texts.push_back({*point.name, x, y, right ? Align::left : Align::right, note_size, "#333333"});
                if (radius > marker + 10) found_.leaders.push_back({point.x, point.y, x, y});
                return true;
            }
        }
        return false;
    }

    Box area_;
    std::vector<Point> points_;
    std::vector<Box> taken_;
    PointNames found_;
};

}  // namespace

PointNames place_names(const Figure& figure, std::size_t panel, const PanelPlace& place) {
    return NamePlacer(figure, panel, place).run();
}

}  // namespace farfield::report
