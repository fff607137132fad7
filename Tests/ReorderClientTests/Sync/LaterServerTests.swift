import ReorderEngine
import Testing

@testable import ReorderClient

/// Responses of a later version of the server.
@Suite struct LaterServerTests {
    @Test func unknownMembersOfADocumentAreIgnored() throws {
        let json = """
            {"id":"l","title":"List","version":7,"new":{"a":[1]},"elementsOffset":0,\
            "collapseSubElements":false,"moves":"anywhere","count":1,"rows":1,\
            "sections":[{"id":"s","title":"S","tasks":1,"new":true}],\
            "tasks":[{"id":"t","title":"T","section":"s","parent":null,"position":0,"row":0,\
            "depth":0,"collapsed":false,"locked":false,"done":true,"subtasks":0,"new":[null]}]}
            """
        let (list, syncPoint) = try SyncMachine.document(Array(json.utf8))
        #expect(syncPoint.version == 7)
        #expect(list.tasks.map(\.id) == ["t"])
        #expect(list.task("t")?.content.done == true)
        #expect(list.sections.map(\.id) == ["s"])
    }

    /// The client then reads the document.
    @Test func aChangeWithUnknownMembersOfOperationsIsUnknown() throws {
        func changes(_ operation: String) throws -> ChangesResponse {
            let change = #"{"version":2,"at":"2026-11-23T10:00:00Z","new":1,"ops":[\#(operation)]}"#
            return try ChangesResponse(json: Array(#"{"changes":[\#(change)]}"#.utf8))
        }
        let known = try changes(#"{"op":"delete","task":"t"}"#)
        #expect(known.changes.count == 1 && !known.hasUnknownChange)
        let unknown = try changes(#"{"op":"delete","task":"t","new":1}"#)
        #expect(unknown.changes.isEmpty && unknown.hasUnknownChange)
    }
}
