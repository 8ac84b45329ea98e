"""Commands activity and clips: the stages that read audio."""
