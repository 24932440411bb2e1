// Names next to the points of a scatter plot.
#pragma once

#include <cstddef>
#include <vector>

#include "report/figure.hpp"
#include "report/layout.hpp"

namespace farfield::report {

struct PointNames {
    std::vector<Text> texts;
    std::vector<Leader> leaders;
    std::size_t left_out = 0;  ///< points whose names have no room
};

/// The names of a panel's points, each at the nearest place where it covers no point and no other name.
PointNames place_names(const Figure& figure, std::size_t panel, const PanelPlace& place);

}  // namespace farfield::report
