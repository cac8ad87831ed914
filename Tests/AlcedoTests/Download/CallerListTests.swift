import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

struct `A list of callers` {
    private func caller() -> DownloadCaller {
        DownloadCaller(options: KingfisherParsedOptionsInfo(nil), completion: nil)
    }

    /// Compares a list with an array through random changes.
    @Test(arguments: 1...20)
    func `a caller list has the callers and priorities that a plain array has`(seed: Int) {
        var list = CallerList()
        var plain: [(token: Int, caller: DownloadCaller, priority: Float)] = []
        var random = SeededGenerator(seed: UInt64(seed))
        var next = 0
        for _ in 0..<300 {
            let token = Int.random(in: -1...next, using: &random)
            let priority = Float(Int.random(in: 0...seed, using: &random))
            let index = plain.firstIndex { $0.token == token }
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let caller = caller()
                list.append(caller, token: next, priority: priority)
                plain.append((next, caller, priority))
                next += 1
            case 2:
                let removed = list.remove(token)
                #expect(removed === index.map { plain.remove(at: $0).caller })
            case 3:
                let isSet = list.setPriority(priority, of: token)
                #expect(isSet == (index != nil))
                if let index { plain[index].priority = priority }
            default:
                guard token % 7 == 0 else { continue }
                list.setPriority(priority)
                for index in plain.indices { plain[index].priority = priority }
            }
            #expect(list.withTokens.map(\.token) == plain.map(\.token))
            #expect(zip(list.callers, plain).allSatisfy { $0 === $1.caller })
            #expect(list.count == plain.count && list.isEmpty == plain.isEmpty)
            #expect(list.highestPriority == plain.map(\.priority).max())
            #expect(list.contains(token) == plain.contains { $0.token == token })
            #expect(list.priority(of: token) == plain.first { $0.token == token }?.priority)
        }
    }
}
