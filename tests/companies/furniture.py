"""Eichholt & Daughters, a made-up maker of furniture: its warranty, and its manual for repairs and returns."""

from __future__ import annotations

from typing import Any

from tests.companies.policy import Ask, PolicyDocument, rule

_RANGES = (
    # name, years of warranty, of movable parts, kg, hours to set up, wood, polish, price of that, screws, months between care
    ("the Alma table", 10, 3, 150, 2, "oak", "linseed oil", 60, 18, 6),
    ("the Bero chair", 6, 2, 120, 1, "beech", "hard wax", 25, 12, 9),
    ("the Cato shelf", 12, 4, 240, 3, "larch", "soap", 75, 36, 12),
    ("the Dora bed", 15, 5, 280, 4, "walnut", "walnut oil", 95, 28, 8),
    ("the Edda wardrobe", 9, 6, 320, 6, "ash", "clear lacquer", 140, 64, 10),
    ("the Fini desk", 8, 1, 90, 5, "birch", "white oil", 80, 24, 7),
    ("the Gode sofa", 7, 8, 360, 7, "pine", "furniture soap", 55, 20, 4),
    ("the Hilma cupboard", 11, 9, 200, 8, "cherry", "beeswax", 110, 44, 5),
    ("the Iven bench", 5, 10, 270, 9, "elm", "tung oil", 40, 16, 3),
    ("the Jule stool", 4, 7, 110, 10, "maple", "shellac", 20, 8, 11),
)
RANGES: tuple[dict[str, Any], ...] = tuple(
    dict(zip(("name", "years", "parts", "kilos", "hours", "wood", "polish", "setup", "screws", "care"), entry, strict=True))
    | {
        "shop": 1 + number % 3,
        "outdoor": 6 + 2 * number,
        "report": 14 + 3 * number,
        "second": 20 + 5 * number,
        "price": 180 + 130 * number,
    }
    for number, entry in enumerate(_RANGES)
)
_REPAIRS = (
    # name, euros, days, minutes, who, tool, warranty months
    ("a scratch", 35, 5, 40, "a polisher", "the felt block", 6),
    ("a loose joint", 60, 8, 75, "a joiner", "the bar clamp", 24),
    ("a broken leg", 90, 12, 110, "a turner", "the lathe", 18),
    ("a torn seat", 120, 15, 150, "an upholsterer", "the webbing pliers", 12),
    ("a jammed drawer", 45, 6, 55, "an apprentice", "the scraper", 9),
    ("a cracked panel", 140, 18, 180, "a veneer worker", "the vacuum press", 15),
    ("a burn mark", 80, 10, 95, "a finisher", "the burn-in knife", 4),
    ("a bent hinge", 30, 4, 30, "a fitter", "the hinge press", 10),
    ("woodworm", 210, 30, 240, "a conservator", "the heat chamber", 36),
    ("a water stain", 55, 9, 65, "an oiler", "the steam cloth", 3),
)
REPAIRS: tuple[dict[str, Any], ...] = tuple(
    dict(zip(("name", "cost", "days", "minutes", "who", "tool", "months"), repair, strict=True))
    | {"home": repair[1] + 25, "express": 15 + 4 * number, "ask": 8 + 2 * number, "old": 20 - number}
    for number, repair in enumerate(_REPAIRS)
)
_DEPOTS = (
    ("Oldenburg", "Gate 4", 24, "Monday", "Heike Wulf", 160, 21),
    ("Minden", "Gate 9", 31, "Tuesday", "Ole Brinkmann", 95, 14),
    ("Celle", "Gate 2", 18, "Wednesday", "Jutta Kranz", 70, 28),
    ("Lemgo", "Gate 7", 42, "Thursday", "Sven Thale", 130, 10),
    ("Hameln", "Gate 5", 27, "Friday", "Anke Dorn", 55, 35),
    ("Stade", "Gate 12", 36, "Saturday", "Malte Voss", 85, 17),
)
DEPOTS: tuple[dict[str, Any], ...] = tuple(
    dict(zip(("name", "gate", "fee", "day", "head", "room", "wait"), depot, strict=True))
    | {"bulky": depot[2] + 30, "early": 6 + number}
    for number, depot in enumerate(_DEPOTS)
)


