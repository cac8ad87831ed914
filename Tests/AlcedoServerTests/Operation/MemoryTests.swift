import CMalloc
import Testing

@testable import AlcedoServer

struct `The memory of a server` {
    @Test func `a server's free memory is released while it works, its workers once it has nothing to do`() {
        var memory = MemoryRelease()
        func look(_ started: Int, _ running: Int) -> [String] {
            var done: [String] = []
            memory.look(
                started: started, running: running, stopWorkers: { done.append("stop") },
                trim: { done.append("trim") })
            return done
        }
        #expect(look(0, 0) == [])
        #expect(look(5, 1) == ["trim"])
        #expect(look(5, 1) == ["trim"])
        #expect(look(9, 0) == ["trim"])
        #expect(look(9, 0) == ["stop", "trim"])
        #expect(look(9, 0) == [])
        #expect(look(10, 0) == ["trim"])
        #expect(look(10, 0) == ["stop", "trim"])
    }

    /// Other tests allocate at the same time: the least growth of several counts.
    @Test(.timeLimit(.minutes(10)))
    func `the memory of a server has nothing of timers that were cancelled`() async {
        var growth = Int.max
        for _ in 0..<5 {
            let before = Int(mallinfo2().uordblks)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2_000 {
                    group.addTask {
                        let timer = Task { try? await cancellableSleep(for: .seconds(6_000)) }
                        timer.cancel()
                        await timer.value
                    }
                }
            }
            growth = min(growth, Int(mallinfo2().uordblks) - before)
        }
        #expect(growth < 2_000 * 150)
    }
}
