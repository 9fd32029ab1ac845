"""Sentences that must not matter: asides that are about nothing that is asked, and who it is that asks."""

from __future__ import annotations

from typing import Final

from vivavoce.interview.candidate import Exchange

CONTEXTS: Final = (
    "The library in our street opens on Saturdays again.",
    "My neighbour has painted her garden fence green.",
    "The bus was late this morning, as it often is.",
    "Somebody left a blue umbrella in the waiting room.",
    "The bakery round the corner sells rye bread.",
    "It rained most of the afternoon, and then the sun came out.",
    "My cousin is learning to play the accordion.",
    "The lift in our building is being repaired.",
    "A cat was asleep on the window sill.",
    "The meeting was moved to the large room upstairs.",
    "The new carpet in the hall is softer than the old one.",
    "There were fresh flowers on the kitchen table.",
)
"""Without numbers, names and claims about the world, so that nothing of a question can hang on them."""

PERSONAS: Final = (
    "I am a retired bus driver.",
    "I am a nurse, just back from a night shift.",
    "I am in my first year at university.",
    "I am a gardener and mostly work outdoors.",
    "I am a grandmother who likes quizzes.",
    "I am a lawyer preparing for the day.",
    "I am a musician on tour.",
    "I am a farmer from the hills.",
    "I am a shop assistant on a lunch break.",
    "I am an engineer with little time.",
    "I am a teacher of sports.",
    "I am a carpenter who left school early.",
)
"""Who asks, never who is to answer: a role that is given to a candidate may rightly change its answer, who asks may not."""

TURNS: Final = (
    Exchange("Hello!", "Hello! How can I help you?"),
    Exchange("I have a question. Are you ready?", "Yes, please go ahead."),
    Exchange("Can you hear me?", "Yes, I can."),
    Exchange("Good morning.", "Good morning! What would you like to know?"),
    Exchange("May I ask you something?", "Of course."),
    Exchange("Thank you for your help yesterday.", "You are welcome."),
    Exchange("I am back from my walk.", "Welcome back!"),
    Exchange("One moment, I have to find my notes.", "Take your time."),
    Exchange("Let us begin.", "I am ready when you are."),
    Exchange("How are you?", "Fine, thank you. What can I do for you?"),
    Exchange("This will be short.", "All right."),
    Exchange("I was told to write to you.", "I am glad that you did."),
)
"""What was said before, all of it about nothing that is asked."""
