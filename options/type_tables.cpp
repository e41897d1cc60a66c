#include "options/type_tables.h"

#include <set>
#include <utility>

#include "options/field_describer.h"

namespace ultr {
namespace {

class Finder final : public FieldDescriber {
 public:
  std::vector<TypeTable> found_;

  void section(std::string_view name, Options& options, std::string_view) override {
    visit(options, path_ + std::string(name) + ".");
  }
  void choice(std::string_view name, Choice& choice, std::string_view help) override {
    add(path_ + std::string(name), choice.key, help, *choice.types);
  }
  void choices(std::string_view name, std::vector<Choice>&, const std::vector<OptionType>& table,
               std::string_view help) override {
    if (!table.empty()) add(path_ + std::string(name), "type", help, table);
  }
  void inline_choice(Choice& choice, std::string_view help) override {
    add(path_ + choice.key, choice.key, help, *choice.types);
  }

 private:
  void field(std::string_view, const std::string&, const std::string&, std::string_view) override {}

  void visit(Options& options, const std::string& path) {
    const std::string outer = std::exchange(path_, path);
    options.fields(*this);
    path_ = outer;
  }

  void add(const std::string& option, const std::string& key, std::string_view help,
           const std::vector<OptionType>& types) {
    // Options may make a table anew, so that it is known by what it says rather than by its place.
    std::string identity;
    for (const OptionType& type : types) identity += type.name + "\n" + type.help + "\n";
    if (!seen_.insert(identity).second) return;
    found_.push_back({option, key, std::string(help), types});
    for (const OptionType& type : types) visit(*type.make(), option + ".");
  }

  std::string path_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<TypeTable> type_tables(Options& options) {
  Finder finder;
  options.fields(finder);
  return finder.found_;
}

}  // namespace ultr
