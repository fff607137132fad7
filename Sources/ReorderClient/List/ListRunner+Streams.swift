import ReorderEngine

/// The consumers of a list. Streams hold their handle, so that a list lives as long as somebody watches it.
extension ListRunner {
    /// - Returns: a subscription that begins with an empty list if the list is not loaded.
    func subscribe(_ handle: Int) -> DeltaSubscription {
        state.withLock { state in
            let subscription = DeltaSubscription(
                list: state.machine.shown ?? ReorderableList(settings: ListSettings(title: "")))
            if state.handles.contains(handle) {
                state.subscriptions.append(
                    State.Weak(handle: handle, subscription: subscription))
            } else {
                subscription.finish()
            }
            return subscription
        }
    }

    func statusStream(_ handle: Int, of list: SyncedList) -> AsyncStream<ListStatus> {
        stream(handle, of: list, .bufferingNewest(1), \.statuses) { [status($0)] }
    }

    func refusalStream(_ handle: Int, of list: SyncedList) -> AsyncStream<Refused> {
        stream(handle, of: list, .bufferingNewest(SyncMachine.maximumRefusals), \.refusals) {
            $0.unacknowledgedRefusals
        }
    }

    /// - Parameter first: the elements to begin with.
    private func stream<Element: Sendable>(
        _ handle: Int, of list: SyncedList,
        _ policy: AsyncStream<Element>.Continuation.BufferingPolicy,
        _ consumers: WritableKeyPath<State, [Int: State.Consumer<Element>]> & Sendable,
        first: (SyncMachine) -> [Element]
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: policy)
        state.withLock { state in
            for element in first(state.machine) { continuation.yield(element) }
            guard state.handles.contains(handle) else { return continuation.finish() }
            state.nextNumber += 1
            let id = state.nextNumber
            state[keyPath: consumers][id] = State.Consumer(
                handle: handle, continuation: continuation)
            continuation.onTermination = { _ in
                // Asynchronously, because the thread that ends a stream may hold the lock.
                list.runner.queue.async {
                    list.runner.state.withLock { $0[keyPath: consumers][id] = nil }
                }
            }
        }
        return stream
    }
}
