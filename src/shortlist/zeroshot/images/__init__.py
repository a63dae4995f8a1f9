"""Images to features: a folder of images, a network that reads them, and a cache of what it read."""
