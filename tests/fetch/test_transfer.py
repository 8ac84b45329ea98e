"""Fetching from servers that fail in every way: each file ends whole, or not at all."""

import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import requests

from mirror import FAULTS, Mirror, serving
from tact.errors import InputError
from tact.fetch import Item, Policy, fetch
from tact.fetch import run as runs
from tact.files import sha256

QUICK = Policy(attempts=6, spoilt=6, wait_s=0.0005, wait_max_s=0.002, timeout_s=5)


def content(n, seed=0):
    return random.Random(seed).randbytes(n)


def items_of(mirror, *, known="sha256"):
    return [
        Item(
            path,
            (f"{mirror.url}/{path}",),
            size=len(data) if known != "nothing" else None,
            sha256=hashlib.sha256(data).hexdigest() if known == "sha256" else None,
        )
        for path, data in mirror.files.items()
        if isinstance(data, bytes)
    ]


def get(items, root, jobs=2, **headers):
    return fetch(
        items, root, corpus="toy", headers=headers, jobs=jobs, policy=QUICK, gate="knock first"
    )


def in_place(root):
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".fetch" not in path.parts
    }


@pytest.mark.parametrize(
    ("fault", "known"),
    [
        (fault, known)
        for fault in [None, *FAULTS]
        for known in ("sha256", "size", "nothing")
        # As many bytes, but wrong ones, are seen by their SHA-256 alone.
        if fault != "other bytes" or known == "sha256"
    ],
)
def test_one_fault_of_any_kind_does_not_keep_a_file_away(tmp_path, fault, known):
    mirror = Mirror({"a/b.wav": content(300_000)}, lambda path, n: fault if n == 0 else None)
    with serving(mirror):
        done = get(items_of(mirror, known=known), tmp_path)

    assert in_place(tmp_path) == mirror.files
    assert done.quarantine.empty
    assert [(r.path, r.size, r.sha256) for r in done.receipts] == [
        ("a/b.wav", 300_000, hashlib.sha256(mirror.files["a/b.wav"]).hexdigest())
    ]


@pytest.mark.parametrize("known", ["sha256", "nothing"])
def test_two_hundred_random_schedules_of_faults_leave_no_bad_file(tmp_path, known):
    rng = random.Random(11)
    for number in range(100):
        faults = FAULTS if known == "sha256" else [f for f in FAULTS if f != "other bytes"]
        plan = {
            path: [rng.choice([*faults, None]) for _ in range(rng.randrange(6))]
            for path in ("a", "b/c", "b/d")
        }
        files = {path: content(rng.randrange(1, 60_000), number) for path in plan}
        mirror = Mirror(
            files, lambda path, n, plan=plan: plan[path][n] if n < len(plan[path]) else None
        )
        with serving(mirror):
            done = get(items_of(mirror, known=known), tmp_path / str(number))

        there = in_place(tmp_path / str(number))
        assert {path: files[path] for path in there} == there
        assert set(there) | set(done.quarantine["item"]) == set(files)
        assert done.quarantine.empty, (plan, done.quarantine)


def test_a_cut_transfer_goes_on_where_it_stopped(tmp_path):
    mirror = Mirror({"a": content(1_000_000)}, lambda path, n: "cut" if n < 3 else None)
    with serving(mirror):
        get(items_of(mirror), tmp_path)

    assert mirror.asked["a"] == 4
    assert mirror.sent["a"] == 1_000_000


def test_a_server_without_ranges_is_asked_from_the_start(tmp_path):
    mirror = Mirror(
        {"a": content(400_000)}, lambda path, n: "cut" if n == 0 else None, ranges=False
    )
    with serving(mirror):
        get(items_of(mirror), tmp_path)

    assert in_place(tmp_path) == mirror.files
    assert mirror.sent["a"] == 600_000


def test_a_file_that_changes_under_way_is_fetched_anew(tmp_path):
    mirror = Mirror({"a": content(200_000)}, lambda path, n: "cut" if n == 0 else None)
    with serving(mirror):
        item = Item("a", (f"{mirror.url}/a",))
        changed = content(200_000, seed=9)
        mirror.fault = lambda path, n: mirror.files.update(a=changed) or ("cut" if not n else None)
        get([item], tmp_path)

    assert in_place(tmp_path) == {"a": changed}


@pytest.mark.parametrize("code", [403, 404, 410])
def test_an_absent_file_is_a_quarantine_row_and_the_rest_goes_on(tmp_path, code):
    mirror = Mirror({"a": content(1000), "gone": code})
    with serving(mirror):
        gone = Item("gone", (f"{mirror.url}/gone",))
        done = get([gone, *items_of(mirror)], tmp_path)

    assert set(in_place(tmp_path)) == {"a"}
    row = done.quarantine.iloc[0]
    assert (row["item"], row["stage"], row["reason"]) == ("gone", "fetch", "absent at the source")
    assert row["detail"].startswith(str(code))


