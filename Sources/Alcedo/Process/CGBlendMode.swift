public import AlcedoRaster

/// A blend mode where Kingfisher's API names CoreGraphics' type.
public typealias CGBlendMode = BlendMode
