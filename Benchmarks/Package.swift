// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "reorderd", path: "..")],
    targets: [
        .target(name: "Measuring"),
        .executableTarget(
            name: "engine-benchmark",
            dependencies: [
                "Measuring", .product(name: "ReorderEngine", package: "reorderd"),
            ],
            path: "Sources/EngineBenchmark"),
        // Uses internal interfaces: build it with `-Xswiftc -enable-testing`.
        .executableTarget(
            name: "storage-benchmark",
            dependencies: [
                "Measuring", .product(name: "ReorderEngine", package: "reorderd"),
            ],
            path: "Sources/StorageBenchmark"),
    ],
    swiftLanguageModes: [.v6]
)
