"""Arrays, frames and files in, a sample out: the only place that validates."""
