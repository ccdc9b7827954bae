import { projectOfDev } from "@atrium/domain/projects/ProjectFile"
import { Deferred, Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"

import type { CommandFailure } from "../CommandFailure.ts"
import { openProject, type ProjectPlace } from "../projects/ProjectFolder.ts"
import { config, json, paths, url } from "../projects/ProjectParameters.ts"
import { replayJson, replayText, serveReplay } from "../replay/ReplayServer.ts"
import { openService } from "../service/OpenService.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"
import { loginSettings, serviceAddress, type ServiceSettings } from "../service/ServiceSettings.ts"
import { serveSite } from "../sites/ServeSite.ts"
import { paintOf } from "../terminal/Paint.ts"
import { stopAsked } from "../terminal/StopAsked.ts"
import { clientWarnings } from "./ClientWalk.ts"
import { upload } from "./Deploying.ts"
import { type DevLease, makeDevLease } from "./DevLease.ts"
import { makeDevLines } from "./DevLines.ts"
import { type DevReport, jsonReport, type Sent, textReport } from "./DevReport.ts"
import { watchFolders } from "./FolderWatch.ts"
import { bundleProject } from "./ProjectBundle.ts"
import { fileWarnings, warn } from "./ProjectSync.ts"

/** `atrium dev`: deploys the project to the local service, and again whenever its code changes. */
export const dev = Command.make(
  "dev",
  {
    paths,
    config,
    url,
    takeOver: Flag.Boolean("take-over").pipe(
      Flag.withDescription("Also when another folder has the project: its rooms are replaced"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    noServe: Flag.Boolean("no-serve").pipe(
      Flag.withDescription("Do not serve the page that service.json names as static"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    sitePort: Flag.Int("site-port").pipe(
      Flag.withDescription("Port of the page; default: the first free one from 8790 on"),
      Flag.filter(
        (port) => port >= 1 && port <= 65_535,
        () => "a port from 1 to 65535"
      ),
      Flag.optional
    ),
    replay: Flag.String("replay").pipe(
      Flag.withDescription(
        "Show this file of `atrium replays report` in a page, and deploy nothing"
      ),
      Flag.optional
    ),
    json
  },
  Effect.fn("atrium.dev")(function* (input) {
    const port = Option.getOrNull(input.sitePort)
    if (Option.isSome(input.replay)) {
      const service = yield* serviceAddress(input.url)
      const shows = serveReplay({
        file: input.replay.value,
        port,
        service,
        told: input.json ? replayJson : replayText
      })
      return yield* Effect.raceFirst(Effect.scoped(shows), stopAsked)
    }
    const settings = yield* loginSettings(input.url)
    const paints = { out: yield* paintOf("stdout"), err: yield* paintOf("stderr") }
    const report = input.json ? jsonReport(settings) : textReport(settings, paints)
    const tried = yield* Deferred.make<void>()
    const deploys = deployOnChange(settings, input, {
      ...report,
      watching: (watched) =>
        Effect.andThen(report.watching(watched), Deferred.succeed(tried, undefined))
    })
    // A page that is opened before its rooms are there cannot join, and stays so.
    const serves = Effect.andThen(
      Deferred.await(tried),
      serveSite({ place: input, port, served: report.page })
    )
    const works = input.noServe ? deploys : Effect.raceFirst(deploys, serves)
    yield* Effect.raceFirst(Effect.scoped(works), stopAsked)
  })
).pipe(
  Command.withExamples([
    { command: "atrium dev", description: "Work on room.ts of this folder" },
    { command: "atrium dev examples/arena", description: "Work on the project in that folder" },
    { command: "atrium dev --no-serve", description: "Deploy rooms only, and serve no page" },
    {
      command: "atrium dev --replay report-arena-2.json",
      description: "Look at what `atrium replays report` has written"
    },
    {
      command: "atrium dev --json",
      description: "An object a line; `event` is version, watching, page, refused or line"
    }
  ])
)

const deployOnChange = Effect.fnUntraced(function* (
  settings: ServiceSettings,
  place: ProjectPlace & { readonly takeOver: boolean },
  report: DevReport
) {
  const { root, watched } = yield* openProject(place)
  const service = yield* openService(settings)
  yield* service.health
  const lease = yield* makeDevLease({ service, folder: root, takeOver: place.takeOver })
  const { nextChange } = yield* watchFolders(watched)
  const warnAnew = anew()
  const lines = yield* makeDevLines(service, report)
  let sent: Sent | null = null
  for (let first = true; ; first = false) {
    const result: Result.Result<Sent | null, CommandFailure> = yield* Effect.result(
      Effect.raceFirst(
        deployFolder({ service, place, sent, hold: lease.hold, warnAnew }),
        lease.lost
      )
    )
    if (Result.isSuccess(result)) {
      const now: Sent | null = result.success
      if (now !== null) {
        if (now !== sent) yield* report.version(now, sent)
        yield* lines.follow(now.project)
      }
      sent = now
    } else {
      const { failure } = result
      // Neither a token nor a project id is mended by an edit of the room.
      const taken = failure._tag === "Refused" && failure.code === "E_DEV_HELD"
      if (taken || (first && (failure._tag === "Misused" || failure.lasting))) return yield* failure
      yield* report.refused(failure)
      sent = outdated(sent)
    }
    if (first) yield* report.watching(watched)
    yield* Effect.raceFirst(nextChange, lease.lost)
  }
})

const outdated = (sent: Sent | null): Sent | null => sent && { ...sent, upToDate: false }

interface Redeploy {
  readonly service: ServiceClient
  readonly place: ProjectPlace
  readonly sent: Sent | null
  readonly hold: DevLease["hold"]
  readonly warnAnew: typeof warn
}

/** Warns of what was not said the last time. */
const anew = (): typeof warn => {
  let said: ReadonlyArray<string> = []
  return (warnings) => {
    const fresh = warnings.filter((text) => !said.includes(text))
    said = warnings
    return warn(fresh)
  }
}

/** Deploys what is in the folder now, unless the service has just that already; `null` = no rooms. */
const deployFolder = Effect.fnUntraced(function* (redeploy: Redeploy) {
  const { service, place, sent, hold, warnAnew } = redeploy
  const folder = yield* openProject(place)
  yield* warnAnew([...fileWarnings(folder), ...(yield* clientWarnings(folder))])
  const project = projectOfDev(folder.file)
  if (folder.entries.length === 0) return null
  const { bytes } = yield* bundleProject(folder)
  if (sent?.project === project.id && Buffer.compare(sent.bytes, bytes) === 0) {
    return sent.upToDate ? sent : { ...sent, upToDate: true }
  }
  yield* hold(project.id)
  const deployment = yield* upload({ service, folder, project, bytes, settings: {} })
  return { project: project.id, bytes, deployment, upToDate: true }
})
