"""The staff manual of the bike rental Kranich."""

from __future__ import annotations

from tests.companies.bikes import BIKES, BRANCHES
from tests.companies.policy import Ask, PolicyDocument, rule


def manual() -> PolicyDocument:
    """What staff must do."""
    paper = PolicyDocument("staff-manual.md", "Kranich bike rental: staff manual")
    paper.heading("Every day")
    paper.text(
        "This manual is for staff at the counter and in the workshop; customers do not see it.",
        rule(
            "Be at the branch 25 minutes before it opens, and on the first day of a shift 45 minutes before.",
            asks=[
                Ask("fact", "How many minutes before opening must Kranich staff be at the branch?", "25 minutes", "15 minutes"),
                Ask("exception", "How many minutes before opening must Kranich staff come on the first day of a shift?",
                    "45 minutes", "25 minutes"),
            ],
        ),
        rule(
            "Report an accident with injuries to the safety desk within 60 minutes, and any other accident within 1 day.",
            asks=[
                Ask("condition", "Within how many minutes must Kranich staff report an accident with injuries?",
                    "60 minutes", "1 day"),
                Ask("exception", "Within what time must Kranich staff report an accident without injuries?",
                    "1 day", "60 minutes"),
            ],
        ),
        "Greet everyone who comes in, also while you serve someone else, and say how long it will take. Explain the deposit "
        "before you take the card, and the late fee before you hand out the bike: most complaints are about one of the two.",
        "Ask for the identity card and compare the picture. Don't keep the card and don't copy it; note its last four digits. "
        "If you doubt that a customer can ride safely, do not hand out a bike, and note the reason in the book.",
        "A bike that comes back dirty is washed before it goes out again. Customers do not pay for dirt, but for broken parts, "
        "and they may see the part and the price list before they pay.",
        "Never promise a refund: the office in Lindau decides on each one, and tells the customer in writing.",
    )  # fmt: skip
    _workshop(paper)
    _counter(paper)
    return paper


