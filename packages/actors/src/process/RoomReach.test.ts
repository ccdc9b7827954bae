import { until } from "@atrium/domain/testing/Until"
import { FromRoom, ToRoom } from "@atrium/runtime/host/HostFrames"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import { makeRoomProcesses, type RoomProcesses } from "./RoomProcesses.ts"
import { scriptOf, startOf, TestListener } from "./TestProcesses.ts"

// docs/isolation.md, "What room code can reach", says the same in words.

let processes: RoomProcesses

beforeAll(async () => {
  processes = await makeRoomProcesses({ nodePath: process.execPath, warmSpares: 2 })
})

afterAll(() => processes.close())

/** Runs statements as room code would; answers with all that they logged before `done()`. */
const run = async (statements: string): Promise<ReadonlyArray<string>> => {
  const heard = new TestListener()
  const room = processes.take(heard.listener, { memoryMiB: 64 })
  room.start(
    startOf(
      scriptOf(`
        let begun = false
        let heardPing
        const pinged = new Promise((resolve) => (heardPing = resolve))
        exports.connect = (port) => (kind) => {
          if (kind === ${ToRoom.ping}) heardPing()
          if (begun) return
          begun = true
          const say = console.log
          const body = async () => { ${statements} }
          body().catch((error) => say("! " + error.message)).then(() => say("done"))
        }
      `)
    )
  )
  await until(statements, () => heard.lines.includes("done"))
  room.kill("stopped")
  await heard.exit()
  return heard.lines.slice(0, -1)
}

/** One line for each global: its name, and the names on it and on its prototype. */
const ListAll = `
  const namesOf = (value) => Reflect.ownKeys(value).map(String).toSorted().join(" ")
  for (const name of Object.getOwnPropertyNames(globalThis).toSorted()) {
    const value = globalThis[name]
    const holds = (typeof value === "object" && value !== null) || typeof value === "function"
    const own = holds && value !== globalThis ? namesOf(value) : typeof value
    const shared = typeof value === "function" && value.prototype ? namesOf(value.prototype) : ""
    say(name + ": " + own + (shared === "" ? "" : " | " + shared))
  }
  say("by symbol: " + Object.getOwnPropertySymbols(globalThis).map(String).join(" "))
`

/**
 * Puts a recorder in the place of every built-in that room code can change, lets Node do what it
 * does for a room, and names the classes of all that the recorders were handed.
 */
const Record = `
  const { apply, construct, ownKeys, getPrototypeOf, getOwnPropertyDescriptor: describe } = Reflect
  const define = Object.defineProperty
  const known = new Map(), open = []
  const meet = (value, path) => {
    const holds = (typeof value === "object" && value !== null) || typeof value === "function"
    if (!holds || known.has(value)) return
    known.set(value, path)
    open.push(value)
  }
  meet(globalThis, "globalThis")
  meet(getPrototypeOf([][Symbol.iterator]()), "ArrayIterator")
  meet(getPrototypeOf(new Map().keys()), "MapIterator")
  meet(getPrototypeOf(setTimeout(() => {}, 1)), "Timeout")
  meet(getPrototypeOf(setImmediate(() => {})), "Immediate")
  while (open.length > 0) {
    const value = open.pop(), path = known.get(value)
    meet(getPrototypeOf(value), path + ".[[Prototype]]")
    for (const key of ownKeys(value)) meet(describe(value, key)?.value, path + "." + String(key))
  }
  const handed = []
  let at = 0, quiet = false
  const record = (how, self, values) => {
    if (quiet || at > 20000) return
    quiet = true
    handed[at++] = { how, values: [self, ...values] }
    quiet = false
  }
  let recorders = 0
  for (const [holder, path] of [...known]) {
    if (holder === globalThis) continue
    for (const key of ownKeys(holder)) {
      const found = describe(holder, key)
      if (key === "constructor" || typeof found?.value !== "function") continue
      if (!found.configurable && !found.writable) continue
      const original = found.value
      const recorder = function (...values) {
        record(path + "." + String(key), this, values)
        return new.target ? construct(original, values, new.target) : apply(original, this, values)
      }
      recorder.prototype = original.prototype
      try { define(holder, key, { ...found, value: recorder }); recorders++ } catch {}
    }
  }
  Promise.reject(new Error("for nobody"))
  import("nothing").catch(() => {})
  AbortSignal.timeout(1)
  const target = new EventTarget()
  target.addEventListener("x", () => {})
  target.dispatchEvent(new Event("x"))
  crypto.subtle.digest("SHA-256", new Uint8Array(1))
  structuredClone({ list: [1], bytes: new Uint8Array(2) })
  port.send(new Uint8Array([1, 0, 0, 0, ${FromRoom.ready}]))
  // Frames have come in and gone out by then.
  await pinged
  quiet = true
  const names = new Set()
  for (let index = 0; index < at; index++) {
    for (const value of handed[index].values) {
      if (value === null || typeof value !== "object" || known.has(value)) continue
      names.add(value.constructor?.name ?? "none")
    }
  }
  say("enough: " + (recorders > 500 && at > 100))
  say([...names].toSorted().join(" "))
`

