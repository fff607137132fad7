/// A fixed-size heap buffer with several owners, written only by a sole owner. The elements are in the
/// object itself, so reaching one after the other costs one access to memory, not two.
/// A writer must check with `isKnownUniquelyReferenced` that it is the only owner.
final class SharedBuffer<Element>: ManagedBuffer<Int, Element> {
    /// Creates a buffer of `capacity` elements: those of `other` first, then `filler`.
    static func make(
        capacity: Int, copying other: SharedBuffer<Element>? = nil, filler: Element
    ) -> SharedBuffer<Element> {
        let new = unsafeDowncast(
            create(minimumCapacity: capacity) { _ in capacity }, to: SharedBuffer<Element>.self)
        let copied = min(other?.count ?? 0, capacity)
        if let other { new.elements.initialize(from: other.elements, count: copied) }
        (new.elements + copied).initialize(repeating: filler, count: capacity - copied)
        return new
    }

    @inline(__always)
    var elements: UnsafeMutablePointer<Element> { withUnsafeMutablePointerToElements { $0 } }
    /// The number of elements.
    var count: Int { header }

    deinit { elements.deinitialize(count: count) }
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
