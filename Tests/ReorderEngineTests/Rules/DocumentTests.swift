import ReorderEngine
import Testing

@Suite struct DocumentTests {
    private typealias Entry = ReorderableList.Entry

    private func list(
        sections: [SectionID] = [], _ entries: [(TaskID, SectionID?, TaskID?)]
    ) throws -> ReorderableList {
        try ReorderableList(
            settings: ListSettings(title: "list"),
            sections: sections.map { (id: $0, title: $0) },
            tasks: entries.map { id, section, parent in
                Entry(content: TaskContent(id: id, title: id), section: section, parent: parent)
            })
    }

    @Test func theOrderOfTheTasksDeterminesThePositions() throws {
        let list = try list([("b", nil, nil), ("b2", nil, "b"), ("a", nil, nil), ("b1", nil, "b")])
        #expect(list.outline == "b(b2 b1) a")
    }

    @Test func onlyParentsMustPrecedeTheirChildren() throws {
        let list = try list(
            sections: ["s1", "s2"],
            [
                ("c", "s2", nil), ("b", "s1", nil), ("c1", nil, "c"), ("a", nil, nil),
                ("b1", nil, "b"), ("c11", nil, "c1"), ("d", "s1", nil),
            ])
        #expect(list.outline == "a #s1 b(b1) d #s2 c(c1(c11))")
        #expect(list.checkInvariants() == nil)
    }

    @Test func aDocumentsSectionCanBeDeletedFirst() throws {
        var list = try list(sections: ["s1", "s2"], [])
        _ = try list.deleteSection("s1", tasks: .keep)
        #expect(list.outline == "#s2")
        #expect(list.checkInvariants() == nil)
    }

    @Test func aSubtaskHasTheSectionOfItsParent() throws {
        let explicit = try list(sections: ["s1"], [("a", "s1", nil), ("a1", "s1", "a")])
        let implicit = try list(sections: ["s1"], [("a", "s1", nil), ("a1", nil, "a")])
        #expect(explicit == implicit)
        #expect(explicit.placement(of: "a1")?.section == "s1")
        #expect(throws: ReorderableList.DocumentError.sectionOfParentDiffers(index: 1)) {
            try list(sections: ["s1", "s2"], [("a", "s1", nil), ("a1", "s2", "a")])
        }
        #expect(throws: ReorderableList.DocumentError.sectionOfParentDiffers(index: 1)) {
            try list(sections: ["s1"], [("a", nil, nil), ("a1", "s1", "a")])
        }
    }

    @Test func aTasksIndexIsItsPlaceInTheDocument() throws {
        // In the list, the order is a, a1, a2, b, c.
        let entries: [(String, String?, String?)] = [
            ("b", "s1", nil), ("a", nil, nil), ("c", "s2", nil), ("a1", nil, "a"), ("a2", nil, "a"),
        ]
        for sections in [["s1", "s2"], ["s2", "s0", "s1"]] {
            let list = try list(sections: sections, entries)
            for (index, entry) in entries.enumerated() {
                #expect(list.documentIndex(of: entry.0) == index)
            }
            #expect(list.documentIndex(of: "z") == nil)
        }
    }

    @Test func errorsAreReportedByIndex() {
        #expect(throws: ReorderableList.DocumentError.duplicateTask(index: 2)) {
            try list([("a", nil, nil), ("b", nil, nil), ("a", nil, "b")])
        }
        #expect(throws: ReorderableList.DocumentError.duplicateSection(index: 1)) {
            try list(sections: ["s1", "s1"], [])
        }
        #expect(throws: ReorderableList.DocumentError.unknownSection(index: 0)) {
            try list(sections: ["s1"], [("a", "s2", nil)])
        }
        #expect(throws: ReorderableList.DocumentError.unknownParent(index: 0)) {
            try list([("a1", nil, "a"), ("a", nil, nil)])
        }
        #expect(throws: ReorderableList.DocumentError.unknownParent(index: 0)) {
            try list([("a", nil, "a")])
        }
    }

    @Test func aListsDocumentGivesTheSameList() throws {
        let list = try ReorderableList(
            "a!(a1+(a11) a2) b #s1 #s2 c+(c1!)", elementsOffset: 2, collapseSubElements: true,
            moves: .siblings)
        let again = try ReorderableList(
            settings: list.settings,
            sections: list.sections.map { (id: $0.id, title: $0.title) },
            tasks: list.tasks.map {
                Entry(
                    content: $0.content, section: $0.placement.section, parent: $0.placement.parent
                )
            })
        #expect(again == list)
    }

    @Test func anEmptyDocumentIsAnEmptyList() throws {
        let list = try list([])
        #expect(list == ReorderableList(settings: ListSettings(title: "list")))
        #expect(list.count == 0)
        #expect(list.rowCount == 0)
        #expect(Array(list.tasks).isEmpty)
        #expect(list.task(atRow: 0) == nil)
    }
}
