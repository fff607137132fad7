import ReorderEngine
import ReorderJSON

/// The commands that give a task the content and the place of a text.
struct PutPlan {
    private(set) var commands: [Command] = []
    let task: TaskID
    /// See `LabelRepair.nextCheck`.
    private(set) var nextCheck: Int64?
    /// Whether keys that ascend still do.
    private(set) var keepsOrder = true

    private let collection: CalendarCollection
    private let now: Int64

    init(
        _ text: CalendarText, _ written: TaskMeaning, named name: String,
        over task: CalendarTask?, in collection: CalendarCollection, now: Int64, isCurrent: Bool,
        makeID: () -> TaskID
    ) throws(DAVError) {
        self.collection = collection
        self.now = now
        let isSame = task?.uid.hasBytes(of: text.uid) ?? false
        if !isSame, let other = collection.task(uid: text.uid) ?? task {
            throw DAVError(
                403, .caldav("no-uid-conflict"),
                href: DAVPath.task(list: collection.id, name: other.name).href,
                "A task keeps its UID, and no two tasks of a calendar have the same one.")
        }
        if let task {
            self.task = task.id
            try update(task, to: written, text, isCurrent)
        } else {
            self.task = makeID()
            try create(written, text, named: name)
        }
    }

    // MARK: A task that exists

    /// - Parameter isCurrent: whether the client has the task as it is.
    private mutating func update(
        _ task: CalendarTask, to written: TaskMeaning, _ text: CalendarText, _ isCurrent: Bool
    ) throws(DAVError) {
        let roles = written.differences(from: task.meaning)
        var stored = task.stored
        stored.text = String(decoding: text.bytes, as: UTF8.self)
        if isCurrent || !isOld(written, roles, of: task) {
            move(task, to: written, &stored)
        }
        var update = TaskUpdate()
        if roles.contains(.title) { update.title = written.title }
        if roles.contains(.status) { update.done = written.isDone }
        update.data = try task.update(to: written, roles, stored)
        if !update.isEmpty { commands.append(.update(task.id, update)) }
        if roles.contains(.collapsed) { commands.append(.collapse(task.id, written.isCollapsed)) }
    }

    /// Whether a client that changes something else has sent a place that the task had before.
    private func isOld(
        _ written: TaskMeaning, _ roles: [TaskMeaning.Role], of task: CalendarTask
    ) -> Bool {
        guard roles.contains(where: { $0 != .order && $0 != .parent }), let key = written.order
        else { return false }
        var places = task.stored.former
        // It was moved, and no client has read it since then.
        if let order = task.order, task.stored.below != task.parent {
            places.append(FormerPlace(order: order, below: task.stored.below))
        }
        return places.contains(FormerPlace(order: key, below: written.parent))
    }

    /// Moves a task if the client says another key or parent than it has read.
    private mutating func move(
        _ task: CalendarTask, to written: TaskMeaning, _ stored: inout StoredResource
    ) {
        var parent = task.placement.parent
        var uid = task.parent
        if written.parent != task.parent {
            let waitsFor: String?
            (parent, waitsFor) = self.parent(written.parent, of: task)
            stored.parent = waitsFor
            uid = waitsFor ?? parent.map { collection.uid(of: $0) }
        }
        let key = written.hasOrder ? written.order : nil
        let isMoved = parent != task.placement.parent
        guard isMoved || uid != task.parent || key != nil && key != task.order else { return }
        var place = Place(key: task.order)
        if isMoved || key != nil && key != task.order {
            place = self.place(of: task, below: parent, key: key)
        }
        stored.place(place.key, below: uid, remembers: task.hasRoom)
        if let destination = place.destination {
            commands.append(.move(MoveRequest(.task(task.id), to: destination)))
        }
    }

    /// The parent with a UID.
    ///
    /// - Returns: the task's present parent if it would be below itself. If no task has the UID: none, and the UID, so
    ///   that the task goes below it when it is there.
    private func parent(_ uid: String?, of task: CalendarTask?) -> (TaskID?, waitsFor: String?) {
        guard let uid else { return (nil, nil) }
        guard let parent = collection.task(uid: uid) else { return (nil, uid) }
        if let task, collection.isAncestor(task.id, of: parent.id) {
            return (task.placement.parent, nil)
        }
        return (parent.id, nil)
    }

    /// Where a task goes.
    private struct Place {
        var key: Int?
        /// nil if it stays where it is.
        var destination: Destination?
    }

