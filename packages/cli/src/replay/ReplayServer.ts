import http from "node:http"
import https from "node:https"
import { resolve } from "node:path"

import { ReplayReport } from "@atrium/domain/replay/ReplayReport"
import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { visibleText } from "@atrium/domain/shared/VisibleText"
import { Console, Effect, FileSystem, Schema, SchemaIssue } from "effect"

import { Misused } from "../CommandFailure.ts"
import type { ServiceAddress } from "../service/ServiceSettings.ts"
import { type LocalAnswer, refuse, startLocalServer } from "../sites/LocalServer.ts"
import { printable } from "../terminal/Printable.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"

interface Served {
  /** The file of `atrium replays report`. */
  readonly file: string
  /** `null` = the first that is free. */
  readonly port: number | null
  /** The service that has the page. */
  readonly service: ServiceAddress
  readonly told: (address: string, report: ReplayReport) => Effect.Effect<void>
}

/** Shows a report in the page of replays, for as long as the scope is open. Source: C-840. */
export const serveReplay = Effect.fn("ReplayServer.serve")(function* (served: Served) {
  const report = yield* readReport(served.file)
  const port = yield* startLocalServer(answersOf(report, served.service), served.port)
  yield* served.told(`http://localhost:${port}/replay/${localId}`, report)
  return yield* Effect.never
})

/** What people are told. */
export const replayText = (address: string, { replay, logs, versions }: ReplayReport) =>
  Console.log(
    [
      `replay   ${address}`,
      `room     ${printable(replay.roomId)} of type ${printable(replay.type)}, version ${versions.deployment}, ${replay.seconds} s from ${printable(replay.startedAt)}`,
      `log      ${logs.length} lines; Ctrl-C ends`
    ].join("\n")
  )

/** What programs are told, in the words of `atrium dev --json`. */
export const replayJson = (address: string, { replay, logs }: ReplayReport) => {
  const { roomId, type, version, seconds } = replay
  const facts = { address, roomId, type, version, seconds, lines: logs.length }
  return Console.log(visibleText(JSON.stringify({ event: "replay", ...facts })))
}

/** The id of the file's replay at this address. It has the form of a replay's id, and no service has such a replay. */
const localId = `rp_${"local".padEnd(32, "-")}`
const replayRoute = `/v1/replays/${localId}`

/** Reads a report. What somebody has sent is read as hostile. Errors: `Misused`, which names the file. */
const readReport = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = resolve(yield* WorkingDirectory, file)
  const misused = (message: string) => new Misused({ message: `${file}: ${message}` })
  const { size } = yield* Effect.mapError(fs.stat(path), ({ message }) => misused(message))
  const { max } = ReplayStoreLimits.replayReport
  if (size > max) {
    return yield* misused(`${size} bytes, and a report has at most ${max}`)
  }
  const text = yield* Effect.mapError(fs.readFileString(path), ({ message }) => misused(message))
  return yield* Effect.mapError(decodeReport(text), ({ issue }) => {
    const [first] = issuesOf(issue).issues
    const at = (first?.path ?? []).map(String).join(".")
    return misused(
      `no report of atrium replays: ${at === "" ? "" : `${at}: `}${first?.message ?? ""}`
    )
  })
})

const decodeReport = Schema.decodeUnknownEffect(Schema.fromJsonString(ReplayReport))
const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** The replay comes from the file, and the page that shows it from the service. */
const answersOf =
  ({ replay, chunks }: ReplayReport, service: ServiceAddress): LocalAnswer =>
  async (request, response) => {
    const path = (request.url ?? "/").replace(/\?.*$/s, "")
    const [, index] = /^\/chunks\/(\d{1,3})$/.exec(path.slice(replayRoute.length)) ?? []
    const chunk = path.startsWith(replayRoute) ? chunks[Number(index)] : undefined
    if (path === replayRoute) {
      response.setHeader("content-type", "application/json").end(JSON.stringify(replay))
    } else if (chunk !== undefined) {
      response.setHeader("content-type", "application/octet-stream").end(chunk)
    } else if (path === `/replay/${localId}` || /^\/console\/files\/\w[\w.-]*$/.test(path)) {
      passOn(service, path, { request, response })
    } else refuse(response, 404, "there is nothing here but the replay")
  }

interface Exchange {
  readonly request: http.IncomingMessage
  readonly response: http.ServerResponse
}

/** Headers of the page that a browser needs. Nothing that it sent goes to the service. */
const passed = [
  "content-type",
  "content-length",
  "referrer-policy",
  "x-frame-options",
  "x-robots-tag",
  "cross-origin-opener-policy"
]

const passOn = (
  { endpoint }: ServiceAddress,
  path: string,
  { request, response }: Exchange
): void => {
  const { get } = endpoint.http.startsWith("https:") ? https : http
  const asked = get(`${endpoint.http}${path}`, (answer) => {
    response.statusCode = answer.statusCode ?? 502
    for (const name of passed) {
      const value = answer.headers[name]
      if (value !== undefined) response.setHeader(name, value)
    }
    const policy = answer.headers["content-security-policy"]
    if (policy !== undefined)
      response.setHeader("content-security-policy", localPolicy(String(policy), request))
    answer.on("error", () => response.destroy())
    answer.pipe(response)
  })
  asked.on("error", () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 502, `${endpoint.http}: does not answer, and it has the page of replays`)
  })
  response.on("close", () => asked.destroy())
}

/** The files of the page come from this address: the policy names it in place of the service's. */
const localPolicy = (policy: string, { headers: { host = "" } }: http.IncomingMessage): string =>
  policy.replace(/(?<=(?:script|style)-src )\S+(?=\/console\/files\/)/g, `http://${host}`)
