"""Kranich, a made-up company that rents bikes at eight lakeside branches: its rental terms."""

from __future__ import annotations

from typing import Any

from tests.companies.policy import Ask, PolicyDocument, rule

_BIKES = (
    # name, euros an hour, a day, a week, deposit, years, kg, late fee, km between services, pressure, tyres, extra
    ("the city bike", 4, 15, 75, 50, 12, 120, 5, 600, 40, "Berg tyres", "locks"),
    ("the trekking bike", 5, 19, 95, 80, 14, 130, 6, 700, 45, "Halde tyres", "panniers"),
    ("the mountain bike", 6, 24, 120, 100, 16, 110, 7, 350, 25, "Klamm tyres", "repair kits"),
    ("the gravel bike", 7, 27, 135, 150, 16, 115, 8, 450, 35, "Furt tyres", "bar bags"),
    ("the road bike", 8, 32, 160, 200, 18, 100, 9, 500, 70, "Sirr tyres", "bottle cages"),
    ("the e-city bike", 9, 36, 180, 250, 16, 125, 12, 800, 42, "Lohe tyres", "chargers"),
    ("the e-mountain bike", 12, 48, 245, 400, 18, 105, 15, 300, 28, "Grat tyres", "spare batteries"),
    ("the cargo bike", 10, 40, 205, 300, 20, 180, 14, 550, 50, "Fracht tyres", "rain covers"),
    ("the tandem", 11, 42, 210, 220, 17, 210, 13, 650, 55, "Paar tyres", "rear mirrors"),
    ("the folding bike", 3, 13, 65, 60, 13, 95, 4, 750, 60, "Falz tyres", "carry bags"),
)
BIKES: tuple[dict[str, Any], ...] = tuple(
    dict(
        zip(
            ("name", "hour", "day", "week", "deposit", "years", "kilos", "late", "service", "pressure", "tyres", "extra"),
            bike,
            strict=True,
        )
    )
    | {
        "free": 10 + 5 * (number % 4),
        "held": 24 + 6 * (number % 5),
        "excess": 40 + 30 * number,
        "weekend": bike[2] + 3 + number,
    }
    for number, bike in enumerate(_BIKES)
)
_BRANCHES = (
    # place, street, opens, closes, closed on, box, parking, manager, phone ending, bikes, float
    ("Lindau", "Hafenweg 3", 8, 19, "Monday", "beside the lighthouse", 6, "Edda Roth", "411", 140, 200),
    ("Bregenz", "Seestrasse 18", 9, 18, "Tuesday", "under the bandstand", 4, "Jonas Feld", "426", 95, 150),
    ("Konstanz", "Fischmarkt 7", 7, 20, "Sunday", "in the station hall", 9, "Mira Stolz", "433", 180, 300),
    ("Rorschach", "Kornplatz 2", 10, 17, "Wednesday", "at the east gate", 3, "Urs Keel", "448", 60, 100),
    ("Meersburg", "Burggasse 11", 9, 19, "Thursday", "by the ferry ramp", 5, "Pia Lorenz", "452", 85, 160),
    ("Arbon", "Schlosshof 5", 8, 18, "Friday", "behind the boathouse", 7, "Timo Hagen", "467", 70, 120),
    ("Friedrichshafen", "Zeppelinplatz 1", 7, 21, "Saturday", "next to platform 4", 12, "Nele Brandt", "475", 210, 350),
    ("Romanshorn", "Bahnsteig 9", 6, 16, "Monday", "outside the museum", 8, "Reto Frei", "489", 75, 130),
)
BRANCHES: tuple[dict[str, Any], ...] = tuple(
    dict(
        zip(
            ("name", "street", "opens", "closes", "closed", "box", "parking", "manager", "phone", "stock", "cash"),
            branch,
            strict=True,
        )
    )
    | {
        "sunday": branch[2] + 2,
        "transfer": 8 + 3 * number,
        "alarm": 5 + 2 * number,
        "check": 15 + 10 * number,
        "winter": branch[3] - 2,
    }
    for number, branch in enumerate(_BRANCHES)
)
EXTRAS: tuple[dict[str, Any], ...] = tuple(
    dict(zip(("name", "day", "lost"), extra, strict=True))
    for extra in (
        ("the helmet", 2, 35), ("the child seat", 5, 90), ("the trailer", 9, 260), ("the pannier set", 4, 70),
        ("the phone holder", 1, 20), ("the rain cape", 3, 25), ("the chain lock", 6, 55), ("the map case", 7, 15),
    )
)  # fmt: skip


def terms() -> PolicyDocument:
    """What customers agree to."""
    paper = PolicyDocument("rental-terms.md", "Kranich bike rental: rental terms")
    _booking(paper)
    _bikes(paper)
    _extras(paper)
    _late(paper)
    _branches(paper)
    return paper


