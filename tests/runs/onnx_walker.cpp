#include "runs/onnx_walker.h"

#include <cmath>
#include <cstring>
#include <functional>

#include <onnx/onnx_pb.h>

#include "base/error.h"

namespace ultr::testing {
namespace {

/// A matrix; constants without rows of their own are broadcast. Numbers of float32 are rounded.
struct Matrix {
  std::size_t rows = 1, columns = 1;
  bool is_float = true;
  std::vector<double> values{};

  double at(std::size_t row, std::size_t column) const {
    return values[(rows == 1 ? 0 : row) * columns + (columns == 1 ? 0 : column)];
  }
  double& add(double x) {
    return values.emplace_back(is_float ? static_cast<double>(static_cast<float>(x)) : x);
  }
};

const onnx::AttributeProto& attribute(const onnx::NodeProto& node, const std::string& name) {
  for (const onnx::AttributeProto& found : node.attribute())
    if (found.name() == name) return found;
  throw Error(node.op_type() + " has no attribute " + name);
}

template <class T>
std::vector<double> raw_numbers(const std::string& bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return {numbers.begin(), numbers.end()};
}

Matrix constant(const onnx::TensorProto& tensor) {
  Matrix matrix{.is_float = tensor.data_type() == onnx::TensorProto::FLOAT};
  matrix.values = matrix.is_float ? raw_numbers<float>(tensor.raw_data())
                  : tensor.data_type() == onnx::TensorProto::INT64
                      ? raw_numbers<std::int64_t>(tensor.raw_data())
                      : raw_numbers<double>(tensor.raw_data());
  const int dimensions = tensor.dims_size();
  if (dimensions > 0) matrix.columns = static_cast<std::size_t>(tensor.dims(dimensions - 1));
  if (dimensions == 2) matrix.rows = static_cast<std::size_t>(tensor.dims(0));
  return matrix;
}

/// Returns f of each number of some matrices, of which rows or columns may be broadcast.
Matrix each(const std::vector<Matrix>& in,
            const std::function<double(const std::vector<double>&)>& f) {
  Matrix out{.rows = 0, .columns = 0, .is_float = in.back().is_float};
  for (const Matrix& matrix : in) {
    out.rows = std::max(out.rows, matrix.rows);
    out.columns = std::max(out.columns, matrix.columns);
  }
  std::vector<double> numbers(in.size());
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.columns; ++j) {
      for (std::size_t k = 0; k < in.size(); ++k) numbers[k] = in[k].at(i, j);
      out.add(f(numbers));
    }
  return out;
}

Matrix gemm(const Matrix& x, const Matrix& w, const Matrix& b) {
  Matrix out{.rows = x.rows, .columns = w.columns};
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < w.columns; ++j) {
      double sum = b.at(0, j);
      for (std::size_t k = 0; k < w.rows; ++k) sum += x.at(i, k) * w.at(k, j);
      out.add(sum);
    }
  return out;
}

Matrix gather(const Matrix& x, const Matrix& numbers) {
  Matrix out{.rows = x.rows, .columns = numbers.values.size(), .is_float = x.is_float};
  for (std::size_t i = 0; i < x.rows; ++i)
    for (const double column : numbers.values) out.add(x.at(i, static_cast<std::size_t>(column)));
  return out;
}

Matrix concat(const Matrix& a, const Matrix& b) {
  Matrix out{.rows = a.rows, .columns = a.columns + b.columns};
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < out.columns; ++j)
      out.add(j < a.columns ? a.at(i, j) : b.at(i, j - a.columns));
  return out;
}

