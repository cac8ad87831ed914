@_exported public import AlcedoWaiting