def _booking(paper: PolicyDocument) -> None:
    paper.heading("Booking and cancelling")
    paper.text(
        "These terms apply to every rental at a branch, online or by telephone, and staff can't change them by word of mouth.",
        rule(
            "A booking is binding once you have the confirmation by e-mail, which we send within 2 hours.",
            asks=[Ask("fact", "Within how many hours does Kranich confirm a booking by e-mail?", "2 hours", "24 hours")],
        ),
        rule(
            "You may book up to 90 days ahead, and groups of eight or more up to 270 days ahead.",
            asks=[
                Ask("fact", "How many days ahead may a single customer book a bike at Kranich?", "90 days", "30 days"),
                Ask("exception", "How many days ahead may a group of ten book bikes at Kranich?", "270 days", "90 days"),
            ],
        ),
        "The name on the booking and the name on the identity card must agree.",
    )
    paper.text(
        rule(
            "Cancelling is free until 48 hours before the rental begins; after that we keep 30% of the price.",
            asks=[
                Ask(
                    "condition",
                    "What share of the price does Kranich keep if you cancel a day before the rental?",
                    "30%",
                    "50%",
                ),
                Ask(
                    "calculation",
                    "Someone cancels a Kranich rental for {n} euros 12 hours before it begins. How much does Kranich keep?",
                    lambda _, n: f"{30 * n // 100} euros",
                    cases=(50, 80, 120, 150, 210, 260, 340, 420),
                ),
            ],
        ),
        rule(
            "If the weather service warns of a storm at the branch, cancelling stays free until the rental begins.",
            asks=[
                Ask(
                    "exception",
                    "There is a storm warning at the branch. Until when may you cancel a Kranich rental free of charge?",
                    "until the rental begins",
                    "until 48 hours before",
                )
            ],
        ),
        "If you fall ill, write to us and add a doctor's note: we then move the booking to another day of the same season, and "
        "keep nothing. We can't do so for groups, whose bikes are brought together from several branches.",
        "Whoever does not appear pays the full price, since we can't give the bike to anyone else that day.",
        rule(
            "We pay money back to the card with which you paid, within 7 days.",
            asks=[Ask("fact", "Within how many days does Kranich pay money back to a card?", "7 days", "14 days")],
        ),
    )


