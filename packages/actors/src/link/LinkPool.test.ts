import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"
import { PassThrough } from "node:stream"

import { LinkLimits } from "@atrium/domain/link/LinkLimits"
import { until } from "@atrium/domain/testing/Until"
import { packVoiceAsk, readVoiceTold } from "@atrium/wire/voice/VoiceFrames"
import { afterEach, describe, expect, test } from "vitest"

import { FlushTogether } from "../process/FlushTogether.ts"
import { frame, makeProcess, welcome } from "../rooms/testing/FakeGate.ts"
import type { ForwardAnswer } from "./EntryLink.ts"
import { LinkKind, LinkWriter } from "./LinkFrames.ts"
import { LinkSocket } from "./LinkSocket.ts"
import {
  type GateClient,
  forwardingOf,
  linkedGate,
  listening,
  makePool
} from "./testing/LinkedGates.ts"

const client = () => ({
  nextResumeHash: () => "",
  welcome: () => 0,
  refuse: () => undefined,
  write: () => true,
  close: () => undefined,
  holdBack: () => undefined,
  hold: () => undefined,
  moved: () => undefined
})

const ends: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A room over a link with welcomed clients. */
const linked = async (...names: ReadonlyArray<string>) => {
  const under = await linkedGate()
  ends.push(under.end)
  const { process, joins, told } = makeProcess()
  under.gate.attach(process)
  const clients: Array<GateClient> = []
  for (const name of names) {
    const entered = await under.enter(name)
    if (entered === null) throw new Error(`${name} is not let in`)
    under.gate.joined(joins.at(-1)?.ref ?? 0, welcome(`s-${name}`))
    clients.push(entered)
  }
  await under.settled()
  for (const { got } of clients) got.length = 0
  const [ann] = clients
  if (ann === undefined) throw new Error("nobody is in the room")
  return { ...under, ann, clients, told, process }
}

test("[C-425] a client of a room on a runner of the version before has no call", async () => {
  const under = await linkedGate({}, { oldest: 2, newest: 2 })
  ends.push(under.end)
  const { process, joins } = makeProcess()
  under.gate.attach(process)
  const ann = await under.enter("ann")
  if (ann === null) throw new Error("ann is not let in")
  under.gate.joined(joins.at(-1)?.ref ?? 0, welcome("s-ann"))
  await under.settled()
  ann.got.length = 0
  ann.seat.voice(ann.ref, packVoiceAsk({ _tag: "leave" }))
  await under.settled()
  const frames = ann.got.flatMap(([what, frame]) =>
    what === "frame" && frame instanceof Uint8Array ? [readVoiceTold(frame)] : []
  )
  expect(ann.got).toHaveLength(1)
  expect(frames).toMatchObject([{ _tag: "refused", code: "E_VOICE_OFF" }])
  // The room's runner, which would end the link for an unknown frame, got none.
  expect(under.owner.lost).toEqual([])
})

const serving = async () => {
  const runner = makePool()
  const listener = await listening(runner.pool)
  ends.push(listener.close)
  return { ...runner, ...listener }
}

