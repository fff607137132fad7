import Dispatch
import Foundation

/// The clocks, random numbers and threads of a service.
///
/// Nothing else in the service reads a clock or starts a thread. So a simulator that replaces these
/// functions can run a whole server in one thread, and can repeat each run exactly.
package struct ServiceEnvironment: Sendable {
    /// The clocks, random numbers and threads of this machine.
    package static let system = ServiceEnvironment()

    /// The system's clock, which may be wrong: see `ServiceClock`.
    package var date: @Sendable () -> Date = { Date() }
    /// Whether the time of a store that has a clock replaces the system's. A test's clock is the time of all
    /// machines.
    package var followsStoreTime = true
    /// The time in nanoseconds of a clock that is never set.
    package var uptime: @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    package var random: @Sendable () -> UInt64 = { .random(in: 0 ... .max) }
    /// Creates a worker with a name for debuggers and a number of threads.
    package var makeWorker: @Sendable (_ name: String, _ threadCount: Int) -> any Worker = {
        ThreadWorker($0, threadCount: $1)
    }
    /// Whether workers read lists from the store. Otherwise the thread that needs a list reads it; for
    /// tools, whose threads may wait.
    package var readsOnWorkers = true
    /// Called on a worker's thread, without a lock, between taking a piece of work and doing it.
    /// A simulator runs other threads here.
    package var beforeWork: @Sendable () -> Void = {}

    /// The uptime after a number of seconds.
    func uptime(afterSeconds seconds: Double) -> UInt64 {
        uptime() + UInt64(max(0, seconds) * 1e9)
    }
}
