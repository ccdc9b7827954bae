import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import { type Socket, createServer as createNetServer } from "node:net"

import { closed, listening } from "../../stub/Listening.ts"

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
  const baseUrl = `http://127.0.0.1:${await listening(server)}`
  return { baseUrl, requests, close: () => closed(server) }
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
  return {
    baseUrl: `http://127.0.0.1:${await listening(server)}`,
    requests: [],
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
