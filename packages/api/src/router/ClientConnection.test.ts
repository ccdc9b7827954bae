import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { describe, expect, test } from "vitest"

import { makeConnection } from "../testing/ConnectionUnderTest.ts"
import { Backlogs } from "./Backlogs.ts"

const KiB = 1024
const MiB = 1024 * KiB

test("[metrics.egressBytes] [metrics.ingressBytes] every frame of a seated client is counted, its welcome and pongs too", async () => {
  const { enter, receive, gate, written } = makeConnection()
  enter(1000)
  const welcomeBytes = (await written()).length - 4
  expect(welcomeBytes).toBeGreaterThan(1000)
  expect(gate.egressBytes).toBe(welcomeBytes)
  const ping = packValue([ClientFrame.ping, 7])
  receive(ping)
  expect([gate.ingressBytes, gate.egressBytes]).toEqual([ping.length, welcomeBytes + ping.length])
})

describe("a client that reads too slowly", () => {
  test("[limits.outbound.player] [state.socket.slow-consumer] may have 4 MiB waiting; a byte more closes with 1008", () => {
    const { connection, socket, enter } = makeConnection()
    enter()
    // The welcome's own bytes come on top of the budget while it is on its way.
    expect(connection.write(new Uint8Array(4 * MiB - 64 * KiB))).toBe(true)
    expect(socket.closes).toEqual([])
    expect(connection.write(new Uint8Array(128 * KiB))).toBe(false)
    expect(socket.closes).toEqual([[1008, "E_SLOW_CONSUMER"]])
    connection.write(new Uint8Array(1))
    expect(socket.closes).toHaveLength(1)
  })

  test("[limits.outbound.welcome-extra] a large welcome that is still on its way does not count", () => {
    const { connection, socket, enter } = makeConnection()
    enter(10 * MiB)
    connection.write(new Uint8Array(4 * MiB - 64 * KiB))
    expect(socket.closes).toEqual([])
    connection.write(new Uint8Array(128 * KiB))
    expect(socket.closes).toEqual([[1008, "E_SLOW_CONSUMER"]])
  })
})

describe("bytes that wait for all clients together", () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test("[C-134] over the bound those with the most are closed, and cut off a moment later", async () => {
    const backlogs = new Backlogs(4 * MiB)
    const clients = [1, 2, 3].map((mib) => {
      const client = makeConnection(backlogs)
      client.enter()
      client.connection.write(new Uint8Array(mib * MiB - 64 * KiB))
      return client
    })
    const [one, two, three] = clients
    await turn()
    // Nobody takes what was written, so that now each has a backlog.
    for (const client of clients) client.connection.write(new Uint8Array(1))
    expect(clients.map(({ socket }) => socket.closes)).toEqual([
      [],
      [],
      [[1008, "E_SLOW_CONSUMER"]]
    ])
    expect(three?.socket.terminated).toBe(false)
    for (const act of three?.later ?? []) act()
    expect(three?.socket.terminated).toBe(true)
    expect([one?.later, two?.later]).toEqual([[], []])
  })

  test("[C-134] closes a client that asks for pongs and does not read them", async () => {
    const { enter, receive, socket } = makeConnection()
    enter()
    const ping = packValue([ClientFrame.ping, new Uint8Array(512 * KiB)])
    for (let n = 0; n < 8; n++) receive(ping)
    expect(socket.closes).toEqual([[1008, "E_SLOW_CONSUMER"]])
  })
})

describe("a viewer", () => {
  test("[C-318] that reads stays, however much comes for it in one turn", () => {
    const { connection, socket, stream, enter } = makeConnection()
    stream.takes = true
    enter(0, true)
    for (let n = 0; n < 16; n++) expect(connection.write(new Uint8Array(64 * KiB))).toBe(true)
    expect(socket.closes).toEqual([])
    stream.takes = false
    for (let n = 0; n < 5; n++) connection.write(new Uint8Array(64 * KiB))
    expect(socket.closes).toEqual([[1008, "E_SLOW_CONSUMER"]])
  })

  test("[limits.outbound.viewer] may have 256 KiB waiting, beside its welcome; a byte more closes with 1008", () => {
    for (const stateBytes of [0, MiB]) {
      const { connection, socket, enter } = makeConnection()
      enter(stateBytes, true)
      connection.write(new Uint8Array(255 * KiB))
      expect(socket.closes).toEqual([])
      connection.write(new Uint8Array(2 * KiB))
      expect(socket.closes).toEqual([[1008, "E_SLOW_CONSUMER"]])
    }
  })

  test.each([true, false])(
    "[D-24] is told by its welcome that it only watches: %s",
    async (viewer) => {
      const { enter, sent } = makeConnection()
      enter(0, viewer)
      const [welcome] = await sent()
      expect([welcome?.[0], welcome?.[6]]).toEqual([ServerFrame.welcome, viewer])
    }
  )
})

