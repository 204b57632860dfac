"""
The command `pigpen`.

Exit codes: 0 done, 1 a bot failed its check or is not shown to be better, or a record does not hold, 2 a mistake in
what was asked for, 3 the platform failed (no engine, a sandbox broke), 130 interrupted, 141 the program that reads the
output has ended, 143 terminated.
"""
