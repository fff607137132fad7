import ReorderEngine

extension ListModel {
    /// Why an operation is not in normal form for this list.
    package struct Malformed: Error {
        package var operation: ListOperation
    }

    /// Replays an operation like a client that only knows its members.
    package mutating func replay(_ operation: ListOperation) throws {
        let before = self
        switch operation {
        case .move(let id, let section, let parent, let position):
            guard let node = node(id) else { throw Malformed(operation: operation) }
            remove(id)
            try place(node, section, parent, position, operation)
        case .insert(let task):
            let place = task.placement
            let node = Node(content: task.content)
            try self.place(node, place.section, place.parent, place.position, operation)
        case .update(let id, let set): edit(id) { $0.apply(set) }
        case .collapse(let id, let collapsed): edit(id) { $0.collapsed = collapsed }
        case .delete(let id): remove(id)
        case .list(let set): settings.apply(set)
        case .sectionInsert(let id, let title, let position, _, _):
            try place(Section(id: id, title: title), at: position, operation)
        case .sectionUpdate(let id, let title, _, _):
            for index in sections.indices where sections[index].id == id {
                sections[index].title = title
            }
        case .sectionMove(let id, let position):
            guard let index = sections.firstIndex(where: { $0.id == id }) else { break }
            try place(sections.remove(at: index), at: position, operation)
        case .sectionDelete(let id):
            sections.removeAll { $0.id == id && $0.tasks.isEmpty }
        case .replace: break
        }
        // Each operation must change something, because the journal stores it.
        if self == before { throw Malformed(operation: operation) }
    }

    private mutating func place(
        _ node: Node, _ section: SectionID?, _ parent: TaskID?, _ position: Int,
        _ operation: ListOperation
    ) throws {
        let siblings = parent.map { Siblings.under($0) } ?? .top(section)
        let exists = parent.map { task($0)?.placement.section == section } ?? has(section: section)
        guard exists, 0...nodes(siblings).count ~= position, task(node.content.id) == nil else {
            throw Malformed(operation: operation)
        }
        insert([node], at: position, among: siblings)
    }

    private mutating func place(_ section: Section, at position: Int, _ operation: ListOperation)
        throws
    {
        guard 0..<sections.count ~= position, !has(section: section.id) else {
            throw Malformed(operation: operation)
        }
        sections.insert(section, at: position + 1)
    }
}
