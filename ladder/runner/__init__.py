"""The ladder's loop: the coordinator leases and records matches, executors play them."""
