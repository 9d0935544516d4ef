"""A server of the official SDK for the Model Context Protocol that asks for a bearer token: `mcp_server.py PORT TOKEN`."""

import sys

from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver import MCPServer


class Verifier:
    """Accepts one token."""

    def __init__(self, token):
        self._token = token

    async def verify_token(self, token):
        return AccessToken(token=token, client_id="tests", scopes=[]) if token == self._token else None


def main():
    """Serves one tool until it is killed."""
    port, token = int(sys.argv[1]), sys.argv[2]
    address = f"http://127.0.0.1:{port}"
    auth = AuthSettings(issuer_url=address, resource_server_url=f"{address}/mcp", validate_token_resource=False)
    server = MCPServer("letters", token_verifier=Verifier(token), auth=auth)

    @server.tool()
    def letter(to: str) -> str:
        """Writes a letter."""
        return f"Dear {to}"

    server.run("streamable-http", host="127.0.0.1", port=port)


if __name__ == "__main__":
    main()
