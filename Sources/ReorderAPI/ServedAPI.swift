import MicroHTTP
import ReorderService
import ReorderStore
import Synchronization

/// The API that serves requests. If its shared store goes back to an earlier state, another API with a new
/// service takes its place, and all that was in memory is dropped with the former one.
///
/// So a service and its epoch are one: a response has the content and the epoch of the same past.
package final class ServedAPI: Sendable {
    private struct State {
        var api: ReorderAPI
        var isStopping = false
    }

    private let state: Mutex<State>
    package typealias Opening =
        @Sendable (
            _ former: ReorderAPI, _ goesOn: () -> Bool
        ) -> ReorderAPI?

    private let open: Opening

    /// - Parameters:
    ///   - first: not nil until its store goes back.
    ///   - open: opens the store again, and makes the API that takes the place of the former one. May block
    ///     until the store can be reached; but if `goesOn` returns false, it returns nil.
    package init(_ first: ReorderAPI, open: @escaping Opening) {
        state = Mutex(State(api: first))
        self.open = open
        follow(first)
    }

    /// The API of new requests.
    package var current: ReorderAPI { state.withLock(\.api) }

    /// See `ReorderAPI.makeRouter`.
    package func makeRouter(
        origins: CrossOrigin.Origins? = nil, isLocal: Bool = false, mounts: [ProtocolMount] = []
    ) -> Router {
        current.makeRouter(origins: origins, isLocal: isLocal, mounts: mounts) { self.current }
    }

    /// Starts the delivery of webhooks.
    package func startWebhooks() { current.webhooks.start() }

    /// See `ListService.prepareToStop`.
    package func prepareToStop(inSeconds seconds: Double) {
        current.service.prepareToStop(inSeconds: seconds)
    }

    /// Ends the delivery of webhooks, and stops the service. Call nothing else after this.
    package func stop() throws(StoreError) {
        let api = state.withLock { state in
            state.isStopping = true
            return state.api
        }
        try api.stop()
    }

    private func follow(_ api: ReorderAPI) {
        // Not weak for the API: counting references to it would take four times as long.
        api.service.whenRewound { [weak self] in self?.replace() }
    }

    /// Replaces the current API. Meanwhile, it refuses all requests.
    private func replace() {
        let former = current
        guard let next = open(former, { !state.withLock(\.isStopping) }) else { return }
        if former.isDraining { next.drain() }
        let isStopping = state.withLock { state in
            if !state.isStopping { state.api = next }
            return state.isStopping
        }
        guard !isStopping else {
            try? next.stop()
            return
        }
        next.webhooks.start()
        former.service.logRewoundLists(now: next.service)
        try? former.stop()
        follow(next)
    }
}

extension ReorderAPI {
    /// Ends the delivery of webhooks, and stops the service.
    fileprivate func stop() throws(StoreError) {
        webhooks.stop()
        try service.stop()
    }
}
