// A sample of a tensor's numbers, on which variations are tried.
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
    /// Takes numbers of the first, the last and some rows between, and likewise along every axis; all numbers of a
    /// small tensor.
    Sample(const Case& all, const tensor::Tensor& tensor);

    /// Adds a number and others of its row.
    void add(std::size_t number);
    std::size_t size() const { return rows_.size(); }  ///< rows

    /// The largest error of the numbers in a few rows, in units.
    double first_look(const Model& model);
    /// Whether the model is within the tolerance at every number.
    bool explained_by(const Model& model);

    /// The sum of squared differences to a model's numbers that are compared and whose positions are at most `reach`;
    /// all numbers if the tensor has no positions.
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
    std::map<std::pair<Pairing, std::size_t>, Lanes> lanes_;  ///< by the step between rows, kept for all models
};

}  // namespace farfield::compare