def test_the_second_address_is_tried_where_the_first_is_absent(tmp_path):
    mirror = Mirror({"metadata/vad/x.jsonl": b"{}\n", "vad/x.jsonl": 403})
    with serving(mirror):
        urls = tuple(f"{mirror.url}/{p}" for p in ("vad/x.jsonl", "metadata/vad/x.jsonl"))
        get([Item("vad/x.jsonl", urls)], tmp_path)

    assert in_place(tmp_path) == {"vad/x.jsonl": b"{}\n"}


@pytest.mark.parametrize("fault", [f for f in FAULTS if f not in ("slow", "no range", "cut")])
def test_a_file_that_never_comes_whole_is_a_quarantine_row(tmp_path, fault):
    # A wrong range is wrong only where bytes have come before.
    mirror = Mirror(
        {"a": content(100_000)},
        lambda path, n: "cut" if fault == "wrong range" and n % 2 == 0 else fault,
    )
    with serving(mirror):
        done = get(items_of(mirror), tmp_path)

    assert in_place(tmp_path) == {}
    assert done.quarantine["reason"].tolist() == ["not whole"]


def test_what_is_there_is_not_fetched_again(tmp_path):
    mirror = Mirror({"a": content(5000), "b": content(6000)})
    with serving(mirror):
        first = get(items_of(mirror), tmp_path)
        again = get(items_of(mirror), tmp_path)

    assert (first.new, again.new) == (2, 0)
    assert mirror.asked == {"a": 1, "b": 1}
    assert len(again.receipts) == 2


@pytest.mark.parametrize("known", ["sha256", "size", "nothing"])
def test_a_persons_own_whole_file_is_taken_as_it_is(tmp_path, known):
    mirror = Mirror({"a": content(5000)})
    (tmp_path / "a").write_bytes(mirror.files["a"])
    with serving(mirror):
        done = get(items_of(mirror, known=known), tmp_path)

    assert mirror.asked == {}
    assert [receipt.size for receipt in done.receipts] == [5000]


@pytest.mark.parametrize("known", ["sha256", "size", "nothing"])
def test_a_cut_file_under_the_final_name_is_replaced(tmp_path, known):
    mirror = Mirror({"a": content(5000)})
    (tmp_path / "a").write_bytes(mirror.files["a"][:100])
    with serving(mirror):
        get(items_of(mirror, known=known), tmp_path)

    assert in_place(tmp_path) == mirror.files


@pytest.mark.parametrize("known", ["sha256", "nothing"])
def test_a_file_that_was_changed_at_the_same_length_comes_anew(tmp_path, known):
    mirror = Mirror({"a": content(5000), "b": content(6000)})
    with serving(mirror):
        get(items_of(mirror, known=known), tmp_path)
        was = (tmp_path / "a").stat()
        (tmp_path / "a").write_bytes(content(5000, seed=1))
        os.utime(tmp_path / "a", ns=(was.st_atime_ns, was.st_mtime_ns + 1))
        again = get(items_of(mirror, known=known), tmp_path)

    assert again.new == 1
    assert in_place(tmp_path) == mirror.files


def test_a_file_that_was_only_touched_is_hashed_once_and_kept(tmp_path, monkeypatch):
    mirror = Mirror({"a": content(5000)})
    hashed = []
    monkeypatch.setattr(runs, "sha256", lambda path: hashed.append(path) or sha256(path))
    with serving(mirror):
        get(items_of(mirror), tmp_path)
        os.utime(tmp_path / "a", ns=(1, 1))
        news = [get(items_of(mirror), tmp_path).new for _ in range(2)]

    assert (news, hashed) == ([0, 0], [tmp_path / "a"])
    assert mirror.asked == {"a": 1}


def test_a_ledger_without_times_of_change_is_read_and_its_files_are_hashed(tmp_path):
    mirror = Mirror({"a": content(5000)})
    with serving(mirror):
        get(items_of(mirror), tmp_path)
        ledger = tmp_path / ".fetch/ledger.jsonl"
        line = json.loads(ledger.read_text())
        del line["mtime_ns"]
        ledger.write_text(json.dumps(line) + "\n")
        again = get(items_of(mirror), tmp_path)

    assert again.new == 0
    assert again.receipts[0].mtime_ns == (tmp_path / "a").stat().st_mtime_ns


def test_a_file_that_was_lost_and_cannot_be_had_again_is_not_counted(tmp_path):
    mirror = Mirror({"a": content(5000)})
    with serving(mirror):
        items = items_of(mirror)
        get(items, tmp_path)
        (tmp_path / "a").unlink()
        mirror.files["a"] = 404
        again = get(items, tmp_path)

    assert (again.receipts, again.new) == ((), 0)


