import ReorderEngine
import Testing

@testable import ReorderClient

/// Reading the lists of a server, and an index of them.
@Suite struct ClientIndexTests {
    @Test func listsAreReadByPages() async throws {
        try await withServer { server in
            let client = server.client()
            let list = ListSummary(id: "l", title: "L", count: 3)
            #expect(try await client.lists() == [list])
            for id in ["n", "m", "o"] { try await client.createList(id, title: "List \(id)") }
            let created = ["m", "n", "o"].map {
                ListSummary(id: $0, title: "List \($0)", count: 0)
            }
            for limit in [1, 3, 4, 1_000] {
                #expect(
                    try await client.items(
                        of: ["lists"], "lists", pageLimit: limit, ListSummary.read) == [list]
                        + created)
            }
        }
    }

    @Test func aListIsCreatedOnce() async throws {
        try await withServer { server in
            let client = server.client()
            try await client.createList("m", title: "M")
            await #expect(throws: ClientError.refused(.idTaken("m"))) {
                try await client.createList("m", title: "Other")
            }
            #expect(try await client.lists().map(\.title) == ["L", "M"])
            for (id, title) in [("not an id", "M"), ("n", String(repeating: "x", count: 4_097))] {
                await #expect {
                    try await client.createList(id, title: title)
                } throws: {
                    if case .invalid? = $0 as? ClientError { true } else { false }
                }
            }
            try await client.createList("n", title: String(repeating: "x", count: 4_096))
        }
    }

    @Test func theEntriesOfAnIndexNameTheirLists() async throws {
        try await withServer { server in
            let client = server.client()
            try await client.createList("index", title: "Lists")
            let index = try await client.list("index")
            let folder = try index.create("Home")
            try index.create(
                "L", data: #"{"color": "green", "list": "l"}"#, at: .inside(folder))
            try index.create("Gone", data: #"{"list": "gone"}"#)
            try index.create("", data: #"{"list": 7}"#)
            await index.settle()
            let named = index.snapshot.tasks.map(\.entryList)
            #expect(named == [nil, "l", "gone", nil])
            index.close()
        }
    }
}
