import { until } from "@atrium/domain/testing/Until"
import { joinOf } from "@atrium/runtime/testing/TestOrders"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { StandardPace } from "../ProcessPace.ts"
import type { RoomProcess } from "../RoomProcess.ts"
import { makeRoomProcesses, type RoomProcesses } from "../RoomProcesses.ts"
import { bundleOf, isAlive, startOf, TestListener } from "../TestProcesses.ts"

const Source = `
import { defineRoom } from "@atrium/sdk/room"
import { defineSchema, s } from "@atrium/sdk/schema"

const schema = defineSchema({
  type: "arena",
  singletons: { score: { red: s.u16() } },
  messages: { run: { what: s.string(300) }, told: s.untyped() }
})

let counter = 0
const held: unknown[] = []

export const Arena = defineRoom(schema, {
  sharing: true,
  onDispose: (room) => room.log.info("disposed"),
  onMessage: {
    run: (room, client, { what }) => {
      if (what === "loop") for (;;) {}
      // Thrown by a timer, a tick, a microtask and an event: whose each is, the process has to find out.
      if (what === "later") setTimeout(() => { throw new Error("nobody catches this") }, 1)
      if (what === "tick") process.nextTick(() => { throw new Error("nobody catches this") })
      if (what === "micro") queueMicrotask(() => { throw new Error("nobody catches this") })
      if (what === "event") {
        const target = new EventTarget()
        target.addEventListener("x", () => { throw new Error("nobody catches this") })
        target.dispatchEvent(new Event("x"))
      }
      if (what === "primitive") setTimeout(() => { throw "text" }, 1)
      if (what === "reject") void Promise.reject(new Error("forgotten"))
      if (what === "count") room.send(client, "told", ++counter)
      if (what === "patch") Object.assign(Array.prototype, { patched: true })
      if (what === "patched") room.send(client, "told", "patched" in [])
      if (what === "hold") held.push(...Array.from({ length: 12 }, () => new Uint8Array(10_000_000).fill(1)))
      if (what === "hog") setInterval(() => held.push(new Uint8Array(10_000_000).fill(1)), 5)
      if (what === "add") room.state.score.red += 1
      if (what.startsWith("eval ")) {
        const made = (0, eval)(what.slice(5))
        Promise.resolve(made).then((value) => room.send(client, "told", value), (error) => room.send(client, "told", String(error)))
      }
      if (what === "console") console.log("a line", { of: [1, new Map([[1, 2]])] })
    }
  }
})
`

const record = (text: string): Uint8Array => {
  const bytes = Buffer.from(text)
  const { length } = bytes
  return new Uint8Array([
    ...(length < 128 ? [length] : [(length % 128) + 128, length >> 7]),
    ...bytes
  ])
}

interface Opened {
  readonly id: number
  readonly room: RoomProcess
  readonly heard: TestListener
}

