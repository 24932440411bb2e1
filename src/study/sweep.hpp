// Expands sweeps to one item for each value.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/keys.hpp>

namespace farfield::study {

/// One item of a sweep: "w=40,d=64" and the values themselves. Without a sweep: an empty label.
struct Point {
    std::string label;
    std::vector<core::Entry> values;
};

/// The most items of a study in total; a larger sweep is refused with its estimated cost.
inline constexpr std::size_t most_items = 100000;

/// The points of an item's `sweep`, the first key slowest; one empty point without one. Problems: not a table, empty or
/// descending ranges, too many points.
std::vector<Point> points_of(const core::Entries& item, core::Problems& problems);

/// "row[w=40]", or "row" for an empty label.
std::string item_name(const std::string& base, const std::string& label);

/// The settings with the point's values and without `sweep`: a value replaces the key of that name, or is added to
/// `params` if the item has no such key according to `is_key`.
core::Entries at_point(const core::Entries& item, const Point& point,
                       const std::function<bool(const std::string&)>& is_key);

/// The expanded items of one heading ("quantity"). An item that names a swept one in a key such as `of` also becomes
/// one item for each of its values.
struct Expanded {
    std::string name;
    std::string base;
    core::Entries settings;
    core::Place place;
};

/// Reports problems of the item's `label`: an empty label, or {w} if the item is not swept over w.
void check_label(const Expanded& item, core::Problems& problems);

class Expander {
public:
    /// `references` are the keys that name other items of `items` or of the headings given by `swept`.
    Expander(const core::Entries& items, std::vector<std::string> references, core::Problems& problems);

    /// Labels of names declared elsewhere (a swept scheme), as references from these items.
    void know(const std::string& key, const std::map<std::string, std::vector<std::string>>& labels);

    /// Whether an item has a key of that name (otherwise it is a parameter of its scheme).
    using IsKey = std::function<bool(const core::Entries& item, const std::string& key)>;
    std::vector<Expanded> expand(const IsKey& is_key);

    /// For each swept item its labels, after expand().
    const std::map<std::string, std::vector<std::string>>& labels() const { return labels_; }

private:
    struct Inherited {
        std::vector<std::string> keys;
        std::vector<std::string> labels;
    };
    const std::vector<std::string>& labels_of(const core::Entry& item);
    Inherited inherited(const core::Entry& item);
    const std::vector<std::string>* labels_behind(const std::string& key, const std::string& name);

    const core::Entries& items_;
    std::vector<std::string> references_;
    core::Problems& problems_;
    std::map<std::string, std::vector<std::string>> labels_;
    std::map<std::string, std::map<std::string, std::vector<std::string>>> known_;
    std::map<std::string, std::vector<Point>> points_;
    std::map<std::string, Inherited> inherited_;
    std::vector<std::string> open_;  ///< items whose labels are being searched; the plan reports cycles
    std::size_t count_ = 0;
};

}  // namespace farfield::study