def _workshop(paper: PolicyDocument) -> None:
    paper.heading("Workshop")
    paper.text("Write each service into the bike's file. A bike without an entry is not handed out, however good it looks.")
    paper.table(
        BIKES,
        {"Bike": "{name}", "Service every": "{service} km", "Tyre pressure": "{pressure} psi", "Tyres": "{tyres}"},
        Ask("fact", "After how many km is {name} serviced at Kranich?", "{service} km"),
        Ask("fact", "What tyre pressure has {name} at Kranich?", "{pressure} psi"),
        Ask("fact", "Which tyres does the workshop mount on {name}?", "{tyres}"),
        Ask(
            "calculation",
            "{Name} has run {n} km since its last service at Kranich. After how many more km is it due?",
            lambda bike, n: f"{bike['service'] - n} km",
            cases=(90, 130, 170, 210, 250),
        ),
        Ask("not answered here", "How many minutes does a service of {name} take at Kranich?", wrong="45 minutes"),
        Ask("not answered here", "What do new tyres for {name} cost Kranich?", wrong="38 euros"),
    )
    paper.compare(BIKES, "service", "Which runs longer between two services at Kranich, {a} or {b}?")
    paper.compare(BIKES, "pressure", "Which has the higher tyre pressure at Kranich, {a} or {b}?")
    paper.items(
        tuple(bike | {"quick": bike["service"] // 2, "spare": 2 + i, "alone": 20 + 5 * i} for i, bike in enumerate(BIKES)),
        rule(
            "After a fall, {name} is checked by the head of the workshop, unless it fell while standing: then any mechanic "
            "may.",
            "The head of the workshop checks {name} after a fall; if it fell while standing, any mechanic may do so.",
            asks=[
                Ask("condition", "Who checks {name} after a fall on the road?", "the head of the workshop", "any mechanic"),
                Ask("exception", "Who may check {name} if it fell while standing?", "any mechanic", "the head of the workshop"),
            ],
        ),
        rule(
            "If it was used in winter, it is due for service after {quick} km already.",
            "In winter the service of this bike is due after {quick} km.",
            asks=[Ask("exception", "After how many km is {name} serviced in winter?", "{quick} km", "{service} km")],
        ),
        rule(
            "Pack {extra} with it, and keep {spare} spare tubes on the shelf.",
            "It goes out with {extra}; {spare} spare tubes stay on the shelf.",
            asks=[
                Ask("fact", "What must staff pack with {name}?", "{extra}"),
                Ask("fact", "How many spare tubes does the workshop keep for {name}?", "{spare} tubes"),
                Ask("not answered here", "Who delivers the spare tubes for {name} to Kranich?", wrong="Velo Huber"),
            ],
        ),
        rule(
            "A trainee may hand it out alone after {alone} days at the branch.",
            "Trainees hand it out alone once they have been here for {alone} days.",
            asks=[
                Ask("condition", "After how many days may a trainee hand out {name} alone?", "{alone} days"),
                Ask(
                    "calculation",
                    "A trainee has been at Kranich for {n} days. After how many more may they hand out {name} alone?",
                    lambda bike, n: f"{bike['alone'] - n} days",
                    cases=(4, 9, 13),
                ),
            ],
        ),
        rule(
            "Wipe it dry before it goes on the rack, oil the chain after rain, and hang the card with the date of the last "
            "check on the handlebar so that colleagues see it.",
            "After rain, dry the frame and oil the chain. The card on the handlebar has the date of the last check; a bike "
            "without a card stays in the workshop.",
            "Check brakes, lights and bell each time it comes back, and sign the card on the handlebar, which colleagues at "
            "the counter rely on.",
        ),
        heading="Care of {name}",
    )


def _counter(paper: PolicyDocument) -> None:
    paper.heading("Counter and cash")
    paper.text("Two people count the cash at closing time. A difference of more than 5 euros is noted with both names.")
    paper.table(
        BRANCHES,
        {"Branch": "{name}", "Manager": "{manager}", "Extension": "{phone}", "Bikes": "{stock}", "Cash float": "{cash} euros"},
        Ask("fact", "Who manages Kranich's branch in {name}?", "{manager}"),
        Ask("fact", "What is the telephone extension of Kranich in {name}?", "{phone}"),
        Ask("fact", "How many bikes has Kranich in {name}?", "{stock}", others=("{stock} bikes",)),
        Ask("condition", "With what cash float does the till in {name} start?", "{cash} euros"),
        Ask("not answered here", "Since which year has Kranich had a branch in {name}?", wrong="2011"),
        Ask("not answered here", "How many people work for Kranich in {name}?", wrong="9 people"),
        Ask(
            "calculation",
            "The till in {name} holds {n} euros at closing time. How much goes to the bank beyond the cash float?",
            lambda branch, n: f"{n - branch['cash']} euros",
            cases=(640, 815, 970, 1190),
        ),
    )
    paper.compare(BRANCHES, "stock", "Which of Kranich's branches has more bikes, {a} or {b}?")
    paper.compare(BRANCHES, "cash", "Which of Kranich's tills starts with a larger cash float, {a} or {b}?")
    paper.items(
        BRANCHES,
        rule(
            "In {name} the alarm is set {alarm} minutes after closing; when bikes are still out, the manager sets it.",
            "Set the alarm in {name} {alarm} minutes after closing, but leave it to the manager while bikes are still out.",
            asks=[
                Ask("fact", "How many minutes after closing is the alarm in {name} set?", "{alarm} minutes"),
                Ask("exception", "Who sets the alarm in {name} while bikes are still out?", "the manager", "any colleague"),
            ],
        ),
        rule(
            "If the return box is full, the staff have {check} minutes to empty it, except during a storm, when it stays shut.",
            "A full return box is emptied within {check} minutes, but during a storm it stays shut.",
            asks=[
                Ask("condition", "Within how many minutes must a full return box in {name} be emptied?", "{check} minutes"),
                Ask("exception", "What happens with the full return box in {name} during a storm?", "it stays shut",
                    "it is emptied within {check} minutes"),
                Ask("not answered here", "Who has a second key of the return box in {name}?", wrong="the harbour master"),
            ],
        ),
        rule(
            "Staff may park {parking} cars in the yard.",
            "There is room for {parking} cars of staff in the yard.",
            asks=[Ask("fact", "How many cars of staff may park in the yard in {name}?", "{parking} cars")],
        ),
        rule(
            "Customers who wait outside after closing time are served if a bike is to be returned, and come again the next day "
            "if they want to rent one.",
            "Let no one into the workshop without shoes that cover the toes, and keep the yard gate locked while no one is at "
            "the counter.",
        ),
        heading="The branch in {name}",
    )  # fmt: skip
