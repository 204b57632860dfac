"""The wire: messages to values and back (protos/pigpen/v1), and how gRPC runs at both ends."""
