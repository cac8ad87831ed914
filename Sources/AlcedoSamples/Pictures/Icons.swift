import AlcedoPixels
import Foundation

/// A small glossy icon on a transparent background.
enum Icon: String, CaseIterable, Sendable {
    case circle, leaf, heart, star, sun, cloud, fish, bird

    /// Draws the icon centred in `size`; `hue` selects one of four colour pairs.
    func draw(_ size: PixelSize, hue: Int) throws -> Bitmap {
        let pair = Self.pairs[hue % Self.pairs.count]
        let aspect = Float(size.width) / Float(size.height)
        let pixel = 2.5 / Float(size.height)
        return try paint(size, opaque: false, samples: 2) { point in
            let p = (point - Point(aspect / 2, 0.5)) * 2.5
            let soft = pixel * 0.5
            let shadow = smooth(0.16, -0.10, distance(p - Point(0, 0.10)))
            var colour = Colour(0x0A1A2A).alpha(0.34 * shadow)
            let edge = distance(p)
            var body = paintwork(p, pair).lit(1 + 0.22 * smooth(-0.10, 0, edge))
            body = body.mixed(Colour(0xFFFFFF), 0.42 * gloss(p, edge))
            colour = colour.under(body, smooth(soft, -soft, edge))
            return detail(p, over: colour, soft: soft, pair)
        }
    }

    private static let pairs: [(light: Colour, dark: Colour)] = [
        (Colour(0x3FD0C9), Colour(0x0B5E86)), (Colour(0xFFB054), Colour(0xDB4B1B)),
        (Colour(0x8BD35A), Colour(0x1E7A46)), (Colour(0xFF7F9C), Colour(0xB31B52)),
    ]

    /// The signed distance, negative inside; the icon spans about -1 to 1.
    private func distance(_ p: Point) -> Float {
        switch self {
        case .circle: p.length - 0.84
        case .leaf: lens(p.rotated(-.pi / 4), length: 1.0, width: 0.52)
        case .heart: heartShape(p)
        case .star: starShape(p, radius: 0.93) - 0.05
        case .sun: min(p.length - 0.50, rays(p))
        case .cloud: cloudShape(p)
        case .fish: min(lens((p + Point(0.14, 0)).rotated(.pi / 2), length: 0.80, width: 0.46), tail(p))
        case .bird: birdShape(p)
        }
    }

    private func paintwork(_ p: Point, _ pair: (light: Colour, dark: Colour)) -> Colour {
        let shade = pair.light.mixed(pair.dark, smooth(-0.9, 0.95, p.y + p.x * 0.25))
        switch self {
        case .sun: return Colour(0xFFE27A).mixed(Colour(0xF28A1E), smooth(0.1, 1.05, p.length))
        case .cloud:
            return Colour(0xFFFFFF).mixed(pair.light.mixed(Colour(0xC9DCEB), 0.7), smooth(-0.4, 0.6, p.y))
        case .bird:
            let belly =
                smooth(0.06, 0.16, p.y - p.x * 0.45 + 0.10 * p.x * p.x) * smooth(-0.62, -0.50, -p.x - 0.2)
            return Colour(0x35C8D0).mixed(Colour(0x0A5A8C), smooth(-0.6, 0.5, p.y + p.x * 0.4))
                .mixed(Colour(0xFFA447).mixed(Colour(0xE0621C), smooth(0, 0.7, p.y)), belly)
        default: return shade
        }
    }

    private func gloss(_ p: Point, _ edge: Float) -> Float {
        let cap = ((p - Point(-0.12, -0.62)) / Point(1.0, 0.72)).length
        return smooth(1, 0.55, cap) * smooth(-0.05, -0.14, edge) * (self == .cloud ? 0 : 0.85)
    }

    private func detail(_ p: Point, over colour: Colour, soft: Float, _ pair: (light: Colour, dark: Colour))
        -> Colour
    {
        switch self {
        case .leaf:
            let q = p.rotated(-.pi / 4)
            let veins = abs(fraction(q.y * 3.2 + abs(q.x) * 1.6) - 0.5) * 0.30
            let line = min(abs(q.x) + smooth(0.75, 1, abs(q.y)) * 0.04, max(veins, abs(q.x) - 0.30))
            let inside = smooth(-0.06, -0.12, distance(p))
            return colour.under(
                pair.light.mixed(Colour(0xFFFFFF), 0.35), 0.55 * inside * smooth(0.02 + soft, 0.02, line))
        case .fish:
            let stripes =
                smooth(0.10, 0.04, abs(fraction(p.x * 2.4 + p.y * p.y) - 0.5))
                * smooth(-0.08, -0.14, distance(p))
            return eye(
                p, at: Point(-0.56, -0.10), 0.12, over: colour.under(Colour(0xFFFFFF), 0.22 * stripes), soft)
        case .bird:
            let wing = lens((p - Point(0.22, 0.16)).rotated(1.05), length: 0.50, width: 0.21)
            let beak = smooth(-0.56 + soft, -0.56 - soft, p.x) * smooth(soft, -soft, distance(p))
            let cheek = ((p - Point(-0.16, -0.22)) / Point(0.13, 0.08)).length - 1
            let winged = colour.under(
                Colour(0x0C4F86).mixed(Colour(0x1FA6C4), smooth(0.6, -0.2, p.x)), smooth(soft, -soft, wing)
            )
            .under(Colour(0xFFF6E8), smooth(0.12, -0.12, cheek)).under(Colour(0x22343F), beak)
            return eye(p, at: Point(-0.33, -0.40), 0.085, over: winged, soft)
        default: return colour
        }
    }

