import Glibc

/// The lengths of a target's parts, and its query kept from libmicrohttpd.
///
/// libmicrohttpd splits and unescapes the query in place, after it has shown the target, and stores a
/// record for each argument in the connection's few kilobytes: nobody reads those, and they can run
/// out. So the query is made to look empty until the request's head is complete.
struct HiddenQuery {
    private var targetLength = 0
    private var pathLength = 0
    private var firstByte: CChar = 0

    init() {}

    init(hiding target: UnsafeMutablePointer<CChar>) {
        targetLength = strlen(target)
        pathLength = targetLength
        guard let mark = strchr(target, Int32(UInt8(ascii: "?"))) else { return }
        pathLength = target.distance(to: mark)
        firstByte = mark[1]
        mark[1] = 0
    }

    /// Length of the whole target.
    var count: Int { targetLength }

    /// The path and what follows the `?`, whole again, where the target now stands.
    func reveal(
        in target: UnsafePointer<CChar>
    ) -> (path: UnsafeBufferPointer<UInt8>, query: UnsafeBufferPointer<UInt8>?) {
        let bytes = UnsafeRawPointer(target).assumingMemoryBound(to: UInt8.self)
        let path = UnsafeBufferPointer(start: bytes, count: pathLength)
        guard pathLength < targetLength else { return (path, nil) }
        UnsafeMutablePointer(mutating: target)[pathLength + 1] = firstByte
        let query = UnsafeBufferPointer(
            start: bytes + pathLength + 1, count: targetLength - pathLength - 1)
        return (path, query)
    }
}
