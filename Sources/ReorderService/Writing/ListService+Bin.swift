import Foundation
import ReorderEngine
import ReorderStore

extension ListService {
    /// Looks for the request's list in the bin. A worker reads it, and another one replays it if it is
    /// not small. Requests that look for the same list at the same time share one read.
    func loadFromBin(
        for request: WriteRequest, at time: Date, _ done: @escaping Completion<BinnedList?>
    ) {
        let id = request.list
        var needsContent = false
        if case .restore = request.action { needsContent = true }
        guard needsContent else {
            return durable.read(done) { [self] () throws(ServiceError) in
                try found(id, withContent: false, at: time).map { BinnedList(count: $0.count) }
            }
        }
        let isFirst = restores.withLock { restores in
            restores[id, default: []].append(done)
            return restores[id]?.count == 1
        }
        guard isFirst else { return }
        let isTaken = workers.run(.small) { [self] in
            do throws(ServiceError) {
                guard let content = try found(id, withContent: true, at: time)?.content else {
                    return endRestore(of: id, .success(nil))
                }
                let size = WorkerThreads.Size(bytes: content.byteCount)
                if size == .small { return replay(content, of: id) }
                let isTaken = workers.run(size, holding: content.byteCount) { [self] in
                    replay(content, of: id)
                }
                if !isTaken { endRestore(of: id, .failure(.unavailable)) }
            } catch {
                endRestore(of: id, .failure(error))
            }
        }
        if !isTaken { endRestore(of: id, .failure(.unavailable)) }
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

    private func replay(_ content: StoredList.Content, of list: String) {
        do {
            let replayed = try content.replayed()
            endRestore(
                of: list, .success(BinnedList(count: replayed.count, list: replayed)))
        } catch {
            logger.error("list \(list) can't be restored", metadata: ["error": "\(error)"])
            endRestore(of: list, .failure(.unreadable))
        }
    }

    private func endRestore(
        of list: String, _ result: Result<BinnedList?, ServiceError>
    ) {
        let waiting = restores.withLock { $0.removeValue(forKey: list) } ?? []
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
