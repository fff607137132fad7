import Synchronization

/// The last pieces of changes that were rendered for the streams of a channel. Streams that send the same piece share its
/// rendering.
///
/// - Parameter Key: determines the content of a rendering.
package final class RecentRenderings<Key: Equatable & Sendable>: Sendable {
    private let kept = Mutex<[(piece: Key, rendering: any AnyObject & Sendable)]>([])

    private static var most: Int { 4 }

    /// The rendering of a piece. Only the first call renders it; other calls for the same piece wait for that.
    package func rendering<Rendering: AnyObject & Sendable>(
        of piece: Key, _ render: () -> Rendering
    ) -> Rendering {
        kept.withLock { kept in
            let known = kept.first { $0.piece == piece }?.rendering
            if let known = known as? Rendering { return known }
            let rendering = render()
            if kept.count == Self.most { kept.removeFirst() }
            kept.append((piece, rendering))
            return rendering
        }
    }

    func removeAll() { kept.withLock { $0.removeAll() } }
}
