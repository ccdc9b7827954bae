import type { LifeEvent } from "@atrium/domain/life/LifeEvent"

import { bytesText } from "../text/Numbers.ts"
import { spanText } from "../text/Times.ts"

export type LifeTone = "good" | "busy" | "asleep" | "bad"

/** An event of a room's life in words of the console; what the room itself says of it stands apart. */
export interface LifeText {
  readonly tone: LifeTone
  readonly text: string
  /** Words of the room's code or of the service, as they came; `null` = none. */
  readonly detail: string | null
}

const tones: Readonly<Record<LifeEvent["kind"], LifeTone>> = {
  created: "good",
  woken: "good",
  restarted: "good",
  migrated: "busy",
  moved: "busy",
  restored: "busy",
  cold: "busy",
  stayed: "busy",
  set: "asleep",
  saved: "asleep",
  deployed: "asleep",
  slept: "asleep",
  crashed: "bad",
  closed: "bad",
  failed: "bad",
  lost: "bad"
}

/** Says what happened. A newer service may tell events that this page does not know: it shows their names. */
export const lifeText = (event: LifeEvent): LifeText => ({
  tone: tones[event.kind] ?? "asleep",
  text: wordsOf(event),
  detail: event.detail ?? null
})

const wordsOf = (event: LifeEvent): string => {
  const { kind, version, from, server, saveId, bytes, staleMs } = event
  const reason = event.reason ?? "unknown"
  switch (kind) {
    case "created":
      return `Created on version ${version}, on server ${server}`
    case "woken":
      return `Woke up on version ${version}, on server ${server}`
    case "restarted":
      return `Restarted on version ${version}, on server ${server}`
    case "migrated":
      return `Took its state from version ${from} to version ${version}`
    case "cold":
      return `Started with fresh state on version ${version}`
    case "stayed":
      return `Stays on version ${version}, not on ${from}`
    case "slept":
      return `Fell asleep: ${sleeps[reason] ?? reason}`
    case "moved":
      return "Moved to another runner"
    case "crashed":
      return `Crashed: ${crashes[reason] ?? reason}${lostText(staleMs)}`
    case "closed":
      return "Closed: it crashed three times within a minute. The next join starts it anew"
    case "failed":
      return "Did not start"
    case "lost":
      return "Its runner went away"
    case "restored":
      return `Went back to the save ${saveId}`
    case "set":
      return "Settings changed"
    case "saved":
      return `Saved (${reason}): ${saveId}, ${bytesText(bytes ?? 0)} of version ${version}`
    case "deployed":
      return from === undefined
        ? `Version ${version} of the project was deployed`
        : `The project was rolled back: version ${version} is version ${from} again`
    default:
      return String(kind)
  }
}

const lostText = (staleMs: number | undefined): string =>
  staleMs === undefined || staleMs === 0 ? "" : `. ${spanText(staleMs)} of play were lost`

/** Why rooms fall asleep. */
const sleeps: Readonly<Record<string, string>> = {
  empty: "nobody was there",
  unentered: "nobody was let in",
  pressure: "its server was short of memory",
  redeploy: "another version was deployed",
  shutdown: "its runner ended",
  restore: "a save takes the place of its state",
  dataOut: "the project has used up its data out"
}

/** Why a room's process ends by itself. */
const crashes: Readonly<Record<string, string>> = {
  crashed: "its code threw an error that nothing catches",
  memory: "it went over its memory",
  pressure: "its server was short of memory",
  hung: "it did not answer",
  flood: "it sent too many frames",
  protocol: "it broke the protocol of rooms",
  snapshotSize: "its state is too large to be stored",
  killed: "its process was ended from outside",
  neighbour: "the process that it shared with other rooms ended",
  notStarted: "the machine had no process for it",
  startTimeout: "it took too long to start",
  code: "its code cannot run it"
}
