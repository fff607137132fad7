"""Requests that two parsers could understand differently, and the required result of each.

Each text is sent on one connection. `AAAAA` is the list that the intended request creates. `BBBBB` is the list of a request
that is hidden after or inside the intended one. Both get unique names of the same length in each run. A refused text creates
neither list. The other texts state the lists that they create.
"""

BODY = '{"title":""}'
LINE = "PUT /lists/AAAAA HTTP/1.1"
JSON = "Content-Type: application/json"


def request(*fields, line=LINE, host="Host: a", body=BODY):
    """A request with only these fields."""
    return "\r\n".join([line, *([host] if host else []), JSON, *fields, "", body])


def sized(*fields, **others):
    return request(*fields, "Content-Length: 12", **others)


def chunked(frames, *fields):
    return request("Transfer-Encoding: chunked", *fields, body=frames)


HIDDEN = sized(line="PUT /lists/BBBBB HTTP/1.1")
CHUNKS = f"c\r\n{BODY}\r\n0\r\n\r\n"
CHUNKS_AROUND = f"{len(HIDDEN):x}\r\n{HIDDEN}\r\n0\r\n\r\n"
BOTH = f"Content-Length: {len(CHUNKS)}"

# Name and text. The hidden request follows each text, so that it would be served if a parser
# saw the end of the first request in another place.
REFUSED = {
    # Two statements about the end of the body.
    "length and chunks": request("Content-Length: 12", "Transfer-Encoding: chunked", body=CHUNKS),
    "chunks and length": request("Transfer-Encoding: chunked", BOTH, body=CHUNKS),
    "length of it all, and chunks": request(BOTH, "Transfer-Encoding: chunked", body=CHUNKS),
    "empty chunks, and a length that hides": request(
        f"Content-Length: {len(HIDDEN) + 5}", "Transfer-Encoding: chunked", body=f"0\r\n\r\n{HIDDEN}"),
    "chunks, and a length of nothing": request("Content-Length: 0", "Transfer-Encoding: chunked", body=CHUNKS_AROUND),
    "two lengths": request("Content-Length: 12", "Content-Length: 12"),
    "two other lengths": request("Content-Length: 12", "Content-Length: 0"),
    "two other lengths, the other way": request("Content-Length: 0", "Content-Length: 12"),
    "two lengths in one": request("Content-Length: 12, 12"),
    "two other lengths in one": request("Content-Length: 12, 0"),
    "a length with a sign": request("Content-Length: +12"),
    "a negative length": request("Content-Length: -12"),
    "a length in hexadecimal": request("Content-Length: 0xc"),
    "a length with a point": request("Content-Length: 12.0"),
    "a length with a gap": request("Content-Length: 1 2"),
    "a length followed by text": request("Content-Length: 12 a"),
    "a length with a zero byte": request("Content-Length: 12\0"),
    "a length with an underscore": request("Content-Length: 1_2"),
    "a length that overflows": request("Content-Length: 18446744073709551628"),
    "no digits": request("Content-Length:"),
    # Codings.
    "an unknown coding": request("Transfer-Encoding: x", body=CHUNKS),
    "a coding and chunks": request("Transfer-Encoding: gzip, chunked", body=CHUNKS),
    "chunks, and a coding": request("Transfer-Encoding: chunked, gzip", body=CHUNKS),
    "identity": request("Transfer-Encoding: identity", "Content-Length: 12"),
    "chunks twice": request("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=CHUNKS),
    "chunks twice in one": request("Transfer-Encoding: chunked, chunked", body=CHUNKS),
    "chunks, then identity": request("Transfer-Encoding: chunked", "Transfer-Encoding: identity", body=CHUNKS),
    "chunks with a parameter": request("Transfer-Encoding: chunked;a=b", body=CHUNKS),
    "chunks in quotes": request('Transfer-Encoding: "chunked"', body=CHUNKS),
    "chunks behind a comma": request("Transfer-Encoding: , chunked", body=CHUNKS),
    "chunks before a comma": request("Transfer-Encoding: chunked,", body=CHUNKS),
    "chunks behind a vertical tab": request("Transfer-Encoding: \x0bchunked", body=CHUNKS),
    "chunks before a form feed": request("Transfer-Encoding: chunked\x0c", body=CHUNKS),
    "no coding": request("Transfer-Encoding:", body=CHUNKS),
    "chunks in HTTP/1.0": request("Transfer-Encoding: chunked", line="PUT /lists/AAAAA HTTP/1.0", body=CHUNKS),
    # Names that one parser accepts and another does not.
    "a space before the colon": request("Content-Length : 12"),
    "a tab before the colon": request("Content-Length\t: 12"),
    "a space before the colon of the coding": request("Transfer-Encoding : chunked", body=CHUNKS),
    "a space before the name": request(" Transfer-Encoding: chunked", "Content-Length: 12"),
    "the first field is folded": request("Content-Length: 12", host=" Host: a"),
    "a folded coding": request("Transfer-Encoding:\r\n chunked", body=CHUNKS),
    "a field folded into a length": request("X-A: b\r\n Content-Length: 12"),
    "a length folded": request("Content-Length:\r\n\t12"),
    "a control character in a name": request("Content-\x01Length: 12"),
    "a zero byte in a name": request("Transfer-Encoding\0: chunked", "Content-Length: 12"),
    "a zero byte before a name": request("\0Transfer-Encoding: chunked", "Content-Length: 12"),
    "a byte above ASCII in a name": request("Content-Length\xa0: 12"),
    "a slash in a name": request("X/A: b", "Content-Length: 12"),
    "no name": request(": b", "Content-Length: 12"),
    "no colon": request("Transfer-Encoding", "Content-Length: 12"),
    "a zero byte in a value": request("X-A: a\0b", "Content-Length: 12"),
    "a control character in a value": request("X-A: a\x08b", "Content-Length: 12"),
    "a carriage return in a value": request("X-A: a\rTransfer-Encoding: chunked", "Content-Length: 12"),
    "a line feed ends a field": request("X-A: a\nTransfer-Encoding: chunked", "Content-Length: 12"),
    "a line feed ends the line": sized(line=LINE + "\nX-A: b"),
    "line feeds end the head": f"{LINE}\nHost: a\n{JSON}\nContent-Length: 12\n\n{BODY}",
    "a line feed is the empty line": f"{LINE}\r\nHost: a\r\n{JSON}\r\nContent-Length: 12\r\n\n{BODY}",
    "two carriage returns": f"{LINE}\r\nHost: a\r\n{JSON}\r\r\nContent-Length: 12\r\n\r\n{BODY}",
    "a carriage return is the empty line": f"{LINE}\r\nHost: a\r\n{JSON}\r\nContent-Length: 12\r\n\r\r\n{BODY}",
    # The host.
    "no host": sized(host=None),
    "two hosts": sized("Host: b"),
    "the same host twice": sized("Host: a"),
    "hosts in one": sized(host="Host: a, b"),
    "a host and a path": sized(host="Host: a/b"),
    "a host and a user": sized(host="Host: b@a"),
    "a host with a gap": sized(host="Host: a b"),
    # The request line.
    "two spaces": sized(line="PUT  /lists/AAAAA HTTP/1.1"),
    "a tab": sized(line="PUT\t/lists/AAAAA\tHTTP/1.1"),
    "a space in the path": sized(line="PUT /lists/AAAAA b HTTP/1.1"),
    "a space at the end": sized(line=LINE + " "),
    "no version": sized(line="PUT /lists/AAAAA"),
    "HTTP/0.9": sized(line="PUT /lists/AAAAA HTTP/0.9"),
    "HTTP/2.0": sized(line="PUT /lists/AAAAA HTTP/2.0"),
    "HTTP/1.10": sized(line="PUT /lists/AAAAA HTTP/1.10"),
    "http/1.1": sized(line="PUT /lists/AAAAA http/1.1"),
    "a method with a parenthesis": sized(line="PU(T /lists/AAAAA HTTP/1.1"),
    "absolute form": sized(line="PUT http://a/lists/AAAAA HTTP/1.1"),
    "absolute form of another host": sized(line="PUT http://b/lists/AAAAA HTTP/1.1"),
    "authority form": sized(line="PUT a:80 HTTP/1.1"),
    "a tunnel": sized(line="CONNECT a:80 HTTP/1.1"),
    "asterisk form": sized(line="OPTIONS * HTTP/1.1"),
    "no slash": sized(line="PUT lists/AAAAA HTTP/1.1"),
    "a dot": sized(line="PUT /lists/./AAAAA HTTP/1.1"),
    "two dots": sized(line="PUT /lists/x/../AAAAA HTTP/1.1"),
    "two escaped dots": sized(line="PUT /lists/x/%2e%2E/AAAAA HTTP/1.1"),
    "dots at the end": sized(line="PUT /lists/AAAAA/.. HTTP/1.1"),
    "a backslash": sized(line="PUT /lists\\AAAAA HTTP/1.1"),
    "a fragment": sized(line="PUT /lists/AAAAA#b HTTP/1.1"),
    "a zero byte in the path": sized(line="PUT /lists/AAAAA\0b HTTP/1.1"),
    "a line feed in the path": sized(line="PUT /lists/AAAAA\nb HTTP/1.1"),
    # Malformed chunks.
    "a chunk's size with a sign": chunked(f"+c\r\n{BODY}\r\n0\r\n\r\n"),
    "a negative chunk's size": chunked(f"-c\r\n{BODY}\r\n0\r\n\r\n"),
    "a chunk's size with 0x": chunked(f"0xc\r\n{BODY}\r\n0\r\n\r\n"),
    "a chunk's size with a space before": chunked(f" c\r\n{BODY}\r\n0\r\n\r\n"),
    "a chunk's size with a space behind": chunked(f"c \r\n{BODY}\r\n0\r\n\r\n"),
    "no chunk's size": chunked(f";a\r\n{BODY}\r\n0\r\n\r\n"),
    "a chunk's size that overflows": chunked(f"1000000000000000c\r\n{BODY}\r\n0\r\n\r\n"),
    "a chunk's size with a zero byte": chunked(f"c\0\r\n{BODY}\r\n0\r\n\r\n"),
    "a chunk longer than its size": chunked("b\r\n" + BODY + "\r\n0\r\n\r\n"),
    "a carriage return ends a chunk's size": chunked(f"c\r{BODY}\r\n0\r\n\r\n"),
}

# Name, text, and the lists that it creates.
TAKEN = {
    "one": (sized(), "A"),
    "two, one behind the other": (sized() + HIDDEN, "AB"),
    "an empty line between": (sized() + "\r\n" + HIDDEN, "AB"),
    "one, and then garbage": (sized() + "\0\1\2 / \r\n\r\n", "A"),
    "zeros before a length": (request("Content-Length: 0012") + HIDDEN, "AB"),
    "names in other letters": (request("content-LENGTH: 12") + HIDDEN, "AB"),
    "a tab before a value": (request("Content-Length:\t12") + HIDDEN, "AB"),
    "HTTP/1.0 without a host": (sized(line="PUT /lists/AAAAA HTTP/1.0", host=None) + HIDDEN, "A"),
    "a request that closes the connection": (sized("Connection: close") + HIDDEN, "A"),
    # A path that does not exist: refused, and the following text is another request.
    "a path that begins with two slashes": (sized(line="PUT //lists/AAAAA HTTP/1.1") + HIDDEN, "B"),
    "an empty segment": (sized(line="PUT /lists//AAAAA HTTP/1.1") + HIDDEN, "B"),
    "an escaped slash": (sized(line="PUT /lists%2FAAAAA HTTP/1.1") + HIDDEN, "B"),
    "an escaped zero byte": (sized(line="PUT /lists/AAAAA%00 HTTP/1.1") + HIDDEN, "B"),
    "an escaped line break": (sized(line="PUT /lists/AAAAA%0d%0a HTTP/1.1") + HIDDEN, "B"),
    # A body is one body, even if it looks like a request: it is not JSON, and no list is created.
    "a request as a body": (request(f"Content-Length: {len(HIDDEN)}", body=HIDDEN), ""),
    "a request as a chunk": (chunked(CHUNKS_AROUND), ""),
    "a body that never comes": (request(f"Content-Length: {12 + len(HIDDEN) + 500}", body=BODY + HIDDEN), ""),
    # A chunked body is the last request of its connection, because the server does not see its framing, and
    # a proxy can parse the framing differently.
    "chunks": (chunked(CHUNKS) + HIDDEN, "A"),
    "chunks, in other letters": (request("TRANSFER-encoding: CHUNKED", body=CHUNKS) + HIDDEN, "A"),
    "two chunks": (chunked(f"5\r\n{BODY[:5]}\r\n7\r\n{BODY[5:]}\r\n0\r\n\r\n") + HIDDEN, "A"),
    "an extension": (chunked(f"c;a=b\r\n{BODY}\r\n0;c\r\n\r\n") + HIDDEN, "A"),
    "an extension with a line feed": (chunked(f"c;a\n{BODY}\r\n0\r\n\r\n") + HIDDEN, "A"),
    "an extension with a line feed that hides": (chunked(f"c;a\n{BODY}\r\n0;b\n\r\n{HIDDEN}\r\n0\r\n\r\n"), "A"),
    "an extension with a carriage return": (chunked(f"c;a\rb\r\n{BODY}\r\n0\r\n\r\n") + HIDDEN, "A"),
    "an extension in open quotes": (chunked(f'c;a="\r\n{BODY}\r\n0\r\n\r\n') + HIDDEN, "A"),
    "zeros before a chunk's size": (chunked(f"000000000000000000c\r\n{BODY}\r\n000\r\n\r\n") + HIDDEN, "A"),
    "a line feed ends a chunk's size": (chunked(f"c\n{BODY}\r\n0\r\n\r\n") + HIDDEN, "A"),
    "a line feed ends a chunk": (chunked(f"c\r\n{BODY}\n0\r\n\r\n") + HIDDEN, "A"),
    "line feeds end the chunks": (chunked(f"c\r\n{BODY}\r\n0\n\n") + HIDDEN, "A"),
    "a trailer": (chunked(f"c\r\n{BODY}\r\n0\r\nX-A: b\r\n\r\n") + HIDDEN, "A"),
    "a trailer that is a length": (chunked(f"c\r\n{BODY}\r\n0\r\nContent-Length: 99\r\n\r\n") + HIDDEN, "A"),
    "a trailer that is a coding": (chunked(f"c\r\n{BODY}\r\n0\r\nTransfer-Encoding: x\r\n\r\n") + HIDDEN, "A"),
    "a trailer with a line feed": (chunked(f"c\r\n{BODY}\r\n0\r\nX-A: b\n\n{HIDDEN}\r\n\r\n"), "A"),
}