def warranty() -> PolicyDocument:
    """What is promised."""
    paper = PolicyDocument("warranty.docx", "Eichholt & Daughters: warranty and care")
    paper.heading("The promise")
    paper.text(
        "We build furniture to be handed on. If a piece fails although it was used as it should be, we repair it, replace "
        "it, or pay its price back, in this order. The law gives you rights as well, and this warranty takes none of them "
        "away.",
        rule(
            "Keep the card with the number of the piece; without it we need the bill or a photograph of the burnt-in mark.",
            asks=[
                Ask(
                    "condition",
                    "What do customers of Eichholt need without the card or the bill?",
                    "a photograph of the burnt-in mark",
                    "a witness",
                    ("a photograph of the mark",),
                )
            ],
        ),
        rule(
            "The warranty runs from the day of delivery, but from the day of purchase if you take the piece along.",
            asks=[
                Ask(
                    "fact",
                    "From which day does Eichholt's warranty run for a delivered piece?",
                    "the day of delivery",
                    "the day of purchase",
                    ("delivery",),
                ),
                Ask(
                    "exception",
                    "From which day does Eichholt's warranty run if you take the piece along?",
                    "the day of purchase",
                    "the day of delivery",
                    ("purchase",),
                ),
            ],
        ),
        rule(
            "It passes on to whoever owns the piece next, except for pieces that were let.",
            asks=[
                Ask(
                    "exception",
                    "Which pieces of Eichholt lose their warranty with a new owner?",
                    "pieces that were let",
                    "none",
                    ("let pieces",),
                )
            ],
        ),
    )
    paper.text(
        "Wood moves with the seasons. Gaps of a millimetre, knots and changes of colour in the sun are no defects, nor are "
        "marks of use that a cloth and some oil take away. Leather and cloth grow softer; they are not worn out because of "
        "that.",
        rule(
            "Rooms should have between 40% and 65% humidity; below that we do not pay for cracks.",
            asks=[Ask("condition", "Below which humidity does Eichholt not pay for cracks?", "40%", "65%")],
        ),
        "Pieces that someone else has changed, sawn or painted are out of the warranty, but we repair them gladly at our "
        "prices.",
    )  # fmt: skip
    _promises(paper)
    _care(paper)
    return paper


def _promises(paper: PolicyDocument) -> None:
    paper.heading("Warranty by piece")
    paper.table(
        RANGES,
        {
            "Piece": "{name}",
            "Warranty": "{years} years",
            "Movable parts": "{parts} years",
            "Wood": "{wood}",
            "Bears": "{kilos} kg",
        },
        Ask("fact", "How many years of warranty has {name}?", "{years} years", "{parts} years"),
        Ask("fact", "How many years of warranty have the movable parts of {name}?", "{parts} years", "{years} years"),
        Ask("fact", "Of which wood is {name}?", "{wood}"),
        Ask("fact", "How many kg does {name} bear?", "{kilos} kg"),
        Ask(
            "calculation",
            "{Name} was delivered {n} years ago. How many years of warranty are left?",
            lambda piece, n: f"{piece['years'] - n} years",
            cases=(1, 2, 3),
        ),
        Ask("not answered here", "In which year did Eichholt build {name} for the first time?", wrong="1987"),
    )
    paper.compare(RANGES, "years", "Which has the longer warranty, {a} or {b}?")
    paper.compare(RANGES, "kilos", "Which bears more weight, {a} or {b}?")
    paper.items(
        RANGES,
        rule(
            "Each piece is built by one joiner from the first cut to the last coat, who burns a mark into a place where you do "
            "not see it; ask us for it if you want to know whose hands it comes from.",
            "The boards come from forests that we know, and lie for years before they are sawn. So two pieces never look the "
            "same, and the picture in the catalogue shows one of many.",
            "We keep the drawing of every piece that leaves the house. A part that breaks in the next generation can be built "
            "again from it, though perhaps of a board with another grain.",
        ),
        rule(
            "Report a defect of {name} within {report} days; if it was hidden, within {second} days after you saw it.",
            "A defect of {name} is reported within {report} days, and a hidden one within {second} days after it was seen.",
            asks=[
                Ask("condition", "Within how many days must a defect of {name} be reported?", "{report} days"),
                Ask("exception", "Within how many days after it was seen must a hidden defect of {name} be reported?",
                    "{second} days",
                    "{report} days"),
                Ask("not answered here", "How many defects of {name} were reported last year?", wrong="37 defects"),
            ],
        ),
        rule(
            "Used outdoors it is covered for {outdoor} months, and not at all if it stood in the rain without a cover.",
            "It is covered for {outdoor} months if it is used outdoors, but not if it stood uncovered in the rain.",
            asks=[
                Ask("condition", "For how many months is {name} covered if it is used outdoors?", "{outdoor} months"),
                Ask("exception", "For how many months is {name} covered if it stood uncovered in the rain?", "0 months",
                    "{outdoor} months", ("not at all", "none")),
            ],
        ),
        rule(
            "In a shop or a school the warranty lasts {shop} years.",
            "The warranty is {shop} years for shops and schools.",
            asks=[Ask("exception", "How many years of warranty has {name} in a school?", "{shop} years", "{years} years")],
        ),
        rule(
            "We set it up for {setup} euros, which takes {hours} hours; if you live above the third floor, ask for an offer.",
            "For {setup} euros our people set it up in {hours} hours, but above the third floor only after an offer.",
            asks=[
                Ask("fact", "What does Eichholt charge to set up {name}?", "{setup} euros"),
                Ask("fact", "How many hours does it take to set up {name}?", "{hours} hours"),
                Ask("calculation", "What does Eichholt charge to set up {name} {n} times?",
                    lambda p, n: f"{n * p['setup']} euros",
                    cases=(2, 3, 4)),
                Ask("not answered here", "How many people come to set up {name}?", wrong="two people"),
            ],
        ),
        heading="{Name}",
    )  # fmt: skip
    paper.compare(RANGES, "setup", "Which costs more to set up, {a} or {b}?")
    paper.compare(RANGES, "hours", "Which takes longer to set up, {a} or {b}?")


