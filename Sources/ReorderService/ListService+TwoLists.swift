import Synchronization

extension ListService {
    /// Decides something on two lists at once, and gives the result once what it was decided on is
    /// durable of both.
    ///
    /// - Parameter body: called under both lists' locks, with the two in the order of the parameters;
    ///   again on a worker thread, with copies, if it answers `large`. What is decided on both becomes
    ///   durable together, that of the first list before that of the second.
    func decide<Value: Sendable>(
        on id: String, and otherID: String, keepingAnswers: Bool = false,
        _ completion: @escaping Completion<Value>,
        _ body: @escaping DecidingTwo<Value>.Body
    ) {
        let deciding = DecidingTwo(
            id: id, otherID: otherID, keepingAnswers: keepingAnswers, completion: completion,
            body: body)
        guard let sharing else { return decide(deciding, as: nil) }
        whenCurrent([id, otherID], with: sharing, refuse: { completion(.failure($0)) }) {
            currency in
            self.decide(deciding, as: currency)
        }
    }

    /// What `decide` was given.
    struct DecidingTwo<Value: Sendable>: Sendable {
        typealias Body =
            @Sendable (
                LoadedList, inout LoadedList.State, LoadedList, inout LoadedList.State
            ) -> Decision<Value>

        fileprivate var id: String
        fileprivate var otherID: String
        fileprivate var keepingAnswers: Bool
        fileprivate var completion: Completion<Value>
        fileprivate var body: Body
    }

    private struct Two: Sendable {
        var list: LoadedList
        var other: LoadedList

        /// Why what was decided on them came to nothing.
        var failure: ServiceError? { list.failure ?? other.failure }
    }

    /// - Parameter pinned: lists that were waited for. They stay in memory until this is decided: two
    ///   that do not exist would else be loaded in turn, for ever.
    private func decide<Value: Sendable>(
        _ deciding: DecidingTwo<Value>, as currency: Currency?, pinned: [LoadedList] = []
    ) {
        var copies: (LoadedList.State, LoadedList.State)?
        let entry = withLists(deciding.id, deciding.otherID, currency) {
            list, state, other, otherState -> (Two, Decision<Value>?) in
            let two = Two(list: list, other: other)
            if let obstacle: Decision<Value> = bring(list, &state, to: currency)
                ?? bring(other, &otherState, to: currency)
            {
                return (two, obstacle)
            }
            let versions = (state.version, otherState.version)
            let decision = deciding.body(list, &state, other, &otherState)
            if case .large = decision {
                state.isHeld = true
                otherState.isHeld = true
                copies = (state, otherState)
                return (two, decision)
            }
            return (two, conclude(decision, deciding, two, &state, &otherState, versions, currency))
        }
        switch entry {
        case .busy(let list):
            list.state.withLock { $0.pins += 1 }
            whenReady(list) { [self] error in
                guard let error else {
                    return decide(deciding, as: currency, pinned: pinned + [list])
                }
                for list in pinned + [list] { unpin(list) }
                deciding.completion(.failure(error))
            }
        case .value((let two, let decision)):
            for list in pinned { unpin(list) }
            if case .large(let tasks) = decision, let copies {
                return decide(deciding, as: currency, on: two, copies, tasks: tasks)
            }
            follow(decision, deciding, currency)
        }
    }

    /// Decides on copies of two lists that are held.
    private func decide<Value: Sendable>(
        _ deciding: DecidingTwo<Value>, as currency: Currency?, on two: Two,
        _ copies: (LoadedList.State, LoadedList.State), tasks: Int
    ) {
        let isTaken = workers.run(WorkerThreads.Size(tasks: tasks)) { [self] in
            var (copy, otherCopy) = copies
            copy.isWorkersCopy = true
            otherCopy.isWorkersCopy = true
            let versions = (copy.version, otherCopy.version)
            let decision = deciding.body(two.list, &copy, two.other, &otherCopy)
            let inserted = otherCopy.decided?.commit.insertedTasks ?? []
            var isOutdated = false
            let next = Self.withLocks(two) { state, otherState -> Decision<Value>? in
                isOutdated =
                    state.isRetired || otherState.isRetired
                    || (state.version, otherState.version) != versions
                if isOutdated { return nil }
                if (copy.version, otherCopy.version) != versions {
                    if sharing != nil {
                        state.keepBase()
                        otherState.keepBase()
                    }
                    state.takeOver(&copy)
                    otherState.takeOver(&otherCopy)
                }
                return conclude(
                    decision, deciding, two, &state, &otherState, versions, currency)
            }
            if isOutdated { reservations.release(inserted, of: two.other) }
            release(two.list)
            release(two.other)
            guard isOutdated else { return follow(next, deciding, currency) }
            fail(
                two.failure ?? .overtaken, currency, keepingAnswers: deciding.keepingAnswers,
                deciding.completion)
        }
        if !isTaken {
            release(two.list)
            release(two.other)
            deciding.completion(.failure(.unavailable))
        }
    }

