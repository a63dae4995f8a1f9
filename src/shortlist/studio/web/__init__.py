"""The studio over HTTP: what the page can ask for, the server of this machine, and its guard."""
