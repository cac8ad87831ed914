import Alcedo
import AlcedoTestSupport
import Testing

@testable import EngineFixtures

@Suite(.timeLimit(.minutes(10)))
struct `A delegate` {
    /// Safe because `heard` is used on one thread only.
    private final class Target: @unchecked Sendable { var heard: [Int] = [] }

    @Test func `a delegate calls its block with the target`() {
        let target = Target()
        let delegate = Delegate<Int, String>()
        #expect(!delegate.isSet)
        delegate.delegate(on: target) { (target, number: Int) in
            target.heard.append(number)
            return "\(number)"
        }
        #expect(delegate.isSet)
        #expect(delegate.call(1) == "1")
        #expect(delegate(2) == "2")
        #expect(target.heard == [1, 2])
    }

    @Test func `a delegate returns nil once the target is gone`() {
        let delegate = Delegate<Int, String>()
        var target: Target? = Target()
        weak let weakTarget = target
        delegate.delegate(on: target ?? Target()) { (_, number: Int) in "\(number)" }
        target = nil
        #expect(weakTarget == nil)
        #expect(delegate.call(1) == nil)
    }

    @Test func `a delegate flattens an optional result`() {
        let target = Target()
        let delegate = Delegate<Int, String?>()
        #expect(delegate(1) == nil)
        delegate.delegate(on: target) { (_, number: Int) -> String? in number > 0 ? "yes" : nil }
        let answer: String? = delegate(1)
        #expect(answer == "yes")
        #expect(delegate(0) == nil)
    }

    @Test func `a delegate without input is called without arguments`() {
        let target = Target()
        let delegate = Delegate<Void, Int>()
        delegate.delegate(on: target) { (target, _: Void) in
            target.heard.append(0)
            return target.heard.count
        }
        #expect(delegate.call() == 1)
        #expect(delegate() == 2)
        let optional = Delegate<Void, Int?>()
        #expect(optional() == nil)
        #expect(optional.call() == nil)
    }

    @Test func `a delegate awaits an asynchronous block`() async {
        let target = Target()
        let delegate = Delegate<Int, Int>()
        delegate.delegate(on: target) { (_: Target, number: Int) async -> Int in
            await Task.yield()
            return number + 1
        }
        #expect(delegate.isSet)
        #expect(delegate.call(1) == nil)
        #expect(await delegate.callAsync(1) == 2)
    }

    @Test func `a delegate keeps a synchronous block beside an asynchronous one`() async {
        let target = Target()
        let delegate = Delegate<Int, Int>()
        delegate.delegate(on: target) { (_: Target, number: Int) -> Int in number }
        delegate.delegate(on: target) { (_: Target, number: Int) async -> Int in number + 1 }
        #expect(delegate.call(1) == 1)
        #expect(await delegate.callAsync(1) == 2)
        delegate.delegate(on: target, block: nil as ((Target, Int) -> Int)?)
        #expect(delegate.call(1) == nil)
        #expect(await delegate.callAsync(1) == 2)
        #expect(delegate.isSet)
        delegate.delegate(on: target, block: nil as ((Target, Int) async -> Int)?)
        #expect(!delegate.isSet)
    }

    @Test func `a delegate drops its block for nil`() {
        let target = Target()
        let delegate = Delegate<Int, Int>()
        delegate.delegate(on: target) { (_: Target, number: Int) -> Int in number }
        delegate.delegate(on: target, block: nil as ((Target, Int) -> Int)?)
        #expect(!delegate.isSet)
        #expect(delegate.call(1) == nil)
    }

    @Test func `a delegate may be called while another thread sets its block`() async {
        let target = Target()
        let delegate = Delegate<Int, Int>()
        let wrong = CallCounter()
        await onThreads(2) { thread in
            for _ in 0..<5000 {
                if thread == 0 {
                    delegate.delegate(on: target) { (_: Target, input: Int) -> Int in input + 1 }
                } else if ![nil, 8].contains(delegate.call(7)) {
                    wrong.increment()
                }
            }
        }
        #expect(delegate.call(7) == 8 && wrong.value == 0)
    }
}
