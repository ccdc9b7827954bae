import type { LogLine } from "@atrium/domain/logs/LogLine"
import { visibleText } from "@atrium/domain/shared/VisibleText"
import { roomPath } from "@atrium/wire/frames/RoomPath"
import { Console, Effect } from "effect"

import type { CommandFailure } from "../CommandFailure.ts"
import { shownLine } from "../logs/LineText.ts"
import type { ServiceSettings } from "../service/ServiceSettings.ts"
import { faultText, levelText, type Paint } from "../terminal/Paint.ts"
import { printable, printableLines } from "../terminal/Printable.ts"
import { type Deployed, roomTypesText } from "./Deploying.ts"

/** The deployment of a project that the service has. */
export interface Sent {
  readonly project: string
  readonly bytes: Uint8Array
  readonly deployment: Deployed
  /** The folder held nothing since then that could not be deployed. */
  readonly upToDate: boolean
}

/** What `atrium dev` says of its work. Failures are on standard error in both forms. */
export interface DevReport {
  version(now: Sent, before: Sent | null): Effect.Effect<void>
  watching(folders: ReadonlyArray<string>): Effect.Effect<void>
  /** The page of the project is served from now on. @param folder as the user would write it */
  page(address: string, folder: string): Effect.Effect<void>
  refused(failure: CommandFailure): Effect.Effect<void>
  /** A line that a room has logged. */
  line(line: LogLine): string
}

/** The paint of standard output, and that of standard error. */
interface Paints {
  readonly out: Paint
  readonly err: Paint
}

/** For people. */
export const textReport = ({ endpoint }: ServiceSettings, { out, err }: Paints): DevReport => ({
  version: (now, before) => Console.log(sentText(now, before, { endpoint, paint: out })),
  watching: (folders) => Console.log(`watching ${folders.join(", ")}; Ctrl-C ends`),
  page: (address, folder) => Console.log(`page     ${address} (${folder}, loads anew on a change)`),
  refused: (failure) => Console.error(faultText(err, failure.message)),
  line: ({ roomId, level, line }) =>
    `  ${levelText(out, level, level.padEnd(5))} ${printable(roomId)}  ${printableLines(line).replaceAll("\n", "\n    ")}`
})

/** For programs: one object a line, told apart by `event`. Source: C-403. */
export const jsonReport = ({ endpoint }: ServiceSettings): DevReport => ({
  version: ({ project, deployment }) =>
    Console.log(
      event("version", { project, rooms: roomsAddress(endpoint, project), ...deployment })
    ),
  watching: (folders) => Console.log(event("watching", { folders })),
  page: (address, folder) => Console.log(event("page", { address, folder })),
  refused: (failure) => {
    const code = failure._tag === "Refused" ? failure.code : null
    const { message } = failure
    return Effect.andThen(Console.error(message), Console.log(event("refused", { code, message })))
  },
  line: (line) => event("line", shownLine(line))
})

/** Nothing that a service or a room says acts on the terminal. */
const event = (name: string, fields: object): string =>
  visibleText(JSON.stringify({ event: name, ...fields }))

type Endpoint = ServiceSettings["endpoint"]

interface Shown {
  readonly endpoint: Endpoint
  readonly paint: Paint
}

const sentText = (now: Sent, before: Sent | null, { endpoint, paint }: Shown): string => {
  const { project, deployment } = now
  const text = `${paint.title(`version ${deployment.version}`)} of ${project}`
  if (before?.bytes === now.bytes) return `${text}, as before`
  const kept = deployment.made ? "" : ", as before"
  const types = `${text}${kept}: ${roomTypesText(deployment)}`
  return before?.project === project ? types : `${types}\n${joinText(endpoint, project)}`
}

const joinText = (endpoint: Endpoint, id: string): string => {
  const { http, local } = endpoint
  const options = local && id === "dev" ? "" : `, { project: "${id}" }`
  return [
    `  join     new Client("${http}"${options})`,
    `  or       ${roomsAddress(endpoint, id)}`,
    `  try it   ${http}/console/p/${id}/playground`
  ].join("\n")
}

const roomsAddress = ({ ws }: Endpoint, id: string): string => `${ws}${roomPath(id, "{room}")}`
