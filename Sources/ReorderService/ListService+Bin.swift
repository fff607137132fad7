import Foundation
import ReorderEngine
import ReorderStore

extension ListService {
    /// Looks for the request's list in the bin. A worker reads it, and another one replays it if it is
    /// not small. Requests that look for the same list at the same time share one read.
    ///
    /// - Parameter version: the version at which the list does not exist. The bin may have had another
    ///   list before.
    func loadFromBin(
        for request: WriteRequest, version: Int,
        _ done: @escaping Completion<BinnedList?>
    ) {
        let id = request.list
        let place = ListVersion(list: id, version: version)
        var needsContent = false
        if case .restore = request.action { needsContent = true }
        guard needsContent else {
            return durable.read(done) { [self] () throws(ServiceError) in
                try found(id, withContent: false).map { BinnedList(count: $0.count) }
            }
        }
        guard let end = restores.join(place, done) else { return }
        let isTaken = workers.run(.small) { [self] in
            attempt(end) { () throws(ServiceError) in
                guard let content = try found(id, withContent: true)?.content else {
                    return end(.success(nil))
                }
                let size = WorkerThreads.Size(bytes: content.byteCount)
                if size == .small { return end(replayed(content, of: id)) }
                let isTaken = workers.run(size, holding: content.byteCount) { [self] in
                    end(replayed(content, of: id))
                }
                guard isTaken else { throw .unavailable }
            }
        }
        if !isTaken { end(.failure(.unavailable)) }
    }

    /// A list in the bin that has not expired.
    private func found(
        _ id: String, withContent: Bool
    ) throws(ServiceError) -> BinEntry? {
        do throws(StoreError) {
            return try store.deletedList(id, withContent: withContent).flatMap {
                limits.bin.holds($0, at: expiryTime) ? $0 : nil
            }
        } catch {
            throw durable.failure(error, list: id)
        }
    }

    private func replayed(
        _ content: LoadedList.Content, of list: String
    ) -> Result<BinnedList?, ServiceError> {
        do {
            let replayed = try content.replayed()
            return .success(BinnedList(count: replayed.count, list: replayed))
        } catch {
            logger.error("list \(list) can't be restored", metadata: ["error": "\(error)"])
            return .failure(.unreadable)
        }
    }

    /// The lists in the bin, ordered by id. The parameters are those of `index`.
    package func bin(
        of runs: [ListIDRange]?, after id: String?, limit: Int,
        _ done: @escaping Completion<IDPage<BinEntry>>
    ) {
        let time = expiryTime
        durable.read(done) { [self] () throws(ServiceError) in
            var found = try page(of: runs, after: id, limit: limit, \.id) {
                id, limit throws(StoreError) in
                try store.deletedLists(after: id, limit: limit)
            }
            found.lists.removeAll { !limits.bin.holds($0, at: time) }
            return found
        }
    }
}