def _care(paper: PolicyDocument) -> None:
    paper.heading("Care")
    paper.text("Dust with a dry cloth. Take away water at once, and never use sprays, vinegar or steam.")
    paper.items(
        RANGES,
        rule(
            "Treat {name} with {polish} every {care} months, and twice as often beside a stove.",
            "{Name} wants {polish} every {care} months; beside a stove it wants it twice as often.",
            asks=[
                Ask("fact", "With what is {name} treated?", "{polish}"),
                Ask("fact", "Every how many months is {name} treated?", "{care} months"),
                Ask("exception", "How often is {name} treated beside a stove?", "twice as often", "every {care} months",
                    ("twice as often as elsewhere",)),
                Ask("not answered here", "What does a bottle for the care of {name} cost?", wrong="14 euros"),
            ],
        ),
        rule(
            "Tighten its {screws} screws after the first winter, if the room is heated.",
            "If the room is heated, tighten its {screws} screws after the first winter.",
            asks=[
                Ask("fact", "How many screws has {name}?", "{screws} screws"),
                Ask("condition", "When must the screws of {name} be tightened if the room is heated?", "after the first winter",
                    "every month", ("the first winter",)),
                Ask("calculation", "How many screws have {n} pieces of {name} together?",
                    lambda p, n: f"{n * p['screws']} screws",
                    cases=(2, 5, 6)),
            ],
        ),
        rule(
            "A trial in a hidden place shows whether the tone suits you; work along the grain, and wipe off what the wood "
            "has not taken after a quarter of an hour.",
            "Spread out cloths that are soaked with oil to dry, since they may catch fire by themselves, and let the piece "
            "rest overnight before you put anything on it.",
        ),
    )  # fmt: skip
    paper.compare(RANGES, "screws", "Which has more screws, {a} or {b}?")


