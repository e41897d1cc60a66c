#include "python/config_values.h"

#include <fmt/format.h>

namespace ultr::python {
namespace {

namespace py = pybind11;

ConfigNode scalar(std::string text, const std::string& where, bool quoted = false) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::scalar;
  node.where = where;
  node.scalar = std::move(text);
  node.quoted = quoted;
  return node;
}

ConfigNode list_of(py::handle values, const std::string& where) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::list;
  node.where = where;
  for (const py::handle item : values) node.items.push_back(config_of(item, where));
  return node;
}

ConfigNode map_of(py::handle values, const std::string& where) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::map;
  node.where = where;
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(values)) {
    if (!py::isinstance<py::str>(key))
      throw ConfigError(
          fmt::format("{}: a name is {}; expected text", where, py::repr(key).cast<std::string>()));
    node.entries.push_back({key.cast<std::string>(), config_of(value, where)});
    node.entries.back().value.key_where = where;
  }
  return node;
}

/// Returns the value of a method without arguments, if the object has it.
py::object called(py::handle value, const char* method) {
  return py::hasattr(value, method) ? value.attr(method)() : py::object(py::none());
}

}  // namespace

ConfigNode config_of(py::handle value, const std::string& where) {
  if (value.is_none()) {
    ConfigNode node;
    node.where = where;
    return node;
  }
  if (py::isinstance<py::bool_>(value)) return scalar(value.cast<bool>() ? "true" : "false", where);
  if (py::isinstance<py::int_>(value)) return scalar(py::str(value).cast<std::string>(), where);
  if (py::isinstance<py::float_>(value))
    return scalar(fmt::format("{}", value.cast<double>()), where);
  if (py::isinstance<py::str>(value)) return scalar(value.cast<std::string>(), where, true);
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    return list_of(value, where);
  if (py::isinstance<py::dict>(value)) return map_of(value, where);
  if (const py::object path = called(value, "__fspath__"); !path.is_none())
    return config_of(path, where);
  if (const py::object plain = called(value, "tolist"); !plain.is_none())
    return config_of(plain, where);
  throw ConfigError(
      fmt::format("{}: found a {}; expected a number, text, a list, a dict or a type of ultr",
                  where, py::type::of(value).attr("__name__").cast<std::string>()));
}

}  // namespace ultr::python
