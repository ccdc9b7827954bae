import { createSocket, type Socket as UdpSocket, type SocketOptions } from "node:dgram"
import { once } from "node:events"
import { createServer, isIP, isIPv6, type Server, type Socket as TcpSocket } from "node:net"

import { VoiceMediaLimits } from "@atrium/domain/voice/VoiceMediaLimits"

import type { Path } from "./LiteIce.ts"

/** Hears what comes to a port. */
export interface PortOwner {
  /** @returns whether the path is proven: a connection that is not is closed after a while */
  received(data: Buffer, path: Path): boolean
  gone(key: string): void
}

/** One port of UDP and of TCP (RFC 6544, passive), for one participant. */
export interface MediaPort {
  readonly number: number
  /** Resolves when the port is free. */
  close(): Promise<void>
}

/** @returns `null` = another program has the port */
export const openPort = async (
  host: string,
  number: number,
  owner: PortOwner
): Promise<MediaPort | null> => {
  const udp = createSocket({ type: isIPv6(host) ? "udp6" : "udp4", lookup: noNames })
  const tcp = createServer({ noDelay: true })
  const connections = new Connections(tcp, owner)
  udp.on("message", (data, { address, port }) => {
    const path: Path = {
      key: `${address} ${port}`,
      address,
      port,
      send: (bytes) => udp.send(bytes, port, address)
    }
    owner.received(data, path)
  })
  const close = async (): Promise<void> => {
    connections.end()
    await Promise.all([closed(udp), closed(tcp)])
  }
  try {
    await Promise.all([
      listening(udp, () => udp.bind({ address: host, port: number, exclusive: true })),
      listening(tcp, () => tcp.listen({ host, port: number, exclusive: true }))
    ])
  } catch {
    await close()
    return null
  }
  // A message that could not be sent is lost, as on the way.
  udp.on("error", () => undefined)
  return { number, close }
}

/** Addresses alone: no name is ever resolved. */
const noNames: SocketOptions["lookup"] = (address, _options, found) => {
  const family = isIP(address)
  const error = family === 0 ? new Error(`${address} is no address`) : null
  found(error, address, family)
}

const listening = async (socket: UdpSocket | Server, begin: () => void): Promise<void> => {
  const began = once(socket, "listening")
  begin()
  await began
}

const closed = (socket: UdpSocket | Server): Promise<void> =>
  new Promise((resolve) => {
    try {
      socket.close(() => resolve())
    } catch {
      // It never listened.
      resolve()
    }
  })

const headBytes = 2

/** The TCP connections to a port. A frame is its length as two bytes, then the packet (RFC 4571). */
class Connections {
  readonly #owner: PortOwner
  readonly #open = new Set<TcpSocket>()
  #numbered = 0

  constructor(server: Server, owner: PortOwner) {
    this.#owner = owner
    server.maxConnections = VoiceMediaLimits.voiceTcpConnections.max
    server.on("connection", (socket) => this.#came(socket))
    server.on("error", () => undefined)
  }

  end(): void {
    for (const socket of this.#open) socket.destroy()
  }

  #came(socket: TcpSocket): void {
    const { remoteAddress: address, remotePort: port } = socket
    socket.on("error", () => undefined)
    if (address === undefined || port === undefined) return void socket.destroy()
    const path: Path = {
      key: `tcp ${++this.#numbered}`,
      address: address.replace(/^::ffff:/, ""),
      port,
      send: (bytes) => sendFrame(socket, bytes)
    }
    this.#open.add(socket)
    let isProven = false
    const timer = setTimeout(() => {
      if (!isProven) socket.destroy()
    }, VoiceMediaLimits.voiceTcpCheck.ms)
    let held: Buffer = Buffer.alloc(0)
    socket.on("data", (chunk: Buffer) => {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      for (;;) {
        if (held.length < headBytes) return
        const end = headBytes + held.readUInt16BE(0)
        if (end > headBytes + VoiceMediaLimits.voiceDatagramBytes.max) return void socket.destroy()
        if (held.length < end) return
        isProven = this.#owner.received(held.subarray(headBytes, end), path) || isProven
        held = held.subarray(end)
      }
    })
    socket.on("close", () => {
      clearTimeout(timer)
      this.#open.delete(socket)
      this.#owner.gone(path.key)
    })
  }
}

const sendFrame = (socket: TcpSocket, bytes: Buffer): void => {
  if (socket.writableLength > VoiceMediaLimits.voiceTcpBacklog.max || !socket.writable) return
  const head = Buffer.allocUnsafe(headBytes)
  head.writeUInt16BE(bytes.length, 0)
  socket.write(Buffer.concat([head, bytes]))
}
