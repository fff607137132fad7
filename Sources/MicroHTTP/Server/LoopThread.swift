import Glibc

/// A thread of the operating system. An event loop blocks in `poll`, which threads of Swift concurrency must not do.
struct LoopThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread. Returns nil if the system can't create one.
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