def _bikes(paper: PolicyDocument) -> None:
    paper.heading("On the road")
    paper.text(
        rule(
            "Bikes may be taken on trains and ferries, but not on planes, and you pay the fare for them.",
            asks=[Ask("exception", "On what may a Kranich bike not be taken?", "planes", "ferries", ("on planes",))],
        ),
        rule(
            "After a breakdown call the helpline, which answers until 22:00; we bring another bike within 90 minutes.",
            asks=[
                Ask("fact", "Until what time does Kranich's helpline answer?", "22:00", "20:00"),
                Ask("condition", "Within how many minutes does Kranich bring another bike after a breakdown?",
                    "90 minutes", "60 minutes"),
            ],
        ),
        "A flat tyre is not a breakdown if a repair kit was rented with the bike. Small repairs that a shop makes on the way "
        "are paid back if you bring the receipt and the old part.",
        rule(
            "Without asking us, such a repair may cost up to 25 euros, or 60 euros outside the country.",
            asks=[
                Ask("fact", "Up to what cost may Kranich customers have a repair made without asking?", "25 euros", "60 euros"),
                Ask("exception", "Up to what cost may a Kranich bike be repaired abroad without asking?",
                    "60 euros", "25 euros"),
            ],
        ),
        "Lock the bike to something that stands firmly whenever you leave it, also for a minute. You may not ride it in "
        "races, on stairs or in water, lend it to people who are not on the booking, or let a dog pull it.",
    )  # fmt: skip
    paper.heading("Bikes, prices and deposits")
    paper.text("Prices include a lock and lights. A day lasts until the branch closes, a week seven times 24 hours.")
    prices = {
        "Bike": "{name}",
        "Hour": "{hour} euros",
        "Day": "{day} euros",
        "Week": "{week} euros",
        "Weekend": "{weekend} euros",
    }
    paper.table(
        BIKES,
        prices,
        Ask("fact", "What does {name} cost for an hour at Kranich?", "{hour} euros", "{day} euros"),
        Ask("fact", "What does {name} cost for a day at Kranich?", "{day} euros", "{weekend} euros"),
        Ask("fact", "What does {name} cost for a week at Kranich?", "{week} euros"),
        Ask("fact", "What does {name} cost for a weekend at Kranich?", "{weekend} euros", "{day} euros"),
        Ask(
            "calculation",
            "What do {n} single days with {name} cost at Kranich?",
            lambda bike, n: f"{n * bike['day']} euros",
            cases=(2, 3, 4, 5),
        ),
    )
    paper.compare(BIKES, "week", "Which costs more for a week at Kranich, {a} or {b}?")
    paper.items(
        BIKES,
        rule(
            "Choose {name} if you know your way and want to ride at your own pace; our staff set the saddle and show you the "
            "brakes before you leave, and they note each scratch on a sheet that both sides sign.",
            "Before you ride off with {name}, try the brakes in the yard. Staff note each scratch on a sheet, and both sides "
            "sign it, so that nobody argues about it when you come back.",
            "With {name} you get a short lesson in the yard, as long as you need it. Look at it closely: what is not on the "
            "sheet that both sides sign counts as having happened on your ride.",
        ),
        rule(
            "{Name} is lent to riders from {years} years on.",
            "You must be at least {years} years old to rent {name}.",
            asks=[
                Ask("condition", "How old must you be to rent {name} from Kranich?", "{years} years"),
                Ask("not answered here", "How many gears has {name} at Kranich?", wrong="21 gears"),
            ],
        ),
        rule(
            "It bears at most {kilos} kg, rider and luggage together.",
            "Rider and luggage together may weigh up to {kilos} kg.",
            asks=[
                Ask("fact", "How many kg of rider and luggage does {name} bear at Kranich?", "{kilos} kg"),
                Ask("not answered here", "How many kg does {name} weigh itself at Kranich?", wrong="14 kg"),
            ],
        ),
        rule(
            "The deposit is {deposit} euros; holders of a season card leave {free} euros only.",
            "We ask for a deposit of {deposit} euros, and for {free} euros from holders of a season card.",
            asks=[
                Ask("fact", "What is the deposit for {name} at Kranich?", "{deposit} euros"),
                Ask("exception", "What deposit does the holder of a season card leave for {name}?",
                    "{free} euros", "{deposit} euros"),
            ],
        ),
        rule(
            "If it is damaged by accident, you pay at most {excess} euros; if it was left unlocked, the whole repair.",
            "An accident costs you {excess} euros at most, unless the bike was left unlocked: then you pay the whole repair.",
            asks=[
                Ask("condition", "How much do you pay at most if {name} is damaged by accident?", "{excess} euros"),
                Ask("exception", "What do you pay if {name} is damaged after it was left unlocked?",
                    "the whole repair", "{excess} euros"),
                Ask("not answered here", "What does the theft insurance for {name} cost at Kranich?", wrong="{deposit} euros"),
            ],
        ),
        heading="{Name}",
    )  # fmt: skip
    paper.compare(BIKES, "kilos", "Which bears more weight at Kranich, {a} or {b}?")


def _extras(paper: PolicyDocument) -> None:
    paper.heading("Extras")
    paper.text(
        "You may add extras when you book or at the counter.",
        rule(
            "From the fourth day on, extras are free of charge, but for the trailer, which is charged for every day.",
            asks=[
                Ask(
                    "calculation",
                    "How much does Kranich charge for one child seat over {n} days?",
                    lambda _, n: f"{5 * min(n, 3)} euros",
                    lambda _, n: f"{5 * n} euros",
                    cases=(4, 5, 6, 7, 8, 9, 10),
                ),
                Ask("exception", "Which extra is charged for every day at Kranich?", "the trailer", "the helmet"),
            ],
        ),
    )
    paper.table(
        EXTRAS,
        {"Extra": "{name}", "A day": "{day} euros", "If lost": "{lost} euros"},
        Ask("fact", "What does {name} cost for a day at Kranich?", "{day} euros", "{lost} euros"),
        Ask("condition", "What do you pay to Kranich if {name} is lost?", "{lost} euros", "{day} euros"),
        Ask("not answered here", "Which company makes {name} that Kranich lends?", wrong="Alpina"),
    )
    paper.compare(EXTRAS, "lost", "Which costs more at Kranich if it is lost, {a} or {b}?")


