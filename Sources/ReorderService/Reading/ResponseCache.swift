import ReorderEngine
import ReorderJSON

/// A response rendered from a list at a version, for example its document.
package protocol CachedResponse: AnyObject, Sendable {
    /// The memory that it uses in bytes.
    var byteCount: Int { get }
}

/// The kind of a cached response: a list's document with a window of its tasks, in one coding.
package struct ResponseCacheKey: Sendable, Hashable {
    package var window: ListDocument.Window
    package var isCompressed: Bool

    package init(_ window: ListDocument.Window, isCompressed: Bool = false) {
        self.window = window
        self.isCompressed = isCompressed
    }
}

/// The cached responses for a list's current version. There are only a few, because each can be as
/// large as the list.
struct ResponseCache {
    private var kept: [(key: ResponseCacheKey, rendering: any CachedResponse)] = []
    private(set) var byteCount = 0
    /// Responses that are too large to cache. They are shared while a request sends them.
    private var shared: [SharedRendering] = []

    private struct SharedRendering {
        let key: ResponseCacheKey
        weak var rendering: (any CachedResponse)?
    }

    private static let most = 8

    /// The number of responses, including the shared ones.
    var count: Int { kept.count + shared.count }

    subscript(key: ResponseCacheKey) -> (any CachedResponse)? {
        kept.first { $0.key == key }?.rendering ?? shared.first { $0.key == key }?.rendering
    }

    /// Adds a response. If the cache is full, the oldest one is removed.
    mutating func keep(_ rendering: any CachedResponse, as key: ResponseCacheKey) {
        kept.removeAll { $0.key == key }
        if kept.count >= Self.most { kept.removeFirst() }
        kept.append((key, rendering))
        byteCount = kept.reduce(0) { $0 + $1.rendering.byteCount }
    }

    /// Shares a response with concurrent requests, without caching it for later ones.
    mutating func share(_ rendering: any CachedResponse, as key: ResponseCacheKey) {
        shared.removeAll { $0.key == key || $0.rendering == nil }
        if shared.count >= Self.most { shared.removeFirst() }
        shared.append(SharedRendering(key: key, rendering: rendering))
    }
}
