import ReorderEngine
import ReorderStore

extension ListService {
    /// Finds the last durable state of a list, also if it does not exist.
    func find(_ id: String, _ done: @escaping Completion<Snapshot>) {
        if let currentLists { return currentLists.find(id, done) }
        guard let found = durable.published.find(id) else { return durable.load(id, done) }
        durable.use.hits.add()
        done(.success(found))
    }

    /// Finds the last durable state of a list that exists.
    func findExisting(_ id: String, _ done: @escaping Completion<Snapshot>) {
        find(
            id,
            continuing(done) { snapshot throws(ServiceError) in
                guard snapshot.exists else { throw .listNotFound(id) }
                done(.success(snapshot))
            })
    }

    /// Finds the current list.
    package func versionedList(of id: String, _ done: @escaping Completion<VersionedList>) {
        findExisting(id) { done($0.map(\.versioned)) }
    }

    /// Finds the current list; nil if it does not exist.
    package func versionedListIfAny(of id: String, _ done: @escaping Completion<VersionedList?>) {
        find(id) { done($0.map { $0.exists ? $0.versioned : nil }) }
    }

    /// Ends when everything that the store has now is published. Results of blocking reads of the store
    /// wait for this before a client sees them.
    package func whenPublished(_ done: @escaping Completion<Void>) {
        publication.whenPublished { done(.success(())) }
    }
}
