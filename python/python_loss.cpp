#include "python/python_loss.h"

#include <functional>
#include <optional>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/pairwise.h"
#include "autograd/ops/segments.h"
#include "base/error.h"
#include "losses/ranking_loss.h"
#include "python/bindings.h"
#include "python/python_model.h"
#include "python/tape_values.h"

namespace ultr::python {
namespace {

namespace py = pybind11;

/// The lists that a loss gets while it is recorded.
struct RecordedLists {
  const Lists* lists;
  std::function<Tensor()> scores;
  SharedTape tape;

  /// Throws ConfigError if the recording has ended.
  const Lists& get() const {
    static_cast<void>(tape->tape());
    return *lists;
  }
  PythonTensor on_tape(Tensor tensor) const { return {tensor, tape}; }
};

using MaybeTensor = std::optional<PythonTensor>;

std::optional<Tensor> tensor_of(const MaybeTensor& x) {
  return x ? std::optional(x->get()) : std::nullopt;
}

PythonTensor pairwise_loss(const RecordedLists& lists, const PythonTensor& scores,
                           const PythonTensor& order, const MaybeTensor& gain,
                           const MaybeTensor& discount, const MaybeTensor& winner,
                           const MaybeTensor& loser) {
  return lists.on_tape(pairwise_logistic(scores.get(), order.get(), lists.get().segments(),
                                         {.gain = tensor_of(gain),
                                          .discount = tensor_of(discount),
                                          .winner = tensor_of(winner),
                                          .loser = tensor_of(loser)}));
}

class PythonLoss final : public RankingLoss {
 public:
  PythonLoss(const SharedObject& loss_class, ModelBuilder& build)
      : RankingLoss(build), loss_(bound(loss_class, build)) {}

  Tensor loss(const Lists& lists) const override {
    const py::gil_scoped_acquire gil;
    struct Recording {
      SharedTape tape;
      ~Recording() { tape->end_recording(); }
    } const recording{std::make_shared<PythonTape>(lists.tape())};
    const py::object told =
        loss_->attr("loss")(RecordedLists{&lists, [&] { return scores(lists); }, recording.tape});
    if (!py::isinstance<PythonTensor>(told))
      throw ConfigError(fmt::format("{}.loss returned a {}; expected a tensor of the lists",
                                    Py_TYPE(loss_->ptr())->tp_name, Py_TYPE(told.ptr())->tp_name));
    const auto& tensor = told.cast<const PythonTensor&>();
    if (tensor.tape != recording.tape)
      throw ConfigError(
          "a tensor is of another call of the loss; expected those of this call alone");
    const Shape& shape = tensor.get().shape();
    if (shape.rank != 1 || !(shape.rows == lists.segments().count))
      throw ConfigError(
          fmt::format("{}.loss returned a tensor {}; expected one number per list, "
                      "such as lists.sum(x)",
                      Py_TYPE(loss_->ptr())->tp_name, to_string(shape)));
    return tensor.get();
  }

 private:
  static SharedObject bound(const SharedObject& loss_class, ModelBuilder& build) {
    const py::gil_scoped_acquire gil;
    PythonBuilder builder(build);
    return shared(
        loss_class->attr("_bind")(py::cast(&builder, py::return_value_policy::reference)));
  }

  SharedObject loss_;
};

}  // namespace

ModelType python_loss_type(std::string name, std::string help, py::object loss_class) {
  return {std::move(name), std::move(help),
          [loss_class = shared(std::move(loss_class))](ModelBuilder& build) {
            return std::make_unique<PythonLoss>(loss_class, build);
          }};
}

void bind_losses(py::module_& m) {
  using L = const RecordedLists&;
  using T = const PythonTensor&;
  py::class_<RecordedLists>(m, "Lists",
                            "The lists of a batch, one number per document, list after list.")
      .def("scores",
           [](L self) {
             static_cast<void>(self.get());
             return self.on_tape(self.scores());
           })
      .def("targets", [](L self) { return self.on_tape(self.get().targets()); })
      .def("propensities", [](L self) { return self.on_tape(self.get().propensities()); })
      .def("logits",
           [](L self, const LogitParameter& parameter) {
             return self.on_tape(self.get().logits(parameter));
           })
      .def("at_positions",
           [](L self, const std::vector<double>& numbers) {
             return self.on_tape(self.get().at_positions(numbers));
           })
      .def("constant",
           [](L self, double value) { return self.on_tape(self.get().tape().constant(value)); })
      .def("sum",
           [](L self, T x) { return self.on_tape(segment_sum(x.get(), self.get().segments())); })
      .def("logsumexp",
           [](L self, T x) {
             return self.on_tape(segment_logsumexp(x.get(), self.get().segments()));
           })
      .def("log_softmax",
           [](L self, T x) {
             return self.on_tape(segment_log_softmax(x.get(), self.get().segments()));
           })
      .def("shares",
           [](L self, T x) { return self.on_tape(segment_shares(x.get(), self.get().segments())); })
      .def("ranks",
           [](L self, T x) { return self.on_tape(segment_ranks(x.get(), self.get().segments())); })
      .def("pairwise_logistic", &pairwise_loss, py::arg("scores"), py::arg("order"),
           py::arg("gain") = py::none(), py::arg("discount") = py::none(),
           py::arg("winner") = py::none(), py::arg("loser") = py::none())
      .def_property_readonly("in_training", [](L self) { return self.get().in_training(); });
}

}  // namespace ultr::python
