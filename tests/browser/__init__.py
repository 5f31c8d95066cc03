"""The service as people meet it: a real Chromium before a real, running demo."""
