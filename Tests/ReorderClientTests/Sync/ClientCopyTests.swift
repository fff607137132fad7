import ReorderEngine
import Testing

@testable import ReorderClient

/// Copies of lists and tasks.
@Suite struct ClientCopyTests {
    @Test func aListIsCopied() async throws {
        try await withServer { server in
            let client = server.client()
            let list = try await client.list("l")
            try list.move(["a"], to: .after("c"))
            await list.settle()
            try await client.copyList("l", as: "same")
            try await client.copyList("l", as: "titled", title: "Next")
            for (id, title) in [("same", "L"), ("titled", "Next")] {
                let copy = try await client.list(id)
                #expect(copy.snapshot.settings.title == title)
                #expect(
                    copy.snapshot.tasks.map(\.content.title)
                        == list.snapshot.tasks.map(\.content.title))
                #expect(Set(copy.snapshot.tasks.map(\.id)).isDisjoint(with: ["a", "b", "c"]))
                copy.close()
            }
            list.close()
        }
    }

    @Test func aTaskIsCopiedAfterItselfOrToAnotherList() async throws {
        try await withServer { server in
            let client = server.client()
            let list = try await client.list("l")
            try await client.copyTask("a", as: "a2")
            for await status in list.statuses where status.version == 2 { break }
            #expect(list.snapshot.tasks.map(\.id) == ["a", "a2", "b", "c"])
            try await client.copyList("l", as: "m")
            let other = try await client.list("m")
            try await client.copyTask("b", as: "b2", toList: "m")
            for await status in other.statuses where status.version == 2 { break }
            #expect(other.snapshot.tasks.map(\.id).last == "b2")
            #expect(list.status.version == 2)
            list.close()
            other.close()
        }
    }

    @Test func errorsAreThrown() async throws {
        try await withServer { server async throws in
            let client = server.client()
            let taken = ClientError.refused(.idTaken("l"))
            await #expect(throws: taken) { try await client.copyList("l", as: "l") }
            await #expect(throws: ClientError.listNotFound) {
                try await client.copyList("none", as: "new")
            }
            await #expect(throws: ClientError.refused(.idTaken("b"))) {
                try await client.copyTask("a", as: "b")
            }
            await #expect(throws: ClientError.refused(.taskNotFound("none"))) {
                try await client.copyTask("none", as: "new")
            }
            await #expect(throws: ClientError.listNotFound) {
                try await client.copyTask("a", as: "new", toList: "none")
            }
            await #expect {
                try await client.copyList(
                    "l", as: "new", title: String(repeating: "x", count: 4_097))
            } throws: {
                if case ClientError.invalid = $0 { true } else { false }
            }
            for call in [
                { try await client.copyList("a/b", as: "new") },
                { try await client.copyList("l", as: "") },
                { try await client.copyTask("a?", as: "new") },
                { try await client.copyTask("a", as: "a/b") },
            ] as [() async throws -> Void] {
                await #expect {
                    try await call()
                } throws: {
                    if case ClientError.invalid = $0 { true } else { false }
                }
            }
            let away = server.client(over: NoNetwork())
            await #expect(throws: ClientError.unreachable) {
                try await away.copyList("l", as: "new")
            }
            await #expect(throws: ClientError.unreachable) {
                try await away.copyTask("a", as: "new")
            }
        }
    }
}
