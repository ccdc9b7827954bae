import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import { AudienceStage } from "../../trial/AudienceStage.ts"
import { board } from "../../trial/RelayStage.ts"
import { JoinRefused } from "../../trial/RoomSocket.ts"
import { type RoomStage, roomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

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

/** Ids of 1 to 128 characters are those of rooms, and no others are. Source: D-05. */
export async function roomIds(trial: Trial): Promise<void> {
  const stage = await roomStage(trial)
  const ids = ["x", "aZ09._~:-", "y".repeat(128)]
  for (const room of ids) await stage.client(room)
  for (const room of ["z".repeat(129), "a%20b", "a@b", "%C3%A9"]) {
    const outcome = await stage.client(room).catch((cause: unknown) => cause)
    trial.chosen("D-05", () =>
      holds(`no room ${room.slice(0, 9)}`, outcome instanceof JoinRefused, "joined")
    )
  }
  const listed = (await stage.roomIds()).toSorted()
  trial.chosen("D-05", () => same("the rooms", listed, ids.toSorted()))
  for (const room of ids) same("a room by its id", (await stage.detail(room))["roomId"], room)
}

/** Viewers are counted apart from players. Source: C-230. */
export const noViewers: Probe = {
  needs: ["audience", "relay", "fixture"],
  title: "who watches is no client of the room",
  run: async (trial) => {
    const audience = await AudienceStage.of(trial)
    await audience.stage.client("seen", board)
    for (let viewers = 0; viewers < 3; viewers++) await audience.viewer("seen")
    await audience.stage.client("seen", board)
    await audience.stage.counted("seen", 2)
  }
}

type Fields = Readonly<Record<string, unknown>>