    /// - Parameter key: nil means the end.
    private mutating func place(
        of task: CalendarTask, below parent: TaskID?, key: Int?
    ) -> Place {
        var siblings = siblings(below: parent)
        let current = siblings.firstIndex { $0.id == task.id }
        if let current { siblings.remove(at: current) }
        let (stored, labels) = repair(siblings)
        // Among those that have keys.
        var position = siblings.count
        var newKey = labels.next(now: now)
        if let key {
            newKey = key
            let place = labels.place(of: key, isNew: false)
            if place < stored.count {
                position = siblings.firstIndex { $0.id == stored[place].id } ?? position
            }
        }
        if newKey == nil { keepsOrder = false }
        if position == current { return Place(key: newKey) }
        return Place(
            key: newKey,
            destination: destination(
                at: position, among: siblings, below: parent, section: task.placement.section,
                isNew: false))
    }

    private func siblings(below parent: TaskID?) -> [CalendarTask] {
        collection.tasks.filter { $0.placement.parent == parent }
    }

    /// Adds the commands that make the keys of siblings ascend.
    private mutating func repair(_ siblings: [CalendarTask]) -> ([CalendarTask], OrderLabels) {
        var repair = LabelRepair()
        let (stored, labels) = repair.add(siblings, now: now)
        commands += repair.commands
        // The new key may be equal to another one.
        nextCheck = [repair.nextCheck, now + OrderLabels.quietMilliseconds].compactMap(\.self).min()
        return (stored, labels)
    }

    /// A place among siblings. At the top level it is in the section of a neighbor: in the task's own section if one of
    /// the two is in it.
    private func destination(
        at position: Int, among siblings: [CalendarTask], below parent: TaskID?,
        section: SectionID?, isNew: Bool
    ) -> Destination {
        let before = position > 0 ? siblings[position - 1] : nil
        let after = position < siblings.count ? siblings[position] : nil
        guard before != nil || after != nil else {
            return Destination(place: .init(.init(parent: parent, section: section)))
        }
        if parent == nil, !isNew, before?.placement.section != section, let after,
            after.placement.section == section
        {
            return Destination(before: after.id)
        }
        if let before { return Destination(after: before.id) }
        return Destination(before: after?.id)
    }

    // MARK: A new task

    private mutating func create(
        _ written: TaskMeaning, _ text: CalendarText, named name: String
    ) throws(DAVError) {
        var stored = StoredResource()
        stored.text = String(decoding: text.bytes, as: UTF8.self)
        if ResourceName.name(for: task) != name { stored.name = name }
        if !task.hasBytes(of: text.uid) { stored.uid = text.uid }
        let (parent, waitsFor) = parent(written.parent, of: nil)
        stored.parent = waitsFor
        stored.below = waitsFor ?? parent.map { collection.uid(of: $0) }
        let siblings = siblings(below: parent)
        let (labeled, labels) = repair(siblings)
        var position = siblings.count
        if written.hasOrder, let key = written.order {
            stored.order = key
            let place = labels.place(of: key, isNew: true)
            if place < labeled.count {
                position = siblings.firstIndex { $0.id == labeled[place].id } ?? position
            }
        } else {
            // Without a key, clients take the time of creation for it.
            stored.order =
                written.order.flatMap { key in
                    OrderKey.made.contains(key) && key > labels.keys.last ?? 0 ? key : nil
                } ?? labels.next(now: now)
            // All keys up to the largest one are used.
            if stored.order == nil { keepsOrder = false }
        }
        var content = TaskContent(
            id: task, title: written.title, collapsed: written.isCollapsed, done: written.isDone)
        do { content.data = try DataPatch.newData(written, stored) } catch { throw .tooLarge }
        commands.append(
            .create(
                content,
                at: destination(
                    at: position, among: siblings, below: parent, section: nil, isNew: true)))
        adopt(waitingFor: text.uid)
    }

    /// Moves the tasks that wait for the new one below it.
    private mutating func adopt(waitingFor uid: String) {
        let waiting = collection.tasks(waitingFor: uid).compactMap { collection.task($0) }
        let above = commands.compactMap { command in
            if case .create(_, let destination) = command { destination } else { nil }
        }.first
        let near = above?.after ?? above?.before
        for task in waiting.sorted(by: { $0.order ?? 0 < $1.order ?? 0 }) {
            // Not if the new task is below it.
            if let near, let parent = collection.list.placement(of: near)?.parent,
                collection.isAncestor(task.id, of: parent)
            {
                continue
            }
            if case .subtasks(let parent)? = above?.place?.siblings,
                collection.isAncestor(task.id, of: parent)
            {
                continue
            }
            keepsOrder = false
            var stored = task.stored
            stored.parent = nil
            guard let patch = DataPatch.make(nil, [], stored, from: task.stored) else { continue }
            commands.append(
                .move(
                    MoveRequest(
                        .task(task.id),
                        to: Destination(place: .init(.subtasks(of: self.task))))))
            commands.append(.update(task.id, TaskUpdate(data: .set(patch))))
        }
    }
}
