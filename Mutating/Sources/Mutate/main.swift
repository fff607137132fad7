// Writes the mutated files of a sample. For scripts/mutate.
//
//   Mutate ROOT TREE SAMPLE SEED DROPPED MODULE...
//
// DROPPED has the numbers of mutants to leave out, separated by commas. Prints a line for each mutant: number, module, file,
// first line, last line, kind, original, mutant.
import Foundation
import Mutating

let arguments = CommandLine.arguments
guard arguments.count > 6, let count = Int(arguments[3]), let seed = UInt64(arguments[4]) else {
    FileHandle.standardError.write(
        Data("Usage: Mutate ROOT TREE SAMPLE SEED DROPPED MODULE...\n".utf8))
    exit(2)
}
let (root, tree) = (arguments[1], arguments[2])
let dropped = Set(arguments[5].split(separator: ",").compactMap { Int($0) })
let modules = arguments.dropFirst(6)

/// Files with these names are compiled only on other systems, or only check the code.
let elsewhere = ["/SwiftUI/", "/UIKit/", "Invariants"]

var sources: [String: String] = [:]
var found: [[(file: String, mutations: [Mutation])]] = []
for module in modules {
    let folder = "Sources/\(module)"
    let names =
        FileManager.default.enumerator(atPath: "\(root)/\(folder)")?.compactMap { $0 as? String }
        ?? []
    let files = names.sorted().filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
    found.append(
        try files.filter { file in !elsewhere.contains(where: file.contains) }.map { file in
            let source = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
            sources[file] = source
            return (file, mutations(of: source))
        })
}

let sampled = sample(count, seed: seed, of: found).filter { !dropped.contains($0.number) }
for (file, mutants) in Dictionary(grouping: sampled, by: \.file) {
    let text = mutated(sources[file] ?? "", mutants.map { ($0.number, $0.mutation) })
    try text.write(toFile: "\(tree)/\(file)", atomically: false, encoding: .utf8)
}
for module in modules {
    try runtime.write(
        toFile: "\(tree)/Sources/\(module)/Mutants.swift", atomically: false, encoding: .utf8)
}
for mutant in sampled {
    let module = mutant.file.split(separator: "/")[1]
    let mutation = mutant.mutation
    print(
        mutant.number, module, mutant.file, mutation.line, mutation.lastLine,
        mutation.kind.rawValue, mutation.original,
        mutation.mutant, separator: "\t")
}
