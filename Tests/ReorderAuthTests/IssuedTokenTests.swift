import Foundation
import Synchronization
import Testing

@testable import ReorderAuth

/// The tokens that were made over HTTP.
@Suite struct IssuedTokenTests {
    private let control = AccessControl()
    private let secret = "rdr_" + String(repeating: "a", count: 40)

    private func stored(
        _ id: String, secret: String? = nil, link: String? = nil, maker: String? = "maker",
        expiresAt: Int64? = nil
    ) -> (id: String, bytes: [UInt8]) {
        let token = IssuedToken(
            id: id, name: id, digest: TokenDigest(of: Array((secret ?? id).utf8)),
            grants: [GrantForm(.read, link.map { [$0] })], createdAt: 0, createdBy: maker,
            expiresAt: expiresAt, link: link)
        return (id, token.bytes)
    }

    private func access(_ secret: String) -> TokenAccess? {
        try? control.access(for: ["Bearer \(secret)"]).get()
    }

    private func counts(_ list: String?, at milliseconds: Int64 = 0) -> [Int] {
        let counts = control.issuedCounts(list: list, maker: "maker", at: milliseconds)
        return [counts.tokens, counts.links, counts.linksToList, counts.linksByMaker]
    }

    @Test func singleTokensAreAddedAndRemoved() throws {
        control.use(issued: [stored("x"), stored("y")])
        control.change(issued: [stored("z", secret: secret)], removed: ["x", "none"])
        let first = try #require(access(secret))
        #expect(first.issuedID == "z" && control.issuedToken("z")?.name == "z")
        #expect(control.issuedToken("x") == nil && access("x") == nil && access("y") != nil)
        // What is known already keeps its access.
        control.change(issued: [stored("z", secret: secret)], removed: [])
        #expect(access(secret) === first && control.isInForce(first))
        control.use(issued: [stored("z", secret: secret), stored("w")])
        #expect(access(secret) === first && access("y") == nil)
        control.change(issued: [], removed: ["z"])
        #expect(access(secret) == nil && !control.isInForce(first))
        control.change(issued: [("bad", [1])], removed: [])
        #expect(control.issuedToken("bad") == nil && counts(nil) == [1, 0, 0, 0])
    }

    @Test func tokensAndLinksAreCounted() {
        control.use(issued: [stored("a"), stored("b", link: "l"), stored("c", link: "m")])
        #expect(counts("l") == [1, 2, 1, 2])
        control.change(
            issued: [stored("d", link: "l", maker: nil), stored("b", link: "l")], removed: ["c"])
        #expect(counts("l") == [1, 2, 2, 1])
        #expect(counts("m") == [1, 2, 0, 1])
        control.use(issued: [])
        #expect(counts("l") == [0, 0, 0, 0])
    }

    @Test func expiredTokensAreNotCountedAndTakenOnce() {
        control.use(issued: [
            stored("a", expiresAt: 10), stored("b", expiresAt: 20), stored("c", expiresAt: 10),
            stored("d"),
        ])
        #expect(counts(nil, at: 9) == [4, 0, 0, 0] && control.takeExpiredTokens(limit: 9) == [])
        #expect(counts(nil, at: 10) == [2, 0, 0, 0])
        control.change(issued: [stored("e", expiresAt: 15)], removed: [])
        #expect(counts(nil, at: 16) == [2, 0, 0, 0])
        let taken = (0..<4).map { _ in control.takeExpiredTokens(limit: 1) }
        #expect(Set(taken.joined()) == ["a", "c", "e"] && taken.map(\.count) == [1, 1, 1, 0])
        #expect(counts(nil, at: 20) == [1, 0, 0, 0])
        #expect(control.takeExpiredTokens(limit: 9) == ["b"])
    }

    /// Streams are woken if one of them lost its access, and not for other changes.
    @Test func onlyALostAccessOfAStreamIsReported() throws {
        let changes = Mutex(0)
        control.onChange { changes.withLock { $0 += 1 } }
        control.use(issued: [stored("a", secret: secret), stored("b")])
        do {
            let first = try #require(access(secret))
            let stream = TokenAccess.Stream(of: first)
            control.change(issued: [stored("c")], removed: ["b"])
            #expect(changes.withLock(\.self) == 0)
            control.change(issued: [], removed: ["a"])
            #expect(changes.withLock(\.self) == 1)
            withExtendedLifetime(stream) {}
        }
        control.use(issued: [])
        #expect(changes.withLock(\.self) == 1)
    }

    @Test func ticketsOfATokenEndWithIt() throws {
        control.use(issued: [stored("a", secret: secret)])
        control.useTicketSecret([UInt8](repeating: 7, count: 32))
        let first = try #require(access(secret))
        let ticket = try #require(control.ticket(for: first))
        #expect(try control.access(forTicket: ticket).get().issuedID == "a")
        control.change(issued: [], removed: ["a"])
        #expect(throws: Denial.self) { try control.access(forTicket: ticket).get() }
    }
}
