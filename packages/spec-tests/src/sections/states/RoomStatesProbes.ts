import { isSuccess } from "../../check/Answers.ts"
import { same, holds } from "../../check/Expect.ts"
import type { Hello } from "../../trial/RoomSocket.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { refusedJoin } from "../RefusedJoin.ts"
import { rowOf } from "../Section.ts"

const meter = "dataOutBytes"

/** Rooms of a project whose data-out allowance is reached: of room code, and relay rooms. */
export const reachesTheWall = async (
  trial: Trial,
  stage: RoomStage,
  type: Hello | undefined
): Promise<void> => {
  const { control } = trial
  const { dataOutBytes = 0 } = rowOf("statement", "limits.intro.mgmt-rate").is ?? {}
  const { id } = stage.project
  await control.plan(id, "free")
  const clients = [await stage.client("one", type), await stage.client("two", type)]
  // What the clients are sent counts, too.
  await control.meter(id, { meter, used: Number(dataOutBytes) - 10 ** 6 })
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
