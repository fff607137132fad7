import ReorderEngine
import ReorderStore

extension ListService {
    /// A list at an earlier version; nil if the store does not have it any more.
    ///
    /// Costs as much as an undo, and counts as one.
    package func pastList(
        _ list: String, at version: Int, _ done: @escaping Completion<ReorderableList?>
    ) {
        attempt(done) { () throws(ServiceError) in
            let permit = try undos.admit(list, isRead: true)
            undos.run(
                of: list,
                { past in
                    permit.end()
                    done(past)
                }
            ) { [self] () throws(ServiceError) in
                do {
                    var past = try PastList(of: list, at: [version], from: store)
                    return try past?.list(at: version)
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
