/// A fixed-size heap buffer with several owners, written only by a sole owner.
///
/// Both properties are `let`: a mutable class property would cost a dynamic exclusivity check at
/// each access, and these are read several times in every operation.
///
/// Sendable although it points to mutable memory: a writer first checks with
/// `isKnownUniquelyReferenced` that it is the only owner, so a shared buffer never changes.
final class SharedBuffer<Element>: @unchecked Sendable {
    let elements: UnsafeMutablePointer<Element>
    let capacity: Int

    /// Creates a buffer of `capacity` elements: those of `other` first, then `filler`.
    init(capacity: Int, copying other: SharedBuffer<Element>? = nil, filler: Element) {
        elements = .allocate(capacity: capacity)
        self.capacity = capacity
        let copied = min(other?.capacity ?? 0, capacity)
        if let other { elements.initialize(from: other.elements, count: copied) }
        (elements + copied).initialize(repeating: filler, count: capacity - copied)
    }

    deinit {
        elements.deinitialize(count: capacity)
        elements.deallocate()
    }
}

/// A page of raw bytes that begins on a cache line.
///
/// Sendable although it points to mutable memory: a writer first checks with
/// `isKnownUniquelyReferenced` that it is the only owner, so a shared page never changes.
final class Page: @unchecked Sendable {
    let base: UnsafeMutableRawPointer
    let byteCount: Int

    /// Creates a page with the bytes of `other` that fit; the rest is uninitialized.
    init(byteCount: Int, copying other: Page?) {
        base = .allocate(byteCount: byteCount, alignment: cacheLine)
        self.byteCount = byteCount
        guard let other else { return }
        base.copyMemory(from: other.base, byteCount: min(byteCount, other.byteCount))
    }

    deinit { base.deallocate() }
}

/// The size of a cache line of the supported processors, in bytes.
let cacheLine = 64
