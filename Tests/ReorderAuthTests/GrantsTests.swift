import Foundation
import Testing

@testable import ReorderAuth

/// Tokens with several grants, in a file and as a claim.
@Suite struct GrantsTests {
    private static func lists(_ patterns: String...) throws -> ListPatterns {
        try #require(ListPatterns(patterns))
    }

    /// The grants of a line with these members.
    private func inFile(_ members: String) throws -> Grants {
        let digest = TokenDigest(of: [])
        let line = #"{"name":"n","sha256":"\#(digest.hexadecimal)",\#(members)}"#
        return try #require(try TokenTable(line).access(for: digest)).grants
    }

    /// The grants of a signed token with these claims.
    private func inClaims(_ members: String) throws -> Grants {
        let claims = #"{"exp":1000000,\#(members)}"#
        let token = try TestSigner.token("HS256", kid: "h", claims: claims)
        let keys = try JSONWebKeys(json: Data(TestSigner.keys().utf8))
        let control = AccessControl(keys: keys, clock: { TestSigner.time })
        return try control.access(for: ["Bearer \(token)"]).get().grants
    }

    @Test func aListHasTheHighestScopeOfTheGrantsThatCoverIt() throws {
        let members = """
            "grants":[{"lists":["a-*"],"scope":"write"},{"lists":"b","scope":"read"},\
            {"scope":"purge","lists":["a-1"]},{"scope":"read","lists":["a-*","c"]}]
            """
        for grants in [try inFile(members), try inClaims(members)] {
            for (list, scope) in [
                ("a-", AccessScope.write), ("a-1", .purge), ("a-12", .write), ("b", .read),
                ("b-", .none), ("c", .read), ("", .none), ("A-1", .none), ("*", .none),
            ] {
                for needed in [AccessScope.read, .write, .purge, .admin] {
                    #expect(grants.include(needed, for: list) == (needed <= scope), "\(list)")
                }
            }
            #expect(grants.include(.purge) && !grants.include(.admin) && !grants.include(.metrics))
            #expect(grants.readableLists == (try Self.lists("a-*", "b", "c")))
            #expect(grants.writableLists == (try Self.lists("a-*")))
        }
    }

    @Test func theOrderAndTheDivisionOfGrantsDoNotMatter() throws {
        let grants = try inFile(
            #""grants":[{"scope":"read"},{"scope":"write","lists":["a","b*"]}]"#)
        #expect(
            grants.all == [Grant(.read), Grant(.write, try Self.lists("b*", "a"))])
        #expect(
            try inClaims(
                """
                "grants":[{"scope":"write","lists":"b*"},{"scope":"write","lists":["a","b1"]},\
                {"scope":"read","lists":["*"]}]
                """) == grants)
        #expect(grants.readableLists == .all)
        for members in [
            #""scope":"read","lists":"a""#, #""grants":[{"scope":"read","lists":["a"]}]"#,
        ] {
            #expect(try inFile(members) == Grants(.read, try Self.lists("a")))
        }
        #expect(
            try inClaims(#""scope":"openid","grants":[{"scope":"read"}]"#) == Grants(.read))
    }

