"""How the models learn: objectives, schedules, the optimizer and the loop."""
