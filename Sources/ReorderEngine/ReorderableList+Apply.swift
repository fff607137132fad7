extension ReorderableList {
    /// Applies one operation in normal form.
    ///
    /// Rules (locked rows, `moves`) are not checked: they were checked when the operation was
    /// created. If the operation does not fit the list, this function throws and nothing changes.
    /// O(log n); `delete` takes O(1) more for each task of the subtree. The first time that
    /// `elementsOffset` gets a value other than 0 takes O(sections · log sections). Adding,
    /// renaming or deleting a section takes O(sections) if a copy of the list shares its sections.
    package mutating func apply(_ operation: ListOperation) throws(OperationError) {
        switch operation {
        case .move(let task, let section, let parent, let position):
            try applyMove(task, section: section, parent: parent, position: position)
        case .insert(let task):
            try applyInsert(task)
        case .update(let task, let set):
            let node = try existingNode(of: task)
            if let title = set.title { table.setTitle(of: node, title) }
            if let done = set.done {
                countDone(node, done)
                table.setDone(of: node, done, set.completed ?? changeStamp)
            }
            if let locked = set.locked { table.setLocked(of: node, locked) }
            switch set.data {
            case .set(let data): table.setData(of: node, data)
            case .remove: table.setData(of: node, nil)
            case nil: break
            }
            noteChange(of: node)
        case .collapse(let task, let collapsed):
            let node = try existingNode(of: task)
            forest.setCollapsed(node, collapsed)
            noteChange(of: node)
        case .delete(let task):
            let node = try existingNode(of: task)
            if let parent = forest.parent(of: node) {
                countTopLevel(-1, in: parent, isOpen: !table.isDone(node))
            }
            forest.remove(node) { table.remove($0) }
        case .list(let set):
            settings.set(set)
            countTopLevelTasks()
        case .sectionInsert, .sectionUpdate, .sectionMove, .sectionDelete:
            try applyToSections(operation)
        case .replace:
            throw .needsDocument
        }
        noteChange()
        assertInvariants()
    }

    /// Applies operations in order. If one throws, none of them takes effect.
    package mutating func apply(_ operations: [ListOperation]) throws(OperationError) {
        var copy = self
        for operation in operations { try copy.apply(operation) }
        self = copy
    }

    private mutating func applyMove(
        _ task: TaskID, section: SectionID?, parent: TaskID?, position: Int
    ) throws(OperationError) {
        let node = try existingNode(of: task)
        let target = try existingParent(section: section, parent: parent)
        guard !forest.isInside(target, subtreeOf: node) else { throw .intoOwnSubtree(task) }
        guard depth(of: target) + forest.height(of: node) < Self.maximumLevels else {
            throw .tooDeep(task)
        }
        let staying = forest.parent(of: node) == target ? 1 : 0
        guard 0...(forest.childCount(of: target) - staying) ~= position else {
            throw .positionOutOfRange(position)
        }
        relocate(node, into: target, at: position)
        noteChange(of: node)
    }

    private mutating func applyInsert(_ task: ListTask) throws(OperationError) {
        guard !contains(task.id) else { throw .taskExists(task.id) }
        let placement = task.placement
        let target = try existingParent(section: placement.section, parent: placement.parent)
        guard depth(of: target) + 1 < Self.maximumLevels else { throw .tooDeep(task.id) }
        guard 0...forest.childCount(of: target) ~= placement.position else {
            throw .positionOutOfRange(placement.position)
        }
        insert(task.content, into: target, at: placement.position)
    }

    mutating func insert(_ content: TaskContent, into target: NodeID, at position: Int) {
        let node = forest.insert(into: target, at: position)
        table.insert(
            node, id: content.id, title: content.title, data: content.data, done: content.done,
            locked: content.locked, stamps: content.stamps)
        countTopLevel(1, in: target, isOpen: !content.done)
        if content.collapsed { forest.setCollapsed(node, true) }
    }

    private mutating func applyToSections(_ operation: ListOperation) throws(OperationError) {
        let count = forest.childCount(of: Forest.root) - 1
        switch operation {
        case .sectionInsert(let section, let title, let position, let data, let maxTasks):
            guard sectionTable.nodes[section] == nil else { throw .sectionExists(section) }
            guard 0...count ~= position else { throw .positionOutOfRange(position) }
            insertSection(section, title: title, data: data, maxTasks: maxTasks, at: position)
        case .sectionUpdate(let section, let title, let data, let maxTasks):
            sectionTable.update(
                try existingNode(ofSection: section), title: title, data: data,
                maxTasks: maxTasks)
        case .sectionMove(let section, let position):
            let node = try existingNode(ofSection: section)
            guard 0..<count ~= position else { throw .positionOutOfRange(position) }
            relocateSection(node, to: position)
        case .sectionDelete(let section):
            let node = try existingNode(ofSection: section)
            guard forest.childCount(of: node) == 0 else { throw .sectionNotEmpty(section) }
            removeSection(node)
        default: break
        }
    }

    // MARK: Look-up

    func existingNode(of task: TaskID) throws(OperationError) -> NodeID {
        guard let node = table.node(for: task) else { throw .unknownTask(task) }
        return node
    }

    func existingNode(ofSection section: SectionID) throws(OperationError) -> NodeID {
        guard let node = sectionTable.nodes[section] else { throw .unknownSection(section) }
        return node
    }

    private func existingParent(
        section: SectionID?, parent: TaskID?
    ) throws(OperationError) -> NodeID {
        if let parent { return try existingNode(of: parent) }
        guard let section else { return sectionTable.unsectioned }
        return try existingNode(ofSection: section)
    }
}
