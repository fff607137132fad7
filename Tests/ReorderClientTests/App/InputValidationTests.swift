import Foundation
import ReorderEngine
import ReorderJSON
import Testing

@testable import ReorderClient

/// The documented limits, each from both sides: the client refuses what the server would refuse, before anything is stored.
@MainActor @Suite struct InputValidationTests {
    private func list() -> LiveList {
        ReorderStore.inMemory(["l": "# L\n- a\n## S\n- b"]).list("l")
    }

    /// Whether a change is made. A refused one has a sentence, and changes nothing.
    private func makes(_ change: (LiveList) -> Bool) -> Bool {
        let list = list()
        let before = list.snapshot
        guard !change(list) else { return true }
        #expect(list.notice?.message.hasSuffix(".") == true)
        #expect(list.snapshot == before && !list.canUndo)
        return false
    }

    private let longest = String(repeating: "é", count: 2_048)

    @Test func titles() {
        let changes: [(LiveList, String) -> Bool] = [
            { $0.create($1) != nil }, { $0.rename("a", to: $1) }, { $0.rename(to: $1) },
            { $0.createSection($1) != nil }, { $0.renameSection("S", to: $1) },
        ]
        for change in changes {
            #expect(makes { change($0, longest) } && makes { change($0, "") })
            #expect(!makes { change($0, longest + "x") } && !makes { change($0, "a\0") })
        }
    }

    /// JSON text of this many bytes, nested this deep.
    private func data(bytes: Int = 0, levels: Int = 1) -> String {
        let start = #"{"d":"# + String(repeating: "[", count: levels - 1) + "\""
        let end = "\"" + String(repeating: "]", count: levels - 1) + "}"
        return start + String(repeating: "x", count: max(0, bytes - start.count - end.count)) + end
    }

    @Test func dataOfTasksSectionsAndLists() {
        let place = Destination.end(of: nil)
        let changes: [(LiveList, String) -> Bool] = [
            {
                $0.perform(.create, [.create(TaskContent(id: "n", title: "", data: $1), at: place)])
            },
            { $0.perform(.edit, [.update("a", TaskChanges(data: $1))]) },
            { $0.perform(.edit, [.createSection("n", title: "", position: nil, data: $1)]) },
            { $0.perform(.edit, [.updateSection("S", SectionUpdate(data: DataUpdate(json: $1)))]) },
            { $0.updateListData($1) },
        ]
        for change in changes {
            for allowed in [data(bytes: 8_192), data(levels: 13), " \(data(bytes: 8_192)) "] {
                #expect(makes { change($0, allowed) })
            }
            for refused in [data(bytes: 8_193), data(levels: 14), "{", "", "{} {}"] {
                #expect(!makes { change($0, refused) })
            }
        }
        #expect(makes { $0.create("", data: ["a": 1]) != nil })
        #expect(!makes { $0.create("", data: [1]) != nil } && !makes { $0.setData("a", "text") })
    }

    @Test func settings() {
        let allowed = [
            SettingsUpdate(maxDepth: .set(1)), SettingsUpdate(maxDepth: .set(16)),
            SettingsUpdate(maxTasksPerSection: .set(1)), SettingsUpdate(tasksPerParent: .set(1)),
            SettingsUpdate(elementsOffset: 1),
        ]
        let refused = [
            SettingsUpdate(maxDepth: .set(0)), SettingsUpdate(maxDepth: .set(17)),
            SettingsUpdate(maxTasksPerSection: .set(0)), SettingsUpdate(tasksPerParent: .set(0)),
            SettingsUpdate(elementsOffset: -1),
        ]
        for update in allowed { #expect(makes { $0.update(update) }) }
        for update in refused { #expect(!makes { $0.update(update) }) }
    }

    @Test func ids() {
        let id = String(repeating: "a", count: 64)
        let changes: [(LiveList, String) -> Bool] = [
            { $0.perform(.create, [.create(TaskContent(id: $1, title: ""), at: .end(of: nil))]) },
            { $0.perform(.create, [.createSection($1, title: "", position: nil)]) },
        ]
        for change in changes {
            #expect(makes { change($0, id) })
            for refused in [id + "a", "", ".", "..", "a/b", "ä"] {
                #expect(!makes { change($0, refused) })
            }
        }
    }

    @Test func requestsOfWholeListsAreNotSent() async throws {
        let server = ScriptedServer()
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        server.isCut = true
        let store = ReorderStore(client: ReorderClient(storage: folder, transport: server))
        let calls: [(String, String) async throws -> Void] = [
            { try await store.createList($1, id: $0) },
            { try await store.client.createList($0, title: $1) },
            { try await store.client.copyList("l", as: $0, title: $1) },
        ]
        for call in calls {
            await #expect(throws: ClientError.unreachable) { try await call("m", longest) }
            for (id, title) in [("a/b", "M"), ("m", longest + "x")] {
                await #expect {
                    try await call(id, title)
                } throws: {
                    if case .invalid? = $0 as? ClientError { true } else { false }
                }
            }
        }
    }
}