Matrix trees(const onnx::NodeProto& op, const Matrix& x) {
  const auto integers = [&](const char* name) -> const auto& { return attribute(op, name).ints(); };
  const auto& trees = integers("nodes_treeids");
  const auto& numbers = integers("nodes_nodeids");
  const auto& modes = attribute(op, "nodes_modes").strings();
  std::map<std::pair<std::int64_t, std::int64_t>, int> places;
  std::map<std::pair<std::int64_t, std::int64_t>, float> leaves;
  for (int i = 0; i < trees.size(); ++i) places[{trees[i], numbers[i]}] = i;
  for (int i = 0; i < integers("target_treeids").size(); ++i)
    leaves[{integers("target_treeids")[i], integers("target_nodeids")[i]}] =
        attribute(op, "target_weights").floats(i);
  const std::int64_t last_tree = trees[trees.size() - 1];
  Matrix out{.rows = x.rows};
  for (std::size_t row = 0; row < x.rows; ++row) {
    double sum = static_cast<double>(attribute(op, "base_values").floats(0));
    for (std::int64_t tree = 0; tree <= last_tree; ++tree) {
      std::int64_t number = 0;
      while (true) {
        const int at = places.at({tree, number});
        if (modes[at] == "LEAF") break;
        const double value = x.at(row, static_cast<std::size_t>(integers("nodes_featureids")[at]));
        const auto limit = static_cast<double>(attribute(op, "nodes_values").floats(at));
        if (modes[at] != "BRANCH_LT" && modes[at] != "BRANCH_EQ")
          throw Error("mode " + modes[at] + " is not known");
        const bool holds = modes[at] == "BRANCH_LT" ? value < limit : value == limit;
        const bool yes =
            std::isnan(value) ? integers("nodes_missing_value_tracks_true")[at] != 0 : holds;
        number = integers(yes ? "nodes_truenodeids" : "nodes_falsenodeids")[at];
      }
      sum += static_cast<double>(leaves.at({tree, number}));
    }
    out.add(sum);
  }
  return out;
}

Matrix run(const onnx::NodeProto& op, const std::vector<Matrix>& in) {
  using Numbers = const std::vector<double>&;
  static const std::map<std::string, double (*)(Numbers)> elementwise = {
      {"Abs", [](Numbers x) { return std::abs(x[0]); }},
      {"Add", [](Numbers x) { return x[0] + x[1]; }},
      {"Div", [](Numbers x) { return x[0] / x[1]; }},
      {"Elu", [](Numbers x) { return x[0] > 0 ? x[0] : std::exp(x[0]) - 1; }},
      {"Equal", [](Numbers x) { return x[0] == x[1] ? 1.0 : 0.0; }},
      {"Greater", [](Numbers x) { return x[0] > x[1] ? 1.0 : 0.0; }},
      {"IsNaN", [](Numbers x) { return std::isnan(x[0]) ? 1.0 : 0.0; }},
      {"Less", [](Numbers x) { return x[0] < x[1] ? 1.0 : 0.0; }},
      {"Log", [](Numbers x) { return std::log(x[0]); }},
      {"Mul", [](Numbers x) { return x[0] * x[1]; }},
      {"Relu", [](Numbers x) { return std::max(x[0], 0.0); }},
      {"Sign", [](Numbers x) { return x[0] > 0   ? 1.0
                                      : x[0] < 0 ? -1.0
                                                 : 0.0; }},
      {"Sub", [](Numbers x) { return x[0] - x[1]; }},
      {"Tanh", [](Numbers x) { return std::tanh(x[0]); }},
      {"Where", [](Numbers x) { return x[0] != 0 ? x[1] : x[2]; }},
  };
  if (const auto found = elementwise.find(op.op_type()); found != elementwise.end())
    return each(in, found->second);
  if (op.op_type() == "Cast") {
    Matrix out{.rows = in[0].rows,
               .columns = in[0].columns,
               .is_float = attribute(op, "to").i() == onnx::TensorProto::FLOAT};
    for (const double x : in[0].values) out.add(x);
    return out;
  }
  if (op.op_type() == "Gemm") return gemm(in[0], in[1], in[2]);
  if (op.op_type() == "Gather") return gather(in[0], in[1]);
  if (op.op_type() == "Concat") return concat(in[0], in[1]);
  if (op.op_type() == "TreeEnsembleRegressor") return trees(op, in[0]);
  if (op.op_type() == "Reshape" || op.op_type() == "Identity") return in[0];
  throw Error("operator " + op.op_type() + " is not known");
}

}  // namespace

std::vector<double> run_onnx(const onnx::GraphProto& graph, const std::vector<float>& input,
                             std::size_t columns) {
  std::map<std::string, Matrix> values;
  values[graph.input(0).name()] = {
      .rows = input.size() / columns, .columns = columns, .values = {input.begin(), input.end()}};
  for (const onnx::TensorProto& tensor : graph.initializer())
    values[tensor.name()] = constant(tensor);
  for (const onnx::NodeProto& op : graph.node()) {
    std::vector<Matrix> in;
    for (const std::string& name : op.input()) in.push_back(values.at(name));
    values[op.output(0)] = run(op, in);
  }
  return values.at(graph.output(0).name()).values;
}

}  // namespace ultr::testing
