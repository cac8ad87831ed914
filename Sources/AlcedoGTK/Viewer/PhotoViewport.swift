import Alcedo
import Foundation

/// Which part of a picture a view shows, and how large; without GTK.
///
/// Places in the view are in points from its upper left corner, places in the picture in its pixels.
struct PhotoViewport: Equatable {
    /// The picture's size in pixels; empty without a picture.
    var picture = CGSize.zero {
        didSet { if picture != oldValue { (points, center) = (nil, .zero) } }
    }

    /// The view's size in points; empty before layout.
    var view = CGSize.zero { didSet { clamp() } }

    /// Pixels of the screen per point.
    var scale = 1.0 { didSet { clamp() } }

    /// Points per pixel of the picture; nil as long as the picture fits the view.
    private(set) var points: Double?

    /// The place in the picture that is in the middle of the view, unless it fits.
    private var center = CGPoint.zero

    private static let mostPixels = 16.0

    var isEmpty: Bool { picture.width <= 0 || picture.height <= 0 || view.width <= 0 || view.height <= 0 }

    var isFit: Bool { points == nil }

    /// Points per pixel of the picture at which all of it is visible, and small pictures are not enlarged.
    var fit: Double {
        isEmpty ? 1 / scale : min(view.width / picture.width, view.height / picture.height, 1 / scale)
    }

    /// Points per pixel of the picture now.
    var zoom: Double { points ?? fit }

    /// Pixels of the screen per pixel of the picture.
    var pixels: Double { zoom * scale }

    /// The picture's rectangle in the view, in points; pixels of the picture start at those of the screen.
    var frame: CGRect {
        let size = CGSize(width: picture.width * zoom, height: picture.height * zoom)
        let middle = points == nil ? CGPoint(x: picture.width / 2, y: picture.height / 2) : center
        func origin(_ view: Double, _ middle: Double) -> Double {
            ((view / 2 - middle * zoom) * scale).rounded() / scale
        }
        return CGRect(
            origin: CGPoint(x: origin(view.width, middle.x), y: origin(view.height, middle.y)), size: size
        )
    }

    /// The visible part of the picture, enlarged by a share of the view on each side, in pixels of the picture.
    func visible(margin: Double = 0) -> CGRect {
        let area = CGRect(origin: .zero, size: view)
            .insetBy(dx: -view.width * margin, dy: -view.height * margin)
        let frame = frame
        return CGRect(
            x: (area.minX - frame.minX) / zoom, y: (area.minY - frame.minY) / zoom,
            width: area.width / zoom, height: area.height / zoom
        ).intersection(CGRect(origin: .zero, size: picture))
    }

    var middle: CGPoint { CGPoint(x: view.width / 2, y: view.height / 2) }

    /// The size of the whole picture in pixels of the screen; nil before layout.
    var fittedPixels: PixelSize? {
        let size = CGSize(width: picture.width * fit, height: picture.height * fit)
        return isEmpty ? nil : PixelSize(drawing: size, in: view, scale: scale)
    }

    /// Where a rectangle of the picture is in the view, in points.
    func place(of part: CGRect) -> CGRect {
        let frame = frame
        return CGRect(
            x: frame.minX + part.minX * zoom, y: frame.minY + part.minY * zoom, width: part.width * zoom,
            height: part.height * zoom)
    }

    // MARK: - Changes

    /// Changes the size by a factor; the picture's pixel at `place` stays there.
    mutating func zoom(by factor: Double, about place: CGPoint) {
        setPoints(zoom * factor, about: place)
    }

    /// Shows each pixel of the picture as one of the screen's; the picture's pixel at `place` stays there.
    mutating func showPixels(about place: CGPoint) { setPoints(1 / scale, about: place) }

    mutating func showAll() { points = nil }

    /// Moves the picture by a distance in points.
    mutating func pan(by x: Double, _ y: Double) {
        guard points != nil else { return }
        center.x -= x / zoom
        center.y -= y / zoom
        clamp()
    }

    private mutating func setPoints(_ wanted: Double, about place: CGPoint) {
        guard !isEmpty, wanted.isFinite else { return }
        let frame = frame
        let pixel = CGPoint(x: (place.x - frame.minX) / zoom, y: (place.y - frame.minY) / zoom)
        let smallest = min(fit, 1 / scale)
        let points = min(max(wanted, smallest), max(Self.mostPixels / scale, fit))
        // Smaller than the view is the view's size, which follows changes of the window.
        guard points > fit * 1.0001 else { return showAll() }
        self.points = points
        center = CGPoint(
            x: pixel.x + (view.width / 2 - place.x) / points,
            y: pixel.y + (view.height / 2 - place.y) / points)
        clamp()
    }

    /// Leaves no room beside a side that is longer than the view, and centres one that is shorter.
    private mutating func clamp() {
        guard points != nil, !isEmpty else { return }
        if zoom <= fit { return showAll() }
        func clamped(_ middle: Double, _ picture: Double, _ view: Double) -> Double {
            let half = view / 2 / zoom
            return picture <= half * 2 ? picture / 2 : min(max(middle, half), picture - half)
        }
        center.x = clamped(center.x, picture.width, view.width)
        center.y = clamped(center.y, picture.height, view.height)
    }
}
