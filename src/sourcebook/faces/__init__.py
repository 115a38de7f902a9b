"""The faces: translators between the client and the people or programs that ask. No rule of the domain lives here."""
