import Dispatch
import Foundation
import Synchronization

/// Runs the reload actions on SIGHUP, one after the other, on a thread of its own.
struct ReloadSignal {
    private let actions = Actions()
    /// Retained, because a released source no longer receives signals.
    private let source: any DispatchSourceSignal

    private final class Actions: Sendable {
        let all = Mutex<[@Sendable () -> Void]>([])
    }

    init() {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(
            signal: SIGHUP, queue: DispatchQueue(label: "reload"))
        source.setEventHandler { [actions] in
            for action in actions.all.withLock(\.self) { action() }
        }
        source.resume()
    }

    func onReload(_ action: @escaping @Sendable () -> Void) {
        actions.all.withLock { $0.append(action) }
    }
}
