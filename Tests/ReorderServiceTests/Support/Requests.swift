import ReorderEngine
import ReorderStore

@testable import ReorderService

extension ListService {
    /// Begins an operation.
    func pending<Value: Sendable>(
        _ begin: (ListService, @escaping Completion<Value>) -> Void
    ) -> Pending<Value> {
        let pending = Pending<Value>()
        begin(self) { pending.give($0) }
        return pending
    }

    func position(of list: String) -> Pending<ListPosition> {
        pending { $0.position(of: list, $1) }
    }

    func changes(
        of list: String, after version: Int, limit: Int, bytes: Int
    ) -> Pending<[StoredChange]?> {
        pending { $0.changes(of: list, after: version, limit: limit, bytes: bytes, $1) }
    }

    func versionedList(ofListContaining task: TaskID) -> Pending<VersionedList> {
        pending { $0.versionedList(ofListContaining: task, $1) }
    }
}

/// Renders responses as words: `version changed`, or the name of the refusal.
struct WordRenderer: WriteRenderer {
    func bytes(of result: Result<WriteResult, ServiceError>, withTasks _: Bool) -> [UInt8] {
        switch result {
        case .success(let answer): Array("\(answer.version) \(answer.changed)".utf8)
        case .failure(let error): Array(error.word.utf8)
        }
    }

    func bytes(
        of result: Result<CommandResult, ServiceError>, at _: Int, withTasks _: Bool
    ) -> [UInt8] {
        Array(result.word.utf8)
    }
}
