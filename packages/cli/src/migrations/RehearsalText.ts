import type { Rehearsal } from "@atrium/domain/migrations/RehearsalsApi"

import { Refused } from "../CommandFailure.ts"
import { printable, printableLines } from "../terminal/Printable.ts"
import { sizeText } from "../terminal/Sizes.ts"

/** Rooms that a text names at most. */
const named = 5

/** What is to be rehearsed, and how long it will probably take. */
export const estimateText = ({ rooms, version, estimateMs }: Rehearsal): string =>
  `${counted(rooms.total, "room")} to rehearse for version ${version}, in about ${spanText(estimateMs)}`

/** How far a rehearsal is. */
export const progressText = ({ rooms, estimateMs }: Rehearsal): string =>
  `rehearsing ${rooms.done} of ${counted(rooms.total, "room")}, about ${spanText(estimateMs)} left`

/** The report of a rehearsal, in lines, without its failures: {@link rehearsalRefusal} has those. */
export const rehearsalText = (rehearsal: Rehearsal): string => {
  const { rooms, states, bytes, wakeMs, sample, diffs } = rehearsal
  const drawn = sample === null ? "" : ", drawn by chance"
  const again = rooms.again === 0 ? "" : `, ${rooms.again} once more as they changed`
  const slowest = wakeMs.roomId === null ? "" : `, ${wakeMs.max} ms for ${printable(wakeMs.roomId)}`
  const skipped = states.skipped === 0 ? "" : `, ${states.skipped} are not led on`
  return [
    `rooms    ${rooms.done - rooms.failed} of ${rooms.done} pass${drawn}${again}`,
    `states   ${states.done} were led on${skipped}`,
    `bytes    ${sizeText(bytes.before)} before, ${sizeText(bytes.after)} after`,
    `wakes    take ${wakeMs.mean} ms more${slowest}`,
    ...diffs.flatMap(diffLines)
  ].join("\n")
}

const diffLines = ({ roomId, type, version, lines }: Rehearsal["diffs"][number]) => [
  `${printable(roomId)} (${printable(type)}, version ${version})`,
  ...lines.map((line) => `  ${printable(line)}`)
]

/** Why a rehearsal does not let a deploy go on: each kind of failure, with a room that shows it and how to see it. */
export const rehearsalRefusal = (rehearsal: Rehearsal): Refused => {
  const { state, rehearsalId } = rehearsal
  if (state === "stopped") {
    const text = `the rehearsal ${rehearsalId} was stopped; the same command goes on with it`
    return new Refused({ code: null, text })
  }
  if (state === "outdated") {
    const text = `another version was deployed meanwhile, so that the rehearsal ${rehearsalId} says nothing`
    return new Refused({ code: null, text })
  }
  return new Refused({
    code: "E_REHEARSAL_FAILED",
    text: failureText(rehearsal)
  })
}

/** What fails in a rehearsal: each kind of failure, with a room that shows it. */
export const failureText = (rehearsal: Rehearsal): string => {
  const { rooms, failures } = rehearsal
  return [
    `${rooms.failed} of ${counted(rooms.done, "room")} ${rooms.failed === 1 ? "fails" : "fail"}: ${roomsText(rehearsal)}`,
    ...failures.flatMap(failureLines)
  ].join("\n")
}

const roomsText = ({ failedRooms }: Rehearsal): string => {
  const left = failedRooms.length - named
  const first = failedRooms.slice(0, named).map(printable).join(", ")
  return left > 0 ? `${first} and ${left} more` : first
}

const failureLines = (failure: Rehearsal["failures"][number]): ReadonlyArray<string> => {
  const { message, stack, rooms } = failure
  const places = stack.split("\n").filter((line) => line.startsWith("    at "))
  return [
    `  ${counted(rooms, "room")}: ${printable(message)}`,
    ...places.map((line) => printableLines(line)),
    `    see one: ${seeOne(failure)}`
  ]
}

const seeOne = ({ roomId, saveId }: Rehearsal["failures"][number]): string => {
  const room = printable(roomId)
  return saveId === null
    ? `atrium rooms saves ${room}`
    : `atrium rooms saves get ${room} ${printable(saveId)} -o ${room}.save`
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const spanText = (ms: number): string =>
  ms < 60_000 ? `${Math.ceil(ms / 1000)}s` : `${Math.ceil(ms / 60_000)}min`
