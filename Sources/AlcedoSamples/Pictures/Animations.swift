import AlcedoPixels
import Foundation

/// A short seamless loop; `turn` runs from 0 to 1.
enum Animation: String, CaseIterable, Sendable {
    case orbit, bounce, wheel, ripples

    var size: PixelSize {
        switch self {
        case .orbit, .wheel: PixelSize(width: 160, height: 160)
        case .bounce: PixelSize(width: 240, height: 180)
        case .ripples: PixelSize(width: 200, height: 200)
        }
    }

    var frameCount: Int {
        switch self {
        case .orbit: 24
        case .bounce: 20
        case .wheel: 12
        case .ripples: 16
        }
    }

    var frameDuration: Duration { .milliseconds(50) }

    func frame(_ index: Int) throws -> Bitmap {
        let turn = Float(index) / Float(frameCount)
        return switch self {
        case .orbit: try orbit(turn)
        case .bounce: try bounce(turn)
        case .wheel: try wheel(turn)
        case .ripples: try ripples(turn)
        }
    }

    private func orbit(_ turn: Float) throws -> Bitmap {
        var painter = Painter(size) { Colour(0x0C2C44).mixed(Colour(0x041018), ($0 - 0.5).length * 1.3) }
        for ring in 0..<3 {
            painter.ring(Point(80, 80), 24 + Float(ring) * 22, width: 1, Colour(0x2E6B86).alpha(0.6))
        }
        for ring in 0..<3 {
            for dot in 0..<(ring + 1) {
                for trail in stride(from: 9, through: 0, by: -1) {
                    let way = turn * (ring == 1 ? -1 : 1) + Float(dot) / Float(ring + 1)
                    let lag = Float(trail) * 0.013 * (ring == 1 ? -1 : 1)
                    let place = Point(80, 80) + Point(24 + Float(ring) * 22, 0).rotated((way - lag) * 2 * .pi)
                    let colour = kingfisherColours[2 + ring * 2 - ring / 2]
                    if trail > 0 {
                        painter.disc(place, 7 - Float(trail) * 0.5, colour.alpha(0.14))
                    } else {
                        painter.ball(place, 7.5, colour)
                    }
                }
            }
        }
        painter.ball(Point(80, 80), 11, Colour(0xFFB347))
        return try painter.bitmap()
    }

    private func bounce(_ turn: Float) throws -> Bitmap {
        let height = 4 * turn * (1 - turn)
        let squash = 1 - 0.26 * smooth(0.16, 0, height)
        var painter = Painter(size) { place in
            let floor = Colour(0xE9C79A).mixed(Colour(0xC98A55), smooth(0.78, 1, place.y))
            return Colour(0xBFE7E6).mixed(Colour(0xF7F3E3), place.y).mixed(
                floor, smooth(0.774, 0.78, place.y))
        }
        let shadow = Point(120, 156)
        painter.fill(around: shadow, reach: 60, colour: { _ in Colour(0x5A3010).alpha(0.45 - 0.3 * height) })
        {
            (($0 - shadow) / Point(34 - 10 * height, 7 - 2 * height)).length * 6 - 6
        }
        let centre = Point(120, 156 - 28 * squash - 90 * height)
        painter.fill(around: centre, reach: 44) { point in
            let spot = (point - centre) / Point(28 / squash, 28 * squash)
            let stripe = smooth(-0.04, 0.04, sinf(atan2f(spot.y, spot.x) * 3 + turn * 2 * .pi))
            let shine = smooth(0.45, 0, (spot + Point(0.35, 0.4)).length)
            return Colour(0xF2762E).mixed(Colour(0xFFF1DC), stripe).lit(
                1.05 - 0.3 * spot.dot(Point(0.5, 0.8))
            )
            .mixed(Colour(0xFFFFFF), shine * 0.7)
        } distance: {
            (($0 - centre) / Point(28 / squash, 28 * squash)).length * 28 - 28
        }
        return try painter.bitmap()
    }

    private func wheel(_ turn: Float) throws -> Bitmap {
        var painter = Painter(size)
        let hub = Point(80, 80)
        painter.ring(hub, 62, width: 16, Colour(0x23323E))
        painter.ring(hub, 50, width: 7, Colour(0x9FB4C0))
        for spoke in 0..<8 {
            // The wheel rotates by one eighth per loop, which maps each spoke to the next one.
            let angle = (Float(spoke) + turn) / 8 * 2 * .pi
            painter.line(
                hub, hub + Point(49, 0).rotated(angle), width: 6,
                Colour(0x18A0AE).lit(0.8 + 0.3 * cosf(angle)))
        }
        painter.ball(hub, 13, Colour(0xF28A2E))
        return try painter.bitmap(opaque: false)
    }

    private func ripples(_ turn: Float) throws -> Bitmap {
        try paint(size) { place in
            let offset = place - 0.5
            let distance = max(offset.length, 0.001)
            let angle = distance * 60 - turn * 2 * .pi
            let fade = smooth(0.72, 0.05, distance)
            let light = cosf(angle) * fade * offset.dot(Point(-0.6, -0.8)) / distance
            return kingfisherColours.at(0.12 + 0.4 * (1 - distance) + 0.10 * sinf(angle) * fade)
                .lit(1 + 0.28 * light).glowing(Colour(0xFFFFFF), 0.35 * powf(max(light, 0), 3))
        }
    }
}
