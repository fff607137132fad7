import Testing

@testable import ReorderClient

/// Each step waits once, and is made once or refused once, whatever happens to the disk, the network, the app and the server.
@Suite struct KeptOnceTests {
    @Test(arguments: Trouble.allCases, Trouble.allCases)
    func aStepWaitsOnceAndIsMadeOnce(_ first: Trouble, _ second: Trouble) throws {
        var device = try TroubledDevice()
        do {
            for trouble in [first, second, .none] {
                try trouble.happen(to: &device)
                try device.check()
            }
            try device.end()
        } catch let difference as TroubledDevice.Difference {
            Issue.record("\(difference.text)")
        }
    }
}

/// What happens to a new step and those that wait before it.
enum Trouble: CaseIterable {
    case none, restart
    case fullDisk, tornWrite
    case inboxTwice, inboxOnAFullDisk
    case lostResponse, changeBeforeResponse, restartBeforeResponse
    case unstoredResponse, unstoredResponseAndRestart, unstoredChangeAndRestart
    case rewriting, rewritingOnAFullDisk, unstoredWhileRewriting
    case restoreBeforeSending, restoreBeforeTheChange, restoreAfterTheChange, unstoredRestore
    case unstoredRefusal, unstoredRefusalAndRestart

    func happen(to device: inout TroubledDevice) throws {
        switch self {
        case .none: try device.make()
        case .restart:
            try device.make()
            try device.restart()
        case .fullDisk:
            device.storage.isFull = true
            try device.make()
        case .tornWrite: try device.makeTorn()
        case .inboxTwice: try device.adopt(appendsLeft: nil) { try $0.restart() }
        case .inboxOnAFullDisk: try device.adopt(appendsLeft: 1) { try $0.make() }
        case .lostResponse:
            try device.make()
            try device.send(losesResponse: true)
        case .changeBeforeResponse:
            try device.make()
            try device.send(losesResponse: true)
            try device.receive()
        case .restartBeforeResponse:
            try device.make()
            try device.send(losesResponse: true)
            try device.restart()
            try device.send()
        case .unstoredResponse, .unstoredResponseAndRestart:
            try device.make()
            try device.whileFull { try $0.send() }
            if self == .unstoredResponseAndRestart { try device.restart() }
        case .unstoredChangeAndRestart:
            try device.make()
            try device.send()
            try device.whileFull { try $0.receive() }
            try device.restart()
        case .rewriting:
            try device.rewrite {
                try $0.make()
                try $0.send()
            }
        case .rewritingOnAFullDisk:
            try device.rewrite(before: { $0.storage.isFull = true }, after: { try $0.make() })
        case .unstoredWhileRewriting:
            try device.make()
            try device.rewrite {
                try $0.whileFull { device in
                    try device.send()
                    try device.receive()
                }
            }
        case .restoreBeforeSending:
            device.backUp()
            try device.make()
            try device.restore()
            try device.send()
        case .restoreBeforeTheChange:
            device.backUp()
            try device.make()
            try device.send()
            try device.restore()
            try device.receive()
        case .restoreAfterTheChange:
            device.backUp()
            try device.make()
            try device.send()
            try device.receive()
            try device.restore()
            try device.receive()
        case .unstoredRestore:
            device.backUp()
            try device.make()
            try device.send()
            try device.restore()
            try device.whileFull { try $0.receive() }
        case .unstoredRefusal, .unstoredRefusalAndRestart:
            try device.make(isRefused: true)
            try device.whileFull { try $0.send() }
            if self == .unstoredRefusalAndRestart { try device.restart() }
        }
    }
}
