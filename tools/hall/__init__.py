"""A hall draws and votes on its phones, and sees what it believed."""
