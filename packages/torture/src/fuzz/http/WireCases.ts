import type { Chance } from "@atrium/api/testing/Chance"
import { sleep } from "@atrium/api/testing/load/Tasks"
import type { RawAnswer, RawHttp } from "@atrium/api/testing/RawHttp"

import { bytesOf, type HttpDraft, withHeader } from "./HttpDraft.ts"
import type { HttpStage } from "./HttpStage.ts"

/** Tools of a case that talks on one connection. */
export interface Talk {
  readonly stage: HttpStage
  readonly chance: Chance
  /** A connection; it is closed when the talk is over. */
  readonly wire: RawHttp
  /** The next answer, its shape proven, with this status. Errors: `Error`. */
  expect(status: number): Promise<RawAnswer>
  /** The service ends the connection by itself, in TCP's own words. Errors: `Error`. */
  ends(): Promise<void>
}

/** One way of talking that is more than a request and its answer. */
export interface WireCase {
  readonly name: string
  readonly weight: number
  run(talk: Talk): Promise<void>
}

const PauseMs = 5
/** Answers to one pipeline. */
const PipelineMax = 40

const get = ({ url }: HttpStage, target: string, headers: HttpDraft["headers"] = []): Buffer =>
  bytesOf({
    method: "GET",
    target,
    headers: [["host", new URL(url).host], ...headers],
    body: null,
    framing: null
  })

const garbage: ReadonlyArray<string> = [
  "GARBAGE\r\n\r\n",
  "\0\0\0\0",
  "\0\0ü",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "GET\r\n\r\n",
  "GET /\r\n\r\n",
  "HTTP/1.1 200 OK\r\n\r\n",
  "SSH-2.0-x\r\n",
  "{}\r\n\r\n",
  "\0",
  "*1\r\n$4\r\nPING\r\n",
  "GET /health HTTP/1.1\nhost: a\n\n",
  "GET /health HTTP/1.1\rhost: a\r\r",
  "CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n"
]

const wire = (name: string, weight: number, run: WireCase["run"]): WireCase => ({
  name: `wire: ${name}`,
  weight,
  run
})

/** Talks that go wrong between requests, or in the middle of one. Source: RFC 9112. */
export const wireCases: ReadonlyArray<WireCase> = [
  wire("no request", 14, async ({ wire, chance, expect, ends }) => {
    wire.write(chance.pick(garbage))
    await expect(400)
    await ends()
  }),
  wire("empty lines before a request", 1, async ({ wire, stage, expect }) => {
    wire.write("\r\n\r\n")
    wire.write(get(stage, "/health"))
    await expect(200)
  }),
  wire("a pipeline", 3, async ({ wire, stage, chance, expect }) => {
    const asked = Array.from({ length: 2 + chance.below(PipelineMax) }, () =>
      chance.pick([
        ["/health", 200],
        ["/v1/nothing", 404],
        ["/v1/me", 401],
        ["/v1/lobby?zz=1", 400],
        ["/ready", 200]
      ] as const)
    )
    wire.write(Buffer.concat(asked.map(([target]) => get(stage, target))))
    for (const [, status] of asked) await expect(status)
  }),
  wire("a pipeline with garbage in it", 3, async ({ wire, stage, chance, expect, ends }) => {
    const good = 1 + chance.below(4)
    const before = Buffer.concat(Array.from({ length: good }, () => get(stage, "/ready")))
    wire.write(
      Buffer.concat([before, Buffer.from(chance.pick(garbage), "latin1"), get(stage, "/health")])
    )
    for (let count = 0; count < good; count++) await expect(200)
    await expect(400)
    await ends()
  }),
  wire("a request within a body", 3, async ({ wire, stage, chance, expect, ends }) => {
    const smuggled = get(stage, "/v1/me", [
      ["authorization", `Bearer ${stage.secrets.login}`]
    ]).toString("latin1")
    const { host } = new URL(stage.url)
    const headers = [
      ["host", host],
      ["content-length", String(smuggled.length + 5)],
      ["transfer-encoding", "chunked"]
    ] as const
    const both = chance.one(2) ? headers : [...headers].toReversed()
    const draft = {
      method: "POST",
      target: "/v1/identity",
      headers: both,
      body: Buffer.from(`0\r\n\r\n${smuggled}`),
      framing: []
    }
    wire.write(bytesOf(draft))
    await expect(400)
    await ends()
  }),
  wire("slowly", 2, async ({ wire, stage, expect }) => {
    const bytes = get(stage, "/v1/nothing")
    for (let at = 0; at < bytes.length; at += 8) {
      wire.write(bytes.subarray(at, at + 8))
      await sleep(PauseMs)
    }
    await expect(404)
  }),
  wire("slowly, also its body", 2, async ({ wire, stage, expect }) => {
    const body = Buffer.from(JSON.stringify({ project: stage.project, zz: "x".repeat(200) }))
    const { host } = new URL(stage.url)
    const draft = {
      method: "POST",
      target: "/v1/identity",
      headers: [["host", host]],
      body
    } as const
    const bytes = bytesOf({ ...draft, framing: null })
    for (let at = 0; at < bytes.length; at += 16) {
      wire.write(bytes.subarray(at, at + 16))
      await sleep(PauseMs)
    }
    await expect(400)
  }),
  wire("half a request, and no more", 4, async ({ wire, stage, chance, expect, ends }) => {
    const bytes = get(stage, "/health")
    wire.write(bytes.subarray(0, 1 + chance.below(bytes.length - 1)))
    wire.end()
    await expect(400)
    await ends()
  }),
  wire("a whole request, and no more", 2, async ({ wire, stage, expect, ends }) => {
    wire.write(get(stage, "/v1/nothing"))
    wire.end()
    await expect(404)
    await ends()
  }),
  wire("nothing", 2, async ({ wire, chance, ends }) => {
    if (chance.one(2)) return sleep(PauseMs)
    wire.end()
    await ends()
  }),
  wire("gone", 6, async ({ wire, stage, chance }) => {
    const draft = withHeader(
      {
        method: "POST",
        target: "/v1/projects",
        headers: [
          ["host", "a"],
          ["content-type", "application/json"]
        ],
        body: Buffer.from("[1]"),
        framing: [["content-length", "9"]]
      },
      "authorization",
      `Bearer ${stage.secrets.login}`
    )
    const bytes = bytesOf(draft)
    wire.write(bytes.subarray(0, chance.below(bytes.length)))
    await sleep(chance.below(10))
    wire.reset()
  }),
  wire("gone before the answer", 4, async ({ wire, stage, chance }) => {
    const targets = ["/ready", "/metrics", "/openapi.json", `/v1/projects/${stage.project}/rooms`]
    wire.write(
      get(stage, chance.pick(targets), [["authorization", `Bearer ${stage.secrets.login}`]])
    )
    await sleep(chance.below(3))
    wire.reset()
  }),
  wire("a flood of headers", 1, async ({ wire, stage, expect, ends }) => {
    const { host } = new URL(stage.url)
    wire.write(`GET /health HTTP/1.1\r\nhost: ${host}\r\n`)
    wire.write("x: y\r\n".repeat(200_000))
    await expect(431)
    await ends()
  })
]
