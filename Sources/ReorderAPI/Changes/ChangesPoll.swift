import ReorderService
import ReorderStore
import Synchronization

/// A request for the changes after a version, which may wait for the first one. No thread does.
final class ChangesPoll: Sendable {
    private let service: ListService
    private let list: String
    private let since: Int
    private let limit: Int
    private let answer: @Sendable (Result<ChangesPage, Problem>) -> Void
    private let state = Mutex(State())

    private struct State {
        var watch: ListWatch?
        /// Whether the client has seen all there was, so that what comes is to be answered.
        var isWaiting = false
    }

    init(
        _ service: ListService, list: String, since: Int, limit: Int,
        answer: @escaping @Sendable (Result<ChangesPage, Problem>) -> Void
    ) {
        self.service = service
        self.list = list
        self.since = since
        self.limit = limit
        self.answer = answer
    }

    /// - Parameters:
    ///   - waiting: whether to wait where there is no change yet.
    ///   - onWait: called where it waits; from then on `giveUp` may be called.
    func start(waiting: Bool, onWait: @escaping @Sendable () -> Void) {
        if waiting {
            // Before the list is asked where it stands, so that nothing happens between.
            let watch = service.watch(list) { [weak self] in self?.look() }
            state.withLock { $0.watch = watch }
        }
        service.position(of: list) { [self] result in
            switch result {
            case .failure(let error): answer(.failure(Problem(reading: error)))
            case .success(let position) where since < position.version: read(position.version)
            case .success(let position) where !position.exists:
                answer(.failure(Problem(ServiceError.listNotFound(list))))
            case .success(let position) where since > position.version:
                answer(.failure(gone(position.version)))
            case .success where waiting:
                state.withLock { $0.isWaiting = true }
                onWait()
                look()
            case .success: answer(.success(ChangesPage(list: list, version: since, changes: [])))
            }
        }
    }

    /// Answers without a change, where none has come.
    func giveUp() {
        guard stopWaiting() else { return }
        answer(.success(ChangesPage(list: list, version: since, changes: [])))
    }

    private func look() {
        guard let version = state.withLock({ $0.isWaiting ? $0.watch?.position.version : nil }),
            version > since, stopWaiting()
        else { return }
        read(version)
    }

    /// Returns whether it waited until now.
    private func stopWaiting() -> Bool {
        let (wasWaiting, watch) = state.withLock { state in
            defer { state = State() }
            return (state.isWaiting, state.watch)
        }
        // Released here, outside the lock.
        withExtendedLifetime(watch) {}
        return wasWaiting
    }

    private func read(_ version: Int) {
        service.changes(
            of: list, after: since, limit: limit, bytes: ReorderAPI.changesPageBytes
        ) { [self] result in
            answer(
                result.mapError { Problem(reading: $0) }.flatMap { changes in
                    guard let changes else { return .failure(gone(version)) }
                    let last = max(version, changes.last?.version ?? 0)
                    return .success(ChangesPage(list: list, version: last, changes: changes))
                })
        }
    }

    private func gone(_ version: Int) -> Problem {
        Problem(
            .historyGone,
            since > version
                ? "The list has no such version: it is from before a restore."
                : "The changes after this version are no longer kept: fetch the list.",
            version: version)
    }
}
