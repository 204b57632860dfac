"""Pictures that the server draws: icons, and the pictures that previews of links show."""
