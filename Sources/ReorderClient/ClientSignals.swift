import Foundation

#if canImport(Network)
    import Network
#endif

/// Calls a function when the network changes, and when the app comes to the foreground or leaves it.
///
/// `@unchecked Sendable`: it is only changed while it is created and released.
final class ClientSignals: @unchecked Sendable {
    /// By name, so that no user interface framework is loaded. Only those that exist on the system are posted.
    static let foreground = [
        "UIApplicationWillEnterForegroundNotification", "NSApplicationDidBecomeActiveNotification",
        "NSExtensionHostWillEnterForegroundNotification",
        "WKApplicationWillEnterForegroundNotification",
    ]

    static let background = [
        "UIApplicationDidEnterBackgroundNotification",
        "NSExtensionHostDidEnterBackgroundNotification",
        "WKApplicationDidEnterBackgroundNotification",
    ]

    enum Signal: Sendable {
        case foreground
        case background
        case network
    }

    private let center: NotificationCenter
    private var observers: [any NSObjectProtocol] = []
    #if canImport(Network)
        private let monitor = NWPathMonitor()
    #endif

    init(center: NotificationCenter = .default, _ body: @escaping @Sendable (Signal) -> Void) {
        self.center = center
        for (names, signal) in [
            (Self.foreground, Signal.foreground), (Self.background, .background),
        ] {
            for name in names.map({ Notification.Name($0) }) {
                observers.append(
                    center.addObserver(forName: name, object: nil, queue: nil) { _ in body(signal) }
                )
            }
        }
        #if canImport(Network)
            monitor.pathUpdateHandler = { path in
                if path.status == .satisfied { body(.network) }
            }
            monitor.start(queue: DispatchQueue(label: "reorderd.client.network"))
        #endif
    }

    deinit {
        for observer in observers { center.removeObserver(observer) }
        #if canImport(Network)
            monitor.cancel()
        #endif
    }
}
