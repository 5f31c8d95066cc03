"""Hosts that no endpoint may have, in every spelling that reaches them."""

NOT_PUBLIC = (
    "localhost",
    # loopback: dotted, short, decimal, octal, hexadecimal
    "127.0.0.1", "127.1", "2130706433", "0177.0.0.1", "017700000001", "0x7f000001", "0x7f.1", "0.0.0.0",
    # private, shared, link-local (the clouds' metadata), multicast, broadcast
    "10.1.2.3", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0xa9fea9fe", "2852039166",
    "224.0.0.1", "255.255.255.255",
    # IPv6: loopback, none, v4-mapped, NAT64, 6to4, unique local, link-local, multicast
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]",
    "[2002:7f00:1::1]", "[2002:a9fe:a9fe::]", "[fd00:ec2::254]", "[fc00::1]", "[fe80::1]", "[ff02::1]",
)  # fmt: skip
