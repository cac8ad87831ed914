// AlcedoGTK
