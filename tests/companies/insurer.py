"""Aarau Valley Health, a made-up regional insurer: its benefits handbook and its guide to claims."""

from __future__ import annotations

from typing import Any

from tests.companies.policy import Ask, PolicyDocument, rule

_BENEFITS = (
    # name, percent paid in plans Base, Plus and Top, most francs a year, waiting months, letter, who decides, excluded, code
    ("dental care", 50, 65, 80, 900, 6, "whitening", "the dental board", "D1"),
    ("glasses", 40, 60, 90, 300, 3, "sunglasses", "the service desk", "G2"),
    ("physiotherapy", 70, 80, 95, 1200, 1, "massage at home", "the doctor on duty", "P4"),
    ("hospital stays", 75, 85, 100, 18000, 2, "television fees", "the hospital team", "H7"),
    ("maternity care", 80, 90, 98, 6000, 10, "birth photographs", "the family team", "M3"),
    ("medicines", 60, 75, 92, 2400, 4, "vitamins", "the pharmacy team", "A5"),
    ("travel emergencies", 55, 70, 85, 25000, 5, "diving below 30 metres", "the travel desk", "T9"),
    ("talking therapy", 45, 64, 88, 2800, 8, "coaching at work", "the therapy board", "B6"),
    ("hearing aids", 35, 58, 82, 1500, 9, "spare batteries", "the hearing desk", "E8"),
    ("acupuncture", 30, 52, 78, 700, 7, "herbal teas", "the natural medicine desk", "N0"),
)
BENEFITS: tuple[dict[str, Any], ...] = tuple(
    dict(zip(("name", "base", "plus", "top", "most", "wait", "excluded", "team", "code"), benefit, strict=True))
    | {
        "visits": 6 + 2 * number,
        "child": 3 + 2 * number,
        "days": 10 + 3 * number,
        "copay": 12 + 4 * number,
        "senior": 60 + number,
    }
    for number, benefit in enumerate(_BENEFITS)
)
_OFFICES = (
    ("Aarau", "Laurenzentor 4", 8, 17, "Wednesday", "Ines Baumann", 31, 18),
    ("Baden", "Limmatweg 21", 9, 18, "Monday", "Marco Galli", 42, 12),
    ("Brugg", "Altstadt 9", 7, 16, "Friday", "Sonja Meier", 27, 8),
    ("Lenzburg", "Schlossgasse 15", 10, 19, "Tuesday", "Paul Widmer", 35, 9),
    ("Olten", "Bahnhofquai 2", 6, 20, "Thursday", "Lea Hunziker", 54, 25),
    ("Zofingen", "Thutplatz 6", 8, 16, "Monday", "Andri Caduff", 23, 6),
    ("Wohlen", "Zentralstrasse 30", 9, 17, "Friday", "Ruth Amsler", 29, 7),
    ("Rheinfelden", "Marktgasse 12", 7, 15, "Tuesday", "Karim Haddad", 38, 11),
)
OFFICES: tuple[dict[str, Any], ...] = tuple(
    dict(zip(("name", "street", "opens", "closes", "late", "leader", "phone", "staff"), office, strict=True))
    | {"wait": 5 + 3 * number, "summer": office[3] - 1, "visit": 20 + 10 * number, "prior": 2 + number}
    for number, office in enumerate(_OFFICES)
)


def handbook() -> PolicyDocument:
    """What is paid."""
    paper = PolicyDocument("benefits-handbook.html", "Aarau Valley Health: benefits handbook")
    _membership(paper)
    _shares(paper)
    _benefits(paper)
    _families(paper)
    return paper


