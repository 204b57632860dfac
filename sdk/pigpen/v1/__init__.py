"""Generated from protos/pigpen/v1 by `make protos`; do not edit."""
