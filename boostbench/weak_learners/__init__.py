"""weak_learners"""
