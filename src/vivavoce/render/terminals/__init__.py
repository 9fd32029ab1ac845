"""What each type of finding prints in the terminal."""
