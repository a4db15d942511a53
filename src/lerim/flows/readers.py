"""Models and programs that may read sessions here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lerim.flows.flow import Flow

if TYPE_CHECKING:
    from lerim.llm.check import RoleCheck
    from lerim.llm.readers import SessionReader
    from lerim.llm.use import ReaderPlan


class Readers(Flow):
    """Who reads sessions: found, tried, and put into the settings."""

    def find(self, *, at_a_glance: bool = False) -> list[SessionReader]:
        """Who could read sessions on this machine: agents' programs, local servers, providers with a key.

        At a glance, servers are not asked for their models: whether one listens is known in a few milliseconds.
        """
        from lerim.llm.readers import find_readers

        return find_readers(self._house.env, at_a_glance=at_a_glance)

    def plan(self, name: str, model: str = "", base_url: str = "", *, also_lead: bool = False) -> ReaderPlan:
        """What it would take to have a reader read: its place, and the exact change of the user's settings.

        Raises UsageError for a name that there is not, and ModelNotReady for a reader that cannot be used.
        """
        from lerim.llm.use import plan_reader

        return plan_reader(name, model, base_url, self._house.env, self._house.home / "config.toml", also_lead)

    def use(self, plan: ReaderPlan) -> list[RoleCheck]:
        """Let a reader prove what it will need, and write the settings if it did. Costs a few tokens."""
        from lerim.config.writing import write_settings
        from lerim.llm import Spending
        from lerim.llm.check import check

        spending = Spending(f"check-{self._house.stamp()}")
        checks = check(self._workforce.models_with(plan.roles), spending, offline=False)
        proved = [one for one in checks if one.role in plan.roles]
        if all(one.ok and all(model.works for model in one.models) for one in proved):
            write_settings(plan.path, plan.after)
            self._house.reopen()
        return proved

    def check(self, *, offline: bool = False) -> list[RoleCheck]:
        """Whether each role can do its work. Unless offline, each configured model proves what its role needs."""
        from lerim.llm import Spending
        from lerim.llm.check import check

        engine = self._house.config.settings.engine
        return check(self._house.models, Spending(f"check-{self._house.stamp()}"), offline=offline, engine=engine)
