import { until } from "@atrium/domain/testing/Until"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { unpackValue } from "@atrium/wire/msgpack/MsgpackReader"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import type { RoomNeeds } from "./RoomNeeds.ts"
import type { RoomProcess, RoomStart } from "./RoomProcess.ts"
import type { RoomProcesses } from "./RoomProcesses.ts"
import { bundleOf, scriptOf, startOf, TestListener } from "./TestProcesses.ts"

const Source = `
import { defineRoom } from "@atrium/sdk/room"
import { callService } from "@atrium/sdk/runtime"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "arena",
  singletons: { score: { red: s.u16() } },
  messages: { add: { by: s.u16() }, run: { what: s.string(20) }, told: s.untyped() },
  player: { wins: s.u32() }
})

export const Arena = defineRoom(schema, {
  onAuth: (_, { options }) => (options === "no" ? "not today" : true),
  onDrop: (room, { playerId }) => room.log.info("drop", playerId),
  onLeave: (room, { playerId }) => room.log.info("leave", playerId),
  onAlarm: (room, name) => room.log.info("rang", name),
  onDispose: (room) => void (room.state.score.red += 100),
  onMessage: {
    add: (room, _, { by }) => void (room.state.score.red += by),
    run: (room, client, { what }) => {
      if (what === "throw") throw new Error("a bug")
      // Room code, on the room's own timers.
      if (what === "timer") setTimeout(() => { throw new Error("nobody catches this") }, 1)
      if (what === "console") console.warn("to the", { log: 1 })
      if (what === "kick") client.leave(4000, "out")
      if (what === "alarm") room.after("bell", 60_000)
      if (what === "lobby") room.lobby.setStarted(true)
      if (what === "win") client.player.wins++
      if (what === "call") return callService(room, "boards.add", { by: client.playerId }).then(
        (answer) => room.send(client, "told", answer),
        ({ code, message }) => room.send(client, "told", code + " " + message)
      )
      if (what === "save") return room.save().then(() => room.send(client, "told", "saved"))
    }
  }
})
`

/** Code of a bundle that sends bytes as they are. */
const sendRaw = (bytes: ReadonlyArray<number>): string =>
  `exports.connect = (port) => (port.send(new Uint8Array(${JSON.stringify(bytes)})), () => {})`

const lie = (json: string): string =>
  sendRaw([5 + json.length, 0, 0, 0, 33, json.length, 0, 0, 0, ...Buffer.from(json)])

/** Nothing but lines for the log. */
const flood = `exports.connect = (port) => {
  const more = () => { for (let i = 0; i < 1000; i++) console.log("x"); port.afterTurn(more) }
  more()
  return () => {}
}`

const record = (text: string): Uint8Array => new Uint8Array([text.length, ...Buffer.from(text)])
const run = (room: RoomProcess, what: string, ref = 1): void =>
  room.data(ref, packValue([2, 1, record(what)]))
const add = (room: RoomProcess, by: number, ref = 1): void =>
  room.data(ref, packValue([2, 0, new Uint8Array([by, 0])]))

interface Opened {
  readonly room: RoomProcess
  readonly heard: TestListener
}

/**
 * The behaviour of every layer of `RoomProcesses` and `RoomProcess`.
 * @param name of the layer, as the report shows it
 * @param needsOf the properties of a room by which its process is chosen
 */
