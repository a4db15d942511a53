"""`lerim cost`: what models used, and today's use against the budget."""

from __future__ import annotations

import argparse

from lerim.cli.command import Commands, argument
from lerim.cli.output import DIM, Output
from lerim.cli.report import plural
from lerim.context.records import parse_time
from lerim.llm.usage import Bill, By, Spent
from lerim.payloads.models import bill_payload
from lerim.service import Lerim

COMMANDS = Commands()


@COMMANDS.add(
    "cost",
    "Show what models used on this machine: calls, tokens, dollars, and today's use against the budget.",
    example="lerim cost --since 2026-02-01 --by model",
    arguments=[
        argument("--since", metavar="DATE", help="only calls made since then (default: all)"),
        argument("--by", choices=[str(by) for by in By], default="day", help="how to group the totals (default: day)"),
    ],
)
def cost(lerim: Lerim, args: argparse.Namespace, out: Output) -> None:
    since = parse_time(args.since, "--since") if args.since else None
    bill = lerim.usage.bill(since, By(args.by), lerim.config.settings.budget)
    out.data(bill_payload(bill, args.by))
    if bill.lines:
        _tell(bill, args.by, out)
    else:
        out.say("no model was called; embedded runs cost nothing")
    for line in _against_budget(bill):
        out.say(out.style(line, DIM))


def _tell(bill: Bill, by: str, out: Output) -> None:
    rows = [_row(line.name, line.spent) + ([line.stopped or ""] if by == "run" else []) for line in bill.lines]
    rows.append(_row("total", bill.total) + ([""] if by == "run" else []))
    out.table([by.upper(), "CALLS", "INPUT", "OUTPUT", "CACHED", "COST", *(["STOPPED"] * (by == "run"))], rows, 0)


def _row(name: str, spent: Spent) -> list[str]:
    counts = (spent.calls, spent.input_tokens, spent.output_tokens, spent.cache_read_tokens)
    return [name, *(f"{count:,}" for count in counts), _dollars(spent)]


def _dollars(spent: Spent) -> str:
    """`$0.0420`, and how many calls have no known price."""
    if spent.unpriced == spent.calls and spent.calls:
        return "unknown"
    more = f" and {plural(spent.unpriced, 'call')} without a price" if spent.unpriced else ""
    return f"${spent.cost_usd:.4f}{more}"


def _against_budget(bill: Bill) -> list[str]:
    """Today's use, and what a run may use; nothing when nothing was used and nothing is limited."""
    budget, today = bill.budget, bill.today
    lines = []
    if bill.lines or budget.day_tokens or budget.day_usd:
        tokens = f"{today.tokens:,}{f' of {budget.day_tokens:,}' if budget.day_tokens else ''} tokens"
        lines.append(f"today: {tokens}, {_dollars(today)}{f' of ${budget.day_usd:.2f}' if budget.day_usd else ''}")
    tokens = f"{budget.run_tokens:,} tokens" if budget.run_tokens else ""
    usd = f"${budget.run_usd:.2f}" if budget.run_usd else ""
    if limits := " and ".join(filter(None, (tokens, usd))):
        lines.append(f"a run may use {limits}")
    return lines
