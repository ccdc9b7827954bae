import { type WebSocket, WebSocketServer } from "ws"

import { encodeDelta, encodeFull, HandState, tickEveryMs } from "./HandState.ts"

// The reference: the least that a server of one process does for each workload with plain `ws`, one
// send for each receiver. The path of a socket says what it takes part in: /relay/a, /state/a, /join/a.

interface Room {
  readonly clients: Set<WebSocket>
  readonly state: HandState
  timer: NodeJS.Timeout | null
}

const rooms = new Map<string, Room>()

const roomAt = (path: string): Room => {
  const known = rooms.get(path)
  if (known !== undefined) return known
  const made: Room = { clients: new Set(), state: new HandState(), timer: null }
  rooms.set(path, made)
  return made
}

const tick = (room: Room): void => {
  room.state.move()
  const delta = encodeDelta(room.state)
  for (const client of room.clients) client.send(delta)
}

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false }, () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`)
})

server.on("connection", (socket, request) => {
  const path = request.url ?? "/"
  const room = roomAt(path)
  room.clients.add(socket)
  socket.on("error", () => undefined)
  socket.on("close", () => {
    room.clients.delete(socket)
    if (room.clients.size > 0) return
    clearInterval(room.timer ?? undefined)
    rooms.delete(path)
  })
  if (path.startsWith("/state/")) room.timer ??= setInterval(() => tick(room), tickEveryMs)
  socket.on("message", (data: Buffer) => {
    // A hello is answered with the state; everything else goes to the others.
    if (path.startsWith("/join/")) return socket.send(encodeFull(room.state))
    for (const client of room.clients) if (client !== socket) client.send(data)
  })
})

// The bench holds the other end: when it is gone, so is this.
process.stdin.on("end", () => process.exit()).resume()
