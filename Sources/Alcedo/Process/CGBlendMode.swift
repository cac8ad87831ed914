public import AlcedoRaster

/// A blend mode; replaces CoreGraphics' type in Kingfisher's API.
public typealias CGBlendMode = BlendMode
