import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// The limit on the sections of a list applies to all ways to create sections.
@Suite struct SectionLimitTests {
    let store = GatedStore()

    private func list(_ sections: Int, title: String = "list") throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(title: title),
            sections: (0..<sections).map { ("s\($0)", "") }, tasks: [])
    }

    private func command(_ command: Command) -> WriteRequest {
        WriteRequest(list: "l", action: .command(command))
    }

    private func create(_ section: String) -> WriteRequest {
        command(.createSection(section, title: "", position: nil))
    }

    @Test func noSectionIsCreatedBeyondTheLimit() throws {
        let service = ListService.quiet(store, limits: .init(sectionsPerList: 3))
        let made = WriteRequest(list: "l", action: .create(try list(2)))
        #expect(try service.ask(made).value().created)
        #expect(try service.ask(create("third")).value().changed)
        #expect(try service.ask(create("fourth")).failure() == "sectionsFull")
        let batch = WriteRequest(
            list: "l",
            action: .batch(
                Batch(
                    [
                        .deleteSection("third", tasks: .keep),
                        .createSection("a", title: "", position: 0),
                        .createSection("b", title: "", position: 0),
                    ], .atomic)))
        #expect(try service.ask(batch).failure() == "command 2 sectionsFull")
        for count in [3, 4] {
            let put = WriteRequest(
                list: "l", action: .put(try list(count)), precondition: .exists)
            #expect(try service.ask(put).failure() == (count > 3 ? "sectionsFull" : "none"))
            let other = WriteRequest(list: "m\(count)", action: .create(try list(count)))
            #expect(try service.ask(other).failure() == (count > 3 ? "sectionsFull" : "none"))
        }
        try service.stopIdle()
    }

    @Test func noDeletedSectionIsRestoredIntoAFullList() throws {
        let service = ListService.quiet(store, limits: .init(sectionsPerList: 2))
        let made = WriteRequest(list: "l", action: .create(try list(2)))
        #expect(try service.ask(made).value().created)
        let deletion = command(.deleteSection("s0", tasks: .keep))
        let version = try service.ask(deletion).value().version
        #expect(try service.ask(create("third")).value().changed)
        let undo = WriteRequest(list: "l", action: .undo(version: RequestedVersion(version)))
        #expect(try service.ask(undo).failure() == "sectionsFull")
        #expect(
            try service.ask(command(.deleteSection("third", tasks: .keep))).value().changed)
        #expect(try service.ask(undo).value().changed)
        try service.stopIdle()
    }

    @Test func aListAboveALoweredLimitCanBeChanged() throws {
        let before = ListService.quiet(store)
        let made = WriteRequest(list: "l", action: .create(try list(5)))
        #expect(try before.ask(made).value().created)
        let service = ListService.quiet(store, limits: .init(sectionsPerList: 2))
        #expect(try service.ask(create("more")).failure() == "sectionsFull")
        #expect(try service.ask(command(.moveSection("s4", position: 0))).value().changed)
        #expect(
            try service.ask(command(.updateSection("s4", SectionUpdate(title: "x")))).value()
                .changed
        )
        #expect(try service.ask(command(.deleteSection("s4", tasks: .keep))).value().changed)
        #expect(try service.ask(create("more")).failure() == "sectionsFull")
        let put = WriteRequest(
            list: "l", action: .put(try list(4, title: "new")), precondition: .exists)
        #expect(try service.ask(put).value().changed)
        let larger = WriteRequest(list: "l", action: .put(try list(5)), precondition: .exists)
        #expect(try service.ask(larger).failure() == "sectionsFull")
        try service.stopIdle()
        try before.stopIdle()
    }
}
