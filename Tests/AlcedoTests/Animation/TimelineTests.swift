import Testing

@testable import Alcedo

private func ms(_ milliseconds: Int) -> Duration { .milliseconds(milliseconds) }

struct `An animation's timeline` {
    private var timeline = AnimationTimeline(durations: [ms(100), ms(40), ms(60)], plays: nil)

    private mutating func advance(_ milliseconds: Int, count: Int = 3, ready: Set<Int> = [0, 1, 2])
        -> AnimationTimeline.Step
    {
        timeline.advance(to: ms(milliseconds), count: count) { ready.contains($0) }
    }

    @Test mutating func `a timeline changes frames to the millisecond, however often it is asked`() {
        // Begins at 5, so frames end at 105, 145, 205, 305 …
        let expected = [
            (5, 0), (104, 0), (105, 1), (144, 1), (145, 2), (204, 2), (205, 0), (304, 0), (305, 1),
        ]
        for (time, index) in expected {
            _ = advance(time)
            #expect(timeline.index == index, "at \(time)")
        }
        #expect(timeline.deadline == ms(345))
    }

    @Test mutating func `a timeline does not drift if it is looked at late`() {
        _ = advance(0)
        for round in 0..<1000 {
            let late = round * 7 % 13
            _ = advance(round * 200 + 100 + late)
            #expect(timeline.index == 1)
            _ = advance(round * 200 + 140 + late)
            #expect(timeline.index == 2)
            let step = advance(round * 200 + 200 + late)
            #expect(timeline.index == 0 && step.loops == UInt(round + 1))
        }
    }

    @Test mutating func `a timeline catches up over frames that are ready`() {
        _ = advance(0)
        #expect(advance(150) == .init(isNewFrame: true))
        #expect(timeline.index == 2 && timeline.deadline == ms(200))
    }

    @Test mutating func `a timeline gives up catching up after one play of the animation`() {
        _ = advance(0)
        _ = advance(10_000_000)
        #expect(timeline.deadline.map { $0 >= ms(10_000_000) } == true)
    }

    @Test mutating func `a timeline shows a late frame for its whole time`() {
        _ = advance(0)
        #expect(advance(100, ready: [0]) == .init())
        #expect(advance(170, ready: [0]) == .init())
        #expect(advance(177) == .init(isNewFrame: true))
        #expect(timeline.index == 1 && timeline.deadline == ms(217))
        _ = advance(217)
        #expect(timeline.deadline == ms(277), "from then on it is in time again")
    }

    @Test(arguments: [1, 3] as [UInt])
    func `a timeline ends on its last frame, when that frame is over`(plays: UInt) {
        var timeline = AnimationTimeline(durations: [ms(10), ms(20)], plays: plays)
        var ends: [Int] = []
        for time in 0...200 {
            if timeline.advance(to: ms(time), count: 2, isReady: { _ in true }).hasFinished {
                ends.append(time)
            }
        }
        #expect(ends == [Int(plays) * 30])
        #expect(timeline.index == 1 && timeline.loops == plays && timeline.isFinished)
        #expect(timeline.deadline == nil)
        timeline.rewind()
        #expect(timeline.index == 0 && !timeline.isFinished)
    }

    @Test mutating func `a timeline stands still while it is stopped`() {
        _ = advance(0)
        _ = advance(130)
        timeline.stop(at: ms(130))
        #expect(timeline.deadline == nil)
        _ = advance(9_000)
        #expect(timeline.index == 1 && timeline.deadline == ms(9_010))
    }

    @Test mutating func `a timeline leaves out damaged frames`() {
        _ = advance(0)
        _ = advance(100, count: 2)
        let step = advance(140, count: 2)
        #expect(timeline.index == 0 && step.loops == 1)
    }
}