def _membership(paper: PolicyDocument) -> None:
    paper.heading("Membership")
    paper.text(
        "This handbook says which costs of treatment we pay, how much of them, and on which conditions. It goes with the plan "
        "that is named on your card: Base, Plus or Top. If the card and this handbook differ, the card counts.",
        "The valley's communes founded us so that treatment is paid for where people live. We keep no profit: what is left at "
        "the end of a year lowers the premiums of the next one, and the assembly of members decides on anything else.",
        rule(
            "Everyone who lives or works in the valley may join; the form must reach us by the 25th to start the next month.",
            asks=[
                Ask(
                    "condition",
                    "By which day of a month must a form reach Aarau Valley Health to start the next month?",
                    "the 25th",
                    "the 15th",
                    ("25th", "by the 25th"),
                )
            ],
        ),
        rule(
            "You may change to a higher plan on 1 January, and within 30 days after a marriage on any day.",
            asks=[
                Ask(
                    "fact",
                    "On which day of the year may members of Aarau Valley Health change to a higher plan?",
                    "1 January",
                    "1 July",
                    ("January 1",),
                ),
                Ask(
                    "exception",
                    "Within how many days after a marriage may members change to a higher plan on any day?",
                    "30 days",
                    "90 days",
                ),
            ],
        ),
        rule(
            "Notice to leave must reach us 3 months before the end of a year, or 1 month before a rise of the premium.",
            asks=[
                Ask(
                    "condition",
                    "How long before the end of a year must notice reach Aarau Valley Health?",
                    "3 months",
                    "1 month",
                ),
                Ask(
                    "exception",
                    "How long before a rise of the premium must notice reach Aarau Valley Health?",
                    "1 month",
                    "3 months",
                ),
            ],
        ),
    )
    paper.text(
        "Premiums are due on the first day of each month.",
        rule(
            "A reminder costs 15 francs; the first one in a year is free.",
            asks=[
                Ask("fact", "What does a reminder from Aarau Valley Health cost?", "15 francs", "20 francs"),
                Ask("exception", "What does the first reminder in a year cost?", "nothing", "15 francs", ("0 francs", "free")),
                Ask(
                    "calculation",
                    "A member of Aarau Valley Health gets {n} reminders in a year. What do they cost together?",
                    lambda _, n: f"{15 * (n - 1)} francs",
                    lambda _, n: f"{15 * n} francs",
                    cases=(2, 3, 4, 5, 6, 7),
                ),
            ],
        ),
        rule(
            "After 60 days without payment we pay for emergencies alone.",
            asks=[
                Ask(
                    "condition",
                    "After how many days without payment does Aarau Valley Health pay for emergencies alone?",
                    "60 days",
                    "30 days",
                )
            ],
        ),
        "What was held back is not paid later, even when the premiums have come in. If you can't pay, talk to your office "
        "before the reminder comes: it may spread what you owe over several months, and asks for no interest in the first "
        "ones.",
    )
    paper.text(
        "Treatment abroad is paid as it would be at home, in francs, at the rate of the day of the bill. Carry your card: many "
        "hospitals ask for it before they treat you, and send us the bill themselves if they have seen it.",
        rule(
            "You must call us before a planned treatment abroad, and within 48 hours after an emergency.",
            asks=[Ask("condition", "Within how many hours after an emergency abroad must members call Aarau Valley Health?",
                      "48 hours", "24 hours")],
        ),
        rule(
            "Ambulances are paid in full, but helicopters up to 8000 francs only.",
            asks=[Ask("exception", "Up to which amount are helicopters paid, unlike ambulances?", "8000 francs", "in full")],
        ),
        "We do not pay for journeys to a doctor whom you prefer to one who is nearer, nor for anyone who travels with you, "
        "unless you are a child or can't travel alone.",
    )  # fmt: skip


