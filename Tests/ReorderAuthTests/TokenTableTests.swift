import Testing

@testable import ReorderAuth

@Suite struct TokenTableTests {
    private static func line(_ token: String, _ members: String) -> String {
        #"{"sha256":"\#(TokenDigest(of: Array(token.utf8)).hexadecimal)",\#(members)}"#
    }

    @Test func eachLineIsATokenAndCommentsAreIgnored() throws {
        let table = try TokenTable(
            """
            # phones

            \(Self.line("a", #""name":"phone","scope":"write","lists":["family-*","menu"]"#))
            \t\(Self.line("b", #""name":"board","scope":"read","lists":"menu""#))\r
            \(Self.line("c", #""name":"owner","scope":"admin""#))
            """)
        #expect(table.count == 3)
        let phone = try #require(table.access(for: TokenDigest(of: Array("a".utf8))))
        #expect(phone.name == "phone")
        #expect(phone.grants == Grants(.write, try #require(ListPatterns(["menu", "family-*"]))))
        let board = try #require(table.access(for: TokenDigest(of: Array("b".utf8))))
        #expect(board.name == "board")
        #expect(board.grants == Grants(.read, try #require(ListPatterns(["menu"]))))
        let owner = try #require(table.access(for: TokenDigest(of: Array("c".utf8))))
        #expect(owner.name == "owner")
        #expect(owner.grants == Grants(.admin))
        #expect(table.access(for: TokenDigest(of: Array("d".utf8))) == nil)
    }

    @Test(arguments: [
        ("[]", "Expected an object, found an array."), ("{", "not a JSON object"),
        ("x", "not a JSON object"),
        (line("a", #""name":"n""#), #""scope" is missing"#),
        (line("a", #""scope":"read""#), #""name" is missing"#),
        (#"{"name":"n","scope":"read"}"#, #""sha256" is missing"#),
        (#"{"name":"n","scope":"read","sha256":"abc"}"#, "64 hexadecimal digits"),
        (line("a", #""name":"n","scope":"none""#), "metrics, read, write, purge or admin"),
        (line("a", #""name":"n","scope":"Read""#), "write, purge or admin"),
        (line("a", #""name":"","scope":"read""#), "1 to 64 bytes"),
        (line("a", #""name":"\u0007","scope":"read""#), "that control lines or directions"),
        (line("a", #""name":"\u202eann","scope":"read""#), "that control lines or directions"),
        (line("a", #""name":1,"scope":"read""#), "/name: Expected a string, found a number."),
        (
            line("a", #""name":"n","scope":"read","list":"a""#),
            #""list" is not allowed here. Allowed: name, sha256, grants, scope, lists."#
        ),
        (line("a", #""name":"n","scope":"read","scope":"admin""#), "twice"),
        (line("a", #""name":"n","scope":"read","lists":[]"#), "lists is invalid"),
        (line("a", #""name":"n","scope":"read","lists":["a*b"]"#), "lists is invalid"),
        (
            line("a", #""name":"n","scope":"read","lists":7"#),
            "/lists: Expected an array, found a number."
        ),
    ])
    func anInvalidLineIsReportedByNumberWithoutItsContent(line: String, reason: String) throws {
        let fault = try #require(throws: TokenTable.FormatError.self) {
            try TokenTable("# first\n\(line)\n")
        }
        #expect(fault.line == 2)
        #expect(fault.description.contains(reason), "\(fault)")
    }

    @Test func theMaximumNumberOfTokensIsAcceptedAndOneMoreIsNot() throws {
        let lines = (0...10_000).map { Self.line("\($0)", #""name":"n","scope":"read""#) }
        #expect(try TokenTable(lines.dropLast().joined(separator: "\n")).count == 10_000)
        let fault = try #require(throws: TokenTable.FormatError.self) {
            try TokenTable(lines.joined(separator: "\n"))
        }
        #expect(fault.line == 10_001)
    }

    @Test func aNameHasAtMost64Bytes() throws {
        func table(_ bytes: Int) throws -> TokenTable {
            let name = String(repeating: "n", count: bytes)
            return try TokenTable(Self.line("a", #""name":"\#(name)","scope":"read""#))
        }
        #expect(try table(64).count == 1)
        #expect(throws: TokenTable.FormatError.self) { try table(65) }
    }

    @Test func theSameTokenTwiceIsRefused() throws {
        let line = Self.line("a", #""name":"n","scope":"read""#)
        let fault = try #require(throws: TokenTable.FormatError.self) {
            try TokenTable("\(line)\n\(line)")
        }
        #expect(fault.description.contains("line 2"))
    }

    @Test(arguments: [
        [GrantForm(.write)], [GrantForm(.read, ["menu"])], [GrantForm(.purge, ["a*", "b"])],
        [GrantForm(.write, ["a*"]), GrantForm(.read)],
    ])
    func aWrittenLineCanBeRead(grants: [GrantForm]) throws {
        let token = NewToken()
        let line = try TokenLine(
            name: "a \"name\" – 7", digest: token.digest, grants: grants)
        let access = try TokenTable(line.json).access(for: token.digest)
        #expect(access?.name == "a \"name\" – 7")
        #expect(access?.grants == (try Grants(forms: grants)))
        #expect(line.json.contains("grants") == (grants.count > 1))
        #expect(!line.json.contains("\n"))
    }
}
