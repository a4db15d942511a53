"""What tokens cost, as far as anybody knows."""

from __future__ import annotations

from lerim.config.settings import BudgetSettings, Provider
from lerim.dataclass import dataclass
from lerim.llm.endpoints import is_loopback

#: A rule of thumb for text in most languages; only ever used before a provider has counted.
CHARS_PER_TOKEN = 4
# Under whose name the price list keeps a provider. An openai_compatible server may be anybody.
_LISTED = {
    Provider.OPENROUTER: "openrouter",
    Provider.OPENAI: "openai",
    Provider.ANTHROPIC: "anthropic",
    Provider.ZAI: "zai",
}


@dataclass(frozen=True)
class Tokens:
    """What one call used. Tokens read from and written to a cache are part of the input."""

    input: int
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0


@dataclass(frozen=True)
class Estimate:
    """What a role would use: requests, tokens both ways, and dollars when the price is known."""

    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


def tokens_of(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def cost(provider: Provider, model: str, base_url: str, tokens: Tokens, budget: BudgetSettings) -> float | None:
    """Dollars, by the price list, else by the prices of the settings; None when nobody knows."""
    listed = _listed_cost(provider, model, tokens)
    if listed is not None:
        return listed
    if budget.input_usd_per_million or budget.output_usd_per_million:
        return (tokens.input * budget.input_usd_per_million + tokens.output * budget.output_usd_per_million) / 1e6
    # A model that runs on this machine is paid for with electricity.
    return 0.0 if provider is Provider.OLLAMA and is_loopback(base_url) else None


def _listed_cost(provider: Provider, model: str, tokens: Tokens) -> float | None:
    if provider not in _LISTED:
        return None
    try:
        from genai_prices import Usage, calc_price  # Slow, and part of an extra.
    except ImportError:
        return None
    usage = Usage(
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        cache_read_tokens=tokens.cache_read or None,
        cache_write_tokens=tokens.cache_write or None,
    )
    try:
        return float(calc_price(usage, model, provider_id=_LISTED[provider]).total_price)
    except (LookupError, ValueError):  # a model that is not listed; counts that do not add up
        return None
