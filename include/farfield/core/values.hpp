// The numbers of a column, in the host's memory or in a device's.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace farfield::core {

/// A vector of numbers that may be stored elsewhere, for example in a device's memory, until they are first read.
/// Copies share the stored numbers, and size() does not read them.
class Values {
public:
    /// The storage of the numbers before they are read. here() fetches the numbers once; several threads may call it.
    class Elsewhere {
    public:
        virtual ~Elsewhere() = default;
        virtual std::size_t size() const = 0;
        virtual const std::vector<double>& here() const = 0;
    };

    Values() = default;
    Values(std::vector<double> values) : here_(std::move(values)) {}
    Values(std::initializer_list<double> values) : here_(values) {}
    Values(std::shared_ptr<const Elsewhere> elsewhere) : elsewhere_(std::move(elsewhere)) {}

    const std::shared_ptr<const Elsewhere>& elsewhere() const { return elsewhere_; }
    std::size_t size() const { return elsewhere_ ? elsewhere_->size() : here_.size(); }
    bool empty() const { return size() == 0; }

    const std::vector<double>& here() const { return elsewhere_ ? elsewhere_->here() : here_; }
    operator const std::vector<double>&() const { return here(); }
    double operator[](std::size_t index) const { return here()[index]; }
    const double* data() const { return here().data(); }
    auto begin() const { return here().begin(); }
    auto end() const { return here().end(); }
    double front() const { return here().front(); }
    double back() const { return here().back(); }
    bool operator==(const Values& other) const { return here() == other.here(); }

    void push_back(double value) { own().push_back(value); }
    void resize(std::size_t count) { own().resize(count); }
    double* data() { return own().data(); }

private:
    /// The numbers for changing. They are fetched first, so that a change does not affect the numbers stored elsewhere.
    std::vector<double>& own() {
        if (elsewhere_) {
            here_ = elsewhere_->here();
            elsewhere_.reset();
        }
        return here_;
    }

    std::vector<double> here_;
    std::shared_ptr<const Elsewhere> elsewhere_;
};

}  // namespace farfield::core
