import Foundation
import Synchronization

/// What a client has been granted, by whatever credentials it showed.
package final class Grant: Sendable {
    /// Who it is, for people. Not unique, and no secret.
    package let name: String
    package let scope: AccessScope
    package let lists: ListPatterns
    /// Different for any two clients that are not the same; made of no secret.
    package let identity: String
    /// When it ends by itself.
    package let expires: Date?
    private let source: Source

    /// What grants come from: a line of a file, or a key. It may be taken away.
    package final class Source: Sendable {
        private let isGone = Atomic<Bool>(false)

        package init() {}

        /// All that was granted by it is over.
        package func end() { isGone.store(true, ordering: .releasing) }

        package var isInForce: Bool { !isGone.load(ordering: .acquiring) }
    }

    /// - Parameter kind: of credentials: names of different kinds are different clients.
    package init(
        kind: String, name: String, scope: AccessScope, lists: ListPatterns, expires: Date? = nil,
        source: Source = Source()
    ) {
        self.name = Self.printable(name)
        self.scope = scope
        self.lists = lists
        self.expires = expires
        self.source = source
        // With a length, so that nothing can pass from one part to the other.
        let parts = "\(kind.utf8.count) \(kind)\(name)"
        identity = TokenDigest(of: Array(parts.utf8)).hexadecimal
    }

    /// A name as it may stand in a line of a log: those of signed tokens are whatever their issuer takes.
    private static func printable(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars.prefix(TokenTable.maximumNameBytes) {
            let isControl = scalar.properties.generalCategory == .control
            let endsLine = scalar.value == 0x2028 || scalar.value == 0x2029
            text.unicodeScalars.append(isControl || endsLine ? "?" : scalar)
        }
        return text
    }

    /// Whether it holds still: for what goes on after a request was let in.
    package func isInForce(at time: Date) -> Bool {
        source.isInForce && expires.map { time < $0 } ?? true
    }

    func end() { source.end() }
}
