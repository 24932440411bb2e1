#include "numerics/nist.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace farfield::numerics::nist {

namespace {

std::vector<double> numbers(std::istringstream& line) {
    std::vector<double> found;
    for (double value = 0; line >> value;) found.push_back(value);
    return found;
}

void add_row(Dataset& set, const std::vector<double>& row) {
    set.y.push_back(row.at(0));
    set.x.resize(row.size() - 1);
    for (std::size_t j = 1; j < row.size(); ++j) set.x[j - 1].push_back(row[j]);
}

}  // namespace

Dataset read(const std::string& folder, const std::string& name) {
    const std::string path = std::string(FARFIELD_SOURCE) + "/tests/references/nist/" + folder + "/" + name + ".txt";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot open " + path);
    Dataset set;
    for (std::string text; std::getline(file, text);) {
        std::istringstream line(text);
        if (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '#') {
            add_row(set, numbers(line));
            continue;
        }
        std::string key;
        line >> key;
        const std::vector<double> values = numbers(line);
        if (key == "parameter") {
            const std::size_t size = values.size();
            set.parameters.push_back({{values.begin(), values.end() - 2}, values.at(size - 2), values.at(size - 1)});
        }
        if (key == "deviation") set.deviation = values.at(0);
        if (key == "r2") set.r2 = values.at(0);
    }
    return set;
}

double digits(double found, double certified) {
    const double error = certified == 0 ? std::fabs(found) : std::fabs((found - certified) / certified);
    if (!(error < 1)) return 0;
    return error == 0 ? 16 : std::min(16.0, -std::log10(error));
}

}  // namespace farfield::numerics::nist
