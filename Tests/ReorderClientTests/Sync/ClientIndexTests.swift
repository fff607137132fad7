import ReorderEngine
import Testing

@testable import ReorderClient

/// Reading the lists of a server, and an index of them.
@Suite struct ClientIndexTests {
    @Test func listsAreReadByPagesAndByIDs() async throws {
        try await withServer { server in
            let client = server.client()
            let list = ListSummary(id: "l", title: "L", version: 1, count: 3)
            #expect(try await client.lists() == [list])
            for id in ["n", "m", "o"] { try await client.createList(id, title: "List \(id)") }
            let created = ["m", "n", "o"].map {
                ListSummary(id: $0, title: "List \($0)", version: 1, count: 0)
            }
            for limit in [1, 3, 4, 1_000] {
                #expect(try await client.lists(pageLimit: limit) == [list] + created)
            }
            #expect(
                try await client.lists(["o", "gone", "l", "o"]) == ["l": list, "o": created[2]])
            #expect(try await client.lists([]) == [:])
        }
    }

    @Test func moreListsThanOneRequestCanNameAreRead() async throws {
        try await withServer { server in
            let client = server.client()
            for count in [100, 101, 200, 201] {
                // Ids with the maximum length.
                let ids = (0..<count).map { "\($0)-" + String(repeating: "x", count: 60) }
                #expect(ids.allSatisfy { $0.utf8.count <= 64 })
                let found = try await client.lists(ids + ["l"])
                #expect(found.count == 1 && found["l"]?.count == 3)
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
            #expect(try await client.lists(["m"])["m"]?.title == "M")
            for (id, title) in [("not an id", "M"), ("n", String(repeating: "x", count: 4_097))] {
                await #expect {
                    try await client.createList(id, title: title)
                } throws: {
                    if case .invalid? = $0 as? ClientError { true } else { false }
                }
            }
            try await client.createList("n", title: String(repeating: "x", count: 4_096))
            await #expect {
                try await client.lists(["l", "not an id"])
            } throws: {
                if case .invalid? = $0 as? ClientError { true } else { false }
            }
        }
    }

    @Test func theEntriesOfAnIndexNameTheirLists() async throws {
        try await withServer { server in
            let client = server.client()
            try await client.createList("index", title: "Lists")
            let index = try await client.list("index")
            let folder = try index.create("Home")
            try index.create(
                TaskContent(id: "entry", title: "L", data: #"{"color": "green", "list": "l"}"#),
                at: Destination(place: .init(.subtasks(of: folder))))
            try index.create(TaskContent(id: "other", title: "Gone", data: #"{"list": "gone"}"#))
            try index.create(TaskContent(id: "note", title: "", data: #"{"list": 7}"#))
            await index.settle()
            let named = index.snapshot.tasks.map(\.entryList)
            #expect(named == [nil, "l", "gone", nil])
            let lists = try await client.lists(named.compactMap(\.self))
            #expect(lists == ["l": ListSummary(id: "l", title: "L", version: 1, count: 3)])
            index.close()
        }
    }
}
