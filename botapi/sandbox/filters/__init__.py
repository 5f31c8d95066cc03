"""The two system call filters: what they allow (policy), and compiled for each machine (``*.bpf``)."""