def test_two_items_of_one_path_are_refused_and_the_same_one_twice_is_one(tmp_path):
    mirror = Mirror({"a": content(50), "b": content(60)})
    with serving(mirror):
        a, b = items_of(mirror)
        with pytest.raises(InputError, match=r"1 paths belong to two files .*first: a"):
            get([a, replace(b, path="a")], tmp_path)
        assert not mirror.asked
        assert get([a, a, b], tmp_path).new == 2


def test_a_host_that_is_nowhere_is_asked_once_for_all_its_files(tmp_path, monkeypatch):
    asked = []

    def lost(self, url, **_):
        asked.append(url)
        raise requests.ConnectionError from socket.gaierror(-2, "unknown")

    monkeypatch.setattr(requests.Session, "get", lost)
    done = get([Item(f"{k}", (f"http://nowhere.invalid/{k}",)) for k in range(9)], tmp_path, jobs=1)

    assert len(asked) == 1
    assert set(done.quarantine["reason"]) == {"not reachable"}
    assert len(done.quarantine) == 9


def test_a_host_that_lets_nobody_in_is_asked_three_times_for_all_its_files(tmp_path, monkeypatch):
    with socket.socket() as shut:
        shut.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        url = f"http://127.0.0.1:{shut.getsockname()[1]}"
        real, asked = requests.Session.get, []
        monkeypatch.setattr(
            requests.Session, "get", lambda *a, **k: asked.append(a) or real(*a, **k)
        )
        done = get([Item(f"{k}", (f"{url}/{k}",)) for k in range(9)], tmp_path, jobs=1)

    assert len(asked) == 3
    assert set(done.quarantine["reason"]) == {"not reachable"}
    assert set(done.quarantine["detail"]) == {"the host 127.0.0.1 refuses connections"}


def test_a_name_that_is_lost_for_a_while_is_asked_again_once_its_host_has_answered(
    tmp_path, monkeypatch
):
    mirror = Mirror({"a": content(50), "b": content(60)})
    real, asked = requests.Session.get, []

    def flaky(self, url, **options):
        asked.append(url)
        if len(asked) == 2:
            raise requests.ConnectionError from socket.gaierror(-3, "not now")
        return real(self, url, **options)

    monkeypatch.setattr(requests.Session, "get", flaky)
    with serving(mirror):
        get(items_of(mirror), tmp_path, jobs=1)

    assert in_place(tmp_path) == mirror.files


def test_a_gate_stops_the_fetch_with_one_line_that_says_how_to_pass_it(tmp_path):
    mirror = Mirror({f"f{k}": 401 for k in range(50)})
    with serving(mirror), pytest.raises(InputError, match=r"toy refuses \(401.*knock first") as no:
        get([Item(path, (f"{mirror.url}/{path}",)) for path in mirror.files], tmp_path)

    assert "\n" not in str(no.value)
    assert in_place(tmp_path) == {}


def test_a_full_disk_is_told_before_the_first_byte(tmp_path, monkeypatch):
    mirror = Mirror({"a": content(5000)})
    usage = type("Usage", (), {"free": runs.SPARE + 4999})
    monkeypatch.setattr(runs.shutil, "disk_usage", lambda path: usage)
    with serving(mirror), pytest.raises(InputError, match=r"1 files need 0\.0 GB"):
        get(items_of(mirror), tmp_path)

    assert mirror.asked == {}


def test_a_token_goes_with_each_request_and_into_no_file(tmp_path):
    mirror = Mirror({"a": content(5000)})
    with serving(mirror):
        get(items_of(mirror), tmp_path, Authorization="Bearer secret-1")

    assert {headers["Authorization"] for headers in mirror.headers} == {"Bearer secret-1"}
    assert all(b"secret-1" not in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())


SLOW = """
import sys
from pathlib import Path
from tact.fetch import Item, Policy, fetch
url, root, *paths = sys.argv[1:]
fetch([Item(p, (f"{url}/{p}",)) for p in paths], Path(root), corpus="toy", headers={}, jobs=2,
      policy=Policy(wait_s=0.01), gate="")
"""


def test_killed_fetches_resume_and_read_no_finished_byte_again(tmp_path):
    files = {f"{k}.wav": content(600_000, k) for k in range(4)}
    mirror = Mirror(files, lambda path, n: "slow")
    with serving(mirror):
        command = [sys.executable, "-c", SLOW, mirror.url, str(tmp_path), *files]
        kills, total = 0, sum(map(len, files.values()))
        for share in (0.1, 0.35, 0.6, 0.8):
            process = subprocess.Popen(command)
            while sum(mirror.sent.values()) < share * total and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            whole = in_place(tmp_path)
            assert all(whole[path] == files[path] for path in whole)
        subprocess.run(command, check=True)

    assert in_place(tmp_path) == files
    # What was in the buffers of the two sockets at a kill comes again, and nothing else.
    assert sum(mirror.sent.values()) < total + kills * 2 * 150_000
