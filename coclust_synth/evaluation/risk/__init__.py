"""What a release tells of people.

scenario          who may be looked for, and rows that look alike to them
copies, nearest   rows that are those of people, or near them, and uniqueness
attacks, linkage  singling out, linkability and inference
classes, records  the risk of classes and of each record, by attackers
log_linear        people of a population behind a sample
perturbed         values that are near the true ones
two_releases      what two releases give away together
"""
