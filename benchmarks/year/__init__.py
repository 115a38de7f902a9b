"""A year of questions, simulated: how the loop of drafts, approvals and curated answers pays off, week by week."""
