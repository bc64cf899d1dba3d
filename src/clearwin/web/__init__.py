"""The local page: `clearwin serve`. The server only receives, queues and shows; each job works in its own process."""
