import CMalloc
import Testing

@testable import AlcedoServer

struct `The memory of a server` {
    @Test func `the memory of a server is released once it has nothing to do`() {
        var memory = MemoryRelease()
        var count = 0
        func look(_ started: Int, _ running: Int) -> Int {
            memory.look(started: started, running: running) { count += 1 }
            return count
        }
        #expect(look(0, 0) == 0)
        #expect(look(5, 1) == 0)
        #expect(look(5, 1) == 0)
        #expect(look(9, 0) == 0)
        #expect(look(9, 0) == 1)
        #expect(look(9, 0) == 1)
        #expect(look(10, 0) == 1)
        #expect(look(10, 0) == 2)
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
