"""The consistency room: where does a candidate contradict itself, although nobody knows the right answer?"""