def repairs() -> PolicyDocument:
    """What the workshop does, and how pieces come back."""
    paper = PolicyDocument("repairs-and-returns.docx", "Eichholt & Daughters: repairs and returns")
    paper.heading("Returns")
    paper.text(
        "You may send back what does not please you. Pack it as it came, and photograph it before the carrier takes it along.",
        rule(
            "New pieces come back within 45 days, and pieces made to measure only if they have a defect.",
            asks=[
                Ask("fact", "Within how many days may a new piece be returned to Eichholt?", "45 days", "14 days"),
                Ask(
                    "exception",
                    "When may a piece made to measure be returned to Eichholt?",
                    "only if it has a defect",
                    "within 45 days",
                    ("if it has a defect",),
                ),
            ],
        ),
        rule(
            "We keep 10% of the price if the package was opened, but nothing if a part was missing.",
            asks=[
                Ask("condition", "What share of the price does Eichholt keep if the package was opened?", "10%", "20%"),
                Ask("exception", "What does Eichholt keep of the price if a part was missing?", "nothing", "10%", ("0%",)),
            ],
        ),
        "Money comes back by the way on which you paid, as soon as the piece has been looked at.",
    )
    paper.items(
        RANGES,
        rule(
            "{Name} costs {price} euros in the catalogue.",
            "The catalogue has {name} for {price} euros.",
            asks=[
                Ask("fact", "What does {name} cost in the catalogue?", "{price} euros"),
                Ask("calculation", "The package with {name} was opened. How much of the catalogue price does Eichholt keep?",
                    lambda piece, _: f"{piece['price'] // 10} euros"),
                Ask("calculation", "What do {n} pieces of {name} cost in the catalogue?",
                    lambda p, n: f"{n * p['price']} euros",
                    cases=(2, 3)),
            ],
        ),
    )  # fmt: skip
    paper.compare(RANGES, "price", "Which costs more in the catalogue, {a} or {b}?")
    _depots(paper)
    _workshop(paper)
    return paper


def _depots(paper: PolicyDocument) -> None:
    paper.heading("Depots")
    paper.table(
        DEPOTS,
        {"Depot": "{name}", "Gate": "{gate}", "Collection": "{fee} euros", "Bulky": "{bulky} euros", "Head": "{head}"},
        Ask("fact", "At which gate does the depot in {name} take returns?", "{gate}"),
        Ask("fact", "What does collection by the depot in {name} cost?", "{fee} euros", "{bulky} euros"),
        Ask("condition", "What does the depot in {name} charge to collect a bulky piece?", "{bulky} euros", "{fee} euros"),
        Ask("fact", "Who heads the depot in {name}?", "{head}"),
        Ask("not answered here", "How many lorries has the depot in {name}?", wrong="6 lorries"),
        Ask("not answered here", "From which towns does the depot in {name} collect?", wrong="from Bremen and Verden"),
        Ask(
            "calculation",
            "What does the depot in {name} charge for {n} collections that are not bulky?",
            lambda depot, n: f"{n * depot['fee']} euros",
            cases=(2, 3, 4),
        ),
    )
    paper.compare(DEPOTS, "fee", "Where does collection cost more, {a} or {b}?")
    paper.items(
        DEPOTS,
        rule(
            "The depot in {name} collects on {day}, from {early}:00 on; before a holiday it does not collect.",
            "From {name} our lorry leaves on {day} at {early}:00, except before a holiday.",
            asks=[
                Ask("fact", "On which day does the depot in {name} collect?", "{day}"),
                Ask("condition", "From what time on must you be at home if the depot in {name} collects?", "{early}:00"),
                Ask("exception", "When does the depot in {name} not collect on its day?", "before a holiday", "in winter"),
            ],
        ),
        rule(
            "It stores up to {room} pieces, each for {wait} days; pieces under dispute stay until the end of it.",
            "Each of up to {room} pieces is stored there for {wait} days, but under dispute until the end of it.",
            asks=[
                Ask("fact", "How many pieces does the depot in {name} store?", "{room} pieces"),
                Ask("condition", "For how many days does the depot in {name} store a piece?", "{wait} days"),
                Ask("exception", "How long does the depot in {name} store a piece under dispute?",
                    "until the end of the dispute",
                    "{wait} days", ("until the end of it",)),
            ],
        ),
        rule(
            "The driver carries it down if a second person helps; ask for two drivers if no one can. What does not fit through "
            "the door is taken apart, and the driver signs for each part.",
            "Have the piece ready at the door, empty and dry. The driver looks at it with you and writes down what is damaged, "
            "and you both sign before it is loaded.",
        ),
        heading="{name}",
    )  # fmt: skip
    paper.compare(DEPOTS, "room", "Which depot stores more pieces, {a} or {b}?")


