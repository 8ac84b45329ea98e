"""Is the focal turn about to be complete? psi, from what was said and heard up to a moment.

A moment is a time at which the focal speaker is speaking; psi is the probability that the turn ends
within ``completion.ahead_ms`` of it. Nothing after the moment is used. `prosody` measures the sound
(final fall of pitch and level, lengthening), `cues` the pauses and words, `model` weighs them.
"""
