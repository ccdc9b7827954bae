import { createSocket } from "node:dgram"
import { once } from "node:events"

// A flood of RTP from nobody. Arguments: packets a second, milliseconds, ports. Says how many it has sent.

const [rate = "0", forMs = "0", ...ports] = process.argv.slice(2)
const socket = createSocket("udp4")
socket.bind(0, "127.0.0.1")
await once(socket, "listening")
// A closed port answers so.
socket.on("error", () => undefined)

/** 20 ms of opus, as SRTP has them. */
const packet = Buffer.alloc(92)
packet.set([0x80, 111])

const beganAtMs = performance.now()
let sent = 0
const timer = setInterval(() => {
  const elapsedMs = Math.min(performance.now() - beganAtMs, Number(forMs))
  const due = Math.floor((elapsedMs * Number(rate)) / 1000)
  for (; sent < due; sent++) {
    packet.writeUInt16BE(sent & 0xffff, 2)
    packet.writeUInt32BE(sent % 7, 8)
    socket.send(packet, Number(ports[sent % ports.length]), "127.0.0.1")
  }
  if (elapsedMs < Number(forMs)) return
  clearInterval(timer)
  process.send?.(sent, () => process.exit(0))
}, 2)
