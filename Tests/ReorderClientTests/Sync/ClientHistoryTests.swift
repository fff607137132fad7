import ReorderAuth
import ReorderEngine
import ReorderJSON
import ReorderService
import Testing

@testable import ReorderClient

/// The history of a list, as people read it.
@Suite struct ClientHistoryTests {
    @Test func aChangeHasItsAuthorAndTheTitlesOfItsTime() async throws {
        let digest = TokenDigest(of: Array("one".utf8))
        let line = try TokenLine(name: "Anna", digest: digest, grants: [GrantForm(.write, nil)])
        let control = AccessControl(tokens: try TokenTable(line.json))
        try await withServer(access: control, overSockets: true) { server async throws in
            let client = server.client(
                over: TokenTransport(transport: server.transport) { "one" })
            let list = try await client.list("l")
            try list.move(["a"], to: .after("c"))
            try list.update("c", TaskChanges(title: "Cherries"))
            await list.settle()
            let history = try await client.history(of: "l")
            #expect(history.before == nil && history.changes.count == 3)
            let (rename, move) = (history.changes[0], history.changes[1])
            #expect(rename.author == "Anna" && rename.stepCount == 1 && rename.mayUndo)
            #expect(rename.steps[0].operation == "update")
            #expect(rename.steps[0].oldTitle == "c" && rename.steps[0].title == "Cherries")
            #expect(move.steps[0].task == "a" && move.steps[0].title == "a")
            #expect(move.steps[0].to?.below == "c" && move.steps[0].from?.below == nil)
            #expect(move.date <= rename.date && history.changes[2].kind == .created)
            list.close()
        }
    }

    @Test func pagesFollowOneAnother() async throws {
        try await withServer { server async throws in
            for title in 0..<5 {
                try await server.write(.update("a", TaskUpdate(title: "\(title)")))
            }
            let client = server.client()
            var titles: [String?] = []
            var before: String?
            repeat {
                let page = try await client.history(of: "l", before: before, limit: 2)
                titles += page.changes.map { $0.steps.first?.title }
                before = page.before
            } while before != nil
            #expect(titles.prefix(5) == ["4", "3", "2", "1", "0"] && titles.count == 6)
        }
    }

    @Test func aChangeOfSomebodyElseIsUndone() async throws {
        try await withServer { server async throws in
            try await server.write(.update("a", TaskUpdate(title: "First")))
            try await server.write(.update("a", TaskUpdate(title: "Second")))
            let client = server.client()
            let changes = try await client.history(of: "l").changes
            await #expect { try await client.undo(changes[1], of: "l") } throws: { error in
                guard case .invalid(let reason)? = error as? ClientError else { return false }
                return !reason.isEmpty
            }
            try await client.undo(changes[0], of: "l")
            #expect(try await server.snapshot().list.task("a")?.content.title == "First")
        }
    }

    @Test func wrongListsAndPagesAreRefused() async throws {
        try await withServer { server async throws in
            let client = server.client()
            await #expect(throws: ClientError.listNotFound) { try await client.history(of: "m") }
            for before in ["x", "1&order=asc", ""] {
                await #expect { try await client.history(of: "l", before: before) } throws: {
                    if case .invalid? = $0 as? ClientError { true } else { false }
                }
            }
        }
    }
}