describe("who may open a link", () => {
  test("[C-411] a runner with another master key gets no link, and its client an answer", async () => {
    const owner = await serving()
    const stranger = makePool({ key: Buffer.alloc(32, 2) })
    const answer = await new Promise<ForwardAnswer>((answered) => {
      const forwarding = forwardingOf("ann", { client: client(), answered })
      stranger.pool.forward(owner.address, forwarding)
    })
    expect(answer).toEqual({ _tag: "Lost", why: "the peer has another master key" })
    await until("the owner has heard of it", () => owner.lost.length === 1)
    expect([owner.pool.figures().open, owner.pool.figures().refused]).toEqual([0, 1])
    expect(stranger.lost).toEqual([
      { address: owner.address, proven: false, why: "the peer has another master key" }
    ])
  })

  test.each([
    ["a request of HTTP", Buffer.from("GET / HTTP/1.1\r\nhost: a\r\n\r\n")],
    ["a frame of no length", Buffer.alloc(9)],
    ["a frame of four GiB", Buffer.from([0xff, 0xff, 0xff, 0xff, LinkKind.hello])],
    [
      "a frame that says that it is of 16 MiB",
      Buffer.concat([Buffer.from([0, 0, 0, 1, LinkKind.hello]), Buffer.alloc(2000)])
    ],
    ["a client's data before the proof", framesOf(LinkKind.data, Buffer.alloc(4))],
    ["a proof before the hello", framesOf(LinkKind.proof, Buffer.alloc(32))]
  ])("[C-411] %s is cut off", async (_what, bytes) => {
    const owner = await serving()
    const socket = connect({ port: owner.port, host: "127.0.0.1" })
    const closed = closedOf(socket)
    socket.on("error", () => undefined).resume()
    socket.write(bytes)
    await closed
    await until("the link is gone", () => owner.pool.figures().refused === 1)
  })

  test("[C-411] a connection that proves nothing is cut off after three looks, even if it sends bytes", async () => {
    const owner = await serving()
    const socket = await silent(owner.port)
    const closed = closedOf(socket)
    await until("it has come", () => owner.streams.length === 1)
    owner.pool.look()
    socket.write(Buffer.from([1]))
    owner.pool.look()
    expect(owner.pool.figures().refused).toBe(0)
    owner.pool.look()
    expect(owner.pool.figures().refused).toBe(1)
    await closed
  })

  test("[C-411] of connections that prove nothing so many are kept, and not one more", async () => {
    const owner = await serving()
    const { max } = LinkLimits.linkUnproven
    const kept = await Promise.all(Array.from({ length: max }, () => silent(owner.port)))
    await until("all have come", () => owner.streams.length === max)
    const over = await silent(owner.port)
    await closedOf(over)
    expect(kept.filter(({ destroyed }) => destroyed)).toEqual([])
    for (const socket of kept) socket.destroy()
  })
})

describe("a link that is lost", () => {
  test("[C-413] clients get 1012, and their rooms hear of lost connections", async () => {
    const { ann, gate, told, listener, entry, settled: _settled } = await linked("ann", "bob")
    for (const stream of listener.streams) stream.destroy()
    await until("the client is closed", () => ann.got.length === 1)
    expect(ann.got).toEqual([["close", 1012, "the room's runner is out of reach"]])
    await until("the room is empty", () => gate.connections === 0)
    expect(told.slice(2).map(([what]) => what)).toEqual(["drop", "drop"])
    expect([entry.pool.figures().lost, entry.pool.figures().forwarded]).toEqual([1, 0])
    // The connection may still send frames for the lost seat: they are ignored.
    ann.seat.data(ann.ref, frame(1))
    ann.seat.exit(ann.ref, true)
  })

  test("[C-413] is noticed after three looks without a sign of life, and not one before", async () => {
    const { ann, entry, owner } = await linked("ann")
    for (let beat = 0; beat < 5; beat++) {
      const { framesIn } = entry.pool.figures()
      owner.pool.look()
      await until("the sign of life has come", () => entry.pool.figures().framesIn > framesIn)
      entry.pool.look()
    }
    // One look finds what came before it.
    entry.pool.look()
    entry.pool.look()
    expect(ann.got).toEqual([])
    entry.pool.look()
    expect(ann.got).toEqual([["close", 1012, "the room's runner is out of reach"]])
  })

  test("[C-413] the next client opens a new one", async () => {
    const { enter, listener, ann, entry } = await linked("ann")
    for (const stream of listener.streams) stream.destroy()
    await until("the client is closed", () => ann.got.length === 1)
    const bob = await enter("bob")
    expect(bob).not.toBe(null)
    expect([entry.pool.figures().open, entry.pool.figures().lost]).toEqual([1, 1])
  })

  test("[C-413] a runner that is not there answers at once", async () => {
    const gone = await serving()
    await gone.close()
    ends.length = 0
    const entry = makePool()
    const answer = await new Promise<ForwardAnswer>((answered) => {
      entry.pool.forward(gone.address, forwardingOf("ann", { client: client(), answered }))
    })
    expect(answer).toEqual({ _tag: "Lost", why: expect.stringContaining("ECONNREFUSED") })
    expect(entry.pool.figures().lost).toBe(0)
  })

  test("[C-413] a runner that stands still keeps nobody waiting: three looks, then its clients hear", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    ends.push(async () => void server.close())
    const entry = makePool()
    const answers: Array<ForwardAnswer> = []
    const answered = (answer: ForwardAnswer): void => void answers.push(answer)
    entry.pool.forward(addressOf(server), forwardingOf("ann", { client: client(), answered }))
    entry.pool.look()
    entry.pool.look()
    expect(answers).toEqual([])
    entry.pool.look()
    expect(answers).toEqual([{ _tag: "Lost", why: "no proof of the key came" }])
  })
})

