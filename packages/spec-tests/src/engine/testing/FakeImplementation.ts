import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import { type AddressInfo, type Socket, createServer as createNetServer } from "node:net"

export interface FakeImplementation {
  readonly baseUrl: string
  /** Requests so far, as `POST /v1/projects`. */
  readonly requests: Array<string>
  close(): Promise<void>
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A service of which only projects are true; the rest is what a test makes of it. */
export const startFake = async (answer: Answer): Promise<FakeImplementation> => {
  const requests: Array<string> = []
  let projects = 0
  const server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`
    requests.push(line)
    request.resume()
    if (line !== "POST /v1/projects") return answer(request, response)
    projects++
    response.writeHead(201, { "content-type": "application/json" })
    response.end(JSON.stringify({ id: `p_${String(projects).padStart(16, "0")}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    baseUrl: `http://127.0.0.1:${portOf(server.address())}`,
    requests,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}

/** A fake service on plain sockets: the test handles each connection. */
export const startRaw = async (
  connected: (socket: Socket) => void
): Promise<FakeImplementation> => {
  const sockets = new Set<Socket>()
  const server = createNetServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    connected(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    baseUrl: `http://127.0.0.1:${portOf(server.address())}`,
    requests: [],
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}

const portOf = (address: AddressInfo | string | null): number => {
  if (typeof address === "object" && address !== null) return address.port
  throw new Error("it does not listen")
}
