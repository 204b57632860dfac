"""The referee: seats, clocks, tables, matches, records. It knows the games, and nothing of Docker or ladders."""

import pigpen.wire.transport  # noqa: F401  # before anything here imports gRPC
