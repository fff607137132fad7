import MicroHTTP
import ReorderAuth
import Testing

@testable import ReorderAPI

/// Every route with links to a list.
extension AccessMatrixTests {
    /// A link allows its scope for its list, and only what is in the list.
    @Test(arguments: [AccessScope.read, .write])
    func aLinkAllowsItsListOnly(scope: AccessScope) async throws {
        try await Self.forEachRoute { server, route, needed, calls throws in
            let share = try server.client(with: "write").post(
                "/lists/l/shares", #"{"scope":"\#(scope.name)","history":"all"}"#)
            let field = ["Authorization": "Bearer \(share.json["token"]?.string ?? "")"]
            func answer(_ list: String) throws -> APIResponse {
                var valid = try #require(calls[list])
                if needed.list == .ofDrag, list == "l", scope == .write {
                    try valid.startDrag(with: field, server)
                }
                var call = valid.call(route)
                call.fields += field.map { ($0.key, $0.value) }
                return try server.ask(call)
            }
            let before = try Self.states(server)
            let other = try answer("other")
            #expect(try Self.states(server) == before, "\(route)")
            switch needed.list {
            case .none, .index: break
            default: #expect((400..<500).contains(other.status), "\(route): \(other.text)")
            }
            let own = try answer("l")
            let isAllowed = needed.allowsLinks && scope.includes(needed.scope)
            guard isAllowed || needed == .nothing else {
                #expect(own.code == "forbidden", "\(route): \(own.text)")
                let challenge = own["WWW-Authenticate"] ?? ""
                #expect(
                    challenge.hasPrefix(#"Bearer realm="reorderd", error="insufficient_scope""#))
                #expect(try Self.states(server) == before, "\(route)")
                return
            }
            #expect((200..<300).contains(own.status), "\(route): \(own.text)")
            #expect(try Self.states(server)[1] == before[1], "\(route)")
        }
    }
}
