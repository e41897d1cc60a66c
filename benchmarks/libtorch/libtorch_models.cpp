#include "libtorch/libtorch_models.h"

#include "synthetic_sessions.h"

namespace ultr::bench {

using torch::Tensor;

LibtorchModel::LibtorchModel(const SessionLog& log, std::int64_t batch,
                             std::map<std::string, Tensor> parameters, TableGradients gradients)
    : batch_(batch), parameters_(std::move(parameters)), gradients_(gradients) {
  const auto sessions = static_cast<std::int64_t>(log.sessions());
  const auto ranks = static_cast<std::int64_t>(list_length);
  rows_ = torch::empty({sessions, ranks}, torch::kInt64);
  clicks_ = torch::empty({sessions, ranks}, torch::kFloat32);
  std::copy(log.rows().begin(), log.rows().end(), rows_.data_ptr<std::int64_t>());
  std::copy(log.clicks().begin(), log.clicks().end(), clicks_.data_ptr<float>());
}

Tensor LibtorchModel::read(const char* table, const Tensor& rows) const {
  const Tensor& values = parameter(table);
  if (gradients_ == TableGradients::sparse)
    return torch::embedding(values, rows, /*padding_idx=*/-1, /*scale_grad_by_freq=*/false,
                            /*sparse=*/true)
        .squeeze(-1);
  // Equivalent to torch::embedding, and half as fast again.
  return values.view(-1).index_select(0, rows.view(-1)).view(rows.sizes());
}

namespace {

constexpr auto ranks = static_cast<std::int64_t>(list_length);

/// Position-based model: clicks are Bernoulli with the product of two probabilities.
class PositionBased final : public LibtorchModel {
 public:
  PositionBased(const SessionLog& log, std::int64_t batch, std::map<std::string, Tensor> parameters,
                TableGradients gradients)
      : LibtorchModel(log, batch, std::move(parameters), gradients) {}

  Tensor loss(std::int64_t number) const override {
    const Tensor attraction = torch::sigmoid(read("attraction", part(rows_, number)));
    return torch::binary_cross_entropy(torch::sigmoid(parameter("examination")) * attraction,
                                       part(clicks_, number));
  }
};

/// User browsing model: a position-based model with one examination per pair of rank and last
/// clicked rank.
class UserBrowsing final : public LibtorchModel {
 public:
  UserBrowsing(const SessionLog& log, std::int64_t batch, std::map<std::string, Tensor> parameters,
               TableGradients gradients)
      : LibtorchModel(log, batch, std::move(parameters), gradients),
        pairs_(torch::empty({rows_.size(0), ranks}, torch::kInt64)) {
    auto* pair = pairs_.data_ptr<std::int64_t>();
    for (std::size_t session = 0; session < log.sessions(); ++session) {
      std::int64_t last = 0;
      for (std::int64_t k = 0; k < ranks; ++k) {
        *pair++ = k * (ranks + 1) + last;
        if (log[session].clicks[static_cast<std::size_t>(k)] != 0) last = k + 1;
      }
    }
  }

  Tensor loss(std::int64_t number) const override {
    const Tensor attraction = torch::sigmoid(read("attraction", part(rows_, number)));
    const Tensor examination = torch::sigmoid(parameter("examination"))
                                   .index_select(0, part(pairs_, number).view(-1))
                                   .view({batch_, ranks});
    return torch::binary_cross_entropy(examination * attraction, part(clicks_, number));
  }

 private:
  Tensor pairs_;  // [sessions, ranks]: entry of examination
};

/// Dynamic Bayesian network. Users read every document down to their last click, at rank L. After
/// it, the log shows only that nothing was clicked. With attraction logits a, u = -log(1-γ) =
/// softplus(a) and v = -log(1-σ) = softplus(satisfaction logit):
///
///     log P(clicks) = Σ_{k<=L} (c_k a_k - u_k) + (L-1) log λ - Σ_{clicked k<L} v_k
///                     + log(1 - q + q T),  q = λ exp(-v_L)
///     T = Σ_{m>L} w_m exp((m-L-1) log λ - Σ_{L<k<=m} u_k),  w_m = 1-λ, at the last rank 1
///
/// Without clicks, L = 0, q = 1 and the term (L-1) log λ is left out. T = 1 if no document comes
/// after L. All sums are over whole batches; the recursion over ranks would be about a hundred
/// small operations.
class DynamicBayesianNetwork final : public LibtorchModel {
 public:
  DynamicBayesianNetwork(const SessionLog& log, std::int64_t batch,
                         std::map<std::string, Tensor> parameters, TableGradients gradients)
      : LibtorchModel(log, batch, std::move(parameters), gradients),
        until_last_(torch::zeros({rows_.size(0), ranks})),
        skipped_(torch::zeros({rows_.size(0), ranks})),
        nothing_after_(torch::zeros({rows_.size(0)})),
        sums_(torch::ones({ranks, ranks}).triu()),
        before_last_rank_(torch::ones({ranks})) {
    for (std::int64_t first = 0; first + batch <= rows_.size(0); first += batch)
      clicked_.push_back(prepare(log, first));
    after_ = 1 - until_last_;
    before_last_rank_[ranks - 1] = 0;
  }

