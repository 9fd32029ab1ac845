"""Will people rely on a model where it fails? How people generalise from its answers, and the consequences (`vafa2024`)."""
