import Dispatch
import Foundation

/// The time after which a test stops waiting, in seconds. Only a hang reaches it, however busy the machine is.
package let hangSeconds = 300.0

/// A test has waited for `hangSeconds`.
package struct Hang: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ file: String, _ line: Int) {
        description = "\(file):\(line): nothing happened in \(hangSeconds) seconds"
    }
}

/// Waits until a condition holds. It is checked about a thousand times a second.
///
/// - Throws: `Hang`, or an error of the condition.
package func waitUntil(
    file: String = #fileID, line: Int = #line, _ condition: () throws -> Bool
) throws {
    let end = DispatchTime.now() + hangSeconds
    while try !condition() {
        guard .now() < end else { throw Hang(file, line) }
        usleep(1_000)
    }
}

/// Repeats a call until it succeeds.
///
/// - Throws: `Hang`.
package func repeated<Value>(
    file: String = #fileID, line: Int = #line, _ body: () throws -> Value
) throws -> Value {
    var value: Value?
    try waitUntil(file: file, line: line) {
        value = try? body()
        return value != nil
    }
    guard let value else { throw Hang(file, line) }
    return value
}

extension DispatchSemaphore {
    /// Waits for a signal.
    ///
    /// - Throws: `Hang`.
    package func waitForSignal(file: String = #fileID, line: Int = #line) throws {
        guard wait(timeout: .now() + hangSeconds) == .success else { throw Hang(file, line) }
    }
}

/// Work on a thread of its own, which a test can wait for.
///
/// A test that starts work on a dispatch queue can't know that a thread is free for it: other tests run at the same time.
package final class Background: Sendable {
    private let ended = DispatchSemaphore(value: 0)

    package init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [ended] in
            body()
            ended.signal()
        }
    }

    /// Whether the work has ended. Call it before `wait`.
    package var hasEnded: Bool {
        guard ended.wait(timeout: .now()) == .success else { return false }
        ended.signal()
        return true
    }

    /// Waits until the work has ended.
    ///
    /// - Throws: `Hang`.
    package func wait(file: String = #fileID, line: Int = #line) throws {
        try ended.waitForSignal(file: file, line: line)
        ended.signal()
    }
}

/// Calls a function on several threads at once, and waits until all calls have returned.
///
/// - Throws: `Hang`.
package func onThreads(
    _ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void
) throws {
    for thread in (0..<count).map({ number in Background { body(number) } }) { try thread.wait() }
}
