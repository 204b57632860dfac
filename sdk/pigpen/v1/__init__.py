"""The wire contract in proto files, and the code that `make protos` generates from them; do not edit that code."""
