import ReorderEngine
import ReorderImportExport
import ReorderJSON
import ReorderService

/// Decides what an import writes, before anything is written.
package struct ImportPlan {
    /// What an import does with a list.
    package enum Outcome: Sendable, Equatable {
        case created
        /// The store has the list with the same content.
        case unchanged
        case replaced(version: Int)
    }

    private let replaces: Bool
    /// The task ids of all lists.
    private var tasks: Set<TaskID> = []
    private var ids: Set<String> = []
    /// Of the lists that can be imported.
    private var outcomes: [String: Outcome] = [:]

    /// Whether no list was added.
    package var isEmpty: Bool { ids.isEmpty }

    /// - Parameter replaces: whether existing lists may be replaced.
    package init(replaces: Bool) {
        self.replaces = replaces
    }

    /// Decides what becomes of a list, together with the lists before it. Blocks until the store
    /// responds. O(tasks).
    ///
    /// - Parameter current: the list in the store with this id; nil if there is none.
    package mutating func add(
        _ imported: ImportedList, id: String, from format: ListFileFormat,
        over current: VersionedList?, _ service: ListService
    ) throws(ImportRefusal) -> Outcome {
        let list = imported.list
        guard ids.insert(id).inserted else { throw .listTwice(id) }
        for task in list.taskIDs where !tasks.insert(task).inserted { throw .taskTwice(task) }
        var outcome = Outcome.created
        if let current {
            outcome =
                Self.isSame(current.list, imported, in: format)
                ? .unchanged : .replaced(version: current.version)
            guard replaces || outcome == .unchanged else { throw .listExists(id) }
        }
        if outcome != .unchanged {
            do throws(ServiceError) {
                try service.check(list, of: id, replacing: current)
            } catch {
                throw .refused(error, list: id)
            }
        }
        outcomes[id] = outcome
        return outcome
    }

    /// How to write a list that was added; nil if the store has the same list already. The write
    /// fails if the list has changed since then.
    package func write(
        of list: ReorderableList, id: String
    ) -> (action: WriteRequest.Action, precondition: Precondition)? {
        switch outcomes[id] {
        case .created: (.create(list), .none)
        case .replaced(let version): (.put(list), .versions([SeenVersion(version)]))
        case .unchanged, nil: nil
        }
    }

    /// Whether a store's list and one of a file have the same content in this format. Ids that the
    /// file does not have are not compared, because sections and tasks get new ones each time.
    private static func isSame(
        _ one: ReorderableList, _ imported: ImportedList, in format: ListFileFormat
    ) -> Bool {
        var other = imported.list
        guard format != .json else {
            other.take(idsOf: one, insteadOf: imported.madeIDs)
            other.completeStamps(replacing: one, nil)
            return one == other
        }
        switch format {
        case .markdown, .todoist:
            return format.write(one, id: "", version: 0)
                == format.write(other, id: "", version: 0)
        // Written files of the others have ids and times.
        default: return one.hasSameContent(as: other, withSections: format != .ics)
        }
    }
}

/// Why a list can't be imported.
package enum ImportRefusal: Error {
    case listTwice(String)
    case taskTwice(TaskID)
    case listExists(String)
    case refused(ServiceError, list: String)
}
