import AlcedoTestSupport
import Foundation

/// Runs `body` on so many threads, with their numbers, and waits until all have ended.
///
/// None starts before all are there: creating a thread orders what others have done, which hides races from the sanitizer.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) async {
    let (start, ended) = (Gate(), CallCounter())
    for thread in 0..<count {
        Thread.detachNewThread {
            start.wait()
            body(thread)
            ended.increment()
        }
    }
    await start.waitForArrivals(count)
    start.open()
    await ended.waitFor(count)
}
