"""Conversations: are right answers given up, and wrong ones kept, when somebody asks again, disagrees or explains?"""
