import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"

import type { RoomSocket } from "../../trial/RoomSocket.ts"

export const floodBytes = 64 * 1024

/** More than the kernels of both sides hold for a connection, and the budget. */
export const muchBytes = 24 * 1024 * 1024

/** The room says so much to all of its clients, a MiB at a time. */
export const flood = async (reader: RoomSocket, bytes: number): Promise<void> => {
  for (let left = Math.floor(bytes / floodBytes); left > 0; left -= 16) {
    await reader.call("flood", { bytes: floodBytes, count: Math.min(left, 16) })
  }
}

const here: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"])

/**
 * Bytes that end a client that does not read, if its outbound budget is `budgetBytes`. The kernel buffers
 * more beside the budget: on this machine twice the measured amount, as a proxy may stand between.
 */
export const fatalBytes = async (baseUrl: string, budgetBytes: number): Promise<number> => {
  if (!here.has(new URL(baseUrl).hostname)) return muchBytes
  return budgetBytes + 2 * (await kernelBytes()) + 2 * 1024 * 1024
}

/** Bytes that the kernel buffers for a sender whose reader has stopped. */
const kernelBytes = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  // A server on a port has an address, and no path.
  const { port } = server.address() as AddressInfo
  const reader = connect(port, "127.0.0.1").pause()
  const [sender] = await once(server, "connection")
  try {
    const block = Buffer.alloc(floodBytes)
    let sent = 0
    while (sender.writableLength < 16 * floodBytes && sent < muchBytes) {
      sender.write(block)
      sent += floodBytes
      await new Promise((resolve) => setImmediate(resolve))
    }
    return sent - sender.writableLength
  } finally {
    sender.destroy()
    reader.destroy()
    server.close()
  }
}
