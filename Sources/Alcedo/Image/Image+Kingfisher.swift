public import Foundation

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The same picture, decoded now and on this thread; the image itself if it is damaged.
    public var decoded: KFCrossPlatformImage {
        _ = try? base.bitmap()
        return base
    }

    /// The same picture with `scale` pixels to a point.
    public func scaled(to scale: CGFloat) -> KFCrossPlatformImage {
        scale == base.scale ? base : Image(base, scale: scale)
    }
}

extension Image: CacheCostCalculable {
    /// Bytes that it keeps in memory: of its pixels, width × height × 4, decoded or not, and those it was made from.
    public var cacheCost: Int { pixelSize.area * 4 + (encoded?.data.count ?? 0) }
}
