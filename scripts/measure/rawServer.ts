import { type WebSocket, WebSocketServer } from "ws"

// The reference: what plain `ws` does when a frame of one client goes to all, one send each.
const clients = new Set<WebSocket>()
const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false }, () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`)
})
server.on("connection", (socket) => {
  clients.add(socket)
  socket.on("message", (data: Buffer) => {
    for (const client of clients) client.send(data)
  })
  socket.on("close", () => clients.delete(socket))
})