export const roomProcessContract = (
  name: string,
  make: () => Promise<RoomProcesses>,
  needsOf: (start: RoomStart) => RoomNeeds = () => ({ memoryMiB: 64 })
): void =>
  void describe(`room processes ${name}`, () => {
    let bundle: Uint8Array
    let processes: RoomProcesses

    beforeAll(async () => {
      bundle = await bundleOf(Source)
      processes = await make()
    })

    afterAll(() => processes.close())

    const take = (start: RoomStart, from = processes): Opened => {
      const heard = new TestListener()
      const room = from.take(heard.listener, needsOf(start))
      room.start(start)
      return { room, heard }
    }

    const open = async (more: Partial<RoomStart> = {}, from = processes): Promise<Opened> => {
      const { room, heard } = take(startOf(bundle, more), from)
      await heard.got("ready")
      room.join(joinOf(1))
      await heard.got("joined")
      return { room, heard }
    }

    const line = (heard: TestListener, text: string): Promise<string> =>
      until(text, () => heard.lines.find((each) => each.startsWith(text)))

    const stop = async ({ room, heard }: Opened): Promise<void> => {
      room.kill("stopped")
      await heard.exit()
    }

    test("[D-14] starts, takes a client and its messages, and ends once", async () => {
      const { room, heard } = await open()
      add(room, 5)
      const [, to, frame] = await heard.got("deliver")
      expect([to, frame]).toEqual(["all", [17, 1, expect.any(Uint8Array)]])
      room.kill("stopped")
      room.kill("crashed")
      add(room, 1)
      room.join(joinOf(2))
      room.requestSnapshot(9, { final: true })
      expect(await heard.exit()).toMatchObject({ cause: "stopped" })
      const calls = heard.calls.map(([called]) => called)
      expect(calls.filter((called) => called === "exited")).toEqual(["exited"])
      expect(calls.at(-1)).toBe("exited")
      expect(calls).not.toContain("snapshot")
    })

    test("[C-378] tells the ticks that began a whole period late, or never ran", async () => {
      const code = await bundleOf(`
        import { defineRoom } from "@atrium/sdk/room"
        import { defineSchema } from "@atrium/sdk/schema"
        const schema = defineSchema({ type: "arena", tickHz: 20 })
        export const Arena = defineRoom(schema, {
          onTick: (room, { tick }) => {
            room.log.info("tick", tick)
            const busyUntilMs = performance.now() + (tick === 2 ? 500 : 0)
            while (performance.now() < busyUntilMs);
          }
        })`)
      const opened = take(startOf(code, { readsOverruns: true }))
      const [, ticks] = await opened.heard.got("ticksOverran")
      expect(ticks).toBeGreaterThanOrEqual(8)
      await stop(opened)
    })

    test("[D-48] comes back from its final snapshot, and nothing moves after that", async () => {
      const first = await open()
      add(first.room, 5)
      first.room.requestSnapshot(1, { final: true })
      add(first.room, 7)
      const [, id, bytes] = await first.heard.got("snapshot")
      expect(id).toBe(1)
      await stop(first)
      const description = await processes.describe(bundle)
      const schema = description.ok ? description.types[0]?.schema : undefined
      if (schema === undefined || !(bytes instanceof Uint8Array)) throw new Error("no snapshot")
      const second = await open({ snapshot: { bytes, schema } })
      const [, , welcome] = await second.heard.got("joined")
      // 5 was played, and onDispose added 100.
      const state = new Uint8Array([105, 0])
      expect(welcome).toMatchObject({ sessionId: "s1", resumed: false, state })
      await stop(second)
    })

    test("[C-418] calls back when all has come that it says to its orders so far", async () => {
      const opened = await open()
      const { room, heard } = opened
      for (let time = 0; time < 20; time++) add(room, 1)
      const before = await new Promise<number>((resolve) =>
        room.settled(() => resolve(heard.calls.filter(([what]) => what === "deliver").length))
      )
      await new Promise<void>((resolve) => room.settled(resolve))
      expect(before).toBeGreaterThan(0)
      expect(heard.calls.filter(([what]) => what === "deliver")).toHaveLength(before)
      await stop(opened)
    })

    test("[D-14] tells of a change once until the next snapshot", async () => {
      const opened = await open()
      const { room, heard } = opened
      const changes = () => heard.calls.filter(([called]) => called === "changed").length
      const snapshots = () => heard.calls.filter(([called]) => called === "snapshot").length
      const took = (requestId: number) => {
        room.requestSnapshot(requestId, { final: false })
        return until("the snapshot", () => snapshots() === requestId)
      }
      await took(1)
      const before = changes()
      for (let time = 0; time < 3; time++) {
        add(room, 1)
        await until("a change", () => changes() > before)
      }
      await took(2)
      expect(changes()).toBe(before + 1)
      add(room, 1)
      await until("the next change", () => changes() > before + 1)
      await stop(opened)
    })

    test("[C-770] a look has the state of now, and leaves no trace", async () => {
      const opened = await open()
      const { room, heard } = opened
      const changes = () => heard.calls.filter(([called]) => called === "changed").length
      const taken = async (order: () => void): Promise<Uint8Array> => {
        const before = heard.calls.filter(([called]) => called === "snapshot").length
        order()
        const [, , bytes] = await until("a state", () =>
          heard.calls.filter(([called]) => called === "snapshot").at(before)
        )
        if (!(bytes instanceof Uint8Array)) throw new Error("no state")
        return bytes
      }
      add(room, 5)
      await until("a change", () => changes() === 1)
      const first = await taken(() => room.peek(0x8000_0001))
      add(room, 2)
      const second = await taken(() => room.peek(0x8000_0002))
      expect(second).not.toEqual(first)
      // The change that was told before is still to be stored.
      expect(changes()).toBe(1)
      const stored = await taken(() => room.requestSnapshot(1, { final: false }))
      expect(await taken(() => room.peek(0x8000_0003))).toEqual(stored)
      await stop(opened)
    })

    test("[D-24] a refused client is unknown to the room, and others are not disturbed", async () => {
      const opened = await open()
      const { room, heard } = opened
      room.join(joinOf(2, { options: "no" }))
      const [, ref, refusal] = await heard.got("refused")
      expect([ref, refusal]).toEqual([2, { code: "E_JOIN_REFUSED", message: "not today" }])
      run(room, "throw", 2)
      room.drop(2)
      room.leave(3)
      add(room, 1)
      await heard.got("deliver")
      expect(heard.lines).toEqual([])
      await stop(opened)
    })

    test("[D-24] tells a lost connection from a leave, and lets a client go", async () => {
      const opened = await open()
      const { room, heard } = opened
      for (const ref of [2, 3, 4]) room.join(joinOf(ref))
      room.drop(2)
      room.leave(3)
      run(room, "kick", 4)
      expect(await heard.got("kick")).toEqual(["kick", 4, { code: 4000, reason: "out" }])
      await line(heard, "leave p4")
      expect(heard.lines).toEqual(["drop p2", "leave p3", "leave p4"])
      run(room, "throw", 2)
      run(room, "throw", 4)
      run(room, "console")
      await line(heard, "to the")
      expect(heard.lines.join()).not.toContain("a bug")
      await stop(opened)
    })

    test("[D-48] asks for a save, and goes on when that one is stored", async () => {
      const opened = await open()
      const { room, heard } = opened
      run(room, "save")
      const [, saveId, generation] = await heard.got("saveRequested")
      expect(generation).toBe(true)
      room.saved(Number(saveId) + 1, true)
      run(room, "console")
      await line(heard, "to the")
      expect(heard.calls.map(([called]) => called)).not.toContain("deliver")
      room.saved(Number(saveId), true)
      expect(await heard.got("deliver")).toEqual(["deliver", [1], [18, 2, "saved"]])
      await stop(opened)
    })

    test("[C-309] asks the service by name, and gets each answer once", async () => {
      const opened = await open()
      const { room, heard } = opened
      const told = () =>
        heard.calls.filter(([called]) => called === "deliver").map(([, , frame]) => frame)
      run(room, "call")
      const [, callId, request] = await heard.got("called")
      const { name, payload } = Object(request)
      expect([name, unpackValue(payload)]).toEqual(["boards.add", { by: "p1" }])
      room.callAnswered(Number(callId) + 1, { _tag: "Answered", value: packValue("not it") })
      room.callAnswered(Number(callId), { _tag: "Answered", value: packValue("first") })
      room.callAnswered(Number(callId), { _tag: "Answered", value: packValue("again") })
      await until("the answer", () => told()[0])
      run(room, "call")
      await until("a second call", () => heard.calls.filter(([called]) => called === "called")[1])
      room.callAnswered(Number(callId) + 1, { _tag: "Refused", code: "E_FULL", message: "no" })
      await until("the refusal", () => told()[1])
      expect(told()).toEqual([
        [18, 2, "first"],
        [18, 2, "E_FULL no"]
      ])
      await stop(opened)
      room.callAnswered(Number(callId) + 1, { _tag: "Answered", value: packValue("late") })
    })

    test("[D-30] tells of its alarms, and rings when the clock has been moved past them", async () => {
      const nowMs = 1_700_000_000_000
      const opened = await open({ nowMs, clockRuns: false })
      const { room, heard } = opened
      run(room, "alarm")
      const atMs = nowMs + 60_000
      expect(await heard.got("alarms")).toEqual(["alarms", [{ name: "bell", atMs }]])
      room.clockMoved(atMs - 1, false)
      run(room, "console")
      await line(heard, "to the")
      expect(heard.lines).not.toContain("rang bell")
      room.clockMoved(atMs, false)
      await line(heard, "rang bell")
      await stop(opened)
    })

    test("[D-24] tells of its place in the lobby and of a player's fields", async () => {
      const opened = await open()
      const { room, heard } = opened
      run(room, "lobby")
      expect(await heard.got("lobby")).toEqual(["lobby", { started: true }])
      run(room, "win")
      const [, playerId, bytes] = await heard.got("playerChanged")
      expect([playerId, bytes]).toEqual(["p1", expect.any(Uint8Array)])
      await stop(opened)
    })

    test("[D-14] a throw in a handler is logged, and the room goes on", async () => {
      const opened = await open()
      const { room, heard } = opened
      run(room, "throw")
      run(room, "console")
      expect(await line(heard, "to the")).toBe("to the { log: 1 }")
      expect(heard.lines[0]).toMatch(/^onMessage\.run: Error: a bug\n {4}at /)
      add(room, 1)
      await heard.got("deliver")
      await stop(opened)
    })

    test("[D-14] an error that nobody catches ends the room: crashed", async () => {
      const { room, heard } = await open()
      run(room, "timer")
      expect(await heard.exit()).toMatchObject({ cause: "crashed" })
      expect(heard.lines[0]).toMatch(/^uncaught: Error: nobody catches this\n {4}at /)
    })

    test.each<[string, () => RoomStart, RegExp]>([
      ["a syntax error", () => startOf(scriptOf("let = 1 +")), /SyntaxError/],
      ["a throw at load", () => startOf(scriptOf("throw new Error('no map')")), /no map/],
      ["no connect", () => startOf(scriptOf("exports.rooms = {}")), /connect/],
      ["no such room type", () => startOf(bundle, { type: "other" }), /other/]
    ])("[D-40] code that cannot run is told apart: %s", async (_, start, detail) => {
      const { heard } = take(start())
      expect(await heard.exit()).toEqual({ cause: "code", detail: expect.stringMatching(detail) })
    })

    test("[D-14] a process that breaks the protocol is ended: protocol", async () => {
      const { heard } = take(startOf(scriptOf(sendRaw([1, 0, 0, 0, 40]))))
      expect(await heard.exit()).toMatchObject({ cause: "protocol" })
    })

    test("[D-40] describes the room types of code, and schemas alone as relay rooms", async () => {
      expect(await processes.describe(bundle)).toMatchObject({
        ok: true,
        relay: false,
        types: [{ type: "arena", class: "standard", maxClients: 64, tickHz: 0, retention: null }]
      })
      const schemas = await bundleOf(
        'import { defineSchema } from "@atrium/sdk/schema"\nexport const x = defineSchema({ type: "board" })'
      )
      expect(await processes.describe(schemas)).toMatchObject({
        ok: true,
        relay: true,
        types: [{ type: "board", hibernateAfterMs: 0 }]
      })
    })

    test.each<[string, () => Uint8Array | Promise<Uint8Array>, RegExp]>([
      ["a syntax error", () => scriptOf("let = 1 +"), /SyntaxError/],
      ["no room", () => bundleOf("export const x = 1"), /no room is exported/],
      ["a lie about the types", () => scriptOf(lie("[{}]")), /./],
      ["a lie that is no list", () => scriptOf(lie("{}")), /no list/],
      ["a lie that is no JSON", () => scriptOf(lie("{")), /JSON/],
      ["a report of a room", () => scriptOf(sendRaw([1, 0, 0, 0, 35])), /protocol/],
      ["frames without end", () => scriptOf(flood), /sends too much/],
      ["an end", () => scriptOf("exports.connect = (port) => (port.end(), () => {})"), /ended/]
    ])("[D-40] tells what is wrong with a bundle: %s", async (_, make, text) => {
      expect(await processes.describe(await make())).toEqual({
        ok: false,
        fault: "bundle",
        message: expect.stringMatching(text)
      })
    })

    test("[D-14] close ends all rooms, and none starts after it", async () => {
      const few = await make()
      const rooms = [await open({}, few), await open({}, few)]
      await few.close()
      for (const { heard } of rooms) expect(await heard.exit()).toMatchObject({ cause: "stopped" })
      expect(await few.describe(scriptOf(""))).toMatchObject({ ok: false, fault: "machine" })
      expect(() => few.take(new TestListener().listener, { memoryMiB: 64 })).toThrow("closed")
    })
  })