describe("rooms that share a process", () => {
  let bundle: Uint8Array
  let processes: RoomProcesses
  let ids = 0

  const make = () =>
    makeRoomProcesses({
      nodePath: process.execPath,
      warmSpares: 1,
      pace: { ...StandardPace, groups: { alonePolls: 50, emptyPolls: 5 } }
    })

  beforeAll(async () => {
    bundle = await bundleOf(Source)
    processes = await make()
  })

  afterAll(() => processes.close())

  const open = async (
    kind: string,
    more: { readonly id?: number; readonly code?: Uint8Array } = {}
  ): Promise<Opened> => {
    const { id = ++ids, code = bundle } = more
    const heard = new TestListener()
    const shares = { room: `p/r${id}`, kind }
    const room = processes.take(heard.listener, { memoryMiB: 64, bundle: code, shares })
    room.start(startOf(code))
    await heard.got("ready")
    room.join(joinOf(1))
    await heard.got("joined")
    return { id, room, heard }
  }

  const run = ({ room }: Opened, what: string): void =>
    room.data(1, packValue([2, 0, record(what)]))

  const told = async (opened: Opened, what: string): Promise<unknown> => {
    const answers = () =>
      opened.heard.calls.flatMap(([name, , frame]) =>
        name === "deliver" && Array.isArray(frame) && frame[0] === 18 ? [frame[2]] : []
      )
    const before = answers().length
    run(opened, what)
    return await until(`an answer to ${what}: ${JSON.stringify(opened.heard.calls)}`, () => {
      const got = answers()
      return got.length > before ? { value: got[before] } : undefined
    }).then(({ value }) => value)
  }

  const openAll = (count: number, kind: string): Promise<ReadonlyArray<Opened>> =>
    Promise.all(Array.from({ length: count }, () => open(kind)))

  const stop = async (all: ReadonlyArray<Opened>): Promise<void> => {
    for (const { room } of all) room.kill("stopped")
    for (const { heard } of all) expect(await heard.exit()).toMatchObject({ cause: "stopped" })
  }

  test("[C-971] are 20 in one process, and the next is in another", async () => {
    const all = await openAll(21, "twenty")
    const pids = all.map(({ room }) => room.pid)
    expect(new Set(pids.slice(0, 20)).size).toBe(1)
    expect(pids[20]).not.toBe(pids[0])
    await stop(all)
    await until("the processes have ended", () => !isAlive(pids[0] ?? 0) && !isAlive(pids[20] ?? 0))
  })

  test("[C-971] share no variable of a module, and nothing that is patched", async () => {
    const [one, other] = await openAll(2, "apart")
    if (one === undefined || other === undefined) throw new Error("no rooms")
    expect(one.room.pid).toBe(other.room.pid)
    expect([
      await told(one, "count"),
      await told(one, "count"),
      await told(other, "count")
    ]).toEqual([1, 2, 1])
    run(one, "patch")
    expect([await told(one, "patched"), await told(other, "patched")]).toEqual([true, false])
    const shared = ["URL", "EventTarget", "AbortSignal", "TextDecoder", "crypto"]
    for (const name of [
      ...shared,
      "Buffer",
      "TextEncoder",
      "setTimeout",
      "console",
      "process",
      "structuredClone",
      "URL.prototype",
      "Buffer.prototype"
    ]) {
      const set = `(() => { try { ${name}.mark = 1 } catch {} return 0 })()`
      await told(one, `eval ${set}`)
      expect([name, await told(other, `eval String(${name}.mark)`)]).toEqual([name, "undefined"])
    }
    await stop([one, other])
  })

  test.each([
    ["Buffer.from('ab') instanceof Uint8Array && Buffer.from('ab') instanceof Buffer", true],
    ["Buffer.concat([Buffer.from('a'), Buffer.alloc(1, 98)]).subarray(1).toString()", "b"],
    [
      "Buffer.isBuffer(Buffer.alloc(2).slice(1)) && !Buffer.isBuffer(new Uint8Array(1)) && Buffer.byteLength('ä')",
      2
    ],
    [
      "new TextEncoder().encode('ä') instanceof Uint8Array && new TextDecoder().decode(new TextEncoder().encode('ä'))",
      "ä"
    ],
    ["new URL('http://a/b?c=1').searchParams.get('c')", "1"],
    ["structuredClone(new Map([[1, { a: new Set([1]) }]])).get(1).a instanceof Set", true],
    [
      "(() => { const a = { d: new Date(5), l: [1, , 3], u: new Uint8Array([1, 2]) }; a.self = a; const c = structuredClone(a); return [c.self === c, c.d.getTime(), c.l.length, c.u[1], c.u.buffer !== a.u.buffer].join() })()",
      "true,5,3,2,true"
    ],
    [
      "(() => { try { structuredClone(() => 1) } catch (e) { return e.name } })()",
      "DataCloneError"
    ],
    ["crypto.getRandomValues(new Uint8Array(4)).length + crypto.randomUUID().length", 40],
    [
      "(() => { const c = new AbortController(); let n = 0; c.signal.addEventListener('abort', () => n++); c.abort(); return n })()",
      1
    ],
    // The timers of the room itself.
    ["new Promise((done) => setTimeout(done, 1, 'waited'))", "waited"],
    [
      "new Promise((done) => { const t = setInterval(() => { clearInterval(t); done('once') }, 1) })",
      "once"
    ],
    [
      "new Promise((done) => setImmediate(() => process.nextTick(() => queueMicrotask(() => done('soon')))))",
      "soon"
    ],
    ["(() => { try { fetch('x') } catch (e) { return e.code } })()", "E_ROOM_IMPORT"],
    ["import('node:fs').then(() => 'loaded', (e) => e.code)", "E_ROOM_IMPORT"],
    [
      "typeof gc + typeof require + typeof process.exit + typeof globalThis.process.binding",
      "undefinedundefinedundefinedundefined"
    ],
    [
      "atob(btoa('x')) + typeof performance.now() + process.version.slice(0, 1) + Array.isArray(process.hrtime())",
      "xnumbervtrue"
    ]
  ])("[C-971] have the globals of a room: %s", async (text, value) => {
    const one = await open("globals")
    expect(await told(one, `eval ${text}`)).toEqual(value)
    await stop([one])
  })

  test("[C-971] write their own lines, which name places of the bundle", async () => {
    const [one, other] = await openAll(2, "lines")
    if (one === undefined || other === undefined) throw new Error("no rooms")
    run(one, "console")
    run(one, "reject")
    await until("both lines", () => one.heard.lines.length === 2)
    expect(one.heard.lines[0]).toBe("a line { of: [ 1, Map(1) { 1 => 2 } ] }")
    const stack = await processes.mapStack(bundle, one.heard.lines[1] ?? "")
    expect(stack).toMatch(/^unhandled rejection: Error: forgotten\n {4}at .*room\.ts:\d+/)
    expect(other.heard.lines).toEqual([])
    await stop([one, other])
  })

  test.each(["later", "tick", "micro", "event", "primitive"])(
    "[C-976] an error that nobody catches ends its room alone: %s",
    async (what) => {
      const [one, other] = await openAll(2, `thrown ${what}`)
      if (one === undefined || other === undefined) throw new Error("no rooms")
      run(one, what)
      expect(await one.heard.exit()).toMatchObject({ cause: "crashed" })
      expect(one.heard.lines[0]).toMatch(/^uncaught: /)
      expect(await told(other, "count")).toBe(1)
      const again = await open(`thrown ${what}`, { id: one.id })
      expect(again.room.pid).toBe(other.room.pid)
      await stop([other, again])
    }
  )

  test("[C-973] a loop ends the process, and its rooms are alone until the time is over", async () => {
    const all = await openAll(3, "loop")
    const [one] = all
    if (one === undefined) throw new Error("no rooms")
    run(one, "loop")
    for (const { heard } of all) expect(await heard.exit()).toMatchObject({ cause: "neighbour" })
    expect(
      all.map(({ heard }) => heard.calls.filter(([name]) => name === "exited").length)
    ).toEqual([1, 1, 1])
    const again = await Promise.all(all.map(({ id }) => open("loop", { id })))
    const next = await open("loop")
    expect(new Set([...again, next].map(({ room }) => room.pid)).size).toBe(4)
    // Alone, the culprit is known.
    run(again[0] ?? next, "loop")
    expect(await (again[0] ?? next).heard.exit()).toMatchObject({ cause: "hung" })
    expect(await told(again[1] ?? next, "count")).toBe(1)
    await stop([...again.slice(1), next])
    const [later, beside] = await until("it shares a process again", async () => {
      const pair = [await open("loop", { id: one.id }), await open("loop")] as const
      if (pair[0].room.pid === pair[1].room.pid) return pair
      await stop(pair)
      return undefined
    })
    await stop([later, beside])
  })

  test("[C-973] what the only room of a process does counts for that room", async () => {
    const one = await open("only")
    run(one, "loop")
    expect(await one.heard.exit()).toMatchObject({ cause: "hung" })
    const other = await open("only killed")
    process.kill(other.room.pid, "SIGKILL")
    expect(await other.heard.exit()).toMatchObject({ cause: "killed" })
  })

  test("[C-973] the end of the process from outside is no room's own", async () => {
    const all = await openAll(3, "killed")
    process.kill(all[0]?.room.pid ?? 0, "SIGKILL")
    for (const { heard } of all) {
      expect(await heard.exit()).toEqual({
        cause: "neighbour",
        detail:
          "the process that it shared with other rooms ended: killed signal SIGKILL from outside the service"
      })
    }
  })

  test("[C-972] may take together what one of them may not, and are parted near the sum", async () => {
    const [one, other, third] = await openAll(3, "memory")
    if (one === undefined || other === undefined || third === undefined) throw new Error("no rooms")
    run(one, "hold")
    expect(await told(other, "count")).toBe(1)
    const usedBytes = await until("its memory has been looked at", () =>
      (one.room.usedBytes ?? 0) > 40_000_000 ? (one.room.usedBytes ?? 0) : undefined
    )
    expect(usedBytes).toBe(other.room.usedBytes)
    run(third, "hog")
    for (const { heard } of [one, other, third]) {
      expect(await heard.exit()).toMatchObject({
        cause: "neighbour",
        detail: expect.stringContaining("memory near the ceilings of its rooms: 3")
      })
    }
  })

  test("[C-971] code that cannot run is told by each room", async () => {
    const bad = await bundleOf(Source.replace("let counter = 0", "throw new Error('no map')"))
    const heard = new TestListener()
    const shares = { room: "p/bad", kind: "bad" }
    const room = processes.take(heard.listener, { memoryMiB: 64, bundle: bad, shares })
    room.start(startOf(bad))
    expect(await heard.exit()).toMatchObject({
      cause: "code",
      detail: expect.stringContaining("no map")
    })
  })

  test("[C-971] a last snapshot is of one room, and disposes of that alone", async () => {
    const [one, other] = await openAll(2, "snapshot")
    if (one === undefined || other === undefined) throw new Error("no rooms")
    for (const opened of [one, one, other]) run(opened, "add")
    one.room.requestSnapshot(1, { final: true })
    const [, id, bytes] = await one.heard.got("snapshot")
    expect([id, bytes]).toEqual([1, expect.any(Uint8Array)])
    expect(one.heard.lines).toContain("disposed")
    expect(other.heard.lines).toEqual([])
    await stop([one, other])
  })

  test("[C-971] the pool closes with rooms that share", async () => {
    const mine = await make()
    const heard = new TestListener()
    const room = mine.take(heard.listener, {
      memoryMiB: 64,
      bundle,
      shares: { room: "p/x", kind: "x" }
    })
    room.start(startOf(bundle))
    await heard.got("ready")
    const { pid } = room
    await mine.close()
    expect(await heard.exit()).toMatchObject({ cause: "stopped" })
    expect(isAlive(pid)).toBe(false)
  })
})
