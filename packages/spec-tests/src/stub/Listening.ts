import type { Server } from "node:http"
import type { Server as NetServer } from "node:net"

/** Opens a free port of this machine. */
export const listening = async (server: NetServer): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return address !== null && typeof address === "object" ? address.port : 0
}

/** Closes the server and all its connections. */
export const closed = async (server: Server): Promise<void> => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
