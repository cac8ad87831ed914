// Tests wait with these in every target.
@_exported public import AlcedoWaiting
