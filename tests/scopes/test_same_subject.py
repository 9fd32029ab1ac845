"""An accepted answer counts only for the thing, the kind, the day and the time that the question asks about."""

from __future__ import annotations

from collections.abc import Iterator

from tests.each_case import each_case
from vivavoce.interview.candidate import Reply
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import grade

CASES = """
When does the shop open? | 9 am
+ We open at 9 am. | The shop opens at 9 am.
? The cafe next door opens at 9 am. | The pharmacy opens at 9 am.
When does the pharmacy open on Saturdays? | 10 am
+ On Saturdays it opens at 10 am. | At 10 am.
? On Sunday it opens at 10 am. | At 10 am on weekdays.
When does school start in the morning? | 8:15
+ School starts at 8:15. | At 8:15.
? Breakfast club starts at 8:15.
When does the exhibition open? | June 1
+ The exhibition opens on June 1.
? The exhibition ends on June 1. | It closes on June 1.
Which day is recycling collected? | Tuesday
+ Recycling is collected on Tuesday. | Every Tuesday.
? Garbage is Tuesday, recycling is Friday.
When does the sale finish? | Friday
+ The sale finishes on Friday. | It ends on Friday. | Friday is the last day.
? The sale kicks off on Friday. | The coupon ends on Friday.
What is the late fee? | $25
+ The late fee is $25. | The fee is $25. | It's $25. | The total late fee comes to $25. | You'll have to pay $25.
? There is a $25 membership fee. | The early termination fee comes to $25. | The rent is $25.
What is the minimum age? | 18
+ The minimum age is 18. | It is 18. | 18+ | You have to be 18 or older. | 18 years and over
? The minimum height is 18. | The average age is 18.
What is the wifi password? | sunrise7
+ The password is sunrise7. | The wifi password is sunrise7.
? The network name is sunrise7. | The door code is sunrise7.
What is the fine for littering? | $150
+ The fine is $150. | The fine for littering is $150.
? The fine for speeding is $150.
What is the interest rate on savings? | 3%
+ The interest rate is 3%. | The interest rate on savings is 3%.
? The overdraft interest rate is 3%.
What colour is the front door? | red
+ The front door is red. | It's red.
? The back door is red. | The front door is blue and the back door is red.
Who is the head teacher? | Maria Lopez
+ The head teacher is Maria Lopez. | Maria Lopez is the head teacher. | Maria Lopez
? The deputy head teacher is Maria Lopez. | Maria Lopez is the head of the science department.
Who is the mayor? | Anna Berg
+ The mayor is Anna Berg. | It's Anna Berg.
? The vice mayor is Anna Berg. | Anna Berg is running for mayor. | Anna Berg is the former mayor.
What is the largest planet? | Jupiter
+ Jupiter is the biggest planet in the solar system. | The largest planet is Jupiter.
? Jupiter is the second largest planet. | The smallest planet is Jupiter.
How long does express delivery take? | 3 working days
+ Express delivery takes 3 working days. | It takes 3 working days and costs 4.95 pounds.
? Standard delivery takes 3 working days. | Standard delivery takes 3 working days and costs 4.95 pounds.
When was the company founded? | 1998
+ The company was founded in 1998. | It was established in 1998. | Blue Harbor Foods was founded in 1998.
? The company was sold in 1998. | It was renamed in 1998. | The brewery was founded in 1998.
? Our main competitor, Red Sea Foods, was founded in 1998.
When did the museum open? | 1998
+ The museum opened in 1998. | It was inaugurated in 1998.
? The museum closed in 1998. | It was renovated in 1998.
Who wrote the report? | Ann Lee
+ The report was written by Ann Lee. | Ann Lee wrote it.
? The report was reviewed by Ann Lee. | It was translated by Ann Lee.
When was my order shipped? | Monday
+ Your order was sent on Monday. | It was shipped on Monday.
? Your order was delivered on Monday.
How long are gift cards valid? | 3 years
+ Gift cards are valid for 3 years and cannot be exchanged for cash. | They are valid for 3 years and are sold online.
? Gift cards are valid for 3 years and can be extended to 5 years.
Who is the manager? | Ann Lee
+ The manager is Ann Lee and works in York.
? The manager was Ann Lee and has been Bob Ray since May.
? The manager was Ann Lee and is now Bob Ray. | The manager is Bob Ray and works for Ann Lee.
How heavy is the mower? | 17 kg
+ The mower weighs 17 kg and costs 349 pounds.
What is the daily withdrawal limit? | $500
+ Your daily limit is $500. | The withdrawal limit is $500.
? The weekly withdrawal limit is $500.
What is the boiling point of water? | 100
+ Water boils at 100. | The normal boiling point of water is 100.
? Water freezes at 100. | The melting point of water is 100. | The boiling point of ethanol is 100.
How long does the battery last? | 10 hours
+ The battery lasts 10 hours. | It lasts 10 hours. | It's good for 10 hours.
? Charging takes 10 hours.
How many doctors work at the clinic? | 12
+ 12 doctors | The clinic has 12 full-time doctors. | 12 people | 12 work here.
? 12 nurses | 12 nurses work at the clinic. | It was 12 when we opened. | There were 12. | 12 next month.
How many vacation days do employees get? | 30
+ 30 days | Employees get 30 vacation days. | 30 paid vacation days
? Employees get 30 sick days per year. | They got 30 last year.
How many days do I have to return an item? | 30
+ You have 30 days. | You have 30 days to return your item. | You can return it within 30 days.
? It was 30 days in 2022. | It will be 30 from next January. | You had 30 days.
How many users can I add? | 50
+ You can add 50 users. | You can add up to 50 users.
? You can add 50 projects.
How many rooms does the hotel have? | 80
+ The hotel has 80 rooms. | It has 80. | The number was raised to 80 last year.
? There will be 80 rooms. | It originally had 80. | Before the fire it had 80. | Starting next Monday, 80. | They want 80.
How many people live in the city? | 50,000
+ 50,000 people live here. | The city has 50,000 residents. | About 50,000 inhabitants, 50,000 to be exact.
? In 1950, 50,000 people lived here. | By 2040 the population will reach 50,000.
Tom had 5 apples and bought 3. How many does he have? | 8
+ He had 8 apples. | There were 8.
When was the bridge built? | 1932
+ It was built in 1932. | The bridge was built in 1932.
What is the application deadline? | March 15
+ Applications are due by March 15. | The deadline is March 15.
? Classes start on March 15. | Applications open on March 15. | The program starts on March 15; applications close on March 1.
What time is breakfast served until? | 10:00
+ It is served until 10:00. | Until 10:00.
? Breakfast starts at 10:00.
On which day is the museum closed? | Monday
+ It's closed on Mondays. | On Mondays. | The museum is closed every Monday.
? Admission is free on Mondays. | Guided tours take place on Mondays.
How long should the dough rest? | 30 minutes
+ Let it rest for 30 minutes. | It should rest 30 minutes.
? Knead it for 30 minutes, then rest it for an hour.
Who is the CEO? | Laura Hoffmann
+ Laura Hoffmann is the CEO. | It's Laura Hoffmann.
? Laura Hoffmann will become CEO in July.
How high is Mount Everest? | 8,849 metres
+ It is 8,849 metres high. | 8849 m
? About 8,850 metres.
"""


def cases() -> Iterator[tuple[str, str, str, bool]]:
    question = key = ""
    for line in CASES.strip().splitlines():
        if line.startswith(("+ ", "? ")):
            yield from ((question, key, reply, line.startswith("+")) for reply in line[2:].split(" | "))
        else:
            question, key = line.split(" | ")


@each_case(("question", "key", "reply", "is_right"), [*cases()])
def test_right_only_for_what_is_asked(question: str, key: str, reply: str, is_right: bool) -> None:
    grades = grade(Question("1", question, accepted=(key,)), Reply(reply))
    assert (grades.score, grades.upper) == ((1, None) if is_right else (0, 1))
