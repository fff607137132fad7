import Dispatch
import ReorderEngine
import ReorderStore

extension ListService {
    /// Runs `body` once it is known where lists stand in the store, and again each time it asks for
    /// that: for so long, then the request is refused.
    ///
    /// - Parameters:
    ///   - refuse: called where the store can't be asked, or others were faster all the time.
    ///   - body: called on the thread of the questions: it must be quick.
    func whenCurrent(
        _ lists: [String], with sharing: Sharing, until deadline: DispatchTime = .patience,
        refuse: @escaping @Sendable (ServiceError) -> Void,
        _ body: @escaping @Sendable (Currency) -> Void
    ) {
        guard sharing.store.isReachable else { return refuse(.unavailable) }
        sharing.standings.ask(lists) { [self] result in
            let standings: [String: Standing]
            switch result {
            case .failure(let error): return refuse(failure(error, list: lists.first ?? "?"))
            case .success(let found): standings = found
            }
            let currency = Currency(standings: standings) { [self] in
                guard DispatchTime.now() < deadline else { return refuse(.unavailable) }
                whenCurrent(lists, with: sharing, until: deadline, refuse: refuse, body)
            }
            body(currency)
        }
    }

    /// What was decided too late, because another server has changed the lists meanwhile, or taken the
    /// ids: the lists go back to what is durable, and who waits decides again.
    func overtaken(_ entries: [Committer.Entry], _ error: StoreError) {
        if case .taskTaken = error { sharing?.suspect(entries.flatMap(\.commit.insertedTasks)) }
        var waiters: [LoadedList.Waiter] = []
        var seen: Set<ObjectIdentifier> = []
        for list in entries.map(\.list) where seen.insert(ObjectIdentifier(list)).inserted {
            let (waiting, before) = list.rewind { reservations.releaseAll(of: list) }
            waiters += waiting
            cache.replace(list, with: before)
        }
        for waiter in waiters { waiter.completion(false) }
    }

    /// Brings a list to where it stands in the store, or tells what has to happen first. Under its lock.
    func bring<Value>(
        _ list: LoadedList, _ state: inout LoadedList.State, to currency: Currency?
    ) -> Decision<Value>? {
        guard let currency else { return nil }
        let version = state.version
        switch currency.bring(list, &state) {
        case nil:
            if state.version > version { endDragsOfGone(from: list, state) }
            return nil
        case .pending: return .after(list)
        case .stale:
            state.isRetired = true
            return .anew(list)
        }
    }

    /// Lets go of a list that is not what the store has, and decides again.
    func readAnew(_ list: LoadedList, _ currency: Currency?) {
        cache.forget(list)
        currency?.again()
    }

    /// What becomes of a request whose decision did not become durable.
    func fail<Value>(
        _ failure: ServiceError?, _ currency: Currency?, keepingAnswers: Bool,
        _ completion: Completion<Value>
    ) {
        guard case .overtaken? = failure, let currency else {
            return completion(.failure(failure ?? .unavailable))
        }
        // Another server may have done this very request: that has to be looked at first.
        guard !keepingAnswers else { return completion(.failure(.overtaken)) }
        currency.again()
    }

    /// Ends the drags of tasks that others have taken from a list. Under its lock.
    func endDragsOfGone(from list: LoadedList, _ state: LoadedList.State) {
        guard !drags.isEmpty else { return }
        drags.change { table, _ in
            table.remove(from: list.id) { !state.list.contains($0) }
        }
    }
}

extension DispatchTime {
    /// Until when a request is decided again where other servers were faster.
    static var patience: DispatchTime { .now() + 10 }
}

extension LoadedList {
    /// What a list was at a version.
    struct Base: Sendable {
        fileprivate var version: Int
        fileprivate var exists: Bool
        fileprivate var list: ReorderableList
        fileprivate var bytesSinceSnapshot: Int
        fileprivate var snapshotBytes: Int

        fileprivate init(_ state: State) {
            version = state.version
            exists = state.exists
            list = state.list
            bytesSinceSnapshot = state.bytesSinceSnapshot
            snapshotBytes = state.snapshotBytes
        }
    }

    /// Takes the list out of use, as others were faster, and gives all who wait, and the list as it was
    /// at a version that is durable, where that is known.
    fileprivate func rewind(_ release: () -> Void) -> (waiters: [Waiter], before: LoadedList?) {
        state.withLock { state in
            guard !state.isRetired else { return ([], nil) }
            state.isRetired = true
            state.failure = .overtaken
            release()
            defer { state.waiters = [] }
            let base = state.bases.last { $0.version <= state.durableVersion }
            return (state.waiters, base.map { LoadedList(id: id, base: $0) })
        }
    }

    private convenience init(id: String, base: Base) {
        self.init(id: id)
        state.withLock { state in
            state.isLoaded = true
            state.version = base.version
            state.durableVersion = base.version
            state.readVersion = base.version
            state.exists = base.exists
            state.list = base.list
            state.bytesSinceSnapshot = base.bytesSinceSnapshot
            state.snapshotBytes = base.snapshotBytes
        }
    }
}

extension LoadedList.State {
    /// Keeps what the list is now, to go back to where the next version comes too late. Before one is
    /// decided.
    ///
    /// There are two at most: the last one that is durable, and a later one that may become it. So the
    /// way back is never longer than what two commits took in.
    mutating func keepBase() {
        if isDurable {
            bases = [LoadedList.Base(self)]
        } else {
            if bases.count == 2, bases[1].version <= durableVersion { bases.removeFirst() }
            if bases.count < 2 { bases.append(LoadedList.Base(self)) }
        }
    }
}
