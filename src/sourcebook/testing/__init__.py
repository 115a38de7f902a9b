"""For those who test against Sourcebook: fakes, and the contract that every storage must keep."""
