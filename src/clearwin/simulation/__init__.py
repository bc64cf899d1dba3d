"""Can a test be trusted on data like mine?"""
