import ReorderEngine
import ReorderStore

extension ListService {
    enum Decision<Value: Sendable>: Sendable {
        case result(Result<Value, ServiceError>)
        /// It can't be decided before what is decided on another list is durable: then once more.
        case after(LoadedList)
        /// It can't be decided before the list was read from the store again.
        case anew(LoadedList)
        /// It can't be decided before it was asked again where the lists stand.
        case later
        /// It takes too long for an event loop: a worker decides it on a copy.
        case large(tasks: Int)
    }

    /// How many tasks a request may handle on an event loop's thread.
    package static let tasksOnLoop = 1_000

    /// Decides something on a list, and gives the result once what it was decided on is durable.
    ///
    /// - Parameters:
    ///   - isRead: whether `body` changes nothing. It does not wait for a large write, then.
    ///   - body: called under the list's lock. If it answers `large`, it is called again on a worker
    ///     thread, with a copy of the state (`isWorkersCopy`), without the lock. Until that is done
    ///     the list is held: other writes wait, and reads see the list as it was.
    func decide<Value: Sendable>(
        on id: String, isRead: Bool = false, keepingAnswers: Bool = false,
        _ completion: @escaping Completion<Value>,
        _ body: @escaping @Sendable (LoadedList, inout LoadedList.State) -> Decision<Value>
    ) {
        let deciding = Deciding(
            id: id, isRead: isRead, keepingAnswers: keepingAnswers, completion: completion,
            body: body)
        guard let sharing else { return decide(deciding, as: nil) }
        whenCurrent([id], with: sharing, refuse: { completion(.failure($0)) }) { currency in
            self.decide(deciding, as: currency)
        }
    }

    /// What `decide` was given.
    private struct Deciding<Value: Sendable>: Sendable {
        var id: String
        var isRead: Bool
        var keepingAnswers: Bool
        var completion: Completion<Value>
        var body: @Sendable (LoadedList, inout LoadedList.State) -> Decision<Value>
    }

    /// - Parameter currency: where the list stands in the store, where other servers write that too.
    private func decide<Value: Sendable>(_ deciding: Deciding<Value>, as currency: Currency?) {
        var copy: LoadedList.State?
        let entry = withList(deciding.id, currency, isRead: deciding.isRead) {
            list, state -> (LoadedList, Decision<Value>?) in
            let decision = bring(list, &state, to: currency) ?? deciding.body(list, &state)
            if case .large = decision {
                state.isHeld = true
                copy = state
                return (list, decision)
            }
            return (list, conclude(decision, deciding, on: list, &state, currency))
        }
        switch entry {
        case .busy(let list):
            whenReady(list) { error in
                if let error { return deciding.completion(.failure(error)) }
                self.decide(deciding, as: currency)
            }
        case .value((let list, let decision)):
            if case .large(let tasks) = decision, let copy {
                return decide(deciding, as: currency, on: list, copy, tasks: tasks)
            }
            follow(decision, deciding, currency)
        }
    }

    /// Decides on a copy of a list that is held.
    private func decide<Value: Sendable>(
        _ deciding: Deciding<Value>, as currency: Currency?, on list: LoadedList,
        _ copy: LoadedList.State, tasks: Int
    ) {
        let isTaken = workers.run(WorkerThreads.Size(tasks: tasks)) { [self] in
            var copy = copy
            copy.isWorkersCopy = true
            let before = copy.version
            let decision = deciding.body(list, &copy)
            let inserted = copy.decided?.commit.insertedTasks ?? []
            var isOutdated = false
            let next = list.state.withLock { state -> Decision<Value>? in
                isOutdated = state.isRetired || state.version != before
                if isOutdated { return nil }
                if copy.version != before {
                    if sharing != nil { state.keepBase() }
                    state.takeOver(&copy)
                }
                return conclude(decision, deciding, on: list, &state, currency)
            }
            if isOutdated { reservations.release(inserted, of: list) }
            release(list)
            guard isOutdated else { return follow(next, deciding, currency) }
            fail(
                list.failure ?? .overtaken, currency, keepingAnswers: deciding.keepingAnswers,
                deciding.completion)
        }
        if !isTaken {
            release(list)
            deciding.completion(.failure(.unavailable))
        }
    }

    /// Hands what was decided to the committer, and has the result wait until it is durable. Under
    /// the list's lock.
    ///
    /// - Returns: what is left to be done without the lock.
    private func conclude<Value: Sendable>(
        _ decision: Decision<Value>, _ deciding: Deciding<Value>, on list: LoadedList,
        _ state: inout LoadedList.State, _ currency: Currency?
    ) -> Decision<Value>? {
        if let entry = state.takeDecided() { committer.enqueue(entry) }
        guard case .result(let result) = decision, !state.isDurable else { return decision }
        let (completion, keepingAnswers) = (deciding.completion, deciding.keepingAnswers)
        state.waiters.append(
            LoadedList.Waiter(version: state.version) { isDurable in
                if isDurable { return completion(result) }
                self.fail(list.failure, currency, keepingAnswers: keepingAnswers, completion)
            })
        return nil
    }

