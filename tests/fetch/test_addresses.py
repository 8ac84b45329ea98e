"""Lists of addresses: what is refused before anything is fetched, and what is set aside."""

import pytest

from mirror import Mirror, serving
from one_source import settings, there
from tact import tables
from tact.cli import main
from tact.errors import InputError
from tact.fetch.addresses import from_file

HOST = "http://127.0.0.1:1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("url\nH/1/audio.wav\nH/2/audio.wav\n", "lines 2 and 3 of {} both go to audio.wav"),
        ("H/1/audio.wav?s=1\nH/2/b.wav\n\nH/2/audio.wav\n", "lines 1 and 4 of {} both go to audio"),
        ("url,path\nH/a,x/y\nH/b,x/y\n", "lines 2 and 3 of {} both go to x/y"),
        ("url,path\nH/a,x/y\nH/b,./x//y\n", "lines 2 and 3 of {} both go to x/y"),
        ("url,path\nH/a,x\nH/b,x/y\n", "lines 2 and 3 of {} both go to x;"),
        ("url,path\nH/a,x/y/z\nH/b,x\n", "lines 2 and 3 of {} both go to x;"),
        ("url\nH/p.zip\nH/p.tar.gz\n", "lines 2 and 3 of {} both go to p;"),
        ("url,path\nH/p.zip,\nH/q,p/q\n", "lines 2 and 3 of {} both go to p;"),
        ('url,note\nH/a,"two\nlines"\nH/1/a,\n', "lines 2 and 4 of {} both go to a"),
        ("", "{} has no address; give a CSV with a column url"),
        ("\n\n", "{} has no address; give a CSV with a column url"),
        ("url,path\n", "{} has no address"),
        ("address,path\nH/a,a\n", "line 1 of {} names no column url (but address, path)"),
        ("url\nftp://x/a\n", "line 2 of {} has no http address"),
        ("url\nH/\n", "line 2 of {}: '' is no path below the corpus root"),
        ("url,path\nH/a,../a\n", "line 2 of {}: '../a' is no path below"),
        ("H/a,x\n", "line 1 of {} has 2 columns, not 1"),
    ],
)
def test_a_list_that_cannot_be_followed_is_one_line(tmp_path, text, says):
    path = tmp_path / "list.csv"
    path.write_text(text.replace("H/", f"{HOST}/"))

    with pytest.raises(InputError) as no:
        from_file(path)

    assert says.format(path) in str(no.value)
    assert "\n" not in str(no.value)


@pytest.mark.parametrize("start", ["", "\ufeff"])
@pytest.mark.parametrize("head", ["", "url\n", "URL\n", '"url"\n'])
def test_a_list_may_have_a_mark_of_utf_8_and_a_header(tmp_path, start, head):
    path = tmp_path / "list.csv"
    path.write_text(f"{start}{head}{HOST}/a.wav\r\n{HOST}/b/c.wav\r\n", encoding="utf-8")

    assert [item.path for item in from_file(path)] == ["a.wav", "c.wav"]


def test_the_column_of_addresses_may_stand_anywhere(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(f"path,url\n1/a,{HOST}/a\n2/a,{HOST}/x/a\n")

    assert [item.path for item in from_file(path)] == ["1/a", "2/a"]


def fetched(tmp_path, mirror, *names):
    """Fetch names of a mirror by a list; give the exit code and the quarantine by item."""
    listed, out = tmp_path / "urls.csv", tmp_path / "quarantine.parquet"
    listed.write_text("".join(f"{mirror.url}/{name}?X-Signature=s\n" for name in names))
    config = settings(tmp_path, "candor", "local", "")
    code = main([*config, "fetch", "candor", "--urls", str(listed), "--quarantine", str(out)])
    rows = tables.read(out, "quarantine") if out.exists() else None
    return code, None if rows is None else dict(zip(rows["item"], rows["detail"], strict=True))


def test_files_of_one_name_are_not_written_over_each_other(tmp_path, capsys):
    names = [f"{k}/audio.wav" for k in (1, 2, 3)]
    with serving(Mirror({name: name.encode() for name in names})) as mirror:
        code, _ = fetched(tmp_path, mirror, *names)

    assert code == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not mirror.asked
    assert not (tmp_path / "root").exists()


@pytest.mark.parametrize("refusal", [401, 403])
def test_a_refused_address_is_a_row_and_the_rest_comes(tmp_path, capsys, refusal):
    with serving(Mirror({"a": b"a", "b": refusal, "c": b"c"})) as mirror:
        code, rows = fetched(tmp_path, mirror, "a", "b", "c")

    assert code == 0
    assert there(tmp_path / "root") == {"a": b"a", "c": b"c"}
    assert list(rows) == ["b"]
    assert rows["b"].startswith(f"refused ({refusal} ")
    assert rows["b"].endswith("; the signature may have expired, get a new list")
    assert "first: b (refused" in capsys.readouterr().out


def test_the_closing_line_counts_what_lacks_and_names_the_first(tmp_path, capsys):
    listed = tmp_path / "urls.csv"
    with serving(Mirror({"a": b"a"})) as mirror:
        listed.write_text("".join(f"{mirror.url}/{name}\n" for name in ("a", "404a.bin", "z")))
        config = settings(tmp_path, "candor", "local", "")
        assert main([*config, "fetch", "candor", "--urls", str(listed)]) == 0

    assert capsys.readouterr().out == (
        "fetch candor: 1 files, 1 new, 1 bytes, 2 missing;"
        " first: 404a.bin (404 Not Found); --quarantine writes them all\n"
    )


def test_a_fetch_that_brings_nothing_fails_with_one_line(tmp_path, capsys):
    with serving(Mirror({})) as mirror:
        code, rows = fetched(tmp_path, mirror, "404a.bin", "b")

    assert code == 2
    assert list(rows) == ["404a.bin", "b"]
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "tact: fetch: candor: none of 2 files came; first: 404a.bin (404 Not Found)\n"
    )


def test_a_host_that_is_nowhere_takes_only_its_own_files_with_it(tmp_path):
    listed, out = tmp_path / "urls.csv", tmp_path / "quarantine.parquet"
    with serving(Mirror({"a": b"a"})) as mirror:
        listed.write_text(f"http://nowhere.invalid/b\n{mirror.url}/a\n")
        config = settings(tmp_path, "candor", "local", "")
        command = ["fetch", "candor", "--urls", str(listed), "--quarantine", str(out)]
        assert main([*config, *command]) == 0

    rows = tables.read(out, "quarantine")
    assert rows[["item", "reason"]].to_numpy().tolist() == [["b", "not reachable"]]
    assert there(tmp_path / "root") == {"a": b"a"}
