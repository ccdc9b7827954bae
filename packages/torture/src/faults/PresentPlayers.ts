import { type ProbeRoom, roomsOf } from "@atrium/api/testing/RoomsUnderTest"
import { holderFirst, shareShards, startRunner } from "@atrium/api/testing/Runners"
import { call, makeHome, type RunningService } from "@atrium/api/testing/RunningService"
import { until } from "@atrium/domain/testing/Until"

/** Three runners, of which one has a room with a player in it. */
export interface PresentPlayers {
  /** The runner that has the room, and the others, which are asked. */
  readonly holder: RunningService
  readonly others: ReadonlyArray<RunningService>
  readonly room: ProbeRoom
  remove(): Promise<void>
}

export const presentPlayers = async (): Promise<PresentPlayers> => {
  const home = await makeHome()
  const start = (): Promise<RunningService> =>
    startRunner(home, { env: { ATRIUM_EXEMPT_ADDRESSES: "127.0.0.1" } })
  const runners = [await start(), await start(), await start()] as const
  await shareShards(runners)
  const room = await roomsOf(runners[0]).join("here")
  const [holder, ...others] = await holderFirst(runners)
  return { holder, others, room, remove: () => home.remove() }
}

/** The rooms of players, as a runner tells of them. */
export const ask = async (on: RunningService, query: string) => {
  const { status, body } = await call(on.url, `/v1/presence?project=${on.project}&${query}`)
  if (status !== 200) throw new Error(`the runner answered ${status}`)
  const players: ReadonlyArray<Record<string, unknown>> = Object(body["players"])
  return { rooms: players.map(({ roomId }) => roomId), cursor: String(body["cursor"]) }
}

/** @returns how long it took until each of them said so, in ms */
export const told = async (
  runners: ReadonlyArray<RunningService>,
  players: ReadonlyArray<string>,
  rooms: ReadonlyArray<string | null>
): Promise<number> => {
  const beganMs = performance.now()
  await until(`the players are in ${rooms.join()}`, async () => {
    const answers = await Promise.all(runners.map((on) => ask(on, `players=${players.join()}`)))
    return answers.every((answer) => answer.rooms.join() === rooms.join())
  })
  return performance.now() - beganMs
}
