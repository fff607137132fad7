import ReorderEngine
import ReorderStore

extension ListService {
    /// The tasks that a list had at an earlier version; nil if the store does not have it any more. A change does not name the
    /// subtasks that it deletes.
    ///
    /// Costs as much as an undo, and counts as one.
    package func taskIDs(
        of list: String, at version: Int, _ done: @escaping Completion<Set<TaskID>?>
    ) {
        attempt(done) { () throws(ServiceError) in
            let permit = try undos.admit(list, isRead: true)
            undos.run(
                of: list,
                { ids in
                    permit.end()
                    done(ids)
                }
            ) { [self] () throws(ServiceError) in
                do {
                    var past = try PastList(of: list, at: [version], from: store)
                    return try past?.list(at: version).map { Set($0.taskIDs) }
                } catch let error as StoreError {
                    throw durable.failure(error, list: list)
                } catch {
                    logger.error(
                        "an earlier version of list \(list) can't be read",
                        metadata: ["error": "\(error)"])
                    throw .unreadable
                }
            }
        }
    }
}
