"""The two system call filters: what they allow (policy), and their compiled form for each machine (``*.bpf``)."""
