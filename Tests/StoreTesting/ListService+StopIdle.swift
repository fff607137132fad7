import ReorderService
import Waiting

/// A service that has stopped keeps something for requests: it has used up a part of its limits for ever.
package struct KeptForRequests: Error, CustomStringConvertible {
    package let description: String
}

extension ListService {
    /// Stops the service, and waits until it keeps nothing for requests.
    ///
    /// - Throws: `KeptForRequests`, or an error of the stop.
    package func stopIdle(file: String = #fileID, line: Int = #line) throws {
        try stop()
        do {
            try waitUntil(file: file, line: line) { load.keptForRequests.isEmpty }
        } catch {
            throw KeptForRequests(description: "\(file):\(line): \(load.keptForRequests)")
        }
    }
}
