import { resolve } from "node:path"

import {
  ReplayReport,
  replayReportFormat,
  type ReplayReport as Report
} from "@atrium/domain/replay/ReplayReport"
import { ReplayStoreLimits } from "@atrium/domain/replay/ReplayStoreLimits"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { durationText } from "@atrium/wire/time/Duration"
import { Clock, Console, Effect, FileSystem, Option, Schedule, Schema } from "effect"
import { Command, Flag } from "effect/cli"

import packageJson from "../../package.json" with { type: "json" }
import { type CommandFailure, Misused } from "../CommandFailure.ts"
import { openOwn, type Target } from "../projects/CommandProject.ts"
import { idArgument, json } from "../projects/ProjectParameters.ts"
import { printable } from "../terminal/Printable.ts"
import { withProgress } from "../terminal/Progress.ts"
import { sizeText } from "../terminal/Sizes.ts"
import { WorkingDirectory } from "../WorkingDirectory.ts"

/** The clip is for the report alone, and goes soon. */
const clipTtl = durationText(ReplayStoreLimits.reportClipKept.ms)

/**
 * `atrium replays report`: the last seconds of an awake room with its log, in a file for a bug report. Source: C-839.
 *
 * @param group what the command of all replays takes as well
 */
export const makeReport = <E, R>(group: Effect.Effect<Target, E, R>) =>
  Command.make(
    "report",
    {
      room: idArgument("room", "Id of an awake room whose type records itself"),
      seconds: Flag.Int("seconds").pipe(
        Flag.withDescription("The last seconds; default: all that the room remembers"),
        Flag.optional
      ),
      output: Flag.String("output").pipe(
        Flag.withAlias("o"),
        Flag.withDescription(
          "File to write, which must not be there yet; default: report-<room>-<time>.json"
        ),
        Flag.optional
      ),
      json
    },
    Effect.fn("atrium.replays.report")(function* (input) {
      const service = yield* openOwn(yield* group)
      if (Option.isSome(input.output)) yield* isNew(input.output.value)
      const report = yield* gathered(service, input).pipe(
        withProgress(`reading ${printable(input.room)}`)
      )
      const path = Option.getOrElse(input.output, () => nameOf(input.room, report.madeAt))
      const written = yield* Effect.mapError(
        Schema.encodeEffect(ReplayReport)(report),
        ({ message }) => new Misused({ message: `the service has sent no report: ${message}` })
      )
      const text = JSON.stringify(written)
      yield* writeNew(path, text)
      const { seconds } = report.replay
      const lines = report.logs.length
      yield* Console.log(
        input.json
          ? JSON.stringify({ path, seconds, lines, bytes: Buffer.byteLength(text) })
          : `${path}: ${seconds} s, ${lines} ${lines === 1 ? "log line" : "log lines"}, ${sizeText(Buffer.byteLength(text))}\n` +
              `look at it with: atrium dev --replay ${path}`
      )
    })
  ).pipe(
    Command.withDescription(
      "Write the last seconds of a room and its log to a file, for a bug report"
    ),
    Command.withExamples([
      { command: "atrium replays report arena-2" },
      { command: "atrium replays report arena-2 --seconds 20 -o lost-ball.json" }
    ])
  )

type Service = Effect.Success<ReturnType<typeof openOwn>>

/** Makes a clip, and reads it with what belongs to it. */
const gathered = Effect.fnUntraced(function* (
  { ask, project, ...routes }: Service,
  { room, seconds }: { readonly room: string; readonly seconds: Option.Option<number> }
) {
  const params = { id: project.id, roomId: room }
  const payload = { ttl: clipTtl, ...(Option.isSome(seconds) ? { seconds: seconds.value } : {}) }
  const made = yield* patient(ask(routes.replays.clip({ params, query: {}, payload }), "transfer"))
  const watched = { replayId: made.clipId }
  const replay = yield* patient(ask(routes.watch.replay({ params: watched, query: {} })))
  const chunks = yield* Effect.forEach(replay.chunks, ({ index }) => {
    const chunk = routes.watch.chunk({ params: { ...watched, index: String(index) }, query: {} })
    return patient(ask(chunk, "transfer"), busy)
  })
  const log = {
    room,
    since: replay.startedAt,
    limit: String(ReplayStoreLimits.replayReportLines.max)
  }
  const logs = yield* ask(routes.logs.read({ params: { id: project.id }, query: log }))
  const version = { id: project.id, version: String(replay.version) }
  const deployment = yield* ask(routes.deployments.read({ params: version, query: {} }))
  const type = deployment.roomTypes.find((each) => each.type === replay.type)
  const report: Report = {
    format: replayReportFormat,
    madeAt: isoOf(yield* Clock.currentTimeMillis),
    versions: {
      atrium: packageJson.version,
      ...(made.service === undefined ? {} : { service: made.service }),
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      deployment: replay.version,
      deployedAt: deployment.createdAt,
      schemaHash: type?.schemaHash ?? null
    },
    replay,
    chunks,
    logs
  }
  return report
})

/**
 * A room may have made a clip just now, and a long one has more chunks than an address may read at once: the next
 * allowance comes within a second.
 */
const patient = <A, R>(call: Effect.Effect<A, CommandFailure, R>, codes = spent) =>
  Effect.retry(call, {
    schedule: Schedule.spaced(ReplayStoreLimits.reportRetry.ms),
    times: ReplayStoreLimits.reportRetries.max,
    while: (failure) => failure._tag === "Refused" && codes.has(failure.code ?? "")
  })

const spent: ReadonlySet<string> = new Set(["E_RATE_LIMITED", "E_CLIP_COOLDOWN"])
/** Of a chunk, which the service decompresses for this command when others have had their turn. */
const busy: ReadonlySet<string> = new Set(["E_RATE_LIMITED", "E_NOT_READY"])

/** A file name for the report. It has only characters that every file system takes. */
const nameOf = (room: string, madeAt: string): string =>
  `report-${room.replace(/[^\w.-]/g, "_")}-${madeAt.slice(0, 19).replaceAll(":", "-")}.json`

/** A name that is taken is refused before a clip is made. */
const isNew = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const isThere = yield* Effect.mapError(
    fs.exists(resolve(yield* WorkingDirectory, path)),
    ({ message }) => new Misused({ message: `${path}: ${message}` })
  )
  if (isThere)
    return yield* new Misused({ message: `${path}: is there already; name another file` })
})

/** The log of a room is for its developer: others of this machine do not read the file, and no file is overwritten. */
const writeNew = Effect.fnUntraced(function* (path: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const absolute = resolve(yield* WorkingDirectory, path)
  yield* Effect.mapError(
    fs.writeFileString(absolute, text, { flag: "wx", mode: 0o600 }),
    ({ message }) => new Misused({ message: `${path}: ${message}` })
  )
})