describe("what is on its way", () => {
  test("[C-414] a client whose credit is used up is closed as a slow one; others and the link go on", async () => {
    const { gate, ann, clients, settled, entry } = await linked("ann", "bob")
    const [, bob] = clients
    // Its own runner takes frames and does not say so: it stands still.
    const half = new Uint8Array(LinkLimits.linkCreditBytes.max / 2)
    gate.deliver("all", half)
    gate.deliver("all", new Uint8Array(half))
    expect(gate.connections).toBe(2)
    gate.deliver([1], frame(1))
    expect(gate.connections).toBe(1)
    await settled()
    expect(ann.got.map(([what, code]) => [what, what === "close" ? code : 0])).toEqual([
      ["frame", 0],
      ["frame", 0],
      ["close", 1008]
    ])
    // What came is counted, and gives bob his credit back.
    await settled()
    gate.deliver("all", frame(2))
    await settled()
    expect(bob?.got.at(-1)).toEqual(["frame", Buffer.from([2])])
    expect(entry.pool.figures().open).toBe(1)
  })

  test("[C-415] what a client took is told at 64 KiB, and not one byte before", async () => {
    const { gate, ann, settled } = await linked("ann")
    await settled()
    const before = gate.egressBytes
    const { max } = LinkLimits.linkCountBytes
    gate.deliver("all", new Uint8Array(max - 1))
    await until("it has come", () => ann.got.length === 1)
    ann.seat.data(ann.ref, frame(1))
    await until("what was sent later has come", () => gate.ingressBytes === 1)
    expect(gate.egressBytes).toBe(before)
    gate.deliver("all", frame(2))
    await until("it is told", () => gate.egressBytes === before + max)
  })

  test("[C-413] a link of a peer that takes nothing is lost past its backlog, and not at it", () => {
    const ended: Array<string> = []
    const stream = new PassThrough()
    const { max } = LinkLimits.linkBacklogBytes
    let backlog = max
    Object.defineProperty(stream, "writableLength", { get: () => backlog })
    const socket = new LinkSocket(stream, new FlushTogether(() => 0), {
      handshake: () => 1,
      frame: () => undefined,
      ended: (why) => void ended.push(why)
    })
    stream.emit("data", framesOf(LinkKind.proof, new Uint8Array(0)))
    socket.send(LinkKind.beat, 0)
    socket.flush()
    expect(ended).toEqual([])
    backlog++
    socket.send(LinkKind.beat, 0)
    socket.flush()
    expect(ended).toEqual(["the peer takes too little"])
  })

  test("[C-414] one frame is always on its way, however long", async () => {
    const { gate, ann, settled } = await linked("ann")
    gate.deliver("all", new Uint8Array(LinkLimits.linkCreditBytes.max + 1))
    await settled()
    expect(ann.got.map(([what]) => what)).toEqual(["frame"])
    expect(gate.connections).toBe(1)
  })

  test("[C-414] a client that sends faster than the link takes is held back, and nothing is lost", async () => {
    const { ann, told, listener, settled } = await linked("ann")
    const sent = new Uint8Array(2 ** 20)
    for (const stream of listener.streams) stream.pause()
    const fits = LinkLimits.linkCongestedBytes.max / 2 ** 20 - 1
    for (let at = 0; at < fits; at++) ann.seat.data(ann.ref, sent)
    expect(ann.held.times).toBe(0)
    ann.seat.data(ann.ref, sent)
    expect(ann.held.times).toBe(1)
    for (const stream of listener.streams) stream.resume()
    await settled()
    expect(told.filter(([what]) => what === "data")).toHaveLength(fits + 1)
  })

  test("[C-414] a frame or a chat line longer than a client's own ends the link", async () => {
    const one = await linked("ann")
    one.ann.seat.data(one.ann.ref, new Uint8Array(2 ** 20 + 1))
    await until("the link is lost", () => one.owner.lost.length === 1)
    expect(one.owner.lost[0]?.why).toBe("no client sends so long a frame")
    const other = await linked("ann")
    other.ann.seat.chat(other.ann.ref, "x".repeat(513))
    await until("the link is lost", () => other.owner.lost.length === 1)
    expect(other.owner.lost[0]?.why).toBe("no chat line is so long")
  })

  test("[C-446] the room's runner knows forwarded clients that nobody serves, and sends them on", async () => {
    const { gate, ann, owner, process, settled } = await linked("ann")
    expect(owner.pool.reached().map(({ served }) => served)).toEqual([true])
    gate.detach(process, 0)
    const [reached] = owner.pool.reached()
    expect(reached?.served).toBe(false)
    reached?.orphaned()
    await settled()
    expect(ann.got.map(([what, code]) => [what, code])).toEqual([["close", 1012]])
    expect(gate.connections).toBe(0)
    expect(owner.pool.reached()).toEqual([])
  })

  test("[C-413] a runner that ends sends its last frames first", async () => {
    const { gate, ann, owner } = await linked("ann")
    gate.closeAll({ code: 1012, reason: "restarting" })
    await owner.pool.end(new AbortController().signal)
    await until("the client is closed", () => ann.got.length > 0)
    expect(ann.got).toEqual([["close", 1012, "restarting"]])
  })
})

