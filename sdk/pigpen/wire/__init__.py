"""The wire: values from and to messages (pigpen/v1/*.proto), and settings of gRPC. Bots need none of it."""
