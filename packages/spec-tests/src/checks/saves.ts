import { isRefusal, isRefused, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, matches, same } from "../check/Expect.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import { roomStage, stateOf } from "../trial/RoomStage.ts"
import type { RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

const generationsMax = 10

/** Adds to the room's counter and keeps the state as a generation, `times` times. */
const saveOften = async (client: RoomSocket, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) {
    await client.call("add", { by: 1 })
    await client.call("save")
  }
}

/** A room with `value` in its newest generation, 100 more in its state, and a client. */
const changedSinceSave = async (stage: RoomStage, room: string, value: number) => {
  const client = await stage.client(room)
  await client.call("add", { by: value })
  await client.call("save")
  const [saveId = ""] = await stage.saves(room)
  await client.call("addDurably", { by: 100 })
  return { client, saveId }
}

/** The room's state once the restore has taken effect: its clients are sent away before. */
const restored = async (trial: Trial, stage: RoomStage, room: string) =>
  trial.until("the restored state", async () => {
    const client = await stage.rejoin(room)
    const state = await stateOf(client)
    if (state.value < 100) return state
    await client.leave()
    return null
  })

/** Save generations: their list, their bytes, and going back to one. */
export const saveChecks: ReadonlyArray<Check> = [
  {
    ids: ["saves.newest-first", "saves.identified-by-saveId", "route.saves.list"],
    title: "generations are listed newest first, each by an id of its own",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("saved")
      const seen: Array<string> = []
      for (let save = 0; save < 3; save++) {
        await saveOften(client, 1)
        const [newest = "none", ...older] = await stage.saves("saved")
        same("the generations below the newest", older, seen)
        seen.unshift(newest)
      }
      same("different ids", new Set(seen).size, seen.length)
      const read = new Set<string>()
      for (const id of seen) {
        const answer = await stage.bytes("saved", id)
        isSuccess(answer)
        read.add(Buffer.from(answer.bytes).toString("latin1"))
      }
      same("states, of which no two are the same", read.size, seen.length)
      const other = await stage.client("other")
      await saveOften(other, 1)
      const strange = [
        await stage.bytes("saved", `${seen[0]}0`),
        await stage.bytes("saved", "sv_0123456789abcdef"),
        await stage.bytes("other", seen[0] ?? ""),
        await stage.restore("other", seen[0] ?? "")
      ]
      for (const answer of strange) {
        isRefused(answer)
        const outcome = { status: 404, code: "E_SAVE_NOT_FOUND" }
        trial.chosen("D-11", () => isRefusal(trial, answer, { outcome }))
      }
      same("the room that the generation is not of", (await stateOf(other)).value, 1)
      const key = await stage.project.key("rooms:read")
      isSuccess(await stage.ask("/saved/saves", { bearer: key.secret }))
    }
  },
  {
    ids: ["saves.bytes-raw", "route.saves.bytes"],
    title: "the bytes of a generation are read raw, the same each time",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("saved")
      await saveOften(client, 1)
      await client.call("keep", { bytes: 50_000 })
      await saveOften(client, 1)
      const [large = "", small = ""] = await stage.saves("saved")
      const [one, again, other] = [
        await stage.bytes("saved", large),
        await stage.bytes("saved", large),
        await stage.bytes("saved", small)
      ]
      for (const answer of [one, again, other]) isSuccess(answer)
      // Bytes of chance are no text: what is read as text and written again grows or shrinks.
      holds("bytes and no text", !one.bytes.every((byte) => byte < 128), one.bytes.byteLength)
      holds("all of the state", one.bytes.byteLength >= 50_000, one.bytes.byteLength)
      same("its length", one.headers["content-length"] ?? "chunked", String(one.bytes.byteLength))
      holds("read twice, it is the same", Buffer.from(one.bytes).equals(again.bytes), "different")
      holds("another generation is another state", other.bytes.byteLength < 50_000, other.text)
      const key = await stage.project.key("rooms:read")
      isSuccess(await stage.ask(`/saved/saves/${large}/bytes`, { bearer: key.secret }))
      const [item]: ReadonlyArray<unknown> = Object((await stage.ask("/saved/saves")).json)
      trial.chosen("D-11", () => {
        same("the bytes that the list tells", Object(item)["bytes"], one.bytes.byteLength)
        same("content-type", one.headers["content-type"], "application/octet-stream")
        matches("a strong etag", one.headers["etag"], /^"[^"]+"$/)
        holds("of this generation", one.headers["etag"] !== other.headers["etag"], one.headers)
      })
    }
  },
  {
    ids: ["saves.retention-10", "rooms.detail.saves"],
    title: "the newest 10 generations of a room and deployment version are kept",
    timeoutMs: 60_000,
    run: async (trial) => {
      const stage = await roomStage(trial)
      const client = await stage.client("saved")
      await saveOften(client, 9)
      const nine = await stage.saves("saved")
      same("saves listed after 9", nine.length, 9)
      same("saves of the detail", (await stage.detail("saved"))["saves"], 9)
      await saveOften(client, 1)
      const ten = await stage.saves("saved")
      same("saves listed after 10", ten.slice(1), nine)
      await saveOften(client, 1)
      const eleventh = await stage.saves("saved")
      same("the oldest goes at the 11th", eleventh.slice(1), ten.slice(0, -1))
      same("the oldest is gone", (await stage.bytes("saved", ten.at(-1) ?? "")).status, 404)
      await client.leave()
      await stage.asleep("saved")
      const first = await stage.saves("saved")
      same("10 when it sleeps", first.length, generationsMax)
      await stage.deploy("next")
      const after = await stage.client("saved")
      await saveOften(after, generationsMax + 1)
      const both = await stage.saves("saved")
      same("10 of each version", both.length, 2 * generationsMax)
      same("those of the first version stay", both.slice(generationsMax), first)
      same("saves of the detail, two versions", (await stage.detail("saved"))["saves"], 20)
      const [newest, wanted = ""] = both
      isSuccess(await stage.restore("saved", wanted))
      await after.end()
      await stage.rejoin("saved")
      const restoredTo = await trial.until("the generation of the restore", async () => {
        const now = await stage.saves("saved")
        return now[0] === newest ? null : now
      })
      same("10 of each version after a restore", restoredTo.length, 2 * generationsMax)
      same("those of the first version still", restoredTo.slice(generationsMax), first)
    }
  },
  {
    ids: ["state.room.restore.discards-current", "route.saves.restore"],
    title: "a restored room holds the state of the generation, and not what came after",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { client, saveId } = await changedSinceSave(stage, "turned", 7)
      same("before", (await stateOf(client)).value, 107)
      const key = await stage.project.key("rooms:write")
      const body = trial.codecs.restoreBody(saveId)
      const answer = await stage.ask("/turned/restore", {
        method: "POST",
        body,
        bearer: key.secret
      })
      isSuccess(answer)
      trial.chosen("D-01", () => same("the status", answer.status, 202))
      trial.chosen("D-11", () => same("what it is", Object(answer.json)["status"], "queued"))
      await client.end()
      same("after", (await restored(trial, stage, "turned")).value, 7)
    }
  },
  {
    ids: ["saves.restore.queued"],
    title: "the answer to a restore comes before it takes effect",
    run: async (trial) => {
      const stage = await roomStage(trial)
      // What is queued may take effect at any moment after, so one early answer of three is enough.
      for (let attempt = 0; attempt < 3; attempt++) {
        const room = `queued-${attempt}`
        const { client, saveId } = await changedSinceSave(stage, room, 1)
        isSuccess(await stage.restore(room, saveId))
        const isEarly = client.isOpen()
        await client.end()
        same("it takes effect afterwards", (await restored(trial, stage, room)).value, 1)
        if (isEarly) return
      }
      holds("an answer before the restore", false, "each came after it")
    }
  },
  {
    ids: ["state.room.restore.server-stopped", "state.room.restore.others-unchanged"],
    title: "a restore sends the clients of all rooms away; the others come back as they were",
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { client, saveId } = await changedSinceSave(stage, "turned", 7)
      const neighbour = await stage.client("neighbour")
      await neighbour.call("add", { by: 21 })
      isSuccess(await stage.restore("turned", saveId))
      await client.end()
      const closed = await neighbour.end()
      trial.chosen("C-80", () => same("the close of another room's client", closed.code, 1012))
      const back = await stage.rejoin("neighbour")
      const { value, created } = await stateOf(back)
      same("the other room", { value, created }, { value: 21, created: 1 })
      same("the restored room", (await restored(trial, stage, "turned")).value, 7)
    }
  },
  {
    ids: ["version.old-snapshots-decode"],
    title: "a generation of the first version is read and restored four versions later",
    timeoutMs: 60_000,
    run: async (trial) => {
      const stage = await roomStage(trial)
      const { client, saveId } = await changedSinceSave(stage, "old", 7)
      const before = await stage.bytes("old", saveId)
      isSuccess(before)
      await client.leave()
      await stage.asleep("old")
      for (const fixture of ["next", "next", "next", "next"] as const) await stage.deploy(fixture)
      const newer = await stage.client("old")
      same("the state goes along", (await stateOf(newer)).value, 107)
      const after = await stage.bytes("old", saveId)
      holds("its bytes stay", Buffer.from(before.bytes).equals(after.bytes), after.status)
      isSuccess(await stage.restore("old", saveId))
      await newer.end()
      same("the state of the first version", (await restored(trial, stage, "old")).value, 7)
    }
  },
  {
    ids: ["version.snapshot-across-versions"],
    title: "a room's snapshot is there across deployment versions",
    run: async (trial) => {
      const stage = await roomStage(trial)
      await stage.played("across", 5)
      const before = (await stage.detail("across"))["stateBytes"]
      await stage.deploy("next")
      same("the snapshot after the deploy", (await stage.detail("across"))["stateBytes"], before)
      const client = await stage.client("across")
      const { value, created } = await stateOf(client)
      same("what the room holds", { value, created }, { value: 5, created: 1 })
    }
  }
]
