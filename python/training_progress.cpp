#include "python/training_progress.h"

namespace ultr::python {

namespace py = pybind11;
using namespace std::chrono_literals;

TrainingCallbacks TrainingProgress::callbacks() {
  return {.step = [this](std::int64_t number, std::size_t sessions) { step(number, sessions); },
          .epoch = [this](const EpochResult& result) { epoch(result); }};
}

void TrainingProgress::rethrow() const {
  if (signal_) std::rethrow_exception(signal_);
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

template <class Call>
void TrainingProgress::call(const Call& call) {
  try {
    call();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_KeyboardInterrupt)) throw;
    signal_ = std::current_exception();
  }
  if (signal_) throw Stopped{};
}

Progress TrainingProgress::loading() {
  return
      [this](std::string_view work, std::string_view unit, std::uint64_t done, std::uint64_t all) {
        report("progress", std::string(work), std::string(unit), done, all);
      };
}

template <class... Arguments>
void TrainingProgress::report(const char* method, const Arguments&... arguments) {
  const Clock::time_point now = Clock::now();
  if (now - asked_ < 20ms) return;
  asked_ = now;
  const py::gil_scoped_acquire gil;
  call([&] {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (observer_.is_none() || now - shown_ < 100ms) return;
    shown_ = now;
    observer_.attr(method)(arguments...);
  });
}

void TrainingProgress::step(std::int64_t epoch, std::size_t sessions) {
  report("step", epoch, sessions);
}

void TrainingProgress::epoch(const EpochResult& result) {
  const py::gil_scoped_acquire gil;
  if (!observer_.is_none()) call([&] { observer_.attr("epoch")(to_python(result)); });
}

py::dict to_python(const EpochResult& epoch) {
  py::dict values;
  values["stage"] = epoch.stage;
  values["epoch"] = epoch.epoch;
  values["learning_rate"] = epoch.learning_rate;
  values["train_loss"] = epoch.train_loss;
  if (epoch.valid)
    for (const MetricValue& score : epoch.valid->values)
      values[py::str("valid_" + score.name)] = score.value;
  values["best"] = epoch.best;
  values["seconds"] = epoch.seconds;
  values["sessions_per_second"] = epoch.sessions_per_second;
  return values;
}

}  // namespace ultr::python
