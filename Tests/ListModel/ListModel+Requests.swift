import ReorderEngine
import ReorderJSON

// MARK: - Tasks and settings

extension ListModel {
    package mutating func create(_ content: TaskContent, at destination: Destination)
        throws(Refusal)
        -> Effect
    {
        if task(content.id) != nil { throw .idTaken(content.id) }
        let last = Destination(place: .init(.section(nil)))
        let decision = try decide(destination == Destination() ? last : destination, for: [])
        var created = self
        if let (siblings, position) = decision.place {
            if depth(of: siblings) > 15 { throw .depthLimit }
            created.insert([Node(content: content)], at: position, among: siblings)
            try created.checkLimits(after: self)
        }
        let locked = lockedRows
        if created.topLevelTasks(first: locked.count) != locked { throw .locked }
        self = created
        return Effect(changed: true, placedBy: decision.placedBy)
    }

    package mutating func update(_ id: TaskID, _ update: TaskUpdate) throws(Refusal) -> Effect {
        guard task(id) != nil else { throw .taskNotFound(id) }
        return changing {
            $0.edit(id) { content in
                var update = update
                update.data = update.data?.merged(into: content.data)
                content.apply(update)
            }
        }
    }

    package mutating func collapse(_ id: TaskID, _ collapsed: Bool) throws(Refusal) -> Effect {
        guard task(id) != nil else { throw .taskNotFound(id) }
        let before = rows
        var effect = changing { $0.edit(id) { $0.collapsed = collapsed } }
        let gone = before.filter { old in !rows.contains { $0.id == old.id } }
        let come = rows.filter { new in !before.contains { $0.id == new.id } }
        if let start = gone.first?.placement.row {
            effect.rows = .removed(start: start, count: gone.count)
        } else if let start = come.first?.placement.row {
            effect.rows = .inserted(start: start, count: come.count)
        }
        return effect
    }

    package mutating func delete(_ id: TaskID) throws(Refusal) -> Effect {
        guard task(id) != nil else { throw .taskNotFound(id) }
        if subtree(of: id).compactMap(task).contains(where: isLocked) { throw .locked }
        let deleted = subtree(of: id)
        remove(id)
        return Effect(changed: true, deleted: deleted)
    }

    package mutating func update(_ update: SettingsUpdate) -> Effect {
        var update = update
        update.data = update.data?.merged(into: settings.data)
        return changing { $0.settings.apply(update) }
    }

    private mutating func changing(_ change: (inout ListModel) -> Void) -> Effect {
        let before = self
        change(&self)
        return Effect(changed: self != before)
    }
}

// MARK: - Sections

extension ListModel {
    package mutating func createSection(_ id: SectionID, title: String, position: Int?)
        throws(Refusal)
        -> Effect
    {
        if has(section: id) { throw .idTaken(id) }
        insertSection(Section(id: id, title: title), at: position)
        return Effect(changed: true)
    }

    package mutating func renameSection(_ id: SectionID, title: String?) throws(Refusal) -> Effect {
        let index = try index(of: id)
        return changing { $0.sections[index].title = title ?? $0.sections[index].title }
    }

    package mutating func moveSection(_ id: SectionID, position: Int?) throws(Refusal) -> Effect {
        let index = try index(of: id)
        var moved = self
        moved.insertSection(moved.sections.remove(at: index), at: position)
        if moved.lockedRows != lockedRows { throw .locked }
        return changing { $0 = moved }
    }

    package mutating func deleteSection(
        _ id: SectionID, tasks: ReorderableList.SectionTasks
    ) throws(Refusal) -> Effect {
        let index = try index(of: id)
        var deleted = self
        let section = deleted.sections.remove(at: index)
        let top = section.tasks.map(\.content.id).compactMap(task)
        switch tasks {
        case .keep:
            if top.contains(where: isLocked) { throw .locked }
            deleted.sections[0].tasks += section.tasks
        case .delete:
            let all = top.flatMap { subtree(of: $0.id) }.compactMap(task)
            if all.contains(where: isLocked) { throw .locked }
        }
        let locked = lockedRows
        if deleted.topLevelTasks(first: locked.count) != locked { throw .locked }
        let gone = self.tasks.map(\.id).filter { deleted.task($0) == nil }
        self = deleted
        return Effect(changed: true, deleted: gone)
    }

    private func index(of id: SectionID) throws(Refusal) -> Int {
        guard let index = sections.firstIndex(where: { $0.id == id }) else {
            throw .sectionNotFound(id)
        }
        return index
    }

    /// Positions count the real sections: 0 is after the tasks without a section.
    private mutating func insertSection(_ section: Section, at position: Int?) {
        let count = sections.count - 1
        sections.insert(section, at: 1 + min(max(0, position ?? count), count))
    }
}

// MARK: - Updates

extension TaskContent {
    package mutating func apply(_ update: TaskUpdate) {
        title = update.title ?? title
        done = update.done ?? done
        locked = update.locked ?? locked
        switch update.data {
        case .set(let text): data = text
        case .remove: data = nil
        case nil: break
        }
    }
}

extension ListSettings {
    package mutating func apply(_ update: SettingsUpdate) {
        title = update.title ?? title
        elementsOffset = update.elementsOffset ?? elementsOffset
        collapseSubElements = update.collapseSubElements ?? collapseSubElements
        moves = update.moves ?? moves
        if let update = update.maxDepth { maxDepth = update.limit }
        if let update = update.maxTasksPerSection { maxTasksPerSection = update.limit }
        if let update = update.tasksPerParent { tasksPerParent = update.limit }
        switch update.data {
        case .set(let data): self.data = data
        case .remove: data = nil
        case nil: break
        }
    }
}

extension DataUpdate {
    /// What a merge patch makes of data.
    fileprivate func merged(into current: String?) -> DataUpdate {
        guard case .set(let patch) = self, let merged = try? MergePatch.apply(patch, to: current)
        else { return .remove }
        return .set(merged)
    }
}