    /// Hands what was decided to the committer, and has the result wait until both are durable. Under
    /// both locks.
    ///
    /// - Parameter versions: those that it was decided on.
    private func conclude<Value: Sendable>(
        _ decision: Decision<Value>, _ deciding: DecidingTwo<Value>, _ two: Two,
        _ state: inout LoadedList.State, _ otherState: inout LoadedList.State,
        _ versions: (Int, Int), _ currency: Currency?
    ) -> Decision<Value>? {
        if let entry = state.takeDecided(), let otherEntry = otherState.takeDecided() {
            committer.enqueue(entry, with: otherEntry)
        }
        guard case .result(let result) = decision else { return decision }
        // A change is stored only where it was decided on what is there. What changes nothing, a
        // refusal mostly, nobody proves: so it has to be about two lists at one time, and not one
        // as it was before another server's change of both, and one as it was after.
        if let currency, versions == (state.version, otherState.version),
            !currency.covers(two.list, state) || !currency.covers(two.other, otherState)
        {
            return .later
        }
        guard !state.isDurable || !otherState.isDurable else { return decision }
        let (completion, keepingAnswers) = (deciding.completion, deciding.keepingAnswers)
        let both = Both { areDurable in
            if areDurable { return completion(result) }
            self.fail(two.failure, currency, keepingAnswers: keepingAnswers, completion)
        }
        both.wait(for: &state)
        both.wait(for: &otherState)
        return nil
    }

    private func follow<Value: Sendable>(
        _ decision: Decision<Value>?, _ deciding: DecidingTwo<Value>, _ currency: Currency?
    ) {
        switch decision {
        case .result(let result): deciding.completion(result)
        case .after(let list):
            list.whenDurable { _ in
                if let currency { return currency.again() }
                self.decide(deciding, as: nil)
            }
        case .anew(let list): readAnew(list, currency)
        case .later: currency?.again()
        case .large, nil: break
        }
    }

    /// Runs `body` under the locks of two lists, which are always taken in the order of the ids: so
    /// two who want the same lists never wait for each other.
    private func withLists<Value>(
        _ id: String, _ otherID: String, _ currency: Currency?,
        _ body: (
            LoadedList, inout LoadedList.State, LoadedList, inout LoadedList.State
        ) -> Value
    ) -> Entry<Value> {
        guard id < otherID else {
            return withLists(otherID, id, currency) { other, otherState, list, state in
                body(list, &state, other, &otherState)
            }
        }
        while true {
            let (list, other) = (cache.list(id), cache.list(otherID))
            var (visit, otherVisit) = (Visit(), Visit())
            let entry = enter(list, currency, isRead: false, &visit) { state -> Entry<Value>? in
                enter(other, currency, isRead: false, &otherVisit) { otherState in
                    .value(body(list, &state, other, &otherState))
                }
            }
            leave(list, visit)
            leave(other, otherVisit)
            if let entry { return entry }
        }
    }

    private static func withLocks<Value>(
        _ two: Two, _ body: (inout LoadedList.State, inout LoadedList.State) -> Value
    ) -> Value {
        guard two.list.id < two.other.id else {
            return two.other.state.withLock { otherState in
                two.list.state.withLock { state in body(&state, &otherState) }
            }
        }
        return two.list.state.withLock { state in
            two.other.state.withLock { otherState in body(&state, &otherState) }
        }
    }
}

/// Waits until two lists' versions are durable, or one of them failed to become so.
private final class Both: Sendable {
    private struct State {
        var left = 2
        var areDurable = true
    }

    private let state = Mutex(State())
    private let completion: @Sendable (_ areDurable: Bool) -> Void

    init(_ completion: @escaping @Sendable (_ areDurable: Bool) -> Void) {
        self.completion = completion
    }

    /// Under the list's lock.
    func wait(for list: inout LoadedList.State) {
        guard !list.isDurable else { return end(true) }
        list.waiters.append(LoadedList.Waiter(version: list.version) { self.end($0) })
    }

    private func end(_ isDurable: Bool) {
        let areDurable = state.withLock { state -> Bool? in
            state.left -= 1
            state.areDurable = state.areDurable && isDurable
            return state.left == 0 ? state.areDurable : nil
        }
        if let areDurable { completion(areDurable) }
    }
}
