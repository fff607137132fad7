import Foundation
import ProcessTesting
import Testing

extension ServerProcess {
    /// Asks the server to stop, and expects that it ends without an error.
    func stop(sourceLocation: SourceLocation = #_sourceLocation) throws {
        send(signal: SIGTERM)
        #expect(try wait().exitCode == 0, "\(errors)", sourceLocation: sourceLocation)
    }
}