def _late(paper: PolicyDocument) -> None:
    paper.heading("Late returns")
    paper.text(
        "A bike that comes back late is missing for the next customer, so we charge for each hour that has begun.",
        "Call the branch if you see that you will be late: someone else may be waiting, and another bike may be found. A call "
        "alone does not lower the charge, but those who call are never reported to the police on the same day.",
        rule(
            "The first 20 minutes are free, but not on public holidays.",
            asks=[
                Ask("fact", "How many minutes late may a bike come back to Kranich free of charge?",
                    "20 minutes", "30 minutes"),
                Ask("exception", "How many minutes late may a Kranich bike come back on a public holiday?",
                    "0 minutes", "20 minutes"),
            ],
        ),
        rule(
            "A bike that is 3 days late is reported to the police.",
            asks=[Ask("condition", "After how many days does Kranich report a late bike to the police?", "3 days", "7 days")],
        ),
    )  # fmt: skip
    paper.items(
        BIKES,
        rule(
            "For {name} each late hour costs {late} euros.",
            "{Name} costs {late} euros for each hour that it is late.",
            asks=[
                Ask("fact", "What does each late hour with {name} cost at Kranich?", "{late} euros", "{hour} euros"),
                Ask(
                    "calculation",
                    "{Name} comes back {n} hours late to Kranich. What is the late fee?",
                    lambda bike, n: f"{n * bike['late']} euros",
                    cases=(2, 3, 5),
                ),
            ],
        ),
        rule(
            "If a branch is closed when you arrive, we hold the charge for {held} hours; customers with a breakdown pay "
            "nothing.",
            "The charge rests for {held} hours if the branch is closed when you arrive, and a breakdown costs nothing.",
            asks=[
                Ask(
                    "condition",
                    "How many hours does Kranich hold the charge for {name} if the branch is closed?",
                    "{held} hours",
                ),
                Ask("exception", "What late fee is due for {name} after a breakdown?", "nothing", "{late} euros"),
                Ask("not answered here", "Up to which sum do late fees for {name} grow at Kranich?", wrong="{week} euros"),
            ],
        ),
    )
    paper.compare(BIKES, "late", "Which costs more for each late hour at Kranich, {a} or {b}?")


def _branches(paper: PolicyDocument) -> None:
    paper.heading("Branches")
    paper.text("Each branch keeps its own hours. On its closing day, bikes can be put into the return box alone.")
    paper.items(
        BRANCHES,
        rule(
            "Trains and ferries stop a short walk away, and bikes may be tried in the yard before you decide on one.",
            "The house stands close to the water. Please lead bikes through the archway, since people walk there, and ride "
            "from the street on.",
        ),
        rule(
            "The branch in {name} is at {street} and opens at {opens}:00.",
            "You find us in {name} at {street}, where we open at {opens}:00.",
            asks=[
                Ask("fact", "At which address is Kranich's branch in {name}?", "{street}"),
                Ask("fact", "At what time does Kranich open in {name}?", "{opens}:00"),
                Ask("exception", "At what time does Kranich open in {name} on a public holiday?", "{sunday}:00", "{opens}:00"),
                Ask("not answered here", "Which bus stops in front of Kranich's branch in {name}?", wrong="line 7"),
            ],
        ),
        rule(
            "It opens at {sunday}:00 on public holidays.",
            "On public holidays the doors open at {sunday}:00.",
        ),
        rule(
            "We close at {closes}:00, from November to March at {winter}:00, and all day on {closed}.",
            "Closing time is {closes}:00, in the months from November to March {winter}:00; {closed} is our closing day.",
            asks=[
                Ask("fact", "At what time does Kranich close in {name} in summer?", "{closes}:00"),
                Ask("exception", "At what time does Kranich close in {name} in January?", "{winter}:00", "{closes}:00"),
                Ask("condition", "On which day of the week is Kranich in {name} closed?", "{closed}"),
                Ask(
                    "calculation",
                    "For how many hours a day is Kranich open in {name} in summer?",
                    lambda branch, _: f"{branch['closes'] - branch['opens']} hours",
                ),
            ],
        ),
        rule(
            "The return box stands {box}.",
            "You find the return box {box}.",
            asks=[
                Ask("fact", "Where does Kranich's return box stand in {name}?", "{box}"),
                Ask("not answered here", "How many bikes does the return box in {name} take?", wrong="12 bikes"),
            ],
        ),
        rule(
            "If you bring back to {name} a bike from another branch, you pay {transfer} euros; with a season card nothing.",
            "A bike from another branch may come back to {name} for {transfer} euros, or for nothing with a season card.",
            asks=[
                Ask("condition", "What do you pay to bring a bike from another branch back to {name}?", "{transfer} euros"),
                Ask(
                    "exception",
                    "What does the holder of a season card pay for a return in {name}?",
                    "nothing",
                    "{transfer} euros",
                ),
                Ask(
                    "calculation",
                    "A family without a season card brings {n} bikes from another branch back to {name}. What does it pay?",
                    lambda branch, n: f"{n * branch['transfer']} euros",
                    cases=(2, 3, 4),
                ),
            ],
        ),
        rule(
            "Write your booking number on the tag if you use the box; without it we can't close the rental before the next "
            "morning, and the hours until then count.",
            "Put the key into the bag with your booking number before you drop it in. A rental ends when the box is emptied if "
            "there is no number on the bag.",
        ),
        heading="{name}",
    )
    paper.compare(BRANCHES, "transfer", "Where does it cost more to bring back a Kranich bike from elsewhere, {a} or {b}?")
