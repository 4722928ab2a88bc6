"""boosters"""
