import MicroHTTP
import Synchronization

/// The last pieces of events that were rendered. Streams that send the same piece share its bytes.
///
/// - Parameter Piece: determines the text of a piece.
final class RenderedEvents<Piece: Equatable & Sendable>: Sendable {
    private let rendered = Mutex<[(piece: Piece, bytes: EventBytes)]>([])

    private static var keptPieces: Int { 4 }

    /// The bytes of a piece. Only the first call renders it; other calls for the same piece wait for that.
    func events(_ piece: Piece, _ render: (inout [UInt8]) -> Void) -> EventBytes {
        rendered.withLock { rendered in
            if let known = rendered.first(where: { $0.piece == piece }) { return known.bytes }
            let bytes = EventBytes(render)
            if rendered.count == Self.keptPieces { rendered.removeFirst() }
            rendered.append((piece, bytes))
            return bytes
        }
    }
}
