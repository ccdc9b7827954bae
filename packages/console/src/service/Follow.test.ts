import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"

import { follow, type FollowState, type Following } from "./Follow.ts"

/** Streams that the service has begun, in their order. */
let streams: Array<ReadableStreamDefaultController<Uint8Array>>
/** The `last-event-id` of each request. */
let asked: Array<string | null>
let cancelled: number

const serve = (_: unknown, init: RequestInit): Promise<Response> => {
  asked.push(new Headers(init.headers).get("last-event-id"))
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      streams.push(controller)
      init.signal?.addEventListener("abort", () => {
        cancelled++
        controller.error(new Error("aborted"))
      })
    }
  })
  return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }))
}

const tell = (text: string): void => streams.at(-1)?.enqueue(new TextEncoder().encode(text))
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

const begin = (more: Partial<Following> = {}) => {
  const states: Array<FollowState> = []
  const stop = follow({
    path: "/list",
    onBegin: () => undefined,
    onEvents: () => undefined,
    onState: (state) => states.push(state),
    ...more
  })
  return { states, stop }
}

const tags = (states: ReadonlyArray<FollowState>) =>
  states.map((state) => (typeof state === "object" ? state.code : state))

beforeEach(() => {
  streams = []
  asked = []
  cancelled = 0
  vi.useFakeTimers()
  vi.stubGlobal("fetch", serve)
  vi.stubGlobal("reportError", () => undefined)
  vi.stubGlobal("document", Object.assign(new EventTarget(), { hidden: false }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe("following a stream", () => {
  it("[C-765] a stream without a word for 40 seconds is asked for again", async () => {
    const { states, stop } = begin()
    await pass(0)
    await pass(30_000)
    tell("event: ping\ndata: {}\n\n")
    await pass(39_000)
    expect([streams.length, tags(states)]).toEqual([1, ["connecting", "live"]])
    await pass(2000)
    expect([streams.length, tags(states)]).toEqual([
      2,
      ["connecting", "live", "connecting", "live"]
    ])
    stop()
  })

  it("[C-765] events that the page cannot read end the stream, and it says so and asks again", async () => {
    const { states, stop } = begin({
      onEvents: ([first]) => void JSON.parse(first?.data ?? "")
    })
    await pass(0)
    tell("data: no JSON\n\n")
    await pass(0)
    expect([tags(states), cancelled]).toEqual([["connecting", "live", "not read"], 1])
    await pass(20_000)
    expect([streams.length, states.at(-1)]).toEqual([2, "live"])
    stop()
  })

  it("[C-424] a stream resumes behind the greatest id that it has told", async () => {
    const { stop } = begin({ resumes: true })
    await pass(0)
    tell("id: 7\ndata: b\n\nid: 10\ndata: c\n\nid: 9\ndata: a\n\n")
    await pass(0)
    streams[0]?.close()
    await pass(1000)
    expect(asked).toEqual([null, "10"])
    stop()
  })
})
