"""How plain replies of a shop's bot are graded: right and wrong ones as such, doubtful ones not at all."""

from collections.abc import Iterator
from functools import cache

from tests.each_case import each_case
from vivavoce.interview.candidate import Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

ASKED = {
    "days": ("How many days do customers have to return an item?", "30 days"),
    "plan": ("How much does the premium plan cost per month, in euros?", "19"),
    "staff": ("How many employees does the company have?", "240"),
    "year": ("In which year was the company founded?", "1998"),
    "share": ("What percentage of orders is delivered within 2 days?", "85%"),
    "address": ("What e-mail address do returns go to?", "returns@shop.example"),
    "warranty": ("What is the warranty period?", "2 years"),
    "travel": ("Who approves travel above 2,000 euros?", "the CFO"),
    "trucks": ("Where do trucks park?", "I don't know"),
    "sum": ("What is 12 + 27?", "39"),
    "end": ("When does the offer end?", "3 March 2026"),
    "deposit": ("What is the deposit?", "$50"),
    "closed": ("On which days is the shop closed?", "Sunday and Monday"),
    "code": ("What is the dialling code of Bonn?", "0228"),
    "weight": ("How heavy may hand luggage be?", "8 kg"),
    "cold": ("At what temperature must vaccines be stored?", "-20 °C"),
    "password": ("What is the password of the guests?", "not stated"),
    "bonus": ("How much is the referral bonus?", "€250"),
    "papers": ("Which papers must be brought?", "passport, visa and ticket"),
    "podium": ("Who came first, second and third?", "Ann, Bob and Cid"),
    "capital": ("What is the capital of Australia?", "Canberra"),
    "least": ("What is the minimum order, in euros?", "20"),
    "closing": ("When does the shop close on Saturdays?", "6:30 pm"),
    "opening": ("When does the shop open?", "9:00"),
    "visit": ("At what time is my appointment?", "14:15"),
    "hours": ("What are the opening hours?", "9:00-17:00"),
    "noon": ("At what time does the gate close?", "12 pm"),
    "laden": ("À quelle heure ferme le magasin ?", "19h30"),
    "call": ("What is the phone number?", "020 7946 0018"),
    "abroad": ("What is the phone number?", "+442079460018"),
    "iban": ("What is the IBAN?", "DE89 3704 0044 0532 0130 00"),
    "floor": ("On which floor is the lab?", "3rd floor"),
    "level": ("Which floor is the lab on?", "3"),
    "cable": ("How long is the cable?", "1.5 m"),
    "kabel": ("Wie lang ist das Kabel?", "1,5 m"),
    "billete": ("¿Cuánto cuesta el billete?", "3.50 €"),
    "tax": ("What is the tourist tax?", "HK$50"),
    "fee": ("What is the fee, in Canadian dollars?", "50"),
    "prize": ("What is the prize?", "50 dollars"),
    "limit": ("What is the limit?", "50 EUR"),
    "pets": ("Are pets allowed?", "yes"),
    "smoking": ("Is smoking allowed?", "no"),
    "ship": ("Do you ship to Switzerland?", "yes"),
    "fasting": ("Do I need to fast before the test?", "yes"),
    "order": ("Is there a minimum order?", "no"),
    "hunde": ("Sind Hunde erlaubt?", "ja"),
    "mascotas": ("¿Se admiten mascotas?", "sí"),
    "seats": ("How many users can the Team plan have?", "50"),
    "told": ("One must be at least 18. The Team plan supports up to 50 users. How many users can the Team plan have?", "50"),
    "size": ("What is the maximum file size?", "25 MB"),
    "users": ("How many users does the Team have?", "50"),
    "norway": ("Do you ship to Norway?", "no"),
    "later": ("Will you ship to Norway?", "no"),
    "battery": ("How long does the battery last?", "10 hours"),
    "elevator": ("Is the elevator working?", "no"),
    "pool": ("Is the pool open?", "yes"),
    "patients": ("Do you currently accept new patients?", "no"),
    "age": ("What is the minimum age?", "18"),
    "earth": ("Is the Earth larger than the Moon?", "yes"),
    "refund": ("Has my refund been processed?", "yes"),
    "sent": ("Did you ship my order?", "yes"),
    "museum": ("Will the museum be open on Monday?", "no"),
    "online": ("Can I cancel online?", "yes"),
    "referral": ("Do I need a referral to see the specialist?", "no"),
    "app": ("Will you have an app next year?", "yes"),
    "shop": ("When does the shop close?", "6:30 pm"),
    "pharmacy": ("When does the pharmacy open?", "8 am"),
    "semester": ("When does the next semester start?", "September 4"),
    "sale": ("When does the sale end?", "Sunday"),
    "bins": ("Which day is garbage collected?", "Tuesday"),
    "interest": ("What is the interest rate?", "3.5%"),
    "bus": ("When does the night bus stop running?", "2 am"),
    "tickets": ("When do tickets go on sale?", "June 1"),
    "window": ("What is the return window for shoes?", "30 days"),
    "surcharge": ("How much extra does delivery cost?", "$5"),
    "percent": ("What is 15% of 80?", "12"),
    "vacation": ("How many vacation days do employees get?", "28 days"),
    "fixed": ("Which version fixed the bug?", "2.4.1"),
    "egg": ("How long must an egg boil to be hard?", "10 minutes"),
    "power": ("What power has the plant?", "5 MW"),
    "flag": ("Which flag inverts the match?", "-v"),
    "daily": ("What is the maximum daily dose?", "4 g"),
    "appeal": ("Within how many days must one appeal?", "30 days"),
    "genes": ("How many chromosomes do humans have?", "46"),
    "iceland": ("What is the population of Iceland?", "about 380,000"),
    "islands": ("What is the population?", "1.2 million"),
    "insulin": ("How is insulin stored?", "2–8 °C"),
    "notice": ("How long is the notice period?", "two weeks"),
    "filing": ("By what date must taxes be filed?", "April 15"),
    "day of": ("When was it?", "2024-03-05"),
    "denied": ("Is the fee not refundable?", "yes"),
    "version": ("Which version is required?", "3.10"),
    "head": ("Who is the CEO?", "Anna Schmidt"),
    "minors": ("Can minors open an account?", "no"),
    "shipped": ("Was the order shipped?", "yes"),
    "prime": ("Is 7 a prime number?", "yes"),
    "fees": ("Are there no fees?", "yes"),
    "far": ("How far is it?", "5 km"),
    "due": ("What is the deadline?", "31 March 2026"),
    "iso": ("When is it due?", "2026-04-03"),
    "slashes": ("When is it due?", "03/04/2026"),
    "day": ("When is it due?", "3 April"),
    "gym": ("Is there a gym?", "no"),
    "nuts": ("Does it contain nuts?", "yes"),
    "card": ("Can I pay by card?", "yes"),
    "light": ("What is the speed of light in m/s?", "299792458"),
    "people": ("How many inhabitants has France?", "67,750,000"),
    "mole": ("What is Avogadro's number?", "6.02214076e23"),
    "charge": ("What is the mass of the electron in kg?", "9.109e-31"),
    "thirds": ("What is 2/3 as a decimal?", "2/3"),
    "change": ("By how much did revenue change, in percent?", "-8"),
    "fall": ("By how much did sales fall, in percent?", "12"),
    "south": ("What is the latitude?", "-33.87"),
    "sum below zero": ("What is 3 - 10?", "-7"),
    "grant": ("How much is the grant, in euros?", "1500000"),
    "zeros": ("How many zeros are in a million?", "6"),
    "sides": ("What are the dimensions?", "20 x 30 cm"),
    "wahr": ("Wahr oder falsch: Wasser ist nass?", "wahr"),
    "aperto": ("È aperto?", "sì"),
    "born": ("Where was he born?", "Paris"),
    "match": ("Who won the match?", "Germany"),
    "taller": ("Who is taller, Max or Tim?", "Max"),
    "chief": ("Who is the chief doctor?", "Dr. Anna Müller"),
    "finder": ("Who found it?", "Alexander Fleming"),
    "moo": ("What animal says moo?", "cow"),
    "isbn": ("What is the ISBN?", "978-3-16-148410-0"),
}
REPLIES = {
    "right": """
bins | Tuesdays | On Tuesdays. | Every Tuesday | It is collected on Tuesdays. | Tuesday (not Monday)
bins | We collect it every Tuesday. | Tuesday. On Monday they only collect paper.
interest | 3.5 percent | 3.5 | 3.5 per cent a year
deposit | 50 dollars | 50 bucks | USD 50
warranty | 2 yrs | 2 yr
bus | It stops running at 2 am. | 2 am
tickets | Tickets go on sale June 1.
told | The Team plan can support up to 50 users. | Up to 50.
elevator | It's not working at the moment. | It isn't working.
pool | It's open right now. | It's open.
patients | Currently we don't accept new patients. | We do not accept new patients at the moment.
age | You must be at least 18. | A minimum of 18.
sale | Until Sunday. | The sale runs until Sunday. | It's on until Sunday, so hurry.
seats | Up to 50. | 50 users max. | It is capped at 50. | The Team plan supports up to 50 users. | No more than 50.
size | Files can be up to 25 MB. | Max 25 MB per upload; larger files need a link. | 25 MB max | At most 25 MB.
norway | Unfortunately, we don't ship to Norway at the moment. | Not at this time. | We currently do not ship to Norway.
battery | About 10 hours on a full charge. | Around ten hours | You'll get roughly 10 hours out of it.
window | You can send shoes back within 30 days, unworn.
window | Hi there! You have 30 days to send it back. | Customers get 30 days from us.
staff | We have 240 employees, up from 200. | The company, formerly known as Acme, has 240 employees.
closing | Until 6:30 pm. | We are open until 6:30 pm.
surcharge | It costs $5 extra. | An additional $5.
percent | It's twelve. | That's twelve.
vacation | 28 | They get 28 vacation days. | 28 days
fixed | v2.4.1 | It was fixed in 2.4.1, not in 2.4.0. | Version 2.4.1
egg | 10 min | 10 minutes, not 8 minutes
power | 5MW | 5 mw
daily | 4 g per day | 4g
appeal | 30 | Within 30 days.
islands | 1,200,000 | 1.2 million people
insulin | 2-8°C | At 2 to 8 °C.
notice | 2 weeks | It is 2 weeks.
filing | 15 April | by April 15th | On the 15th of April.
day of | 5 marca 2024 | 5 maart 2024 | 5 marzo 2024
days | 30 | Thirty days. | Within 30 days | It's 30 calendar days. | Customers have 30 days (about a month) to return items.
plan | It is 19 Euros. Is there anything else I can help you with? | €19.00
plan | The premium plan is €19 a month. Please let me know if you have questions. Have a nice day!
staff | 240 as of 2026. | As of 2026, 240. | According to section 4.2, the company has 240 employees.
year | Founded on 3 May 1998. | Founded in 1998 in Oslo, it now has 240 employees. | May 1998
share | Within 2 days, 85% of orders are delivered. | 85 percent of orders arrive within 2 days.
address | Write to returns@shop.example! | Send it to <returns@shop.example> | Please email returns@shop.example
warranty | Two years | The warranty lasts two years. | Two years from the date of delivery.
travel | CFO | The CFO.
trucks | I don't know. | The policy doesn't mention it. | Not specified. | The policy is silent on this; please ask HR.
trucks | Unknown
trucks | I'm sorry, I don't have information about truck parking. | There's no mention of trucks, so I can't say.
sum | I get 39; check: 39-27=12. | 39. As a check, 39-27 = 12. | I get 39. You can check that 39 - 12 = 27.
end | 2026-03-03 | March 3rd, 2026. | On Tuesday, 3 March 2026. | It ends on 3.3.2026. | 03/03/2026
deposit | 50 dollars | US$50 | $50.00 | 50 | The deposit is USD 50.
closed | Sunday and Monday | It is closed on Sunday and Monday. | Sunday and Monday; it is open on all other days.
least | The minimum is 20 euros. | €20
code | 0228 | The code is 0228.
weight | 8kg | 8 kilograms | 8.0 kg | Eight kilos. | **8 kg** | 8 kg (about 17.6 lb)
cold | -20°C | −20 °C | Vaccines must be stored at -20 °C. | -20 degrees Celsius
password | I don't know. | Not stated. | The text doesn't say. | There is no information about the password.
bonus | €250 | 250 euros | The referral bonus is €250. | Two hundred and fifty euros
papers | Passport, visa and ticket. | passport, ticket, visa | A ticket, a passport, and a visa
papers | - visa\\n- ticket\\n- passport | 1. Passport\\n2. Ticket\\n3. Visa | Answer: ticket, visa & passport
capital | \x1b[1mCanberra\x1b[0m
closing | 18:30 | At half past six in the evening. | We close at 6.30 p.m. on Saturdays. | 6:30PM | 18h30 | 18.30 Uhr | At 6:30.
opening | 9:00 | At nine o'clock. | 9 Uhr | Um 9:00 Uhr. | 09:00 | A las 9:00.
visit | 2:15 pm | Your appointment is at 2:15 p.m. | At quarter past two in the afternoon. | At 14.15.
hours | 9 am to 5 pm | From 9:00 to 17:00. | 9:00 – 17:00 | 9am-5pm
noon | noon | At noon. | 12:00
laden | 19 h 30 | À 19h30. | 19:30 | Le magasin ferme à 19h30.
call | 02079460018 | (020) 7946 0018 | 020-7946-0018 | Call us on 020.7946.0018.
abroad | +44 20 7946 0018 | 0044 20 7946 0018 | +44 (0)20 7946-0018
iban | DE89370400440532013000 | Our IBAN is DE89 3704 0044 0532 0130 00.
floor | Third floor | On the third floor. | It's on the 3rd floor.
level | On the third floor. | 3rd floor | The third floor.
cable | 1,5 m | 1.5m | 1.50 m | The cable is 1,5 m long. | 1,5 meters
kabel | 1.5 m | 1,5 Meter | Das Kabel ist 1,5 m lang.
billete | 3,50 euros | El billete cuesta 3,50 €. | €3.50 | 3,50€
deposit | 50 $ | The deposit is 50$.
tax | HK$50 | The tax is HK$50.
fee | $50 | C$50 | CA$50 | 50 CAD | 50 dollars
prize | $50 | US$50 | Fifty dollars.
deposit | US $50 | USD$50
limit | €50 | 50 euros | 50
pets | Of course! | Pets are allowed. | Of course, pets are allowed. | Of course they are. | Ja
smoking | No smoking is allowed. | Unfortunately, smoking isn't allowed. | Sorry, it isn't. | Nein
ship | We ship to Switzerland. | Yes, we ship to Switzerland.
fasting | You need to fast before the test.
order | There is no minimum order. | There isn't.
minors | No minors can open an account. | Minors cannot open an account.
shipped | The order was shipped. | Of course it was.
far | It is 5 km from here, about 10 minutes by car.
iso | 3 April 2026 | April 3, 2026 | 3.4.2026
gym | There is no gym. | There isn't a gym.
nuts | It contains nuts. | It does.
card | You can pay by card. | Yes, no problem. | You can pay by card, no fee is charged.
isbn | 9783161484100 | 978 3 16 148410 0
hunde | Natürlich! | Yes, they are. | Ja, Hunde sind erlaubt.
light | 299,792,458 m/s | 2.99792458 × 10^8 m/s
people | 67.75 million | About 67.75 million people.
change | -8% | minus 8 percent
fall | 12% | Sales fell by 12%.
sum below zero | 3 - 10 = -7
grant | 1.5 million euros
aperto | Sì. | Sì, e l'ingresso è gratuito.
hunde | Ja, und Katzen auch.
born | He was born in Paris. | He was born in Paris in 1950 and died in Rome. | in Paris
match | Germany | The winner was Germany.
taller | Max is taller than Tim.
chief | Anna Müller | Dr. Anna Müller | Dr. Anna Mueller | It is Anna Müller.
finder | Sir Alexander Fleming | Dr. Alexander Fleming
moo | a cow | It's a cow.
mascotas | Por supuesto. | ¡Claro que sí! | Sí, por supuesto.
version | Version 3.10 | 3.10
refund | Your refund has been processed. | Your refund was processed on May 3. | It has. | It has been processed.
sent | We shipped your order. | We have shipped your order. | We shipped your order last week. | We did.
sent | We've already shipped your order. | We shipped it last Tuesday.
norway | Sadly we can't ship there.
museum | The museum is closed on Mondays. | We're closed on Monday, sorry.
museum | We won't be open on Monday. | It won't, sorry. | Not on Monday.
online | You can cancel online at any time. | You can.
referral | You don't need a referral. | No referral is needed. | A referral isn't required.
app | We'll have an app next year. | Yes, next year.
elevator | The elevator is out of order. | Unfortunately the elevator is broken.
elevator | Not yet, the technician comes tomorrow. | It isn't, sorry.
norway | We can't, sorry. | Not to Norway, sorry. | We no longer ship to Norway.
norway | We currently don't, unfortunately. | At the moment, no. | We can't ship to Norway.
pool | It's open. | The pool isn't closed. | At the moment, yes. | Sure is!
smoking | Smoking is forbidden. | Smoking is prohibited.
shop | We're open from 9 am to 6:30 pm. | Open daily, 9 am–6:30 pm | Our hours are 9:00 am to 6:30 pm. | From 9 to 6:30 pm
pharmacy | From 8 am to 6 pm. | Monday through Friday from 8 am to 6 pm. | We are open daily from 8 am until 10 pm.
semester | The semester runs from September 4 to December 20. | September 4 - December 20
sale | From Thursday to Sunday.
earth | The Earth is much larger than the Moon. | Yes, it is far larger.
""",
    "wrong": """
warranty | 3 yrs
pool | It's not open.
elevator | It is working.
patients | We currently accept new patients.
age | You must be at least 21.
seats | Up to 500.
norway | We currently ship to Norway.
genes | 48 | 23
iceland | 230,000
islands | 1.3 million | 1,300,000
end | 2026-03-30 | The offer ends on 4 April 2026.
closing | At 8 pm. | It closes at 8 pm. | 17:30 | 6:30 am | At half past five.
visit | 2:45 pm | 15:15 | Your appointment is at 2:15 am.
opening | At half past nine. | 10:00
call | 020 7946 0019 | 020 7946 001 | The number is 020 7946 0081.
iban | DE89 3704 0044 0532 0130 01
floor | On the second floor. | 4th floor
level | On the second floor.
cable | The cable is 15 m long. | 2,5 m | 1,500 m
weight | It weighs 10 kg.
tax | HK$60 | $60
limit | €60
pets | No pets are allowed. | Of course not! | Pets aren't allowed, of course. | Unfortunately, pets aren't allowed. | Nein
pets | Unfortunately, no pets are allowed. | Sorry, they aren't.
smoking | Smoking is allowed. | Of course! | Of course it is.
ship | We do not ship to Switzerland. | Unfortunately we do not ship to Switzerland. | Sorry, we don't.
fasting | You don't need to fast before the test.
order | There is a minimum order.
hunde | Nein, leider nicht. | No
aperto | No.
light | 150,000,000 m/s | 3 × 10^6 m/s | 299792
people | 66 million | 6.775 million | 67,700,000
mole | 6.022 × 10^24 | 6.21 × 10^23
charge | 9.109 × 10^-30
thirds | 0.6
change | 8 | -9%
fall | 13%
sum below zero | 7 | 3 - 10 = 7
sides | 20 x 40 cm
minors | Minors can open an account.
shipped | No order was shipped. | The order was not shipped.
prime | 7 is no prime number. | 7 is not a prime number.
far | It is 6 km.
due | The deadline is 1 May 2026.
iso | 4 April 2026 | 2026-04-04
day | 4 April | 30 April
isbn | 978-3-16-148410-1
gym | There is a gym. | Of course there is.
nuts | It contains no nuts. | It doesn't.
card | You cannot pay by card.
days | Customers have 14 days to return an item. | Within 14 days
plan | It costs 25 euros per month.
year | In 2001, with 3 shops.
warranty | Three years
sum | 38
end | 4 March 2026
deposit | $60
weight | 10 kg
bonus | 300 euros
refund | Your refund has not been processed. | It hasn't been processed. | It has not.
sent | We didn't ship your order. | We have not shipped your order. | We haven't.
museum | The museum is open on Mondays. | We'll be open on Monday.
online | You can't cancel online. | You cannot.
referral | You need a referral. | A referral is required.
pool | The pool is closed. | We're closed. | It's closed.
smoking | Smoking isn't forbidden.
shop | From 6:30 pm to 10 pm.
pharmacy | From 6 am to 8 am.
""",
    "open": """
bins | Recycling is on Tuesday, garbage on Friday. | Every day but Tuesday. | Any day except Tuesday | Every other Tuesday
bins | All Tuesdays but the first | Not every Tuesday | Mondays and Tuesdays
interest | 3.5 dollars | $3.5
deposit | 50% | It is fifty percent.
bus | It starts running at 2 am.
tickets | Ticket sales end on June 1. | Until June 1
sale | From Sunday. | From Sunday on. | It starts on Sunday.
elevator | It's hardly working. | It is working again. | It's not working on Sundays. | It's not only working, it's new.
pool | It will be open. | It may be open. | It's open for members.
age | At most 18. | At least 18, or 16 with consent. | Not at least 18.
sale | Not until Sunday. | It is closed until Sunday.
closing | Our break lasts until 6:30 pm; we close at 10.
seats | Up to 50 projects. | Up to 50 times as many as Basic. | It's ten times that. | It's fifty fewer than before.
window | 30 days isn't what we offer. | Nothing like 30 days.
window | We refuse to give 30 days. | 30 days ago | The warranty lasts 30 days.
window | You have 30 days to pay the invoice. | Usually 30 days, but it depends on the item. | You have 30 days left.
battery | Nowhere near 10 hours. | No way it lasts 10 hours. | It takes 10 hours to charge. | Charging takes around 10 hours.
closing | Parking is free until 6:30 pm. | You have to wait until 6:30 pm.
later | Not yet. | Not at the moment.
seats | Up to 50 or more. | Up to 50 and beyond | I'd say up to 50, maybe.
seats | Up to 50% of the staff | More than 50. | At least 50.
seats | The old limit was up to 50. | Up to 50 on Basic, up to 90 on Team. | Up to 50? | from 5 up to 50
size | Up to 25 MB per day, 90 MB in total. | Double of up to 25 MB | It is no longer up to 25 MB. | from 5 up to 25 MB
users | Up to 50. | At most 50.
later | We currently do not ship to Norway. | We don't ship to Norway at the moment.
norway | Not only do we ship to Norway, it is free.
battery | Not about 10 hours. | It was 10 hours until March. | 10 hours were common in the past. | Twice 10 hours.
window | Not within 30 days. | It used to be 30 days. | Nobody gets 30 days.
window | We dropped the 30 days rule. | The old policy allows 30 days. | An additional 30 days.
window | You have 30 days more than others. | Soon it will be 30 days.
window | Other shops allow 30 days. | Unless you are a member, 30 days.
deposit | It used to be $50. | Nobody gets $50. | We no longer ask for $50. | You wish it were $50. | It was $50 until March.
closing | It is closed until 6:30 pm. | Not until 6:30 pm. | On weekdays until 6:30 pm, on Sundays until 2 pm.
visit | 2:15 | at quarter past two
vacation | 28 weeks | 28 hours | 28% | 28 days minus 3 for the shutdown, so effectively 25
fixed | The bug was introduced in 2.4.1 and fixed in 2.5.0.
egg | For a soft yolk 10 minutes, for a hard yolk 14. | 8 minutes (large eggs: 10 minutes)
power | 5 mW
flag | -V
daily | 4 g per hour | 4 g every hour
appeal | 30 business days | Within 30 working days.
genes | 23 pairs | 46 pairs
iceland | 376,000 | 390,000
filing | April 15, 2026
pets | Yes, it is forbidden. | Yes no
days | At least 30 days | not within 30 days | It was 30 days until 2024. | Within 30 weeks | 30 days; 14 for electronics.
days | 30 days for 2 of 3 items | You don't have 30 days.
plan | 228 euros per year | Premium: €19. Basic: €9.
staff | It has grown from 210 to 240 employees. | In 2024 it had 210, in 2026 240.
year | '98 | 28 years ago. | After May 1998. | 1998 was a bad year; 3 brothers founded it later.
year | Not in 1998 but 2 years later.
share | 85% arrive within 4 days. | 85% do not arrive within 2 days | Up to 85% in 2 days
address | Never send it to returns@shop.example | Contact returns@shop.example or help@shop.example.
warranty | Not two years | two or three years | At least two years
travel | CFO or CEO | Not the CFO
end | The offer starts on 3 March 2026. | Not on 2026-03-03 | before 2026-03-03 | 2026-03-03 or 2026-04-03
deposit | €50 | 50 pounds | ¥50 | HK$50 | C$50 | A$50 | The deposit is NZ$50. | R$50 | CAD 50 | 50 CAD
deposit | 50 Canadian dollars | HK$60 | Rs 50 | ₹50 | 50 kr | CHF 50 | 50 pesos | CAD $50
tax | €50 | A$50
fee | €50 | HK$50
prize | €50 | HK$50 | 50 Canadian dollars
limit | $50 | 50 CHF | 50 $ | 5000 cents | 5000 ct
billete | 350 céntimos | 3.50 $ | 350 ct
closing | 06:30 | Half an hour before 7 pm. | Not at 8 pm. | 8 pm, or 6:30 pm on Sundays. | It opens at 6:30 pm.
closing | Before 6:30 pm. | At six.
opening | 9 am | 9 pm
noon | At twelve. | It takes 2 h 10 min.
call | +44 20 7946 0018 | 020 7946 0018 9 | Not 020 7946 0018.
abroad | 020 7946 0018 | 02079460018
floor | not on the third floor | The third building. | 2nd floor or 3rd floor
cable | 1.5 km | 5 ft
cold | minus 20 °F
pets | Certainly. | Hardly. | Only guide dogs are allowed. | Pets are allowed in some rooms, if they are small.
mascotas | Por supuesto que no. | ¡Claro que no!
hunde | Natürlich nicht!
denied | Of course!
version | 3.1 | Version 3.1
fees | There are fees.
iso | 03/04/2026 | 04/03/2026 | 03-04-2026 | 3/4/26
card | No doubt. | Not a problem. | You can pay by card with no fee. | Why not?
share | 85 orders
slashes | 2026-04-03 | 2026-03-04 | 3 April 2026
day | 3.4. | 04/03 | 3/4
opening | 21:00
far | 5,000 m | 3.1 miles | It's 6 km minus 1 km.
due | Before 1 April 2026. | One day before 1 April 2026.
head | Anna Schmidt is the CFO.
closed | It is open on Sunday and Monday.
least | The maximum is 20 euros.
code | 228 | +49 228
weight | 8 lb | 8 g | 8 working kg
cold | -20 °F | minus 20 °C | at -20 °F, not -20 °C
password | hunter2
light | about 300,000,000 m/s | 3 × 10^8 m/s | roughly 3e8 m/s | around 186,000 miles per second
people | about 68 million | 68 million | ~67.8 million | Roughly 70 million.
mole | 6.022 × 10^23 | 6.022e23 | about 6 × 10^23
charge | 9.11 × 10^-31 | 9.1093837e-31
thirds | 0.667 | ≈ 0.67 | 0.666...
change | It fell by 8%. | a decline of 8% | 8% lower
fall | -12%
south | 33.87° S | 33.87 degrees south
grant | a million and a half
zeros | 10^6, so 6 | 1000000, so 6
sides | 30 x 20 cm
wahr | wahr oder falsch | falsch oder wahr
hunde | Ja und nein | Ja oder nein
mascotas | Sí y no
aperto | Sì e no
born | He died in Paris. | He moved to Paris. | He was born in Lyon and died in Paris.
match | Brazil beat Germany.
taller | Max is shorter than Tim.
bonus | $250 | US$250 | 250 dollars
papers | Passport and visa | visa, ticket | passport, visa, ticket and photo
podium | Bob, Ann and Cid
trucks | Trucks park at lot B. | You did not mention your name; trucks park at lot B. | No, you may not. | Answer: Lot B
trucks | The rules say that trucks may not park. | You should know that it is not allowed. | No, trucks are not included.
trucks | Parking is not available for trucks. | The policy does not cover trucks.
trucks | Not at lot A, as the sign says, but at lot B.
sum | 12, checking: 12+27=39 | I got 39 or 12; check: 39-27=12
refund | Your refund will be processed. | Your refund should have been processed. | It will be. | It is.
sent | We ship your order. | We will ship your order. | We can ship your order. | We may have. | We will.
museum | The museum was closed on Monday. | The museum is closed on Sundays. | Will the museum be open on Monday? Let me check.
online | You could cancel online. | You must cancel online. | You can cancel online if you have Premium. | You should.
referral | You may need a referral. | You needed a referral.
app | We had an app next year. | Not at the moment. | We currently don't.
pool | The pool was open. | The pool will be open. | The pool could be open. | It was.
pool | Is the pool open? Good question! | The pool was closed.
smoking | Smoking was forbidden. | Smoking was allowed.
shop | The café is open from 9 am to 6:30 pm. | We're not open from 9 to 6:30 pm.
earth | No, the Earth is much larger than the Moon. | It is not much larger than the Moon.
""",
}


def rows() -> Iterator[tuple[str, str, str]]:
    for outcome, table in REPLIES.items():
        for line in table.strip().splitlines():
            name, *replies = line.replace("\\n", "\n").split(" | ")
            yield from ((outcome, name, reply) for reply in replies)


@cache
def scope(name: str) -> ListedScope:
    question, answer = ASKED[name]
    opened = open_scope([{"question": question, "answer": answer}])
    assert isinstance(opened, ListedScope)
    return opened


@each_case(("outcome", "name", "reply"), [*rows()])
def test_plain_replies(outcome: str, name: str, reply: str) -> None:
    grade = scope(name).grade(scope(name).questions[0], Reply(reply))
    if outcome == "open":
        assert (grade.score, grade.upper) == (0, 1)
    else:
        assert (grade.score, grade.upper) == (float(outcome == "right"), None)
