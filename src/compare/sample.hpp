// Some numbers of a tensor, on which variations are tried.
#pragma once

#include <cstddef>
#include <farfield/tensor/tensor.hpp>
#include <map>
#include <utility>
#include <vector>

#include "compare/lanes.hpp"
#include "compare/model.hpp"
#include "compare/tally.hpp"

namespace farfield::compare {

class Sample {
public:
    /// Numbers of the first, the last and some rows between, the same along every axis; all of a small tensor.
    Sample(const Case& all, const tensor::Tensor& tensor);

    /// Adds a number and others of its row.
    void add(std::size_t number);
    std::size_t size() const { return rows_.size(); }  ///< rows

    /// How far the furthest number of a few rows is off, in units.
    double first_look(const Model& model);
    /// Whether the model is within the tolerance at every number.
    bool explained_by(const Model& model);

    /// The sum of squared differences of a model's numbers that are seen and stand at positions up to `reach`; all,
    /// where the tensor has no positions.
    double misfit(const Model& model, double reach);

private:
    struct Row {
        std::vector<std::size_t> numbers;
        std::vector<double> found;
    };

    Row read(std::size_t begin, std::vector<std::size_t> columns) const;
    Tally tally_of(const Model& model, std::size_t step);
    const Lanes& lanes_of(const Pairing& pairing, std::size_t step);

    const Case& all_;
    const tensor::Tensor& tensor_;
    std::vector<Row> rows_;
    std::map<std::pair<Pairing, std::size_t>, Lanes> lanes_;  ///< of every so many rows, kept for all models
};

}  // namespace farfield::compare
