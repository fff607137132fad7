import ReorderEngine
import ReorderStore

/// The steps from a request to its lists: check freshness, load, lock, decide, enqueue the commit.
extension ListService {
    /// Runs `body` on one or two lists. The response waits until the versions that it was decided
    /// on are durable.
    ///
    /// - Parameters:
    ///   - isRead: whether `body` changes nothing. A read does not wait while a worker changes the
    ///     list.
    ///   - body: called under the locks. If it throws `large`, it is called again on a worker
    ///     thread, with copies of the lists.
    /// - Throws: `waiting` if the run ends here, or the error that `body` throws.
    func onLists<Value>(
        _ id: String, and otherID: String? = nil, isRead: Bool = false, _ context: RequestContext,
        _ body: (Transaction) throws(Interruption) -> Value
    ) throws(ServiceError) -> Value {
        while true {
            if let copies = context.existingProgress?.copies.take() {
                if let value = try decide(on: copies, context, body) { return value }
                try context.startAgain()
            }
            let listStates = try freshListStates(of: id, and: otherID, context)
            if case .failure(let error)? = context.existingProgress?.arrival.take()?.result {
                throw error
            }
            let lists = Transaction(list: cache.list(id), other: otherID.map { cache.list($0) })
            let value: Value
            do throws(Obstacle) {
                defer { leave(lists) }
                value = try lists.withLocks { () throws(Obstacle) in
                    try enter(lists, listStates, isRead: isRead, context)
                    return try run(body, on: lists, listStates, context)
                }
            } catch {
                try overcome(error, context)
                continue
            }
            context.unpin()
            return value
        }
    }

    /// Why a request could not be decided under the locks.
    private enum Obstacle: Error {
        case refused(ServiceError)
        /// A list was invalidated. It is looked up again.
        case invalidated
        /// A list is not in memory, or a worker changes it.
        case busy(CachedList, mustLoad: Bool)
        /// Another server's change conflicts with a change that was decided here and is not durable
        /// yet. The commit of the latter must end first.
        case pending(CommitTicket)
        case blocked(by: CachedList)
        /// The list in memory differs from the store.
        case stale(CachedList)
        /// The lists were read at different times, and another server may have changed them in
        /// between.
        case torn
        /// Copies were made for a worker.
        case copied(tasks: Int)
    }

    private func overcome(
        _ obstacle: Obstacle, _ context: RequestContext
    ) throws(ServiceError) {
        switch obstacle {
        case .invalidated: break
        case .refused(let error):
            context.unpin()
            throw error
        case .busy(let list, let mustLoad):
            if mustLoad { load(list) }
            _ = try context.result(of: context.existingProgress?.arrival)
        case .pending(let ticket):
            guard ticket.outcome == .pending else { return }
            throw context.wait(untilDurable: ticket)
        case .blocked(let list): try wait(for: list, context)
        case .stale(let list):
            cache.remove(list)
            try context.startAgain()
        case .torn: try context.startAgain()
        case .copied(let tasks):
            let size = WorkerThreads.Size(tasks: tasks)
            if !context.isOnWorker(for: size) { throw context.wait(forWorker: size) }
        }
    }

    /// Waits for a list that has reserved task ids: until it is not busy, and its last version is
    /// durable or has failed. Each wait ends the run.
    private func wait(for list: CachedList, _ context: RequestContext) throws(ServiceError) {
        let (isBusy, ticket) = list.withLock { state -> (Bool, CommitTicket?) in
            guard state.isBusy else {
                return (false, state.isInvalidated ? nil : state.lastTicket)
            }
            let arrival = Reply<Void>(for: context.host)
            context.progress.arrival = arrival
            state.parked.append(arrival)
            context.pin(list, &state)
            return (true, nil)
        }
        if isBusy {
            // The list may be free already. Then the request looks at it again.
            _ = try context.result(of: context.existingProgress?.arrival)
            return
        }
        if let ticket, ticket.outcome == .pending { throw context.wait(untilDurable: ticket) }
    }

    // MARK: Under the locks

