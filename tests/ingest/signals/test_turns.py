"""Which lines under the user's name are turns: what programs note twice or hand back is none."""

from __future__ import annotations

from lerim.ingest.signals.turns import conversation

PLAN = "\n".join(
    [
        "Okay, let's go on with the storage.",
        "**Action:**",
        "1. Put the table of orders into `orders.sql`, with a key of its own.",
        "2. Let the export read it in batches of a hundred.",
        "```sql\ncreate table orders (id integer primary key);\n```",
        "*Then run the migration.*",
    ]
)


def test_a_plan_that_a_program_hands_to_the_next_agent_is_nobodys_turn(talk):
    """What the next agent says belongs to the turn before."""
    session = conversation(
        talk(
            ("user", "lets start with the storage"),
            ("agent", PLAN),
            ("user", PLAN),
            ("agent", "The table is there."),
            ("user", "good"),
        )
    )

    assert ["lets start with the storage", "good"] == [turn.text for turn in session.turns]
    assert [PLAN, "The table is there."] == [message.text for message in session.turns[0].after]


def test_what_somebody_adds_to_a_plan_is_theirs(talk):
    said = f"{PLAN}\nbut the export reads fifty at a time"
    session = conversation(talk(("user", "storage"), ("agent", PLAN), ("user", said)))

    assert said == session.turns[-1].text


def test_few_words_may_be_said_again(talk):
    session = conversation(talk(("user", "how?"), ("agent", "Use pnpm, not npm."), ("user", "Use pnpm, not npm.")))

    assert "Use pnpm, not npm." == session.turns[-1].text


def test_a_prompt_that_is_noted_with_its_command_and_without_counts_once(talk):
    session = conversation(
        talk(
            ("user", "/ask which table holds the orders?"),
            ("user", "which table holds the orders?"),
            ("agent", "`orders`."),
            ("user", "/ask and the customers?"),
            ("agent", "`people`."),
        )
    )

    assert ["which table holds the orders?", "/ask and the customers?"] == [turn.text for turn in session.turns]
