import Foundation
import Synchronization
import Testing

@testable import ReorderAuth

@Suite struct AccessControlTests {
    private static func table(_ tokens: [String: String]) throws -> TokenTable {
        try TokenTable(
            tokens.map { token, members in
                let digest = TokenDigest(of: Array(token.utf8)).hexadecimal
                return #"{"sha256":"\#(digest)",\#(members)}"#
            }.joined(separator: "\n"))
    }

    private func name(_ control: AccessControl, _ fields: String...) -> String {
        switch control.access(for: fields) {
        case .success(let access): access.name
        case .failure(let denial): "\(denial)"
        }
    }

    @Test func aTokenIsReadFromItsHeaderField() throws {
        let control = AccessControl(
            tokens: try Self.table(["t0ken-._~+/==": #""name":"phone","scope":"read""#]))
        for field in ["Bearer t0ken-._~+/==", "bearer t0ken-._~+/==", "BEARER  t0ken-._~+/=="] {
            #expect(name(control, field) == "phone", "\(field)")
        }
        for field in ["Bearer t0ken-._~+/=", "Bearer T0ken-._~+/==", "Bearer x"] {
            #expect(name(control, field) == "unknown", "\(field)")
        }
        for field in [
            "Bearer", "Bearer ", "Bearer a b", "Bearer é", "Bearer a,b", "Bearer ==", "Bearer a=b",
            "Bearer \(String(repeating: "a", count: 8_193))",
        ] {
            #expect(name(control, field) == "malformed", "\(field)")
        }
        #expect(name(control, "Bearer \(String(repeating: "a", count: 8_192))") == "unknown")
        for field in ["", "Basic dDA=", "Token t0ken", "Bearert0ken-._~+/=="] {
            #expect(name(control, field) == "missing", "\(field)")
        }
        #expect(name(control) == "missing")
        #expect(name(control, "Bearer t0ken-._~+/==", "Bearer x") == "malformed")
    }

    @Test func replacingTheTableRevokesOnlyRemovedTokens() throws {
        let stays = #""name":"stays","scope":"write","lists":"a*""#
        let control = AccessControl(
            tokens: try Self.table([
                "1": stays, "2": #""name":"goes","scope":"write""#,
                "3": #""name":"changes","scope":"write""#,
            ]))
        let access = try ["1", "2", "3"].map { try control.access(for: ["Bearer \($0)"]).get() }
        let calls = Mutex(0)
        control.onChange { calls.withLock { $0 += 1 } }
        control.use(
            try Self.table([
                "1": stays, "3": #""name":"changes","scope":"read""#,
                "4": #""name":"comes","scope":"read""#,
            ]))
        #expect(access.map { control.isInForce($0) } == [true, false, false])
        #expect(try control.access(for: ["Bearer 1"]).get() === access[0])
        #expect(name(control, "Bearer 2") == "unknown")
        #expect(try control.access(for: ["Bearer 3"]).get().grants == Grants(.read))
        #expect(name(control, "Bearer 4") == "comes")
        #expect(calls.withLock(\.self) == 1)
    }

    @Test func differentClientsHaveDifferentIdentities() {
        let clients = [("token", "a"), ("jwt", "a"), ("token", "b")].map { kind, name in
            TokenAccess(kind: kind, name: name, grants: Grants(.read))
        }
        #expect(Set(clients.map(\.identity)).count == 3)
        let moved = [("jwt a\nb", "c"), ("jwt a", "b\nc")].map { kind, name in
            TokenAccess(kind: kind, name: name, grants: Grants(.read)).identity
        }
        #expect(Set(moved).count == 2)
        let same = TokenAccess(kind: "token", name: "a", grants: Grants(.write))
        #expect(same.identity == clients[0].identity)
    }

    @Test func aNameIsSafeForALogLine() {
        let name = "ann\n2026 error\u{7}\u{2028}\u{1B}[0m é" + String(repeating: "x", count: 100)
        let access = TokenAccess(kind: "jwt", name: name, grants: Grants(.read))
        #expect(access.name.hasPrefix("ann?2026 error???[0m éx"))
        #expect(access.name.unicodeScalars.count == 64)
    }

    @Test func accessExpires() {
        let access = TokenAccess(
            kind: "jwt", name: "a", grants: Grants(.read),
            expires: Date(timeIntervalSince1970: 100))
        #expect(access.isInForce(at: Date(timeIntervalSince1970: 99.9)))
        #expect(!access.isInForce(at: Date(timeIntervalSince1970: 100)))
    }
}
