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
        for request: WriteRequest, version: Int, at time: Date,
        _ done: @escaping Completion<BinnedList?>
    ) {
        let id = request.list
        let place = ListVersion(list: id, version: version)
        var needsContent = false
        if case .restore = request.action { needsContent = true }
        guard needsContent else {
            return durable.read(done) { [self] () throws(ServiceError) in
                try found(id, withContent: false, at: time).map { BinnedList(count: $0.count) }
            }
        }
        let isFirst = restores.withLock { restores in
            restores[place, default: []].append(done)
            return restores[place]?.count == 1
        }
        guard isFirst else { return }
        let isTaken = workers.run(.small) { [self] in
            do throws(ServiceError) {
                guard let content = try found(id, withContent: true, at: time)?.content else {
                    return endRestore(of: place, .success(nil))
                }
                let size = WorkerThreads.Size(bytes: content.byteCount)
                if size == .small { return replay(content, of: place) }
                let isTaken = workers.run(size, holding: content.byteCount) { [self] in
                    replay(content, of: place)
                }
                if !isTaken { endRestore(of: place, .failure(.unavailable)) }
            } catch {
                endRestore(of: place, .failure(error))
            }
        }
        if !isTaken { endRestore(of: place, .failure(.unavailable)) }
    }

    /// A list in the bin that has not expired.
    private func found(
        _ id: String, withContent: Bool, at time: Date
    ) throws(ServiceError) -> DeletedList? {
        do throws(StoreError) {
            return try store.deletedList(id, withContent: withContent).flatMap {
                limits.bin.holds($0, at: time.milliseconds) ? $0 : nil
            }
        } catch {
            throw durable.failure(error, list: id)
        }
    }

    private func replay(_ content: StoredList.Content, of place: ListVersion) {
        do {
            let replayed = try content.replayed()
            endRestore(
                of: place, .success(BinnedList(count: replayed.count, list: replayed)))
        } catch {
            logger.error("list \(place.list) can't be restored", metadata: ["error": "\(error)"])
            endRestore(of: place, .failure(.unreadable))
        }
    }

    private func endRestore(
        of place: ListVersion, _ result: Result<BinnedList?, ServiceError>
    ) {
        let waiting = restores.withLock { $0.removeValue(forKey: place) } ?? []
        for done in waiting { done(result) }
    }

    /// The lists in the bin, ordered by id. The parameters are those of `index`.
    package func bin(
        of runs: [ListIDRange]?, after id: String?, limit: Int,
        _ done: @escaping Completion<IDPage<DeletedList>>
    ) {
        let time = clock.now().milliseconds
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
