"""Answers: are they right and short, and is what the documents do not say declined?"""
