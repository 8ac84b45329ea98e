"""Stage: every candidate decision point with its outcome and scenario, and the fitting frame.

A candidate is the end t0 of an IPU, no backchannel, of a speaker who holds the floor, kept whether
or not anyone answers. The outcome is the first partner onset in the window::

    focal    ##########      ########      window from max(t0 - 2 s, start of the focal turn)
    partner          |  ####               to t0 + h, h = the focal speaker's next IPU, at most T_h
                     t0 ^response

The paper: arXiv 2609.27372, section II; the definitions are settled in config.yaml.
"""

from tact.points.frame import sample_frame
from tact.points.response import first_onset
from tact.points.stage import find_points

__all__ = ["find_points", "first_onset", "sample_frame"]
