"""The laws of response onset: two families of density, and a law with its atom of no response.

::

    f_z  onset density on T = [-T_a, T_h], a parent family truncated to T and renormalised
    h_z  reference law (1 - beta_z) f_z + beta_z * atom; the atom is an onset at ``inf``
    H_z  its sub-CDF: 0 before -T_a, 1 - beta_z from T_h on

The parameters are those of the parent, which is what the paper prints (arXiv 2609.27372,
Table II). Without the truncation ``H_z(T_h) = 1 - beta_z`` fails: the parent puts .216 of ``hold``
and .157 of ``rhe`` beyond 5 s.
"""

from tact.laws.densities import Density, ExGaussian, ShiftedLogNormal
from tact.laws.law import Law
from tact.laws.rows import from_row, laws_of, paper_law, paper_laws, paper_rows, parameters

__all__ = [
    "Density",
    "ExGaussian",
    "Law",
    "ShiftedLogNormal",
    "from_row",
    "laws_of",
    "paper_law",
    "paper_laws",
    "paper_rows",
    "parameters",
]