describe("whether a room was entered", () => {
  const asking = async (keeps: boolean) => {
    const under = await linkedGate()
    ends.push(under.end)
    const { process, joins } = makeProcess()
    under.gate.attach(process)
    const told: Array<boolean> = []
    const answers: Array<ForwardAnswer> = []
    const seat = under.entry.pool.forward(under.listener.address, {
      ...forwardingOf("ann", {
        client: client(),
        answered: (answer) => void answers.push(answer)
      }),
      settled: (entered) => void told.push(entered)
    })
    await until("an answer", () => answers.length === 1)
    if (!keeps) seat.exit(seat.ref, false)
    return { ...under, joins, told, answers }
  }

  test("[C-224] is told when the room lets the client in", async () => {
    const { gate, joins, told } = await asking(true)
    expect(told).toEqual([])
    gate.joined(joins[0]?.ref ?? 0, welcome("s-ann"))
    await until("it is told", () => told.length === 1)
    expect(told).toEqual([true])
  })

  test("[C-224] is told when the room ends, also to a client that has left", async () => {
    const { gate, told } = await asking(false)
    gate.settle(false)
    await until("it is told", () => told.length === 1)
    expect(told).toEqual([false])
  })

  test("[C-224] counts as entered when the link is lost", async () => {
    const { told, listener } = await asking(true)
    for (const stream of listener.streams) stream.destroy()
    await until("it is told", () => told.length === 1)
    expect(told).toEqual([true])
  })
})

const silent = async (port: number): Promise<Socket> => {
  const socket = connect({ port, host: "127.0.0.1" })
  socket.on("error", () => undefined).resume()
  await once(socket, "connect")
  return socket
}

/** A connection that is cut off may end in an error before it closes. */
const closedOf = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve()
    else socket.once("close", () => resolve())
  })

const addressOf = (server: Server): string => {
  const at = server.address()
  return `127.0.0.1:${typeof at === "object" ? at?.port : ""}`
}

function framesOf(kind: number, bytes: Uint8Array): Buffer {
  const writer = new LinkWriter()
  writer.frame(kind, 0, bytes)
  return writer.take()
}
