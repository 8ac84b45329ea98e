"""Random numbers one at a time at the price of a block, keyed by content."""

from typing import TypeVar

from tact.keys import generator

BLOCK = 512
Item = TypeVar("Item")


class Dice:
    """Uniform, normal and exponential draws whose order depends on nothing but their use."""

    def __init__(self, *key: object) -> None:
        self._rng = generator(*key)
        self._uniforms: list[float] = []
        self._normals: list[float] = []
        self._exponentials: list[float] = []

    def uniform(self) -> float:
        """Draw from [0, 1)."""
        if not self._uniforms:
            self._uniforms = self._rng.random(BLOCK).tolist()
        return self._uniforms.pop()

    def normal(self) -> float:
        """Draw from the standard normal law."""
        if not self._normals:
            self._normals = self._rng.standard_normal(BLOCK).tolist()
        return self._normals.pop()

    def exponential(self) -> float:
        """Draw from the exponential law of mean 1."""
        if not self._exponentials:
            self._exponentials = self._rng.standard_exponential(BLOCK).tolist()
        return self._exponentials.pop()

    def between(self, low: int, high: int) -> int:
        """Draw a time in [low, high], ms, on the 10 ms grid; both are multiples of 10."""
        return low + 10 * int(self.uniform() * ((high - low) // 10 + 1))

    def pick(self, items: tuple[Item, ...]) -> Item:
        """Draw one of some items, each as likely."""
        return items[int(self.uniform() * len(items))]