def _shares(paper: PolicyDocument) -> None:
    paper.heading("Shares by plan")
    paper.text("We pay these shares of a bill, after the copayment and up to the yearly limit. The rest is yours.")
    paper.table(
        BENEFITS,
        {"Benefit": "{name}", "Base": "{base}%", "Plus": "{plus}%", "Top": "{top}%", "Limit a year": "{most} francs"},
        Ask("fact", "What share of {name} does plan Base pay?", "{base}%", "{plus}%"),
        Ask("fact", "What share of {name} does plan Plus pay?", "{plus}%", "{top}%"),
        Ask("fact", "What share of {name} does plan Top pay?", "{top}%", "{plus}%"),
        Ask("fact", "What is the yearly limit for {name}?", "{most} francs"),
        Ask(
            "calculation",
            "A bill for {name} of {n} francs counts in full. How much of it does plan Base pay?",
            lambda benefit, n: f"{n * benefit['base'] // 100} francs",
            lambda benefit, n: f"{n * benefit['plus'] // 100} francs",
            cases=(100, 200, 300),
        ),
        Ask(
            "calculation",
            "A bill for {name} of {n} francs counts in full. How much is left for a member with plan Plus?",
            lambda benefit, n: f"{n - n * benefit['plus'] // 100} francs",
            lambda benefit, n: f"{n - n * benefit['top'] // 100} francs",
            cases=(100, 200, 300),
        ),
    )
    paper.compare(BENEFITS, "base", "Of which does plan Base pay the larger share, {a} or {b}?")
    paper.compare(BENEFITS, "most", "Which has the higher yearly limit, {a} or {b}?")


def _benefits(paper: PolicyDocument) -> None:
    paper.heading("Benefits one by one")
    paper.items(
        BENEFITS,
        rule(
            "Ask your doctor before the first visit whether the treatment is listed under code {code}; only what is listed "
            "there counts as {name}, and only if someone treats you who is on the register of the canton.",
            "Treatment counts as {name} if it stands under code {code} of the tariff and is given by someone on the register "
            "of the canton. A list of names is at each office, and changes several times a year.",
            asks=[
                Ask("fact", "Under which code of the tariff does {name} stand?", "{code}", others=("code {code}",)),
                Ask("not answered here", "How many people on the register offer {name}?", wrong="48 people"),
            ],
        ),
        rule(
            "New members wait {wait} months before we pay for {name}; after an accident there is no waiting time.",
            "There is a waiting time of {wait} months for new members, but none after an accident.",
            asks=[
                Ask("condition", "How many months must new members wait for {name}?", "{wait} months"),
                Ask("exception", "How many months must a new member wait for {name} after an accident?",
                    "0 months", "{wait} months",
                    ("none",)),
                Ask("calculation", "A member joined half a month ago. How many months of waiting are left for {name}?",
                    lambda benefit, _: f"{benefit['wait'] - 0.5:g} months"),
            ],
        ),
        rule(
            "Up to {visits} visits a year need no approval; further ones are decided by {team} within {days} days.",
            "After {visits} visits in a year you need approval, which {team} gives or denies within {days} days.",
            asks=[
                Ask("fact", "How many visits a year for {name} need no approval?", "{visits} visits"),
                Ask("fact", "Who approves further visits for {name}?", "{team}"),
                Ask("condition", "Within how many days are further visits for {name} decided on?", "{days} days"),
                Ask("not answered here", "How often were further visits for {name} approved last year?",
                    wrong="in 70% of cases"),
            ],
        ),
        rule(
            "Each visit has a copayment of {copay} francs, which children and members from {senior} years on do not pay.",
            "You pay {copay} francs towards each visit yourself; children, and members of {senior} years or more, pay nothing.",
            asks=[
                Ask("fact", "What is the copayment for a visit for {name}?", "{copay} francs"),
                Ask("condition", "From which age on is there no copayment for {name}?", "{senior} years"),
                Ask("exception", "What copayment does a child pay for {name}?", "nothing", "{copay} francs", ("0 francs",)),
                Ask("calculation", "An adult of 40 years has {n} visits for {name}. What are the copayments together?",
                    lambda benefit, n: f"{n * benefit['copay']} francs", cases=(3, 4, 6)),
            ],
        ),
        rule(
            "We never pay for {excluded}, not even in plan Top, unless a hospital orders it in writing.",
            "Plan Top does not pay for {excluded} either, but an order of a hospital in writing changes that.",
            asks=[
                Ask("fact", "For what does Aarau Valley Health never pay under {name} unless a hospital orders it?",
                    "{excluded}"),
                Ask("exception", "When is {excluded} paid for?", "if a hospital orders it in writing", "never",
                    ("a hospital orders it in writing",)),
                Ask("not answered here", "What does {excluded} cost on average?", wrong="{copay} francs"),
            ],
        ),
        rule(
            "Keep the bills for this benefit until the year's statement has come, since we may ask to see them, and tell us if "
            "another insurer pays a part: together you can't be paid more than the bill.",
            "If another insurer pays a part, send us its statement; we then pay what remains, up to our share, so that no one "
            "earns from being ill.",
            "Treatment that began before you joined counts from the day on which you joined, and only its later visits are "
            "paid, whatever the bill says.",
        ),
        heading="{Name}",
    )  # fmt: skip
    paper.compare(BENEFITS, "wait", "For which do new members wait longer, {a} or {b}?")
    paper.compare(BENEFITS, "copay", "Which has the higher copayment, {a} or {b}?")


