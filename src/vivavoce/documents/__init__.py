"""Questions with answers from your own documents: read, cut into passages, drawn, written, checked, and reviewed by people."""
