"""Homework: made from the exercises, handed out, collected, graded in containers, and marked."""
