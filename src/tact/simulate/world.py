"""Make one corpus in its native layout, and note its truth."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tact.errors import InputError
from tact.simulate import ami, candor, otospeech, probes, seamless, sssd, truth
from tact.simulate.studio import Studio
from tact.simulate.talk import Talk

MARKER = "SIMULATED"
LAYOUTS: Mapping[str, Callable[[Path, Studio], Iterator[Talk]]] = {
    "candor": candor.make,
    "sssd": sssd.make,
    "otospeech": otospeech.make,
    "seamless": seamless.make,
    "ami": ami.make,
    "probes": probes.make,
}


def simulate(studio: Studio, *, adapter: str, root: Path, truth_folder: Path) -> dict[str, int]:
    """Write one made corpus below ``root`` and its truth below ``truth_folder``.

    Parameters
    ----------
    studio : Studio
        Sizes, laws and seed; the same studio settings give the same bytes.
    adapter : str
        Layout that the files follow.
    root : Path
        Folder of the corpus. An earlier made corpus in it is written over.
    truth_folder : Path
        Folder that no stage reads.

    Returns
    -------
    dict
        Counts: conversations, candidates and minutes.

    Raises
    ------
    InputError
        ``root`` holds something that was not made here, such as a real corpus.
    """
    _claim(root)
    ledger = truth.Ledger(studio.corpus)
    n_conversations = duration_ms = n_candidates = 0
    for talk in LAYOUTS[adapter](root, studio):
        ledger.add(talk)
        n_conversations += 1
        n_candidates += len(talk.candidates)
        duration_ms += talk.duration_ms
    truth.write(truth_folder, studio.corpus, ledger, studio.people.values())
    return {
        "conversations": n_conversations,
        "candidates": n_candidates,
        "minutes": duration_ms // 60_000,
    }


def _claim(root: Path) -> None:
    """Mark a folder as made, and refuse one that holds anything else."""
    marker = root / MARKER
    if root.is_dir() and any(root.iterdir()) and not marker.is_file():
        raise InputError(
            f"simulate: {root} is not empty and was not made by simulate; a made corpus would"
            " mix with it: choose another folder"
        )
    root.mkdir(parents=True, exist_ok=True)
    marker.write_text("Made by `tact simulate`: not recordings of people.\n")
