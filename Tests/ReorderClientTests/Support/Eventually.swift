import Foundation
import Testing
import Waiting

/// Waits until a condition holds, while the main actor goes on.
///
/// - Throws: an error after a time that only a hang reaches.
@MainActor
func eventually(
    _ what: Comment? = nil, at location: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
) async throws {
    let end = ContinuousClock.now + .seconds(hangSeconds)
    while try !condition() {
        guard ContinuousClock.now < end else {
            Issue.record("nothing happened in \(hangSeconds) seconds", sourceLocation: location)
            throw CancellationError()
        }
        // The main thread does this for all tests that wait.
        try await Task.sleep(for: .milliseconds(10))
    }
}