describe("a client that sends too much", () => {
  const message = packValue([ClientFrame.msg, 0, null])

  test("[limits.frames.burst] 480 frames at once pass, the next is dropped, told once", async () => {
    const { enter, receive, heard, sent, socket } = makeConnection()
    enter()
    // The hello was none of them: it comes before the room.
    for (let frame = 0; frame < 485; frame++) receive(message)
    expect(heard).toHaveLength(480)
    const errors = (await sent()).filter(([type]) => type === ServerFrame.error)
    expect(errors.map(([, code]) => code)).toEqual(["E_RATE_LIMITED"])
    expect(socket.closes).toEqual([])
  })

  test("[C-160] does not read a connection for a second after 240 dropped frames in a row, and reads it after 239", () => {
    const { enter, receive, socket, later, waitsMs } = makeConnection()
    enter()
    for (let frame = 0; frame < 480 + 239; frame++) receive(message)
    expect(socket.paused).toBe(false)
    receive(message)
    expect([socket.paused, ...waitsMs]).toEqual([true, 1000])
    for (const act of later) act()
    expect(socket.paused).toBe(false)
  })
  test("[limits.frames.rate] 240 frames a second go on passing, and an episode ends", async () => {
    const { enter, receive, heard, sent, advance } = makeConnection()
    enter()
    for (let frame = 0; frame < 481; frame++) receive(message)
    for (let second = 1; second <= 3; second++) {
      advance(1000)
      for (let frame = 0; frame < 241; frame++) receive(message)
      expect(heard).toHaveLength(480 + 240 * second)
    }
    const errors = (await sent()).filter(([type]) => type === ServerFrame.error)
    expect(errors).toHaveLength(4)
  })
})

describe("a hello", () => {
  const helloOf = (bytes: number): Uint8Array => {
    const head = packValue([ClientFrame.hello, "x".repeat(1000)]).length - 1000
    // Texts of this length have two more bytes of head than one of 1,000 characters has at most.
    const frame = packValue([ClientFrame.hello, "x".repeat(bytes - head)])
    return packValue([ClientFrame.hello, "x".repeat(bytes - head - (frame.length - bytes))])
  }

  test("[limits.helloBytes] of 64 KiB is read, of one byte more is refused", () => {
    const atLimit = helloOf(64 * KiB)
    expect(atLimit).toHaveLength(64 * KiB)
    const one = makeConnection()
    one.receive(atLimit)
    expect([one.hellos.length, one.socket.closes]).toEqual([1, []])
    const other = makeConnection()
    other.receive(helloOf(64 * KiB + 1))
    expect([other.hellos.length, other.socket.closes]).toEqual([0, [[1003, "E_BAD_FRAME"]]])
  })

  test("[D-24] nothing else may come before the welcome", () => {
    const { receive, socket } = makeConnection()
    receive(packValue([ClientFrame.hello, "token"]))
    receive(packValue([ClientFrame.ping]))
    expect(socket.closes).toEqual([[1003, "E_BAD_FRAME"]])
  })
})

describe("a message that never becomes whole", () => {
  const longest = ConnectionLimits.helloBytes.max + 14

  test("[C-188] before the welcome 64 KiB of it may come; more is E_BAD_FRAME, 1003, and the end", async () => {
    const { connection, socket, later, comes, sent } = makeConnection()
    comes(longest)
    comes(1)
    expect([socket.closes, connection.unfinishedBytes]).toEqual([
      [],
      longest + 1 + 2 * ConnectionLimits.chunkBytes.max
    ])
    comes(1)
    expect(socket.closes).toEqual([[1003, "E_BAD_FRAME"]])
    expect(await sent()).toEqual([
      [ServerFrame.error, "E_BAD_FRAME", "a message over 64 KiB before the welcome"]
    ])
    comes(64 * KiB)
    expect([socket.closes.length, socket.terminated]).toEqual([1, false])
    for (const act of later) act()
    expect(socket.terminated).toBe(true)
  })

  test("[C-188] after the welcome it may be as long as a frame", () => {
    const { socket, enter, comes, receive, heard } = makeConnection()
    enter()
    comes(longest)
    for (let at = 0; at < 31; at++) comes(64 * KiB)
    expect(socket.closes).toEqual([])
    receive(packValue([ClientFrame.msg, 0, new Uint8Array(900 * KiB)]))
    expect([socket.closes, heard.length]).toEqual([[], 1])
  })

  test("[C-187] closes the connection that holds the most with 4424, and cuts it off a second later, or at once the next time", () => {
    const { connection, socket, later, enter, comes } = makeConnection()
    enter()
    comes(64 * KiB)
    connection.holdsMost()
    expect(socket.closes).toEqual([[4424, "E_UNFINISHED"]])
    expect([socket.terminated, later.length]).toEqual([false, 1])
    connection.holdsMost()
    expect([socket.terminated, socket.closes.length]).toEqual([true, 1])
  })
})
