"""What combinations that nothing is told of go with, in all rows that are drawn.

Rows of persons are drawn one after the other, the first ones of all persons together,
then the next ones: a combination that came before has the value that it had then.
"""

import numpy as np

from coclust_synth.generators.plain.structured.telling import Said, Telling


class Agreed:
    """Values of combinations of which no dependence tells one, by dependence."""

    def __init__(self):
        self._said = {}

    def of(self, lookup):
        """What was drawn for combinations of some columns, None where nothing was.

        Parameters
        ----------
        lookup : Lookup

        Returns
        -------
        Said or None
        """
        return self._said.get((lookup.columns, lookup.target))

    def take_down(self, drawing):
        """What rows have for combinations that did not come before.

        Parameters
        ----------
        drawing : Drawing
            Of which all columns are drawn.
        """
        for lookup in drawing.structure.rules.lookups:
            telling = Telling(drawing, lookup)
            if telling.target in drawing.structure.given:
                continue
            own, known = telling.said_of_untold(), self.of(lookup)
            if known is not None:
                own = Said(
                    *(
                        np.concatenate(both, axis=-1)
                        for both in zip(known, own, strict=True)
                    )
                )
            self._said[lookup.columns, lookup.target] = own.first_of_each()
