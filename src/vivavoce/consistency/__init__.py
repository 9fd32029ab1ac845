"""The consistency room: where does a candidate contradict itself, even when no one knows the right answer?"""
