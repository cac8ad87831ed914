// Alcedo