    private func follow<Value: Sendable>(
        _ decision: Decision<Value>?, _ deciding: Deciding<Value>, _ currency: Currency?
    ) {
        switch decision {
        case .result(let result): deciding.completion(result)
        case .after(let other):
            other.whenDurable { _ in
                if let currency { return currency.again() }
                self.decide(deciding, as: nil)
            }
        case .anew(let list): readAnew(list, currency)
        case .later: currency?.again()
        case .large, nil: break
        }
    }

    // MARK: Entering a list

    enum Entry<Value> {
        case value(Value)
        /// The list is being loaded, or has to be, or is held by a large write: `whenReady` waits.
        case busy(LoadedList)
    }

    /// Runs `body` on a list under its lock, if the list is in memory and not held.
    private func withList<Value>(
        _ id: String, _ currency: Currency?, isRead: Bool,
        _ body: (LoadedList, inout LoadedList.State) -> Value
    ) -> Entry<Value> {
        while true {
            let list = cache.list(id)
            var visit = Visit()
            let entry = enter(list, currency, isRead: isRead, &visit) { state in
                .value(body(list, &state))
            }
            leave(list, visit)
            if let entry { return entry }
        }
    }

    /// What the cache is told after a list was used, when its lock is no longer held.
    struct Visit {
        fileprivate var isAbsent = false
        fileprivate var growthBytes = 0
    }

    /// Runs `body` under a list's lock; `nil` where the list is out of use, and has to be asked for
    /// again.
    func enter<Value>(
        _ list: LoadedList, _ currency: Currency?, isRead: Bool, _ visit: inout Visit,
        _ body: (inout LoadedList.State) -> Entry<Value>?
    ) -> Entry<Value>? {
        list.state.withLock { state in
            guard !state.isRetired else { return nil }
            state.isWarm = true
            if !state.isLoaded {
                // The store need not be asked for a list that is known not to exist.
                guard !state.isHeld, let standing = currency?.standings[list.id], standing.isAbsent
                else { return .busy(list) }
                visits.misses.add()
                state.load(StoredList(version: standing.version, content: nil), .absent)
            } else if state.isHeld, !isRead {
                return .busy(list)
            } else if state.pins == 0 {
                visits.hits.add()
            }
            // A list that does not exist takes no memory, however many ids are asked for.
            defer {
                visit.isAbsent = state.isSettledAbsence && !state.isHeld && state.pins == 0
                if visit.isAbsent {
                    state.isRetired = true
                } else {
                    visit.growthBytes = state.takeGrowth()
                }
            }
            return body(&state)
        }
    }

    func leave(_ list: LoadedList, _ visit: Visit) {
        if visit.isAbsent { cache.forget(list) } else { cache.charge(visit.growthBytes) }
        commitAtOnce()
    }

    /// Calls back once a list is in memory and not held, or can't be loaded. The first who asks for a
    /// list that is not in memory has it loaded.
    func whenReady(_ list: LoadedList, _ completion: @escaping LoadedList.Arrival) {
        var mustLoad = false
        let isReady = list.state.withLock { state in
            if state.isRetired || state.isLoaded && !state.isHeld { return true }
            state.arrivals.append(completion)
            mustLoad = !state.isHeld
            state.isHeld = true
            return false
        }
        if isReady { return completion(nil) }
        if mustLoad { load(list) }
    }

    /// Ends a list's being held, and lets those go on who waited for that.
    ///
    /// - Parameter error: why it could not be loaded.
    func release(_ list: LoadedList, _ error: ServiceError? = nil) {
        let (arrivals, growthBytes) = list.state.withLock { state in
            state.isHeld = false
            if error != nil { state.isRetired = true }
            // So that all who waited find it, even one that does not exist.
            state.pins += 1
            defer { state.arrivals = [] }
            return (state.arrivals, state.isRetired ? 0 : state.takeGrowth())
        }
        if error != nil { cache.forget(list) }
        cache.charge(growthBytes)
        for arrival in arrivals { arrival(error) }
        unpin(list)
        commitAtOnce()
    }

    /// Lets a list leave memory again that had to stay, though it may not exist.
    func unpin(_ list: LoadedList) {
        let isAbsent = list.state.withLock { state in
            state.pins -= 1
            guard state.isSettledAbsence, !state.isHeld, state.pins == 0 else { return false }
            state.isRetired = true
            return true
        }
        if isAbsent { cache.forget(list) }
    }
}
