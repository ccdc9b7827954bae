import { holds, same } from "../../check/Expect.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"

/** Statuses that the list showed of a room while something was done to it, without repeats. */
export const statusesDuring = async (
  stage: RoomStage,
  room: string,
  work: () => Promise<unknown>
): Promise<ReadonlyArray<string>> => {
  const seen: Array<string> = []
  const look = async (): Promise<void> => {
    const status = (await stage.row(room))?.["status"]
    if (typeof status === "string" && seen.at(-1) !== status) seen.push(status)
  }
  let done = false
  const looking = async (): Promise<void> => {
    while (!done) await look()
  }
  const [, worked] = await Promise.allSettled([looking(), work().finally(() => (done = true))])
  if (worked.status === "rejected") throw worked.reason
  await look()
  return seen
}

/** A few statuses may be too short to be seen: what was seen stands in the order of the path. */
export const follows = (
  what: string,
  seen: ReadonlyArray<string>,
  path: ReadonlyArray<string>
): void => {
  let at = 0
  for (const status of seen) {
    const found = path.indexOf(status, at)
    holds(`${what}: ${status} is on the way ${path.join(", ")}`, found !== -1, seen)
    at = found
  }
  same(`${what}: where it ends`, seen.at(-1), path.at(-1))
}

/** D-04: rooms by `lastSeen`, the newest first, and then by id. */
export const newestFirst = (one: Fields, other: Fields): number => {
  const [a, b] = [String(one["lastSeen"]), String(other["lastSeen"])]
  if (a !== b) return a > b ? -1 : 1
  return String(one["roomId"]) < String(other["roomId"]) ? -1 : 1
}

type Fields = Readonly<Record<string, unknown>>
