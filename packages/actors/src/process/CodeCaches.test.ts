import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { FromRoom, LoadMode } from "@atrium/runtime/host/HostFrames"
import { afterAll, describe, expect, test } from "vitest"

import { readBootSource } from "./BootSource.ts"
import { CodeCaches } from "./CodeCaches.ts"
import { prepareBundle } from "./PreparedBundle.ts"
import type { RoomHost } from "./RoomHost.ts"
import { weightlessHost } from "./testing/SilentSpare.ts"
import { launchHere, scriptOf, startOf, TestListener } from "./TestProcesses.ts"

const code = scriptOf("exports.connect = () => () => {}")
const told = new Uint8Array([1, 2, 3, 4, 5])

describe("what V8 made of a bundle", () => {
  test("[C-925] is asked for until a process has told, three times at most", () => {
    const caches = new CodeCaches(code)
    expect([1, 2, 3, 4].map(() => caches.ask(64) !== null)).toEqual([true, true, true, false])
    expect(caches.frame(64)).toBeUndefined()
    const others = new CodeCaches(code)
    expect(others.ask(64)?.takes(FromRoom.compiled, told)).toBe(true)
    expect(others.ask(64)).toBeNull()
  })

  test("[C-925] is for processes of the size of the one that told", () => {
    const caches = new CodeCaches(code)
    caches.ask(64)?.takes(FromRoom.compiled, told)
    const frame = caches.frame(64) ?? new Uint8Array()
    expect(frame.subarray(5)).toEqual(
      new Uint8Array([LoadMode.cached, 5, 0, 0, 0, ...told, ...code])
    )
    expect(caches.frame(256)).toBeUndefined()
    expect(caches.ask(256)).not.toBeNull()
  })

  test("[C-925] is taken as the first frame after booted alone, and once: a later one may be the code's own", () => {
    const caches = new CodeCaches(code)
    const late = caches.ask(64)
    expect(late?.takes(FromRoom.booted, told)).toBe(false)
    expect(late?.takes(FromRoom.log, told)).toBe(false)
    expect(late?.takes(FromRoom.compiled, told)).toBe(false)
    expect(caches.frame(64)).toBeUndefined()
    const wait = caches.ask(64)
    expect(wait?.takes(FromRoom.booted, told)).toBe(false)
    expect(wait?.takes(FromRoom.compiled, told)).toBe(true)
    expect(wait?.takes(FromRoom.compiled, new Uint8Array([9]))).toBe(false)
    expect(caches.frame(64)?.subarray(10, 15)).toEqual(told)
  })

  test("[C-925] is kept up to its largest size, and asked for up to the largest code", () => {
    const { codeCache, cachedSource } = RoomProcessLimits
    const caches = new CodeCaches(code)
    caches.ask(64)?.takes(FromRoom.compiled, new Uint8Array(4 + codeCache.max + 1))
    expect(caches.frame(64)).toBeUndefined()
    caches.ask(64)?.takes(FromRoom.compiled, new Uint8Array(4 + codeCache.max))
    expect(caches.frame(64)).toBeDefined()
    expect(new CodeCaches(new Uint8Array(cachedSource.max)).ask(64)).not.toBeNull()
    expect(new CodeCaches(new Uint8Array(cachedSource.max + 1)).ask(64)).toBeNull()
  })
})

describe("a process that loads a bundle ahead of its room", () => {
  const boot = readBootSource(process.execPath)
  const hosts: Array<RoomHost> = []

  const prepared = (bundle: Uint8Array, { physics } = { physics: false }) => {
    const heard = new TestListener()
    const host = weightlessHost(launchHere(boot, 64), {
      memoryMiB: 64,
      physics,
      onExit: (_, exit) => heard.calls.push(["exited", exit])
    })
    hosts.push(host)
    host.prepare(bundle)
    host.claim(heard.listener)
    return { host, heard }
  }
  const started = async (bundle: Uint8Array, kind = { physics: false }) => {
    const { host, heard } = prepared(bundle, kind)
    host.start(startOf(bundle))
    await heard.got("ready")
    return heard.lines
  }

  afterAll(() => {
    for (const host of hosts) host.kill("stopped")
  })

  /** Ready when it is started; its module logs a line when it runs. */
  const ready = (more = "") =>
    scriptOf(`${more}
      console.log("ran")
      exports.connect = (port) => (kind) => {
        if (kind === 2) port.send(new Uint8Array([1, 0, 0, 0, ${FromRoom.ready}]))
      }`)

  test("[C-925] tells what V8 made of the code, and the next process of its size runs that", async () => {
    const bundle = ready()
    expect(await started(bundle)).toEqual(["ran"])
    const frame = prepareBundle(bundle).caches.plain.frame(64) ?? new Uint8Array()
    expect(frame[5]).toBe(LoadMode.cached)
    expect(frame.length).toBeGreaterThan(2 * bundle.length)
    expect(await started(bundle)).toEqual(["ran"])
  })

  test("[C-925] keeps the cache of a process with physics for processes with physics", async () => {
    const bundle = ready()
    await started(bundle, { physics: true })
    const { plain, physics } = prepareBundle(bundle).caches
    expect([plain.frame(64), physics.frame(64)?.[5]]).toEqual([undefined, LoadMode.cached])
    await started(bundle)
    expect(plain.frame(64)?.[5]).toBe(LoadMode.cached)
  })

  test("[C-925] runs the code all the same when the cache is of another V8, or V8 refuses it", async () => {
    const first = ready()
    await started(first)
    const tag = prepareBundle(first).caches.plain.frame(64)?.subarray(10, 14) ?? []
    for (const made of [new Uint8Array(400), new Uint8Array([...tag, ...new Uint8Array(400)])]) {
      const bundle = ready()
      prepareBundle(bundle).caches.plain.ask(64)?.takes(FromRoom.compiled, made)
      expect(await started(bundle)).toEqual(["ran"])
    }
  })

  test("[C-925] code that tells of itself is ended: its cache is not taken", async () => {
    const forged = [6, 0, 0, 0, FromRoom.compiled, 1, 2, 3, 4, 5]
    const bundle = scriptOf(`exports.connect = (port) => {
      port.send(new Uint8Array(${JSON.stringify(forged)}))
      return () => {}
    }`)
    const { heard } = prepared(bundle)
    expect((await heard.exit()).cause).toBe("protocol")
    const frame = prepareBundle(bundle).caches.plain.frame(64)
    expect(frame).toBeDefined()
    expect(frame?.subarray(10, 15)).not.toEqual(new Uint8Array([1, 2, 3, 4, 5]))
  })

  test("[C-925] code that does not compile says why", async () => {
    const { heard } = prepared(scriptOf("exports.connect = ("))
    const { cause, detail } = await heard.exit()
    expect([cause, detail.startsWith("SyntaxError")]).toEqual(["code", true])
  })
})
