"""Models by role: who answers, what it may use, and what it did. Cheap to import: providers are loaded when asked.

models = Models(settings.roles, settings.budget, env, UsageLedger(home, clock))
if not models.is_embedded("lead"):
    agent = Agent(models.model("lead", Spending(run_id="sync-…", project_id="shop")))
"""

from lerim.llm.models import Models, failure_behind
from lerim.llm.prices import Estimate
from lerim.llm.usage import Spending, UsageLedger

__all__ = ["Estimate", "Models", "Spending", "UsageLedger", "failure_behind"]
