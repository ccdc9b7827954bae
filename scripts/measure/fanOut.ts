import { pack } from "msgpackr"
import { WebSocket } from "ws"

import { cpuSecondsOf } from "./cpu.ts"

/** Where a load goes, and how its clients get in. */
export interface Target {
  readonly name: string
  readonly pid: number
  readonly url: string
  readonly greeting: Buffer | null
  /** The frame that the server passes on to everybody, without its time stamp. */
  frame(sentAtUs: number): Buffer
  /** Reads the stamp of a frame that came back; `null` for every other frame. */
  stampOf(data: Buffer): number | null
}

export interface FanOut {
  readonly deliveriesPerCpuSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly deliveries: number
}

const nowUs = (): number => Math.round(performance.now() * 1000)

const connect = (target: Target, heard: (sentAtUs: number) => void): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(target.url, target.greeting === null ? [] : ["rooms.v1"])
    socket.on("error", reject)
    socket.on("open", () => {
      if (target.greeting === null) resolve(socket)
      else socket.send(target.greeting)
    })
    socket.on("message", (data: Buffer) => {
      // The welcome is the first frame; 16 is its type.
      if (data[1] === 16) return resolve(socket)
      const stamp = target.stampOf(data)
      if (stamp !== null) heard(stamp)
    })
  })

/** Clients of one room, each of which sends at a steady rate to all of them, for some seconds. */
export const fanOut = async (
  target: Target,
  load: { readonly clients: number; readonly perSecond: number; readonly seconds: number }
): Promise<FanOut> => {
  const latencies: Array<number> = []
  const heard = (sentAtUs: number): void => {
    latencies.push(nowUs() - sentAtUs)
  }
  const sockets: Array<WebSocket> = []
  for (let index = 0; index < load.clients; index++) sockets.push(await connect(target, heard))
  const cpuBefore = cpuSecondsOf(target.pid)
  const everyMs = 1000 / load.perSecond
  const rounds = load.perSecond * load.seconds
  const startedAt = performance.now()
  for (let round = 0; round < rounds; round++) {
    for (const socket of sockets) socket.send(target.frame(nowUs()))
    const waitMs = startedAt + (round + 1) * everyMs - performance.now()
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)))
  }
  const expected = rounds * load.clients * load.clients
  const deadline = performance.now() + 5_000
  while (latencies.length < expected && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const cpuSeconds = cpuSecondsOf(target.pid) - cpuBefore
  for (const socket of sockets) socket.close(1000)
  latencies.sort((one, other) => one - other)
  const at = (share: number): number =>
    (latencies[Math.floor(latencies.length * share)] ?? 0) / 1000
  return {
    deliveries: latencies.length,
    deliveriesPerCpuSecond: Math.round(latencies.length / cpuSeconds),
    p50Ms: at(0.5),
    p99Ms: at(0.99)
  }
}

/** Frames of the plain reference: eight bytes of stamp and as many of payload as a game message. */
export const plainFrame = (sentAtUs: number): Buffer => {
  const frame = Buffer.alloc(64)
  frame.writeDoubleLE(sentAtUs)
  return frame
}

/** The same for the service: the message `say` of the room type `echo`, a record of one bytes field. */
export const echoFrame = (sentAtUs: number): Buffer => {
  const record = Buffer.alloc(65)
  record[0] = 64
  record.writeDoubleLE(sentAtUs, 1)
  return pack([2, 0, record])
}
