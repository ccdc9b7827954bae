import { isSuccess, isRefused, isRefusal } from "../../check/Answers.ts"
import { same, holds, matches } from "../../check/Expect.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { stateOf, withRooms } from "../../trial/RoomStage.ts"
import { savedRoom, hasShape } from "../DecidedShapes.ts"
import { succeeds } from "../endpoints/LoginRoutes.ts"
import { momentField } from "../Literals.ts"
import { section, tierB } from "../Section.ts"

/** Line 74 of the specification: Save generation. */
export const saveGenerationSection = section("Resources and their fields / Save generation", {
  "saves.identified-by-saveId": tierB(74, "a generation is addressed by :saveId", {
    decisions: ["D-11"],
    is: { parameter: ":saveId" },
    provedBy: "saves.newest-first"
  }),
  "saves.newest-first": tierB(74, "generations are listed newest first", {
    alsoLines: [226],
    check: {
      title: "generations are listed newest first, each by an id of its own",
      run: withRooms(async (stage, trial) => {
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
        const answer = await stage.ask("/saved/saves", { bearer: key.secret })
        succeeds(trial, "route.saves.list", answer)
      })
    }
  }),
  "saves.bytes-raw": tierB(74, "raw bytes are readable", {
    alsoLines: [227],
    check: {
      title: "the bytes of a generation are read raw, the same each time",
      run: withRooms(async (stage, trial) => {
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
        const read = await stage.ask(`/saved/saves/${large}/bytes`, { bearer: key.secret })
        succeeds(trial, "route.saves.bytes", read)
        const [item]: ReadonlyArray<unknown> = Object((await stage.ask("/saved/saves")).json)
        trial.chosen("D-11", () => {
          same("the bytes that the list tells", Object(item)["bytes"], one.bytes.byteLength)
          same("content-type", one.headers["content-type"], "application/octet-stream")
          matches("a strong etag", one.headers["etag"], /^"[^"]+"$/)
          holds("of this generation", one.headers["etag"] !== other.headers["etag"], one.headers)
        })
      })
    }
  }),
  "saves.item-fields": tierB(74, "fields beyond the id are not given", {
    level: "decided",
    decisions: ["D-11"],
    alsoLines: [226],
    shape: {
      of: "an element of GET /v1/projects/:id/rooms/:roomId/saves",
      fields: {
        saveId: { type: ["string"], pattern: "^sv_[0-9a-f]{16}$" },
        createdAt: momentField,
        bytes: { type: ["integer"] },
        version: { type: ["integer"] },
        schemaHash: { type: ["string"] },
        reason: { type: ["string"], values: ["interval", "hibernate", "manual", "restore"] }
      },
      exact: true
    },
    check: {
      title: "a generation is listed with the fields of D-11, and says why it was kept",
      run: async (trial) => {
        const { stage, client, saveId } = await savedRoom(trial)
        const itemsOf = async (): Promise<ReadonlyArray<unknown>> => {
          const { json } = await stage.ask("/saved/saves")
          return Array.isArray(json) ? json : []
        }
        const items = await itemsOf()
        same("items in the list", items.length, 1)
        hasShape(trial, { id: "saves.item-fields", decision: "D-11" }, items[0])
        const { reason, version } = Object(items[0])
        trial.chosen("D-11", () =>
          same("why, and of which version", [reason, version], ["manual", 1])
        )
        await client.call("addDurably", { by: 1 })
        await client.leave()
        await stage.asleep("saved")
        const reasonsOf = async () => (await itemsOf()).map((item) => Object(item)["reason"])
        const slept = await reasonsOf()
        trial.chosen("D-11", () => same("when it sleeps", slept, ["hibernate", "manual"]))
        isSuccess(await stage.restore("saved", saveId))
        const restored = await trial.until("the generation of a restore", async () => {
          await (await stage.rejoin("saved")).leave()
          const reasons = await reasonsOf()
          return reasons.length > slept.length ? reasons : null
        })
        trial.chosen("D-11", () => {
          same("when it is restored", restored.includes("restore"), true)
        })
        for (const item of await itemsOf()) {
          hasShape(trial, { id: "saves.item-fields", decision: "D-11" }, item)
        }
      }
    }
  }),
  "saves.retention-10": tierB(74, "newest 10 kept per room per deployment version", {
    alsoLines: [434, 531, 547],
    keep: {
      datum: "save generations of a room and a deployment version",
      forMs: "forever",
      newest: 10,
      becomes: "gone"
    },
    check: {
      title: "the newest 10 generations of a room and deployment version are kept",
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => {
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
      })
    }
  })
})

const generationsMax = 10

/** Adds to the room's counter and keeps the state as a generation, `times` times. */
const saveOften = async (client: RoomSocket, times: number): Promise<void> => {
  for (let time = 0; time < times; time++) {
    await client.call("add", { by: 1 })
    await client.call("save")
  }
}