def _families(paper: PolicyDocument) -> None:
    paper.heading("Children and bonus")
    paper.text(
        "Families choose one office, which then keeps all of their papers. Parents see the claims of their children until "
        "these are of age; afterwards only with a power of attorney, also if the parents go on paying the premium.",
        "Children are insured in the plan of one of their parents from birth on, if we hear of the birth in time.",
        rule(
            "The birth must be reported within 28 days, or within 56 days if the child was born abroad.",
            asks=[
                Ask("condition", "Within how many days must a birth be reported to Aarau Valley Health?", "28 days", "14 days"),
                Ask(
                    "exception",
                    "Within how many days must a birth abroad be reported to Aarau Valley Health?",
                    "56 days",
                    "28 days",
                ),
            ],
        ),
        rule(
            "The third and each further child pays no premium.",
            asks=[Ask("exception", "What premium does the third child of a family pay?", "nothing", "the same as the first")],
        ),
    )
    paper.items(
        BENEFITS,
        rule(
            "Those who claim nothing for {name} for a year earn {child} bonus points; a check-up does not count as a claim.",
            "A year without a claim for {name} brings {child} bonus points, and a check-up is not a claim.",
            asks=[
                Ask("fact", "How many bonus points does a year without a claim for {name} bring?", "{child} points"),
                Ask("exception", "Which visit for {name} does not count as a claim?",
                    "a check-up", "an emergency", ("check-up",)),
                Ask("calculation", "How many bonus points do {n} years without a claim for {name} bring?",
                    lambda benefit, n: f"{n * benefit['child']} points", cases=(2, 3, 4)),
                Ask("not answered here", "When do bonus points for {name} expire?", wrong="after 24 months"),
            ],
        ),
    )  # fmt: skip
    paper.compare(BENEFITS, "child", "Which brings more bonus points in a year without a claim, {a} or {b}?")


def guide() -> PolicyDocument:
    """How claims are made."""
    paper = PolicyDocument("claims-guide.html", "Aarau Valley Health: guide to claims")
    paper.heading("Sending a claim")
    paper.text(
        "Send the bill, the proof that you paid it and the doctor's note together. Photographs are enough if every line can be "
        "read; claims that lack a page are sent back, and the time limit then runs on.",
        rule(
            "A claim must reach us within 180 days of treatment, or within 365 days if you were in hospital.",
            asks=[
                Ask("condition", "Within how many days of treatment must a claim reach Aarau Valley Health?",
                    "180 days", "90 days"),
                Ask("exception", "Within how many days must the claim of someone who was in hospital come?",
                    "365 days", "180 days"),
                Ask("calculation", "Treatment without a hospital stay was {n} days ago. How many days are left to claim?",
                    lambda _, n: f"{180 - n} days", lambda _, n: f"{365 - n} days", cases=(20, 45, 70, 110, 150)),
            ],
        ),
        rule(
            "Bills below 40 francs are collected and paid once a quarter.",
            asks=[Ask("condition", "Below which amount are bills paid once a quarter only?", "40 francs", "100 francs")],
        ),
        "If you do not agree with a decision, write to the board of appeal. It hears you if you wish, and decides within a "
        "quarter; until then nothing has to be paid back.",
        rule(
            "An appeal must be written within 21 days after the decision, not counting public holidays.",
            asks=[
                Ask("condition", "Within how many days after a decision must an appeal be written?", "21 days", "30 days"),
                Ask("exception", "Which days do not count for the time limit of an appeal?", "public holidays", "weekends"),
            ],
        ),
    )  # fmt: skip
    _processing(paper)
    _offices(paper)
    return paper