describe("what room code can reach", () => {
  test("[C-50] the globals, and the names on them, are those of RoomReach.txt", async () => {
    const text = `${(await run(ListAll)).join("\n")}\n`
    await expect(text).toMatchFileSnapshot("RoomReach.txt")
  })

  test("[C-51] Node hands none of its own objects to built-ins that a room has changed", async () => {
    const lines = await run(Record)
    const own = (
      "AbortSignal Array Buffer Crypto Date Error Event EventTarget Float64Array Function Iterator " +
      "Map Object Promise RoomImmediate RoomTimeout Set String SubtleCrypto Uint8Array undefined none " +
      "WeakMap"
    ).split(" ")
    expect(lines).toContain("enough: true")
    const names = lines.at(-1)?.split(" ") ?? []
    expect(names).toContain("Buffer")
    expect(names.filter((name) => !own.includes(name))).toEqual([])
  })

  const closed = "Cannot define property"
  test.each<[string, string, string]>([
    [
      "the real process by a getter for a name that it lacks",
      'Object.defineProperty(Object.prototype, "domain", { get() { say("open") } })',
      `! ${closed} domain, object is not extensible`
    ],
    [
      "what Node queues by a setter for a place in a list",
      'Object.defineProperty(Array.prototype, "0", { set() { say("open") } })',
      `! ${closed} 0, object is not extensible`
    ],
    [
      "streams and the loader by a call or bind of its own",
      "Object.defineProperty(Function.prototype, 'bind', { value() { say('open') } })",
      "! Cannot redefine property: bind"
    ],
    [
      "classes of Node by a clone that names them",
      `const clone = Object.getOwnPropertySymbols(DOMException.prototype)
         .find((symbol) => String(symbol).includes("messaging_clone"))
       const bait = new DOMException("bait")
       bait[clone] = () =>
         ({ data: { handle: { fd: 1 } }, deserializeInfo: "internal/fs/promises:FileHandle" })
       say(String(clone) + " " + structuredClone(bait).constructor.name)`,
      "undefined Error"
    ],
    [
      "Node's HTTP client by the symbol of its dispatcher",
      `try { WebAssembly.compileStreaming(1) } catch {}
       say(typeof globalThis[Symbol.for("undici.globalDispatcher.1")])`,
      "undefined"
    ],
    [
      "functions and receivers of Node by call sites",
      `const sites = []
       Error.prepareStackTrace = (_, all) => (sites.push(...all), "")
       const touch = () => void new Error("x").stack
       const target = new EventTarget()
       target.addEventListener("x", touch)
       target.dispatchEvent(new Event("x"))
       await crypto.subtle.importKey("raw", {}, "x", true, []).catch((error) => void error.stack)
       await import("nothing").catch((error) => void error.stack)
       await new Promise((resolve) => setTimeout(() => (touch(), resolve()), 0))
       const foreign = sites.filter((site) => site.getFileName() !== "room.bundle.js")
       const shown = foreign.filter((site) => site.getThis() || site.getFunction())
       say((foreign.length > 0) + " " + shown.length)`,
      "true 0"
    ]
  ])("[C-51] not %s", async (_, statements, answer) => {
    expect(await run(statements)).toEqual([answer])
  })

  test("[C-50] structuredClone copies what it should, moves buffers, and refuses functions", async () => {
    const lines = await run(`
      const source = { date: new Date(5), map: new Map([[1, new Set([2n])]]), bytes: new Uint8Array([1]) }
      source.self = source
      const copy = structuredClone(source)
      say([copy !== source, copy.self === copy, copy.date.getTime(), copy.bytes[0]].join())
      say(String(copy.map.get(1).has(2n)))
      const buffer = new ArrayBuffer(8)
      const moved = structuredClone(buffer, { transfer: [buffer] })
      say([moved.byteLength, buffer.detached].join())
      structuredClone(() => {})
    `)
    expect(lines).toEqual(["true,true,5,1", "true", "8,true", "! () => {} could not be cloned."])
  })

  test("[C-190] timers, events, signals and decoders do what those of Node do", async () => {
    const lines = await run(`
      const target = new EventTarget(), stop = new AbortController()
      let heard = ""
      target.addEventListener("x", () => (heard += "x"), { signal: stop.signal })
      target.addEventListener("x", () => (heard += "1"), { once: true })
      const both = AbortSignal.any([stop.signal, new AbortController().signal])
      both.onabort = () => (heard += "!")
      for (let time = 0; time < 2; time++) target.dispatchEvent(new Event("x"))
      stop.abort("why")
      target.dispatchEvent(new Event("x"))
      say(heard + " " + both.reason)
      const late = AbortSignal.timeout(1)
      await new Promise((resolve) => late.addEventListener("abort", resolve))
      say(late.reason.name)
      const never = () => say("cleared, and yet it ran")
      clearImmediate(setImmediate(never))
      clearTimeout(setTimeout(never, 1))
      clearTimeout(+setTimeout(never, 1))
      setTimeout(never, 1).close()
      clearTimeout(undefined)
      let times = 0
      await new Promise((resolve) => {
        const timer = setInterval(function (value) {
          if (this !== timer || value !== "value") never()
          if (++times < 3) return
          clearInterval(timer)
          setImmediate(setTimeout, resolve, 5)
        }, 1, "value")
      })
      say(times + " " + setTimeout(() => {}, 1).unref().hasRef())
      const decoder = new TextDecoder("utf-16le", { fatal: true })
      say(decoder.encoding + decoder.fatal + decoder.decode(new Uint8Array([65, 0]), { stream: true }))
      setTimeout("text")
    `)
    expect(lines).toEqual([
      "x1x! why",
      "TimeoutError",
      "3 false",
      "utf-16letrueA",
      "! The callback of a timer must be a function"
    ])
  })
})
