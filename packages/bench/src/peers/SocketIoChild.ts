import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"

import { encodeDelta, encodeFull, HandState, tickEveryMs } from "@atrium/api/testing/load/HandState"

// socket.io with its own settings. It has no state of its own: the state of W2 and W3 is written by hand, as
// the reference does. The first argument is the folder where it is installed.

process.env["NODE_ENV"] = "production"
const load = createRequire(join(process.argv[2] ?? "", "package.json"))

// It is installed at run time. These are the parts of it that are used here.
interface Socket {
  readonly handshake: { readonly auth: { readonly kind: string; readonly room: string } }
  join(room: string): void
  to(room: string): { emit(event: string, bytes: Buffer): void }
  emit(event: string, bytes: Buffer): void
  on(event: string, handler: (bytes: Buffer) => void): void
}
interface Io {
  on(event: "connection", handler: (socket: Socket) => void): void
  to(room: string): { emit(event: string, bytes: Buffer): void }
  readonly sockets: { readonly adapter: { readonly rooms: ReadonlyMap<string, unknown> } }
}
const parts: { readonly Server: new (http: object, options: object) => Io } = load("socket.io")

const http = createServer()
const io = new parts.Server(http, { transports: ["websocket"], serveClient: false })

const atRest = new HandState()
const ticking = new Map<string, NodeJS.Timeout>()

const tick = (room: string): void => {
  if (ticking.has(room)) return
  const state = new HandState()
  const timer = setInterval(() => {
    if (!io.sockets.adapter.rooms.has(room)) {
      clearInterval(timer)
      ticking.delete(room)
      return
    }
    state.move()
    io.to(room).emit("state", encodeDelta(state))
  }, tickEveryMs)
  ticking.set(room, timer)
}

io.on("connection", (socket) => {
  const { kind, room } = socket.handshake.auth
  socket.join(room)
  if (kind === "state") tick(room)
  if (kind === "hall") socket.emit("state", encodeFull(atRest))
  if (kind === "relay") socket.on("say", (bytes) => socket.to(room).emit("say", bytes))
})

http.listen(0, "127.0.0.1", () => {
  const address = http.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`)
})

// The bench holds the other end: when it is gone, so is this.
process.stdin.on("end", () => process.exit()).resume()