def _workshop(paper: PolicyDocument) -> None:
    paper.heading("Repairs")
    paper.text(
        "The workshop repairs our own furniture of any age, and that of others if the customer signs that it may fail. An "
        "offer is free, and holds for a month. Nothing is begun before the customer has agreed to it in writing."
    )
    paper.table(
        REPAIRS,
        {"Repair of": "{name}", "Price": "{cost} euros", "At home": "{home} euros", "Days": "{days} days", "By": "{who}"},
        Ask("fact", "What does the repair of {name} cost in Eichholt's workshop?", "{cost} euros", "{home} euros"),
        Ask("condition", "What does Eichholt charge to repair {name} if it is done at the customer's home?", "{home} euros",
            "{cost} euros"),
        Ask("fact", "How many days does the repair of {name} take?", "{days} days"),
        Ask("fact", "Who repairs {name} at Eichholt?", "{who}"),
        Ask("calculation", "What do {n} repairs of {name} in the workshop cost at Eichholt?",
            lambda r, n: f"{n * r['cost']} euros",
            cases=(2, 3, 4)),
        Ask("not answered here", "How many repairs of {name} does Eichholt make in a year?", wrong="240 repairs"),
    )  # fmt: skip
    paper.compare(REPAIRS, "cost", "Whose repair costs more at Eichholt, {a} or {b}?")
    paper.compare(REPAIRS, "days", "Whose repair takes longer at Eichholt, {a} or {b}?")
    paper.items(
        REPAIRS,
        rule(
            "Plan {minutes} minutes at the bench for {name}, and use {tool}; on veneer work by hand alone.",
            "For {name} you need {tool} and {minutes} minutes at the bench; veneer is worked on by hand alone.",
            asks=[
                Ask("fact", "How many minutes at the bench does {name} take?", "{minutes} minutes"),
                Ask("fact", "Which tool does the workshop use for {name}?", "{tool}"),
                Ask("exception", "How is {name} on veneer worked on?", "by hand alone", "with {tool}", ("by hand",)),
                Ask("not answered here", "How many joiners at Eichholt can repair {name}?", wrong="three joiners"),
            ],
        ),
        rule(
            "We answer for the repair for {months} months, except on pieces of other makers.",
            "The repair is covered for {months} months, but not on pieces of other makers.",
            asks=[
                Ask("fact", "For how many months is the repair of {name} covered?", "{months} months"),
                Ask("exception", "For how many months is the repair of {name} covered on another maker's piece?", "0 months",
                    "{months} months", ("not at all", "none")),
            ],
        ),
        rule(
            "If the offer rises by more than {ask}%, ask the customer again; express costs {express} euros on top.",
            "Ask the customer again if it gets dearer by more than {ask}%; {express} euros more make it an express repair.",
            asks=[
                Ask("condition", "From which rise of the offer on must a customer be asked again about {name}?", "{ask}%"),
                Ask("fact", "What does express cost on top with {name}?", "{express} euros"),
                Ask("calculation", "What does an express repair of {name} in the workshop cost in all?",
                    lambda repair, _: f"{repair['cost'] + repair['express']} euros"),
                Ask("not answered here", "How many days does an express repair of {name} take?", wrong="2 days"),
            ],
        ),
        rule(
            "Pieces older than {old} years go to the master first, unless the owner is an heir of the first buyer.",
            "The master sees pieces older than {old} years first, but not those of an heir of the first buyer.",
            asks=[
                Ask("condition", "From which age on does the master see a piece with {name} first?", "{old} years"),
                Ask("exception", "Whose old piece with {name} does not go to the master first?",
                    "that of an heir of the first buyer",
                    "that of a new owner", ("an heir of the first buyer",)),
            ],
        ),
        rule(
            "Photograph the place before and after, put the old part into a bag with the number of the order, and give it to "
            "the customer with the piece; many want to keep it.",
            "Match the tone by daylight and not under the lamp. Show the customer a sample if the repair will be seen, and "
            "write into the order that it was shown.",
        ),
        heading="Repair of {name}",
    )  # fmt: skip
    paper.compare(REPAIRS, "minutes", "Which takes longer at the bench, {a} or {b}?")
