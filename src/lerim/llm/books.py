"""What a request costs and whether the budget has room for it: asked before, entered after."""

from __future__ import annotations

from lerim.config.settings import BudgetSettings
from lerim.dataclass import dataclass
from lerim.errors import ModelNotReady
from lerim.llm.endpoints import Endpoint
from lerim.llm.prices import Tokens, cost
from lerim.llm.usage import ModelCall, Spending, UsageLedger


@dataclass(frozen=True)
class Books:
    """The ledger, and the budget that it is held against."""

    budget: BudgetSettings
    ledger: UsageLedger

    def cost(self, endpoint: Endpoint, model: str, tokens: Tokens) -> float | None:
        return cost(endpoint.provider, model, endpoint.base_url, tokens, self.budget)

    def enter(self, endpoint: Endpoint, model: str, input_tokens: int, spending: Spending) -> int:
        """Enter a request into the books before it is made. Raises BudgetReached, or ModelError without a price."""
        usd = self.cost(endpoint, model, Tokens(input_tokens))
        if usd is None and (self.budget.run_usd or self.budget.day_usd):
            problem = f"the price of {endpoint.provider} {model} is not known, and a budget in dollars is set"
            keys = "budget.input_usd_per_million and budget.output_usd_per_million"
            raise ModelNotReady(problem, hint=f"set {keys} in your config.toml, or a budget in tokens only")
        call = ModelCall(spending, endpoint.role, str(endpoint.provider), model, input_tokens, usd)
        return self.ledger.open_call(call, self.budget)
