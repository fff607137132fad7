/// One change of a source file that can be switched on in the built program.
package struct Mutation {
    package enum Kind: String, CaseIterable {
        /// A condition is negated.
        case condition
        /// `<` and `<=`, `>` and `>=`, `==` and `!=`.
        case border
        /// `&&` and `||`.
        case logic
        /// An integer literal in arithmetic, or the end of a range, moved by one.
        case number
        /// A call whose value is not used is left out.
        case call
        /// An assignment is left out.
        case assignment
        /// A function returns at once.
        case early
    }

    package let kind: Kind
    /// The UTF-8 offsets of the text that is replaced.
    package let range: Range<Int>
    package let line: Int
    package let lastLine: Int
    /// For people: the text before and after, in one line.
    package let original: String
    package let mutant: String
    /// The replacement, which means the same as the original as long as the mutant with this number is off. It has as many
    /// line breaks as the original.
    package let replacement: (_ number: Int) -> String

    /// Whether both mutations can't be in one text.
    func overlaps(_ other: Mutation) -> Bool {
        range.lowerBound == other.range.lowerBound
            || range.lowerBound < other.range.upperBound
                && other.range.lowerBound < range.upperBound
    }
}

/// The text with the mutations, which do not overlap. All of them are off until the program runs with `REORDERD_MUTANT`.
package func mutated(_ source: String, _ mutations: [(number: Int, mutation: Mutation)]) -> String {
    var bytes = Array(source.utf8)
    for (number, mutation) in mutations.sorted(by: {
        $0.mutation.range.lowerBound > $1.mutation.range.lowerBound
    }) {
        bytes.replaceSubrange(mutation.range, with: mutation.replacement(number).utf8)
    }
    return String(decoding: bytes, as: UTF8.self)
}

/// A file that each module with mutants gets. All modules and processes with the same `REORDERD_MUTANT_TRACE` share one file of
/// bytes, because a mapped file survives a process that is killed; the byte of each mutant that was reached is 1.
package let runtime = """
    #if canImport(Glibc)
    import Glibc
    #else
    import Darwin
    #endif

    private let mutantNumber = getenv("REORDERD_MUTANT").flatMap { Int(String(cString: $0)) }

    private nonisolated(unsafe) let mutantsReached: UnsafeMutablePointer<UInt8> = {
        let size = 1 << 16
        guard let path = getenv("REORDERD_MUTANT_TRACE") else { return .allocate(capacity: size) }
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
        guard ftruncate(file, off_t(size)) == 0,
            let bytes = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), bytes != MAP_FAILED
        else { exit(99) }
        close(file)
        return bytes.assumingMemoryBound(to: UInt8.self)
    }()

    func mutant_is(_ number: Int) -> Bool {
        mutantsReached[number] = 1
        return number == mutantNumber
    }

    func mutant_not(_ number: Int, _ condition: Bool) -> Bool { mutant_is(number) != condition }
    """
