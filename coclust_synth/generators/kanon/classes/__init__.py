"""Classes of k individuals and more, for whichever release is made of them.

forming    classes from co-clusters and boxes, improved, and the objective
starting   what they begin with
sweeping   records that change classes, and large classes cut anew; costs
dividing   records whose rows go to several classes, where combinations are few
persons    where an individual has several rows
"""