    /// Checks that the lists are loaded, not busy unless this is a read, and as new as the store was
    /// when it was queried.
    private func enter(
        _ lists: Transaction, _ listStates: [String: FreshListState]?, isRead: Bool,
        _ context: RequestContext
    ) throws(Obstacle) {
        try enter(lists.list, listStates, isRead: isRead, context)
        if let other = lists.other { try enter(other, listStates, isRead: isRead, context) }
        try refresh(lists.list, listStates)
        if let other = lists.other { try refresh(other, listStates) }
    }

    private func enter(
        _ list: CachedList, _ listStates: [String: FreshListState]?, isRead: Bool,
        _ context: RequestContext
    ) throws(Obstacle) {
        guard !list.state.isInvalidated else { throw .invalidated }
        list.state.isWarm = true
        if list.state.isLoaded, !list.state.isBusy || isRead {
            if list.state.pins == 0 { cacheUse.hits.add() }
            return
        }
        // A list that is known not to exist does not have to be loaded.
        if !list.state.isLoaded, !list.state.isBusy, let listState = listStates?[list.id],
            listState.isAbsent
        {
            cacheUse.misses.add()
            return list.state.load(StoredList(version: listState.version, content: nil), .absent)
        }
        let arrival = Reply<Void>(for: context.host)
        context.progress.arrival = arrival
        list.state.parked.append(arrival)
        context.pin(list, &list.state)
        let mustLoad = !list.state.isBusy
        list.state.isBusy = true
        throw .busy(list, mustLoad: mustLoad)
    }

    private func refresh(
        _ list: CachedList, _ listStates: [String: FreshListState]?
    ) throws(Obstacle) {
        guard let listState = listStates?[list.id] else { return }
        let version = list.state.version
        switch listState.update(list) {
        case nil: if list.state.version > version { endDragsOfGone(from: list) }
        case .pending:
            guard let ticket = list.state.lastTicket else { return }
            throw .pending(ticket)
        case .stale:
            list.state.isInvalidated = true
            list.state.failure = .overtaken
            reservations.releaseAll(of: list)
            throw .stale(list)
        }
    }

    private func run<Value>(
        _ body: (Transaction) throws(Interruption) -> Value, on lists: Transaction,
        _ listStates: [String: FreshListState]?, _ context: RequestContext
    ) throws(Obstacle) -> Value {
        let version = lists.list.state.version
        let value: Value
        do throws(Interruption) {
            value = try body(lists)
        } catch {
            switch error {
            case .refused(let error):
                try conclude(lists, isChanged: false, listStates, context)
                throw .refused(error)
            case .blocked(let list): throw .blocked(by: list)
            case .large(let tasks):
                try checkTorn(lists, listStates)
                context.progress.copies = ListCopies(lists)
                lists.forEach { $0.state.isBusy = true }
                throw .copied(tasks: tasks)
            }
        }
        try conclude(lists, isChanged: lists.list.state.version != version, listStates, context)
        return value
    }

    /// Enqueues the decided versions. The response waits until the lists are durable.
    private func conclude(
        _ lists: Transaction, isChanged: Bool, _ listStates: [String: FreshListState]?,
        _ context: RequestContext
    ) throws(Obstacle) {
        enqueue(lists)
        if isChanged { context.hasChanged = true } else { try checkTorn(lists, listStates) }
        context.holdResponse(until: lists.list.state.lastTicket)
        context.holdResponse(until: lists.other?.state.lastTicket)
    }

    /// Checks that the states of both lists are from the same moment. For a change, the store
    /// checks this. Without this check, a request that changes nothing could see a transfer of
    /// another server in one list but not in the other list.
    private func checkTorn(
        _ lists: Transaction, _ listStates: [String: FreshListState]?
    ) throws(Obstacle) {
        guard let listStates, let other = lists.other else { return }
        let areOfOneTime = [lists.list, other].allSatisfy { list in
            listStates[list.id]?.covers(list) ?? false
        }
        guard areOfOneTime else { throw .torn }
    }

