extension LiveList {
    /// The visible rows of a section. It is an array in which a change of a few rows is cheap, also if it is long: it shares the other
    /// rows with the arrays before.
    public struct Rows: RandomAccessCollection, Equatable, Sendable {
        /// The rows in pieces, none of which is empty.
        private(set) var pieces: [[Row]] = []
        /// The index of the first row of each piece.
        private var starts: [Int] = []

        private static let pieceCount = 256

        /// 0.
        public var startIndex: Int { 0 }
        /// The number of rows.
        public private(set) var endIndex = 0

        init(_ rows: [Row] = []) { append(rows[...]) }

        /// The rows, one piece after another.
        public func makeIterator() -> FlattenSequence<[[Row]]>.Iterator {
            pieces.joined().makeIterator()
        }

        /// The row at an index. O(log n).
        public subscript(position: Int) -> Row {
            let piece = piece(at: position)
            return pieces[piece][position - starts[piece]]
        }

        private func piece(at position: Int) -> Int {
            var (low, high) = (0, starts.count)
            while high - low > 1 {
                let middle = (low + high) / 2
                if starts[middle] <= position { low = middle } else { high = middle }
            }
            return low
        }

        /// Adds rows at the end, in new pieces.
        private mutating func append(_ rows: ArraySlice<Row>) {
            var rest = rows
            while !rest.isEmpty {
                append(piece: Array(rest.prefix(Self.pieceCount)))
                rest = rest.dropFirst(Self.pieceCount)
            }
        }

        /// Adds a piece at the end, together with the last one if both are small.
        private mutating func append(piece: [Row]) {
            guard !piece.isEmpty else { return }
            if let last = pieces.last, last.count + piece.count <= Self.pieceCount {
                pieces[pieces.count - 1] += piece
            } else {
                starts.append(endIndex)
                pieces.append(piece)
            }
            endIndex += piece.count
        }

        /// The rows without those at some indices. O(n / 256), and O(256) for each piece with such a row.
        ///
        /// - Parameter indices: ascending.
        func removing(_ indices: [Int]) -> Rows {
            guard !indices.isEmpty else { return self }
            var kept = Rows()
            var next = indices[...]
            for (piece, start) in zip(pieces, starts) {
                let leaving = next.prefix { $0 < start + piece.count }
                next = next.dropFirst(leaving.count)
                guard !leaving.isEmpty else {
                    kept.append(piece: piece)
                    continue
                }
                let gone = Set(leaving.lazy.map { $0 - start })
                kept.append(piece: piece.indices.filter { !gone.contains($0) }.map { piece[$0] })
            }
            return kept
        }

        /// The rows with others. O(n / 256), and O(256) for each piece that gets a row.
        ///
        /// - Parameter rows: with their indices in the result, ascending.
        func inserting(_ rows: [(index: Int, row: Row)]) -> Rows {
            guard !rows.isEmpty else { return self }
            var all = Rows()
            var next = rows[...]
            for piece in pieces {
                guard let first = next.first, first.index <= all.endIndex + piece.count else {
                    all.append(piece: piece)
                    continue
                }
                var filled: [Row] = []
                var rest = piece[...]
                while let (index, row) = next.first,
                    index <= all.endIndex + filled.count + rest.count
                {
                    let staying = rest.prefix(index - all.endIndex - filled.count)
                    filled += staying
                    rest = rest.dropFirst(staying.count)
                    filled.append(row)
                    next.removeFirst()
                }
                all.append((filled + rest)[...])
            }
            all.append(next.map(\.row)[...])
            return all
        }

        /// The part in which both differ: it begins at the same index, and has these ends. O(n / 256) outside of it if they share their
        /// rows.
        func difference(from other: Rows) -> (start: Int, end: Int, otherEnd: Int) {
            let most = Swift.min(count, other.count)
            let first = zip(pieces, other.pieces).prefix { Self.isShared($0, $1) }
            var start = first.reduce(0) { $0 + $1.0.count }
            while start < most, self[start] == other[start] { start += 1 }
            var (end, otherEnd) = (endIndex, other.endIndex)
            for (own, others) in zip(pieces.reversed(), other.pieces.reversed()) {
                guard Self.isShared(own, others), Swift.min(end, otherEnd) - own.count >= start
                else { break }
                (end, otherEnd) = (end - own.count, otherEnd - own.count)
            }
            while Swift.min(end, otherEnd) > start, self[end - 1] == other[otherEnd - 1] {
                (end, otherEnd) = (end - 1, otherEnd - 1)
            }
            return (start, end, otherEnd)
        }

        private static func isShared(_ first: [Row], _ second: [Row]) -> Bool {
            first.count == second.count
                && first.withUnsafeBufferPointer { first in
                    second.withUnsafeBufferPointer { first.baseAddress == $0.baseAddress }
                }
        }

        /// Whether both have the same rows. O(n); O(n / 256) if they share rows, and differ by a small change.
        public static func == (left: Rows, right: Rows) -> Bool {
            guard left.endIndex == right.endIndex else { return false }
            var (own, other, position) = (0, 0, 0)
            while position < left.endIndex {
                // The rows up to the end of one of both pieces. Shared memory is equal at once.
                let (first, second) = (left.pieces[own], right.pieces[other])
                let (start, otherStart) = (left.starts[own], right.starts[other])
                let end = Swift.min(start + first.count, otherStart + second.count)
                guard
                    first[position - start..<end - start]
                        == second[position - otherStart..<end - otherStart]
                else { return false }
                if end == start + first.count { own += 1 }
                if end == otherStart + second.count { other += 1 }
                position = end
            }
            return true
        }
    }
}
