"""What is submitted: names, folders and images of bots, read once and checked; how a folder is built."""
