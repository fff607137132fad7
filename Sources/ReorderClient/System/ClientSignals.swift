import Foundation

#if canImport(Network)
    import Network
#endif

/// Calls a function when the network changes, when the app comes to the foreground or leaves it, and at intervals while it is there.
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
        /// Some time has passed, and the app is not in the background.
        case interval
    }

    private let center: NotificationCenter
    private var observers: [any NSObjectProtocol] = []
    private let timer = DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "reorderd.client.interval", qos: .utility))
    private let isInBackground = Lock(false)
    private static let intervalSeconds = 2
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
                    center.addObserver(forName: name, object: nil, queue: nil) {
                        [isInBackground] _ in
                        isInBackground.withLock { $0 = signal == .background }
                        body(signal)
                    })
            }
        }
        // A process that is suspended while it has a lock is ended: nothing begins in the background.
        timer.setEventHandler { [isInBackground] in
            if !isInBackground.withLock(\.self) { body(.interval) }
        }
        timer.schedule(
            deadline: .now() + .seconds(Self.intervalSeconds),
            repeating: .seconds(Self.intervalSeconds), leeway: .seconds(1))
        timer.activate()
        #if canImport(Network)
            monitor.pathUpdateHandler = { path in
                if path.status == .satisfied { body(.network) }
            }
            monitor.start(queue: DispatchQueue(label: "reorderd.client.network"))
        #endif
    }

    deinit {
        timer.cancel()
        for observer in observers { center.removeObserver(observer) }
        #if canImport(Network)
            monitor.cancel()
        #endif
    }
}