    private func eye(_ p: Point, at point: Point, _ size: Float, over colour: Colour, _ soft: Float) -> Colour
    {
        let white = colour.under(Colour(0xFFFFFF), smooth(soft, -soft, (p - point).length - size))
        let pupil = white.under(Colour(0x10202C), smooth(soft, -soft, (p - point).length - size * 0.66))
        return pupil.under(
            Colour(0xFFFFFF), smooth(soft, -soft, (p - point + size * 0.22).length - size * 0.24))
    }
}

/// A lens of two arcs that meet at the top and the bottom.
private func lens(_ p: Point, length: Float, width: Float) -> Float {
    let radius = (length * length + width * width) / (2 * width)
    return (Point(abs(p.x), p.y) + Point(radius - width, 0)).length - radius
}

private func heartShape(_ point: Point) -> Float {
    let p = Point(abs(point.x), 0.62 - point.y) / 1.32
    if p.y + p.x > 1 { return ((p - Point(0.25, 0.75)).length - 0.353_553) * 1.32 }
    let diagonal = max(p.x + p.y, 0) * 0.5
    let nearest = min((p - Point(0, 1)).length, (p - diagonal).length)
    return (p.x > p.y ? nearest : -nearest) * 1.32
}

private func starShape(_ point: Point, radius: Float) -> Float {
    let sector = 2 * Float.pi / 5
    let angle = abs(fraction(atan2f(point.x, -point.y) / sector + 0.5) - 0.5) * sector
    let p = Point(cosf(angle), sinf(angle)) * point.length
    let (tip, dip) = (Point(radius, 0), Point(cosf(sector / 2), sinf(sector / 2)) * radius * 0.46)
    let side = dip - tip
    return (side.y * (p.x - tip.x) - side.x * (p.y - tip.y)) / side.length
}

private func rays(_ p: Point) -> Float {
    let sector = 2 * Float.pi / 12
    let angle = (fraction(atan2f(p.x, p.y) / sector) - 0.5) * sector
    let q = Point(cosf(angle), sinf(angle)) * p.length
    return max(abs(q.y) - 0.17 * (1.05 - q.x), 0.60 - q.x, q.x - 1.0)
}

private func cloudShape(_ p: Point) -> Float {
    let puffs = min(
        (p - Point(-0.50, 0.20)).length - 0.36, (p - Point(-0.10, -0.12)).length - 0.48,
        (p - Point(0.42, 0.02)).length - 0.38, (p - Point(0.66, 0.28)).length - 0.28
    )
    let base = max(abs(p.x - 0.08) - 0.58, abs(p.y - 0.30) - 0.26)
    return min(max(puffs, p.y - 0.56), base)
}

private func tail(_ p: Point) -> Float {
    let q = Point(p.x - 0.42, abs(p.y))
    return max(-q.x, q.y - q.x * 0.95 - 0.05, q.x - 0.50 + 0.12 * cosf(q.y * 5), 0 - q.x)
}

private func birdShape(_ p: Point) -> Float {
    let body = ((p - Point(0.14, 0.22)).rotated(-0.75) / Point(0.62, 0.42)).length
    let head = (p - Point(-0.24, -0.34)).length - 0.36
    let beak = max(
        abs(p.y + 0.30 + (p.x + 0.5) * 0.10) - 0.105 * (1 + (p.x + 0.45) / 0.56), -p.x - 1.0, p.x + 0.40)
    let tail = lens((p - Point(0.66, 0.66)).rotated(-0.75), length: 0.36, width: 0.13)
    let trunk = (body - 1) * 0.45
    let blend = clamp(0.5 + 0.5 * (head - trunk) / 0.16)
    let joined = head + (trunk - head) * blend - 0.16 * blend * (1 - blend)
    return min(joined, beak, tail)
}
