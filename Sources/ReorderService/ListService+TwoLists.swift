import Synchronization

extension ListService {
    /// Decides something on two lists at once, and gives the result once what it was decided on is
    /// durable of both.
    ///
    /// - Parameter body: called under both lists' locks, with the two in the order of the parameters.
    func decide<Value: Sendable>(
        on id: String, and otherID: String, keepingAnswers: Bool = false,
        _ completion: @escaping Completion<Value>,
        _ body:
            @escaping @Sendable (
                LoadedList, inout LoadedList.State, LoadedList, inout LoadedList.State
            ) -> Decision<Value>
    ) {
        guard let sharing else {
            return decide(
                on: id, and: otherID, as: nil, keepingAnswers: keepingAnswers, completion, body)
        }
        whenCurrent([id, otherID], with: sharing, refuse: { completion(.failure($0)) }) {
            currency in
            self.decide(
                on: id, and: otherID, as: currency, keepingAnswers: keepingAnswers, completion, body
            )
        }
    }

    private func decide<Value: Sendable>(
        on id: String, and otherID: String, as currency: Currency?, keepingAnswers: Bool,
        _ completion: @escaping Completion<Value>,
        _ body:
            @escaping @Sendable (
                LoadedList, inout LoadedList.State, LoadedList, inout LoadedList.State
            ) -> Decision<Value>
    ) {
        do throws(ServiceError) {
            let decision = try withLists(id, otherID, currency) { list, state, other, otherState in
                if let obstacle: Decision<Value> = bring(list, &state, to: currency)
                    ?? bring(other, &otherState, to: currency)
                {
                    return Decision<Value>?.some(obstacle)
                }
                let versions = (state.version, otherState.version)
                let decision = body(list, &state, other, &otherState)
                guard case .result(let result) = decision else {
                    return Decision<Value>?.some(decision)
                }
                // A change is stored only where it was decided on what is there. What changes nothing, a
                // refusal mostly, nobody proves: so it has to be about two lists at one time, and not one
                // as it was before another server's change of both, and one as it was after.
                if let currency, versions == (state.version, otherState.version),
                    !currency.covers(list, state) || !currency.covers(other, otherState)
                {
                    return Decision<Value>?.some(.later)
                }
                guard !state.isDurable || !otherState.isDurable else {
                    return Decision<Value>?.some(decision)
                }
                let both = Both { areDurable in
                    if areDurable { return completion(result) }
                    self.fail(
                        list.failure ?? other.failure, currency, keepingAnswers: keepingAnswers,
                        completion)
                }
                both.wait(for: &state)
                both.wait(for: &otherState)
                return nil
            }
            switch decision {
            case .result(let result): completion(result)
            case .after(let list):
                list.whenDurable { _ in
                    if let currency { return currency.again() }
                    self.decide(
                        on: id, and: otherID, keepingAnswers: keepingAnswers, completion, body)
                }
            case .anew(let list): readAnew(list, currency)
            case .later: currency?.again()
            case nil: break
            }
        } catch {
            completion(.failure(error))
        }
    }

    /// Runs `body` under the locks of two lists, which are always taken in the order of the ids: so
    /// two who want the same lists never wait for each other.
    private func withLists<Value>(
        _ id: String, _ otherID: String, _ currency: Currency?,
        _ body: (
            LoadedList, inout LoadedList.State, LoadedList, inout LoadedList.State
        ) -> Value
    ) throws(ServiceError) -> Value {
        guard id < otherID else {
            return try withLists(otherID, id, currency) { other, otherState, list, state in
                body(list, &state, other, &otherState)
            }
        }
        while true {
            let (list, other) = (cache.list(id), cache.list(otherID))
            var (visit, otherVisit) = (Visit(), Visit())
            defer {
                leave(list, visit)
                leave(other, otherVisit)
            }
            let value = try enter(list, currency, &visit) { state throws(ServiceError) -> Value? in
                try enter(other, currency, &otherVisit) { otherState throws(ServiceError) in
                    body(list, &state, other, &otherState)
                }
            }
            if let value { return value }
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
