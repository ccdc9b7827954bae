import { isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { board } from "../trial/RelayStage.ts"
import type { Hello } from "../trial/RoomSocket.ts"
import { roomStage, stateOf, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"
import { refusedJoin } from "./roomLimits.ts"

const meter = "dataOutBytes"

/** Rooms of a project whose data-out allowance is reached: of room code, and relay rooms. */
const reachesTheWall = async (
  trial: Trial,
  stage: RoomStage,
  type: Hello | undefined
): Promise<void> => {
  const { control } = trial
  const { dataOutBytes = 0 } = rowOf("statement", "limits.intro.mgmt-rate").is ?? {}
  const { id } = stage.project
  await control.plan(id, "free")
  const clients = [await stage.client("one", type), await stage.client("two", type)]
  await control.meter(id, { meter, used: Number(dataOutBytes) - 1 })
  await Promise.all(clients.map((client) => client.ping()))
  await (await stage.client("one", type)).leave()
  await control.meter(id, { meter, used: Number(dataOutBytes) })
  const { outcome } = rowOf("move", "state.room.dataout-hibernates")
  for (const client of clients) same("the close code", (await client.end()).code, outcome?.close)
  for (const room of ["one", "two"]) await stage.asleep(room)
  // While the wall holds, who joins a room would wake it.
  for (const room of ["one", "two", "new", "one"]) {
    const refusal = await refusedJoin(await stage.socket(room), type)
    trial.chosen("D-45", () => {
      const { code, close } = refusal
      same(`a join of ${room}`, { code, close }, { code: "E_CAP_REACHED", close: 4402 })
    })
  }
  same("rooms of the project", (await stage.roomIds()).toSorted(), ["one", "two"])
  isSuccess(await stage.ask("/one"))
  await control.meter(id, { meter, used: 0 })
  const back = await stage.rejoin("one", type)
  holds("it wakes when the wall has lifted", back.isOpen(), "closed")
}

/** What becomes of rooms at the data-out allowance. */
export const dataOutChecks: ReadonlyArray<Check> = [
  {
    ids: ["state.room.dataout-hibernates"],
    needs: ["fixture", "plan"],
    timeoutMs: 60_000,
    title: "at the data-out allowance sockets close with 4290, rooms sleep, and joins get 4402",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("one")
      await client.call("addDurably", { by: 7 })
      await client.leave()
      await reachesTheWall(trial, stage, undefined)
      same("the state of the room", (await stateOf(await stage.client("one"))).value, 7)
    }
  },
  {
    ids: ["state.room.dataout-hibernates"],
    needs: ["fixture", "plan", "relay"],
    timeoutMs: 60_000,
    title: "at the data-out allowance relay rooms sleep as well",
    run: async (trial) => reachesTheWall(trial, await roomStage(trial, "relay"), board)
  }
]
