#include "models/session.h"

namespace ultr {

Session Session::with_last_click(std::optional<std::size_t> rank) const {
  Session session = *this;
  session.assumed_ = true;
  session.last_click_ = rank;
  return session;
}

Index Session::index(Domain domain) const {
  switch (domain) {
    case Domain::rank:
      return inputs_->positions();
    case Domain::rank_pair:
      last_click_used_ = true;
      return assumed_ ? inputs_->position_pairs(last_click_) : inputs_->position_pairs();
    case Domain::document:
      return inputs_->rows();
    case Domain::document_rank:
      return inputs_->rows_at_positions();
    default:
      return inputs_->only_entry();
  }
}

Prob Session::probability(const LogitLayer& layer, const std::string& name) const {
  const bool used_before = last_click_used_;
  const CoinKey any{&layer, false, false, {}};
  const CoinKey here{&layer, true, assumed_, last_click_};
  for (const CoinKey& key : {any, here})
    if (const auto known = probabilities_->known_coin(key)) {
      last_click_used_ = used_before || key.last_click_matters;
      return *known;
    }
  last_click_used_ = false;
  const Logits logits = layer.logits(*this);
  const Prob coin = probabilities_->from_logits(logits, name, last_click_used_ ? here : any);
  last_click_used_ = used_before || last_click_used_;
  return coin;
}

}  // namespace ultr
