import Glibc

/// A thread of the system's: an event loop polls, which the concurrency runtime's threads must not.
struct LoopThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread; nil where the system has none left.
    init?(_ body: @escaping @Sendable () -> Void) {
        final class Body {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        let context = Unmanaged.passRetained(Body(body))
        var handle = pthread_t()
        let code = pthread_create(
            &handle, nil,
            { context in
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        guard code == 0 else {
            context.release()
            return nil
        }
        self.handle = handle
    }

    func join() {
        pthread_join(handle, nil)
    }
}
