"""Joint-count tables that many tests share: ordinary, small, lopsided, degenerate."""

from clearwin import JointCounts

ORDINARY = JointCounts(e1=40, e2=9, e3=3, e4=8, e5=5, e6=2, e7=4, e8=129)
STRONG = JointCounts(e1=200, e2=60, e3=5, e4=30, e5=20, e6=4, e7=45, e8=600)
IDENTICAL = JointCounts(e1=30, e2=0, e3=0, e4=10, e5=6, e6=0, e7=0, e8=80)
BALANCED = JointCounts(e1=30, e2=7, e3=7, e4=10, e5=6, e6=5, e7=5, e8=80)
RARE = JointCounts(e1=2, e2=1, e3=0, e4=1, e5=3, e6=1, e7=4, e8=500)
NEVER_POSITIVE = JointCounts(e1=0, e2=0, e3=0, e4=12, e5=0, e6=0, e7=0, e8=60)
EVERYDAY = {"ordinary": ORDINARY, "strong": STRONG, "balanced": BALANCED, "rare": RARE}