    private func enqueue(_ lists: Transaction) {
        guard let entry = lists.list.state.decided.take() else { return }
        lists.list.state.lastTicket = entry.ticket
        guard let other = lists.other, let otherEntry = other.state.decided.take() else {
            return committer.enqueue(entry)
        }
        other.state.lastTicket = otherEntry.ticket
        committer.enqueue(entry, with: otherEntry)
    }

    // MARK: Copies on a worker thread

    /// Runs `body` on copies, and takes over the result.
    ///
    /// - Returns: nil if the request must be decided again, for example because the lists have
    ///   changed meanwhile.
    private func decide<Value>(
        on copied: ListCopies, _ context: RequestContext,
        _ body: (Transaction) throws(Interruption) -> Value
    ) throws(ServiceError) -> Value? {
        let copies = copied.lists
        var result: Result<Value, Interruption>
        do throws(Interruption) {
            result = .success(try body(copies))
        } catch {
            result = .failure(error)
        }
        let inserted = [copies.list, copies.other].compactMap { list in
            list?.state.decided.map { (list: list?.cached, tasks: $0.commit.insertedTasks) }
        }
        let lists = copies.cached
        let isCurrent = lists.withLocks { () -> Bool in
            guard copied.areCurrent else { return false }
            if copies.list.state.version != copied.version {
                for (list, copy) in [(lists.list, copies.list), (lists.other, copies.other)] {
                    guard let list, let copy else { continue }
                    if shared != nil { list.state.keepBase(list.state.current) }
                    list.state.takeOver(&copy.state)
                }
                enqueue(lists)
                context.hasChanged = true
            }
            context.holdResponse(until: lists.list.state.lastTicket)
            context.holdResponse(until: lists.other?.state.lastTicket)
            return true
        }
        if !isCurrent {
            for (list, tasks) in inserted {
                if let list { reservations.release(tasks, of: list) }
            }
        }
        release(copied)
        context.unpin()
        commitAtOnce()
        guard isCurrent else {
            // If the lists were invalidated because a commit failed, this request fails too.
            switch lists.list.failure ?? lists.other?.failure {
            case .unavailable?, .unknown?: throw .unavailable
            case .overtaken?, .pending?, .durable?, nil: return nil
            }
        }
        switch result {
        case .success(let value): return value
        case .failure(.refused(let error)): throw error
        case .failure(.blocked(let list)):
            try wait(for: list, context)
            return nil
        case .failure(.large): throw .unavailable
        }
    }

    /// Marks the lists that a worker had copied as no longer busy, and resumes the requests that
    /// wait for them.
    func release(_ copies: ListCopies) {
        copies.lists.cached.forEach { release($0) }
    }

    // MARK: Without the locks

    /// Updates the cache after the use of lists, and commits if the store needs no waiting.
    private func leave(_ lists: Transaction) {
        lists.forEach { settle($0) }
        commitAtOnce()
    }

    /// Counts a list's growth. A list that does not exist is removed from memory, so that requests
    /// for missing ids use no memory.
    private func settle(_ list: CachedList) {
        let growthBytes = list.withLock { state -> Int? in
            guard !state.isInvalidated, state.isLoaded else { return 0 }
            guard state.isSettledAbsence, !state.isBusy, state.pins == 0 else {
                return state.takeGrowth()
            }
            state.isInvalidated = true
            return nil
        }
        if let growthBytes { cache.charge(growthBytes) } else { cache.remove(list) }
    }

    /// Marks a list as no longer busy, and resumes the requests that wait for it.
    ///
    /// - Parameter error: why it could not be loaded.
    func release(_ list: CachedList, _ error: ServiceError? = nil) {
        let parked = list.withLock { state in
            state.isBusy = false
            if error != nil { state.isInvalidated = true }
            defer { state.parked = [] }
            return state.parked
        }
        if error != nil { cache.remove(list) } else { settle(list) }
        for reply in parked { reply.fill(error.map { .failure($0) } ?? .success(())) }
    }

    /// Removes a request's pin from a list, so that the list can be evicted.
    func unpin(_ list: CachedList) {
        list.withLock { $0.pins -= 1 }
        settle(list)
    }
}
