// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "reorderd", path: "..")],
    targets: [
        .target(name: "Measuring"),
        // They use interfaces that are not public: build them with `-Xswiftc -enable-testing`.
        .executableTarget(
            name: "engine-benchmark",
            dependencies: [
                "Measuring", .product(name: "ReorderEngine", package: "reorderd"),
            ],
            path: "Sources/EngineBenchmark"),
        .executableTarget(
            name: "storage-benchmark",
            dependencies: [
                "Measuring", .product(name: "ReorderEngine", package: "reorderd"),
            ],
            path: "Sources/StorageBenchmark"),
        .executableTarget(
            name: "client-benchmark",
            dependencies: [
                "Measuring", .product(name: "ReorderClient", package: "reorderd"),
            ],
            path: "Sources/ClientBenchmark"),
    ],
    swiftLanguageModes: [.v6]
)