    /// The metrics are not of a list.
    @Test func metricsIsARightOfTheServer() throws {
        let grants = try inClaims(
            #""grants":[{"scope":"metrics","lists":"a"},{"scope":"write","lists":"b"}]"#)
        #expect(grants.include(.metrics) && grants.include(.write, for: "b"))
        #expect(!grants.include(.read, for: "a"))
        #expect(grants.readableLists == (try Self.lists("b")))
    }

    private static let unknownScope =
        "/grants/0/scope: The scope must be metrics, read, write, purge or admin."

    @Test(arguments: [
        ("", "/grants: There are 0 grants; 1 to 100 are allowed."),
        ("1", "/grants/0: Expected an object, found a number."),
        (#""write""#, "/grants/0: Expected an object, found a string."),
        ("null", "/grants/0: Expected an object, found null."),
        ("[]", "/grants/0: Expected an object, found an array."),
        ("{}", #"/grants/0: The member "scope" is missing."#),
        (#"{"lists":["a"]}"#, #"/grants/0: The member "scope" is missing."#),
        (#"{"scope":"none"}"#, unknownScope),
        (#"{"scope":"Write"}"#, unknownScope),
        (#"{"scope":"reorderd:write"}"#, unknownScope),
        (#"{"scope":null}"#, "/grants/0/scope: Expected a string, found null."),
        (#"{"scope":["read"]}"#, "/grants/0/scope: Expected a string, found an array."),
        (
            #"{"scope":"read"},{"scope":"read","list":"a"}"#,
            #"/grants/1/list: The member "list" is not allowed here. Allowed: scope, lists."#
        ),
        (
            #"{"scope":"read","Lists":"a"}"#,
            #"/grants/0/Lists: The member "Lists" is not allowed here. Allowed: scope, lists."#
        ),
        (
            #"{"scope":"read","grants":[]}"#,
            #"/grants/0/grants: The member "grants" is not allowed here. Allowed: scope, lists."#
        ),
        (#"{"scope":"read","lists":null}"#, "/grants/0/lists: Expected an array, found null."),
        (#"{"scope":"read","lists":{}}"#, "/grants/0/lists: Expected an array, found an object."),
        (
            #"{"scope":"read","lists":["a",1]}"#,
            "/grants/0/lists/1: Expected a string, found a number."
        ),
        (
            #"{"scope":"read"},{"scope":"read","lists":[]}"#,
            "/grants: Grant 2: It has 0 patterns; 1 to 100 are allowed."
        ),
        (
            #"{"scope":"read"},{"scope":"read","lists":["a","b*c"]}"#,
            "/grants: Grant 2: Pattern 2 is neither a list's id nor a prefix followed by *."
        ),
    ])
    func invalidGrantsAreRefused(grants: String, reason: String) throws {
        let fault = try #require(throws: TokenTable.FormatError.self) {
            try inFile(#""grants":[\#(grants)]"#)
        }
        #expect(fault.reason == reason)
        #expect(throws: Denial.unusable(reason: "The claims are not valid. \(reason)")) {
            try inClaims(#""grants":[\#(grants)]"#)
        }
    }

    @Test(arguments: [
        ("null", "null"), ("{}", "an object"), (#"{"scope":"admin"}"#, "an object"),
        (#""write""#, "a string"), ("7", "a number"), ("true", "true or false"),
    ])
    func grantsMustBeAnArray(grants: String, found: String) throws {
        let reason = "/grants: Expected an array, found \(found)."
        let fault = try #require(throws: TokenTable.FormatError.self) {
            try inFile(#""grants":\#(grants)"#)
        }
        #expect(fault.reason == reason)
        #expect(throws: Denial.unusable(reason: "The claims are not valid. \(reason)")) {
            try inClaims(#""grants":\#(grants)"#)
        }
    }

    @Test func bothFormsInOneTokenAreRefused() throws {
        let grants = #""grants":[{"scope":"read"}]"#
        for other in [#""scope":"read""#, #""lists":["a"]"#, #""scope":"read","lists":"a""#] {
            let fault = try #require(throws: TokenTable.FormatError.self) {
                try inFile("\(grants),\(other)")
            }
            #expect(
                fault.reason == "A line has either grants, or scope and, perhaps, lists.")
        }
        let reason =
            "The claim grants is not valid. It must not be combined with lists, or with a scope of this server."
        for other in [
            #""scope":"reorderd:read""#, #""scope":"openid reorderd:metrics""#, #""lists":"a""#,
            #""lists":["*"],"scope":"openid""#,
        ] {
            for members in ["\(grants),\(other)", "\(other),\(grants)"] {
                #expect(throws: Denial.unusable(reason: reason)) { try inClaims(members) }
            }
        }
    }

    @Test(arguments: [
        #""grants":[{"scope":"read"}],"grants":[{"scope":"admin"}]"#,
        #""grants":[{"scope":"read"}],"gr\u0061nts":[{"scope":"admin"}]"#,
        #""grants":[{"scope":"read","scope":"admin"}]"#,
        #""grants":[{"scope":"read","sc\u006fpe":"admin"}]"#,
        #""grants":[{"scope":"write","lists":"a","lists":"*"}]"#,
        #""grants":[{"scope":"read"}],"x":{"a":1,"a":2}"#,
    ])
    func aMemberThatOccursTwiceIsRefused(members: String) throws {
        #expect(throws: TokenTable.FormatError.self) { try inFile(members) }
        #expect(throws: Denial.unusable(reason: "A claim occurs twice.")) { try inClaims(members) }
    }

    private static func grants(_ count: Int, patterns: Int) -> String {
        let grants = (0..<count).map { grant in
            let lists = (0..<patterns).map { #""l\#(grant)-\#($0)""# }.joined(separator: ",")
            return #"{"scope":"\#(grant % 2 == 0 ? "read" : "write")","lists":[\#(lists)]}"#
        }
        return #""grants":[\#(grants.joined(separator: ","))]"#
    }

    @Test func theNumbersOfGrantsAndOfPatternsAreLimited() throws {
        for (count, patterns) in [(100, 1), (1, 100), (2, 50), (4, 25)] {
            let members = Self.grants(count, patterns: patterns)
            for grants in [try inFile(members), try inClaims(members)] {
                #expect(grants.readableLists.runs?.count == 100)
                #expect(grants.writableLists.runs?.count == (count == 1 ? 0 : 50))
            }
        }
        for (count, patterns, reason) in [
            (101, 1, "There are 101 grants; 1 to 100 are allowed."),
            (1, 101, "It has 101 patterns; 1 to 100 are allowed."),
            (2, 51, "The grants have 102 patterns; at most 100 are allowed."),
        ] {
            let members = Self.grants(count, patterns: patterns)
            let fault = try #require(throws: TokenTable.FormatError.self) { try inFile(members) }
            #expect(fault.reason.contains(reason), "\(fault.reason)")
            #expect(
                throws: Denial.unusable(reason: "The claims are not valid. /grants: \(reason)")
            ) { try inClaims(members) }
        }
    }

    /// Equal grants stay in force whatever their order, and changed ones do not.
    @Test func replacingTheTableRevokesChangedGrants() throws {
        func table(_ grants: String...) throws -> TokenTable {
            try TokenTable(
                grants.enumerated().map { index, grants in
                    let digest = TokenDigest(of: [UInt8(ascii: "0") + UInt8(index)]).hexadecimal
                    return #"{"name":"n","sha256":"\#(digest)",\#(grants)}"#
                }.joined(separator: "\n"))
        }
        let (read, write) = (#"{"scope":"read"}"#, #"{"scope":"write","lists":"a"}"#)
        let control = AccessControl(
            tokens: try table(
                #""grants":[\#(read),\#(write)]"#, #""grants":[\#(read),\#(write)]"#,
                #""scope":"write","lists":"a""#))
        let access = try (0...2).map { try control.access(for: ["Bearer \($0)"]).get() }
        control.use(
            try table(
                #""grants":[\#(write),\#(read)]"#,
                #""grants":[\#(read),{"scope":"write","lists":"b"}]"#, #""grants":[\#(write)]"#))
        #expect(access.map { control.isInForce($0) } == [true, false, true])
    }
}
