import ReorderEngine
import ReorderJSON

extension Command {
    /// The result that the command would have in a list that stays unchanged: no times change.
    package func result(in list: VersionedList) throws(ServiceError) -> CommandResult {
        var copy = list.list
        copy.changeStamp = nil
        return try outcome(on: &copy, version: list.version).result
    }

    /// Applies the command, or throws and leaves the list unchanged.
    ///
    /// - Parameter version: the list's version.
    func outcome(
        on list: inout ReorderableList, version: Int
    ) throws(ServiceError) -> (change: Change, result: CommandResult) {
        do {
            let outcome = try apply(to: &list)
            let change = Change(
                operations: outcome.operations, inserted: outcome.inserted,
                deleted: outcome.deleted)
            return (change, CommandResult(outcome, in: &list))
        } catch {
            switch error {
            case .refused(let refusal):
                throw .refused(refusal, version: version, tasks: namedTasks(in: list))
            case .dataTooLarge(let ofSection): throw .dataTooLarge(ofSection: ofSection)
            }
        }
    }

    /// The tasks that the client named, for the response to a refused command.
    private func namedTasks(in list: ReorderableList) -> NamedTasks {
        switch self {
        case .move(let request): NamedTasks(request.subject, in: list)
        case .create: .one(nil)
        default: .one(tasks.first.flatMap { list.task($0) })
        }
    }

    /// Returns the reason if the resource in the request's path does not exist; nil if it exists.
    /// This is checked before the precondition (RFC 9110, section 13.2.1).
    func missingTarget(in list: WorkingList) -> Refusal? {
        switch kind {
        case .move, .create, .sectionCreate: return nil
        default:
            if let task = tasks.first, !list.list.contains(task) { return .taskNotFound(task) }
            guard let section, !list.list.contains(section: section) else { return nil }
            return .sectionNotFound(section)
        }
    }

    /// The number of tasks that the command handles. Counting stops a little above the limit.
    /// O(limit).
    func taskCount(in list: WorkingList, upTo limit: Int) -> Int {
        switch self {
        case .delete(let task), .collapse(let task, _):
            list.list.taskCount(under: task, upTo: limit)
        case .deleteSection(let section, _):
            list.list.taskCount(in: section, upTo: limit)
        case .move(let request):
            max(
                request.subject.namedCount,
                request.folds.map { list.list.costOfFolding($0) } ?? 0)
        default: 0
        }
    }

    /// Whether the command may delete tasks or sections.
    var mayDelete: Bool {
        switch self {
        case .delete, .deleteSection: true
        default: false
        }
    }

    /// The bytes of the texts that the command gives to tasks and sections.
    var textBytes: Int {
        switch self {
        case .create(let content, _): content.byteCount
        case .update(_, let update): Self.byteCount(update.title, update.data?.data)
        case .createSection(_, let title, _, let data, _): Self.byteCount(title, data)
        case .updateSection(_, let update): Self.byteCount(update.title, update.data?.data)
        case .settings: 1 << 10
        default: 0
        }
    }

    private static func byteCount(_ texts: String?...) -> Int {
        texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension CommandResult {
    /// - Parameter list: the list after the command. It is not changed; to pass it otherwise would copy all its parts.
    fileprivate init(_ outcome: Command.Outcome, in list: inout ReorderableList) {
        switch outcome.detail {
        case .none: self = .done
        case .moved(let moved, let isBlock): self = .moved(moved, isBlock: isBlock)
        case .created(let task, _): self = .created(list.task(task))
        case .updated(let task): self = .updated(list.task(task))
        case .collapsed(let task, let rows):
            self = .collapsed(list.task(task), rows: rows, shown: list.shown(rows))
        case .section(let section, let isNew):
            self = .section(list.section(section), isNew: isNew)
        }
    }
}

/// Limits the rows in the response to an expansion. Without a limit, a small request could return a
/// whole list, and with an `Idempotency-Key` that response would be stored.
package enum ShownRows {
    package static let maximumTasks = 1_000
    /// The bytes of titles and `data` in UTF-8.
    package static let maximumBytes = 1 << 20
}

extension TaskContent {
    /// The bytes of the title and `data` in UTF-8.
    var byteCount: Int { title.utf8.count + (data?.utf8.count ?? 0) }
}

extension ReorderableList {
    /// The rows that an expansion made visible; nil if there are none, or more than the limit.
    fileprivate func shown(_ rows: CollapseOutcome.RowsChange?) -> [ListTask]? {
        guard case .inserted(let start, let count)? = rows, count <= ShownRows.maximumTasks else {
            return nil
        }
        let shown = tasks(fromRow: start, limit: count)
        let bytes = shown.reduce(0) { $0 + $1.content.byteCount }
        return bytes <= ShownRows.maximumBytes ? shown : nil
    }
}
