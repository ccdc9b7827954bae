import { type WebSocket, WebSocketServer } from "ws"

// The reference: the least that a server of one process does for each workload with plain `ws`, one
// send for each receiver. The path of a socket says what it takes part in: /relay/a, /state/a, /join/a.

const bodies = 200
const fieldsPerBody = 4
const tickEveryMs = 50

interface Room {
  readonly clients: Set<WebSocket>
  readonly values: Float32Array
  tick: number
  timer: NodeJS.Timeout | null
}

const rooms = new Map<string, Room>()

const roomAt = (path: string): Room => {
  const known = rooms.get(path)
  if (known !== undefined) return known
  const values = new Float32Array(bodies * fieldsPerBody)
  const made: Room = { clients: new Set(), values, tick: 0, timer: null }
  rooms.set(path, made)
  return made
}

/** What a state costs by hand: tick and count, then per body its number and four float32. */
const encodeFull = ({ tick, values }: Room): Buffer => {
  const bytes = Buffer.allocUnsafe(8 + bodies * 18)
  bytes.writeUInt32LE(tick, 0)
  bytes.writeUInt32LE(bodies, 4)
  let at = 8
  for (let body = 0; body < bodies; body++) {
    at = bytes.writeUInt16LE(body, at)
    at = writeBody(bytes, at, values.subarray(body * fieldsPerBody))
  }
  return bytes
}

/** The same with a mask of what changed for each body: 3,808 bytes. */
const encodeDelta = ({ tick, values }: Room): Buffer => {
  const bytes = Buffer.allocUnsafe(8 + bodies * 19)
  bytes.writeUInt32LE(tick, 0)
  bytes.writeUInt32LE(bodies, 4)
  let at = 8
  for (let body = 0; body < bodies; body++) {
    at = bytes.writeUInt16LE(body, at)
    at = bytes.writeUInt8(0x0f, at)
    at = writeBody(bytes, at, values.subarray(body * fieldsPerBody))
  }
  return bytes
}

const writeBody = (bytes: Buffer, from: number, values: Float32Array): number => {
  let at = from
  for (let field = 0; field < fieldsPerBody; field++) {
    at = bytes.writeFloatLE(values[field] ?? 0, at)
  }
  return at
}

const tick = (room: Room): void => {
  room.tick++
  for (let at = 0; at < room.values.length; at++) room.values[at] = (room.values[at] ?? 0) + 0.25
  const delta = encodeDelta(room)
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
    if (path.startsWith("/join/")) return socket.send(encodeFull(room))
    for (const client of room.clients) if (client !== socket) client.send(data)
  })
})

// The bench holds the other end: when it is gone, so is this.
process.stdin.on("end", () => process.exit()).resume()