def _processing(paper: PolicyDocument) -> None:
    paper.heading("Processing")
    paper.text(
        "Claims are read in the order in which they come. A machine reads the numbers, and a person compares them with the "
        "bill. Those who read your claim do not know you, and they are changed every few weeks, so that the same rules hold "
        "for all."
    )
    paper.text("How long a claim takes depends on the benefit. Express costs extra and is for members with plan Top alone.")
    entries = tuple(
        benefit
        | {
            "normal": 6 + 2 * i,
            "express": 1 + i,
            "fee": 9 + 5 * i,
            "form": f"K{17 + 3 * i}",
            "double": 150 + 50 * i,
            "keep": 2 + i,
        }
        for i, benefit in enumerate(BENEFITS)
    )
    paper.table(
        entries,
        {
            "Claim for": "{name}",
            "Form": "{form}",
            "Normal": "{normal} days",
            "Express": "{express} days",
            "Extra": "{fee} francs",
        },
        Ask("fact", "Which form is for claims for {name}?", "{form}", others=("form {form}",)),
        Ask("fact", "How many days does a normal claim for {name} take?", "{normal} days"),
        Ask("fact", "How many days does an express claim for {name} take?", "{express} days", "{normal} days"),
        Ask("condition", "What does a member with plan Top pay extra for an express claim for {name}?", "{fee} francs"),
        Ask(
            "calculation",
            "How many days does express save with a claim for {name}?",
            lambda entry, _: f"{entry['normal'] - entry['express']} days",
        ),
        Ask("not answered here", "How many claims for {name} came in last year?", wrong="3,200 claims"),
    )
    paper.compare(entries, "normal", "Which normal claim takes longer, one for {a} or one for {b}?")
    paper.compare(entries, "fee", "Which express claim costs more extra, one for {a} or one for {b}?")
    paper.items(
        entries,
        rule(
            "A claim for {name} above {double} francs is read by two people; after an emergency abroad one is enough.",
            "Two people read claims for {name} above {double} francs, but one is enough after an emergency abroad.",
            asks=[
                Ask("condition", "Above which amount do two people read a claim for {name}?", "{double} francs"),
                Ask("exception", "How many people read a large claim for {name} after an emergency abroad?", "one", "two"),
                Ask("not answered here", "Who reads large claims for {name} first?", wrong="Ines Baumann"),
            ],
        ),
        rule(
            "We keep the papers for {keep} years, and those of children until they are of age.",
            "The papers are kept for {keep} years; papers of children are kept until they are of age.",
            asks=[
                Ask("fact", "For how many years are papers about {name} kept?", "{keep} years"),
                Ask("exception", "Until when are a child's papers about {name} kept?",
                    "until the child is of age", "{keep} years",
                    ("until they are of age",)),
                Ask("calculation", "Papers about {name} of an adult are half a year old. For how many years are they kept?",
                    lambda entry, _: f"{entry['keep'] - 0.5:g} years"),
            ],
        ),
        rule(
            "If something is missing we write to you once, and put the claim aside until you answer; after a second letter "
            "without an answer we close it, and you may open it again while the time limit runs.",
            "You see on the web site where your claim is. Do not send it twice: the second one takes its place at the end of "
            "the queue, and both are then read together, which takes longer.",
        ),
        heading="Claims for {name}",
    )  # fmt: skip
    paper.compare(entries, "double", "For which may a claim be larger before two people read it, {a} or {b}?")


