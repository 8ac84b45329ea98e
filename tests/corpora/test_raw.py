"""Raw files are read without trust; whatever is wrong with one is a line."""

import gzip
import hashlib

import pytest

from corpora.layouts import put, tar
from tact.corpora import raw
from tact.errors import InputError

BOMB = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<x>&b;</x>"""
OUTSIDE = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>'


@pytest.mark.parametrize("data", [BOMB, OUTSIDE, OUTSIDE.decode().encode("utf-16")])
def test_a_document_type_is_refused_whatever_it_would_do(data):
    with pytest.raises(InputError, match=r"w\.xml (declares a document type|is not XML)"):
        raw.xml(data, "w.xml")


@pytest.mark.parametrize(
    "data", [b"", b"<a>", b"<a/><b/>", b'<?xml version="1.0" encoding="none"?><a/>', b"\xff\xfe\0"]
)
def test_broken_xml_is_one_line(data):
    with pytest.raises(InputError, match=r"w\.xml is not XML") as error:
        raw.xml(data, "w.xml")

    assert "\n" not in str(error.value)


def test_latin_1_is_read_as_declared():
    data = '<?xml version="1.0" encoding="ISO-8859-1"?><w>caf\xe9</w>'.encode("iso-8859-1")

    assert raw.xml(data, "w.xml").text == "café"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000, b"9" * 5_000, b"\0"])
def test_broken_json_is_one_line(data):
    with pytest.raises(InputError, match=r"m\.json is not JSON"):
        raw.parse_json(data, "m.json")


def test_a_bad_line_does_not_take_the_good_ones_with_it():
    rows = list(raw.json_lines(b'{"a": 1}\n\nnonsense\n[2]\n', "v.jsonl"))

    assert [row for row in rows if not isinstance(row.value, InputError)] == [
        (1, b'{"a": 1}', {"a": 1}),
        (4, b"[2]", [2]),
    ]
    assert "v.jsonl line 3" in str(rows[1].value)


def test_gzip_cut_short_is_one_line():
    whole = gzip.compress(b"x" * 1000)

    assert raw.gunzip(whole, "r.gz") == b"x" * 1000
    for part in (whole[:-4], whole[:5], b"plain"):
        with pytest.raises(InputError, match=r"r\.gz is not gzip"):
            raw.gunzip(part, "r.gz")


def test_listing_is_sorted_and_passes_hidden_files_over(tmp_path):
    for name in ("b/2.txt", "a.txt", "b/1.txt", ".git/x", "b/.cache"):
        put(tmp_path / name, "x")

    assert raw.listing(tmp_path, corpus="c", obtain="ask") == ["a.txt", "b/1.txt", "b/2.txt"]


def test_a_missing_or_empty_root_says_how_to_get_the_corpus(tmp_path):
    for root in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match=r"ami has no files in .*; download it here"):
            raw.listing(root, corpus="ami", obtain="download it here")


def test_a_member_of_a_tar_is_read_and_hashed_like_a_file(tmp_path):
    content = bytes(range(256)) * 9
    tar(tmp_path / "d/s.tar", {"one.json": b"{}", "deep/two.flac": content, "link": b""})

    members = {member.name: member for member in raw.members(raw.File(tmp_path, "d/s.tar"))}

    assert members["two.flac"].path == "d/s.tar::deep/two.flac"
    assert members["two.flac"].content() == content
    assert members["two.flac"].sha256() == hashlib.sha256(content).hexdigest()
    assert members["one.json"].content() == b"{}"


def test_a_tar_cut_short_gives_what_lies_before_the_break(tmp_path):
    tar(tmp_path / "s.tar", {"one.json": b"x" * 600, "two.json": b"y" * 60_000})
    whole = (tmp_path / "s.tar").read_bytes()
    (tmp_path / "s.tar").write_bytes(whole[:40_000])

    members = raw.members(raw.File(tmp_path, "s.tar"))

    assert next(members).name == "one.json"
    with pytest.raises(InputError, match=r"s\.tar is cut short in two\.json"):
        next(members)


def test_text_is_one_line_that_utf_8_can_hold():
    assert raw.text(" a\n b ") == "a b"
    assert raw.text("\ud800") == "?"
    assert raw.text(7) == "7"
    assert raw.text(None) == raw.text(True) == raw.text({}) == ""


def test_where_the_corpus_lies_does_not_enter_a_message(tmp_path):
    put(tmp_path / "x/a.wav", b"no audio")

    with pytest.raises(InputError) as error:
        raw.hear(raw.File(tmp_path, "x/a.wav"))

    assert str(tmp_path) not in str(error.value)
    assert "x/a.wav" in str(error.value)
