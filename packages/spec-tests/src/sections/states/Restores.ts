import { isSuccess } from "../../check/Answers.ts"
import { holds, same } from "../../check/Expect.ts"
import { type RoomStage, stateOf } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"

/** A room with `value` in its newest generation, 100 more in its state, and a client. */
export const changedSinceSave = async (stage: RoomStage, room: string, value: number) => {
  const client = await stage.client(room)
  await client.call("add", { by: value })
  await client.call("save")
  const [saveId = ""] = await stage.saves(room)
  await client.call("addDurably", { by: 100 })
  return { client, saveId }
}

/** The room's state once the restore has taken effect: its clients are sent away before. */
export const restored = async (trial: Trial, stage: RoomStage, room: string) =>
  trial.until("the restored state", async () => {
    const client = await stage.rejoin(room)
    const state = await stateOf(client)
    if (state.value < 100) return state
    await client.leave()
    return null
  })

/** Of a room that sleeps, to a generation of an older version, while another room sleeps too. */
export const restoresAsleep = async (trial: Trial, stage: RoomStage): Promise<void> => {
  const client = await stage.client("turned")
  await client.call("keep", { bytes: 20_000 })
  await client.call("add", { by: 7 })
  await client.call("save")
  const [saveId = ""] = await stage.saves("turned")
  await client.leave()
  await stage.asleep("turned")
  await stage.played("neighbour", 21)
  await stage.deploy("next")
  const later = await stage.client("turned")
  await later.call("addDurably", { by: 100 })
  await later.leave()
  await stage.asleep("turned")
  const before = await stage.saves("turned")
  isSuccess(await stage.restore("turned", saveId))
  same("the restored room", (await restored(trial, stage, "turned")).value, 7)
  const after = await stage.saves("turned")
  const made = after.filter((id) => !before.includes(id)).at(-1)
  if (made !== undefined) await isCopy(trial, stage, [saveId, made])
  const neighbour = await stage.client("neighbour")
  same("a room that slept meanwhile", (await stateOf(neighbour)).value, 21)
}

/** The generation that a restore makes is the one that it names, as it is read and as it is listed. */
const isCopy = async (
  trial: Trial,
  stage: RoomStage,
  [saveId, made]: readonly [string, string]
): Promise<void> => {
  const [one, other] = [await stage.bytes("turned", saveId), await stage.bytes("turned", made)]
  const { json } = await stage.ask("/turned/saves")
  const items: ReadonlyArray<unknown> = Array.isArray(json) ? json : []
  const told = (id: string): unknown =>
    Object(items.find((item) => trial.codecs.saveId(item) === id))["bytes"]
  trial.chosen("D-48", () => {
    holds("its bytes", Buffer.from(one.bytes).equals(other.bytes), other.bytes.byteLength)
    same("the bytes that the list tells", told(made), told(saveId))
  })
}
