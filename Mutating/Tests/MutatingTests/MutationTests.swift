import Mutating
import Testing

struct MutationTests {
    /// Each row: a source, and its text with all mutations of one kind, numbered from 1.
    @Test(arguments: [
        (Mutation.Kind.condition, "if a, let b { c }", "if mutant_not(1, a), let b { c }"),
        (
            .condition, "guard try a() else { return }",
            "guard mutant_not(1, try a()) else { return }"
        ),
        (.condition, "while i < n { f() }", "while mutant_not(1, i < n) { f() }"),
        (.condition, "let a = try b ? c : d", "let a = try mutant_not(1, b) ? c : d"),
        (.condition, "for a in b where c { d }", "for a in b where mutant_not(1, c) { d }"),
        (.condition, "while true { f() }", "while true { f() }"),
        (.border, "let a = b + 1 < c", "let a = (mutant_is(1) ? (b + 1 <= c) : (b + 1 < c))"),
        (.border, "f(a == b)", "f(mutant_not(1, a == b))"),
        (.border, "if a != b {}", "if a != b {}"),
        (.border, "let a = b\n    > c", "let a = (mutant_is(1) ? (b >= c) : (b\n    > c))"),
        (.logic, "let a = b && c == d", "let a = (mutant_is(1) ? (b || c == d) : (b && c == d))"),
        (.number, "let a = b - 1", "let a = b - (mutant_is(1) ? 0 : 1)"),
        (.number, "a += 1", "a += (mutant_is(1) ? 2 : 1)"),
        (.number, "for a in 0..<b {}", "for a in 0..<((b) + (mutant_is(1) ? 1 : 0)) {}"),
        (
            .call, "func a() { b(); try c() }",
            "func a() { if !mutant_is(1) { b() }; if !mutant_is(2) { try c() } }"
        ),
        (.call, "precondition(a < b); log.info(c)", "precondition(a < b); log.info(c)"),
        (.assignment, "self.a = b", "if !mutant_is(1) { self.a = b }"),
        (.early, "func a() { b(); c() }", "func a() { if mutant_is(1) { return }; b(); c() }"),
        (
            .early, "func a() -> Int? { b }",
            "func a() -> Int? { if mutant_is(1) { return nil }; return b }"
        ),
        (.early, "func a() -> Int { b }", "func a() -> Int { b }"),
    ])
    func eachKindHasItsText(kind: Mutation.Kind, source: String, expected: String) {
        let found = mutations(of: source).filter { $0.kind == kind }
        #expect(mutated(source, found.enumerated().map { ($0.offset + 1, $0.element) }) == expected)
    }

    /// Leaving these out would not compile.
    @Test(arguments: [
        "func a() -> Int { b() }", "let a = b.map { c() }", "var a: Int { b() }",
        "let a = switch b { case 1: c() default: d() }",
        "func a() -> Int { if b { c() } else { d() } }",
        "init(a: Int) { self.a = a }", "func a() { let b: Int; b = 1 }",
        "init() { self.init(a: 1) }",
        "func a() { guard let b else { c() } }", "#if DEBUG\nf()\n#endif",
        "enum A: Int { case b = 1 }",
    ])
    func statementsThatAreNeededStay(source: String) {
        #expect(mutations(of: source).filter { [.call, .assignment].contains($0.kind) }.isEmpty)
    }

    @Test func mutantsKeepTheLines() {
        let source =
            "func a() {\n    if b\n        && c\n    {\n        d(\n            1 + 1)\n    }\n}\n"
        for mutation in mutations(of: source) {
            let text = mutated(source, [(1, mutation)])
            #expect(text.split(separator: "\n").count == source.split(separator: "\n").count)
        }
    }

    @Test func aSampleDependsOnItsSeedAndHasNoOverlaps() {
        let source = "func a() { if b < 1 && c { d(b + 1) } }"
        let modules = [[(file: "a", mutations: mutations(of: source))]]
        let first = sample(100, seed: 1, of: modules)
        #expect(
            first.map(\.mutation.range) == sample(100, seed: 1, of: modules).map(\.mutation.range))
        let ranges = first.map(\.mutation.range).sorted { $0.lowerBound < $1.lowerBound }
        for (one, next) in zip(ranges, ranges.dropFirst()) {
            #expect(one.upperBound <= next.lowerBound)
        }
    }
}