def _offices(paper: PolicyDocument) -> None:
    paper.heading("Offices")
    paper.text("You may hand in claims at any office, whichever is near. Staff look through them while you wait.")
    paper.table(
        OFFICES,
        {"Office": "{name}", "Address": "{street}", "Head": "{leader}", "Extension": "{phone}", "Staff": "{staff}"},
        Ask("fact", "At which address is the office of Aarau Valley Health in {name}?", "{street}"),
        Ask("fact", "Who heads the office of Aarau Valley Health in {name}?", "{leader}"),
        Ask("fact", "What is the extension of the office of Aarau Valley Health in {name}?", "{phone}"),
        Ask("not answered here", "Where can visitors park at the office in {name}?", wrong="behind the house"),
        Ask("not answered here", "Which languages are spoken at the office in {name}?", wrong="German and French"),
    )
    paper.compare(OFFICES, "staff", "Which office of Aarau Valley Health has more staff, {a} or {b}?")
    paper.items(
        OFFICES,
        rule(
            "The office in {name} is open from {opens}:00 to {closes}:00, and in July and August until {summer}:00.",
            "In {name} we are there from {opens}:00 to {closes}:00, but until {summer}:00 only in July and August.",
            asks=[
                Ask("fact", "At what time does the office in {name} open?", "{opens}:00"),
                Ask("fact", "At what time does the office in {name} close in winter?", "{closes}:00", "{summer}:00"),
                Ask("exception", "At what time does the office in {name} close in August?", "{summer}:00", "{closes}:00"),
                Ask("calculation", "For how many hours is the office in {name} open on a day in winter?",
                    lambda office, _: f"{office['closes'] - office['opens']} hours"),
            ],
        ),
        rule(
            "On {late} it stays open for two more hours.",
            "It stays open for two more hours on {late}.",
            asks=[Ask("fact", "On which day of the week is the office in {name} open for longer?", "{late}")],
        ),
        rule(
            "Book {prior} days ahead if you want to speak to an adviser; a talk takes {visit} minutes.",
            "Talks with an adviser take {visit} minutes and are booked {prior} days ahead.",
            asks=[
                Ask("condition", "How many days ahead must a talk with an adviser in {name} be booked?", "{prior} days"),
                Ask("fact", "How many minutes does a talk with an adviser in {name} take?", "{visit} minutes"),
                Ask("calculation", "How many minutes do {n} talks with an adviser in {name} take together?",
                    lambda office, n: f"{n * office['visit']} minutes", cases=(2, 3, 4)),
            ],
        ),
        rule(
            "Without a booking people wait {wait} minutes as a rule; members in a wheelchair are seen at once.",
            "Those who come without a booking wait some {wait} minutes, except for members in a wheelchair, who are seen at "
            "once.",
            asks=[
                Ask("condition", "How many minutes do people without a booking wait in {name}?", "{wait} minutes"),
                Ask("exception", "How long does a member in a wheelchair wait in {name}?", "not at all", "{wait} minutes",
                    ("seen at once",)),
                Ask("not answered here", "How many people come to the office in {name} in a month?", wrong="650 people"),
            ],
        ),
        rule(
            "Bring your card and, if you speak for someone else, a signed letter from them; staff may not tell you anything "
            "about another member's claims, even of your own family, without it.",
            "Papers that you leave in the letter box before the office opens count as received on that day. Do not leave cash "
            "there: premiums can be paid at the counter or by bank.",
        ),
        heading="{name}",
    )  # fmt: skip
    paper.compare(OFFICES, "visit", "Where does a talk with an adviser take longer, {a} or {b}?")