  Tensor loss(std::int64_t number) const override {
    const ClickedDocuments& clicked = clicked_[static_cast<std::size_t>(number)];
    const Tensor a = read("attraction", part(rows_, number)), u = torch::softplus(a);
    const Tensor v = torch::softplus(read("satisfaction", clicked.rows));
    const Tensor log_lambda = torch::log_sigmoid(parameter("continuation"));
    const Tensor until_last = torch::dot(part(clicks_, number).view(-1), a.view(-1)) -
                              torch::dot(part(until_last_, number).view(-1), u.view(-1)) +
                              clicked.continued * log_lambda -
                              v.narrow(0, clicked.sessions, v.size(0) - clicked.sessions).sum();

    const Tensor after = part(after_, number);
    const Tensor survival =
        (part(skipped_, number) * log_lambda - torch::matmul(u * after, sums_)).exp() * after;
    const Tensor tail = torch::matmul(survival, 1 - log_lambda.exp() * before_last_rank_) +
                        part(nothing_after_, number);
    const Tensor q =
        torch::zeros({batch_})
            .index_add(0, clicked.session, log_lambda - v.narrow(0, 0, clicked.sessions))
            .exp();
    const Tensor from_last = (1 - q + q * tail).log().sum();
    return (until_last + from_last).sum() / static_cast<double>(-batch_ * ranks);
  }

 private:
  /// The clicked documents of a batch.
  struct ClickedDocuments {
    Tensor session;         // numbers in the batch of the sessions with clicks
    std::int64_t sessions;  // number of these
    Tensor rows;            // the last clicked document of each, then all other clicked documents
    double continued;       // documents above last clicks
  };

  ClickedDocuments prepare(const SessionLog& log, std::int64_t first) {
    auto until_last = until_last_.accessor<float, 2>(), skipped = skipped_.accessor<float, 2>();
    auto nothing_after = nothing_after_.accessor<float, 1>();
    std::vector<std::int64_t> session, rows, earlier;
    std::int64_t continued = 0;
    for (std::int64_t i = 0; i < batch_; ++i) {
      const SessionView shown = log[static_cast<std::size_t>(first + i)];
      std::int64_t last = 0;  // from 1, 0 without clicks
      for (std::int64_t k = 0; k < ranks; ++k)
        if (shown.clicks[static_cast<std::size_t>(k)] != 0) last = k + 1;
      for (std::int64_t k = 0; k < last; ++k) {
        until_last[first + i][k] = 1;
        if (shown.clicks[static_cast<std::size_t>(k)] != 0)
          (k + 1 == last ? rows : earlier).push_back(shown.rows[static_cast<std::size_t>(k)]);
      }
      for (std::int64_t k = last; k < ranks; ++k)
        skipped[first + i][k] = static_cast<float>(k - last);
      nothing_after[first + i] = last == ranks ? 1 : 0;
      if (last == 0) continue;
      session.push_back(i);
      continued += last - 1;
    }
    rows.insert(rows.end(), earlier.begin(), earlier.end());
    return {torch::tensor(session), static_cast<std::int64_t>(session.size()), torch::tensor(rows),
            static_cast<double>(continued)};
  }

  Tensor until_last_, after_;              // [sessions, ranks]: 1 up to the last click; 1 below it
  Tensor skipped_;                         // [sessions, ranks]: m - L - 1
  Tensor nothing_after_;                   // [sessions]: 1 if the last rank was clicked
  Tensor sums_;                            // [ranks, ranks]: x sums_ are the cumulative sums of x
  Tensor before_last_rank_;                // [ranks]: 1, but 0 at the last
  std::vector<ClickedDocuments> clicked_;  // of each batch
};

}  // namespace

std::unique_ptr<LibtorchModel> libtorch_model(const std::string& type, const SessionLog& log,
                                              std::int64_t batch,
                                              std::map<std::string, Tensor> parameters,
                                              TableGradients gradients) {
  if (type == "pbm")
    return std::make_unique<PositionBased>(log, batch, std::move(parameters), gradients);
  if (type == "ubm")
    return std::make_unique<UserBrowsing>(log, batch, std::move(parameters), gradients);
  return std::make_unique<DynamicBayesianNetwork>(log, batch, std::move(parameters), gradients);
}

}  // namespace ultr::bench
