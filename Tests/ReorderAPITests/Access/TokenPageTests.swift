import ReorderAuth
import ReorderService
import ReorderStore
import StoreTesting
import Synchronization
import Testing

@testable import ReorderAPI

/// Pages of tokens, and changes, on a server with many tokens.
@Suite struct TokenPageTests {
    /// Counts the tokens that are read from it.
    private final class CountingStore: ForwardingStore {
        private let memory = MemoryListStore(epoch: testEpoch)
        private let readCount = Mutex(0)

        func destination() -> any ListStore { memory }

        func tokens(_ query: TokenQuery) throws(StoreError) -> [StoredToken] {
            let found = try memory.tokens(query)
            readCount.withLock { $0 += found.count }
            return found
        }

        /// The number of tokens that were read since the last call.
        func takeReadCount() -> Int {
            readCount.withLock { count in
                defer { count = 0 }
                return count
            }
        }
    }

    /// A server with tokens `t10000`, … for the list `other`, and two for the list `l` after them.
    private func withTokens(
        _ count: Int, _ body: (CountingStore, InProcessClient) throws -> Void
    ) throws {
        let store = CountingStore()
        for number in 0..<count + 2 {
            let id = "t\(10_000 + number)"
            let token = IssuedToken(
                id: id, name: id, digest: NewToken().digest,
                grants: [GrantForm(.read, [number < count ? "other" : "l"])], createdAt: 0,
                createdBy: nil, expiresAt: nil)
            #expect(try store.addToken(StoredToken(id: id, bytes: token.bytes)))
        }
        let service = ListService.quiet(store)
        let api = ReorderAPI(service: service, access: try TestTokens.control())
        try api.followTokens()
        #expect(store.takeReadCount() == count + 2)
        try body(store, InProcessClient(router: api.makeRouter()))
        try service.stopIdle()
    }

    private func page(
        _ client: InProcessClient, _ token: String, _ query: String
    ) throws -> (ids: [String?], cursor: String?) {
        let answer = try client.get("/tokens\(query)", TestTokens.field(token))
        #expect(answer.status == 200)
        let ids = answer.json["tokens"]?.array.map { $0["id"]?.string } ?? []
        return (ids, answer.json["cursor"]?.string)
    }

    @Test func aPageReadsOnlyItsOwnTokens() throws {
        try withTokens(3_000) { store, client in
            let first = try page(client, "admin", "?limit=1")
            #expect(first.ids == ["t10000"] && first.cursor == "t10000")
            #expect(store.takeReadCount() == 2)
            let last = try page(client, "admin", "?limit=5&cursor=t12998")
            #expect(last.ids == ["t12999", "t13000", "t13001"] && last.cursor == nil)
            #expect(store.takeReadCount() == 3)
        }
    }

    /// A page has a cursor after the tokens that it has examined, even if the client may see none of them.
    @Test func tokensThatTheClientMayNotSeeDoNotMakeAPageLong() throws {
        try withTokens(3_000) { store, client in
            var (found, cursor, pages) = ([String?](), String?.none, 0)
            repeat {
                let next = try page(
                    client, "admin:mine*,l", "?limit=100\(cursor.map { "&cursor=\($0)" } ?? "")")
                #expect(store.takeReadCount() <= 1_200)
                found += next.ids
                cursor = next.cursor
                pages += 1
            } while cursor != nil
            #expect(found == ["t13000", "t13001"] && pages == 3)
        }
    }

    @Test func aRequestThatChangesATokenReadsOnlyThis() throws {
        try withTokens(3_000) { store, client in
            let admin = TestTokens.field("admin")
            #expect(try client.put("/lists/l", draft(), admin).status == 201)
            let share = try client.post("/lists/l/shares", #"{"scope":"read"}"#, admin)
            let token = try client.post(
                "/tokens", #"{"name":"x","grants":[{"scope":"admin"}]}"#, admin)
            #expect(share.status == 201 && token.status == 201)
            #expect(store.takeReadCount() == 0)
            // The client's own token, and the removed one.
            let own = ["Authorization": "Bearer \(token.json["token"]?.string ?? "")"]
            #expect(try client.delete(share["Location"] ?? "", own).status == 204)
            #expect(try client.delete("/tokens/t10000", own).status == 204)
            #expect(store.takeReadCount() == 4)
            #expect(try client.get("/lists/l/shares", admin).json["shares"] == [])
            #expect(store.takeReadCount() == 0)
        }
    }
}
