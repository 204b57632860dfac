"""The wire: messages to values and back (pigpen/v1/*.proto), and how gRPC runs at both ends."""
