import { isRefusal, isSuccess } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { matches, same } from "../check/Expect.ts"
import { fitsShape } from "../check/FitsShape.ts"
import { rowOf } from "../tables/Tables.ts"
import { AudienceStage } from "../trial/AudienceStage.ts"
import { board } from "../trial/RelayStage.ts"
import { roomStage, type RoomStage } from "../trial/RoomStage.ts"
import type { Trial } from "../trial/Trial.ts"

const badRequest = () => rowOf("error", "error.http.E_BAD_REQUEST")
const meters = ["roomHours", "voiceMinutes", "storageBytes", "dataOutBytes"] as const

/** The fields that a decision gives an answer, and no others. */
const hasShape = (
  trial: Trial,
  { id, decision }: { readonly id: string; readonly decision: string },
  value: unknown
): void =>
  trial.chosen(decision, () =>
    // That there are no further fields is part of the same decision.
    fitsShape({ chosen: (_, assert) => assert() }, rowOf("shape", id), Object(value))
  )

/** A room with one generation. */
const savedRoom = async (trial: Trial) => {
  const stage = await roomStage(trial)
  const client = await stage.client("saved")
  await client.call("add", { by: 1 })
  await client.call("save")
  const [saveId = ""] = await stage.saves("saved")
  return { stage, client, saveId }
}

/** Shapes of keys and projects that the specification leaves to its implementation. */
const keyAndProjectChecks: ReadonlyArray<Check> = [
  {
    ids: ["keys.row.field-names", "keys.mint.response-fields"],
    title: "a key is minted and listed with the fields of D-17 and D-18, and no others",
    run: async (trial) => {
      const project = await trial.project()
      const body = { scopes: ["rooms:read"], label: "shape" }
      const minted = await project.ask("/keys", { method: "POST", body })
      isSuccess(minted)
      const mint = { id: "keys.mint.response-fields", decision: "D-17" }
      hasShape(trial, mint, minted.json)
      const { lastUsed, revokedAt } = Object(minted.json)
      trial.chosen("D-17", () => same("of a new key", [lastUsed, revokedAt], [null, null]))
      const list = await project.ask("/keys")
      isSuccess(list)
      const rows: ReadonlyArray<unknown> = Array.isArray(list.json) ? list.json : []
      trial.chosen("D-04", () => same("rows in the list", rows.length, 1))
      hasShape(trial, { id: "keys.row.field-names", decision: "D-18" }, rows[0])
    }
  },
  {
    ids: ["project.record.shape"],
    title: "a project is read with the fields of D-13, and no others",
    run: async (trial) => {
      const project = await trial.project()
      const record = await project.ask("")
      trial.chosen("D-13", () => isSuccess(record))
      hasShape(trial, { id: "project.record.shape", decision: "D-13" }, record.json)
    }
  },
  {
    ids: ["slow.not-configurable"],
    title: "no setting of a project changes what may wait for a slow client",
    run: async (trial) => {
      const project = await trial.project()
      const before = (await project.ask("")).text
      for (const setting of ["outboundBytes", "slowClientBytes", "maxBufferedBytes"]) {
        const body = { name: project.name, [setting]: 1024 }
        const answer = await project.ask("", { method: "PATCH", body })
        trial.chosen("D-13", () => isRefusal(trial, answer, { ...badRequest(), naming: setting }))
      }
      same("the project afterwards", (await project.ask("")).text, before)
    }
  }
]

/** Shapes of caps. */
const capShapeChecks: ReadonlyArray<Check> = [
  {
    ids: ["caps.read-shape"],
    title: "caps are read with their tier, their month and four standings",
    run: async (trial) => {
      const project = await trial.project()
      const answer = await project.ask("/caps")
      isSuccess(answer)
      hasShape(trial, { id: "caps.read-shape", decision: "D-10" }, answer.json)
      const { meter, states } = rowOf("shape", "caps.read-shape").is ?? {}
      const { period, meters: standings } = Object(answer.json)
      trial.chosen("D-10", () => {
        const moment = /^\d{4}-\d\d-01T00:00:00\.000Z$/
        for (const end of ["start", "end"]) matches(`the ${end}`, Object(period)[end], moment)
        for (const name of meters) {
          const standing = Object(Object(standings)[name])
          same(`the fields of ${name}`, Object.keys(standing).toSorted(), meter)
          const isKnown = Array.isArray(states) && states.includes(standing.state)
          same(`the state of ${name} is one of ${String(states)}`, isKnown, true)
        }
      })
    }
  },
  {
    ids: ["caps.body-shape"],
    title: "PATCH caps takes `caps`, changes what it names alone, and answers what GET answers",
    run: async (trial) => {
      const project = await trial.project()
      const { field = "" } = rowOf("statement", "caps.body-shape").is ?? {}
      const patch = (caps: unknown) =>
        project.ask("/caps", { method: "PATCH", body: { [String(field)]: caps } })
      const set = await patch({ roomHours: 100, storageBytes: 5 })
      trial.chosen("D-10", () => isSuccess(set))
      const changed = await patch({ storageBytes: null })
      trial.chosen("D-10", () => {
        const { roomHours, storageBytes } = Object(Object(changed.json)["meters"])
        same("what is not named", Object(roomHours)["ceiling"], 100)
        same("what is cleared", Object(storageBytes)["ceiling"], null)
      })
      const read = await project.ask("/caps")
      trial.chosen("D-10", () => same("the answer", changed.json, read.json))
      const unknown = await patch({ cpuSeconds: 1 })
      trial.chosen("D-10", () =>
        isRefusal(trial, unknown, { ...badRequest(), naming: "cpuSeconds" })
      )
    }
  }
]

/** Shapes of save generations, and of going back to one. */
const saveShapeChecks: ReadonlyArray<Check> = [
  {
    ids: ["saves.item-fields"],
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
  },
  {
    ids: ["saves.restore.response"],
    title: "a restore answers with the room, the generation, `queued` and the moment",
    run: async (trial) => {
      const { stage, saveId } = await savedRoom(trial)
      const answer = await stage.restore("saved", saveId)
      isSuccess(answer)
      hasShape(trial, { id: "saves.restore.response", decision: "D-11" }, answer.json)
      const { roomId, saveId: named } = Object(answer.json)
      trial.chosen("D-11", () => same("what is restored", [roomId, named], ["saved", saveId]))
    }
  },
  {
    ids: ["saves.restore.body"],
    title:
      "a restore names its generation as `saveId`; without one, or with an unknown one, nothing moves",
    run: async (trial) => {
      const { stage, client, saveId } = await savedRoom(trial)
      const { field = "", unknown } = rowOf("statement", "saves.restore.body").is ?? {}
      const restore = (body: unknown) => stage.ask("/saved/restore", { method: "POST", body })
      const name = String(field)
      for (const body of [{}, { [name]: 5 }]) {
        const answer = await restore(body)
        trial.chosen("D-11", () => isRefusal(trial, answer, { ...badRequest(), naming: name }))
      }
      const other = await restore({ save: saveId })
      trial.chosen("D-11", () => isRefusal(trial, other, badRequest()))
      const missing = await restore({ [name]: "sv_0123456789abcdef" })
      const outcome = { status: 404, code: String(unknown) }
      trial.chosen("D-11", () => isRefusal(trial, missing, { outcome }))
      same("who was there stays", client.isOpen(), true)
      const answer = await restore({ [name]: saveId })
      trial.chosen("D-11", () => isSuccess(answer))
    }
  }
]

const statusesOf = async (trial: Trial, stage: RoomStage, saveId: string) => {
  const { project } = stage
  const { name } = project
  const key = { scopes: ["rooms:read"], label: "statuses" }
  const minted = await project.ask("/keys", { method: "POST", body: key })
  const { keyId } = Object(minted.json)
  const identity = trial.codecs.identityBody(project.id)
  const answers = {
    made: [minted, await trial.send({ method: "POST", path: "/v1/identity", body: identity })],
    read: [
      await project.ask("/keys"),
      await project.ask(`/keys/${String(keyId)}`, { method: "DELETE" }),
      await project.ask("", { method: "PATCH", body: { name } }),
      await project.ask("/caps"),
      await project.ask("/caps", { method: "PATCH", body: trial.codecs.capsBody({}) }),
      await stage.ask(""),
      await stage.ask("/saved"),
      await stage.patch("saved", { retention: null }),
      await stage.ask("/saved/saves"),
      await stage.bytes("saved", saveId)
    ],
    queued: [await stage.restore("saved", saveId)]
  }
  return answers
}

/** Statuses of success, and the payloads of open endpoints. */
const answerChecks: ReadonlyArray<Check> = [
  {
    ids: ["http.success-status"],
    title: "what is read is 200, what is made 201, what is queued 202",
    run: async (trial) => {
      const { stage, client, saveId } = await savedRoom(trial)
      const codes = rowOf("statement", "http.success-status").is ?? {}
      for (const [kind, answers] of Object.entries(await statusesOf(trial, stage, saveId))) {
        for (const { status, request } of answers) {
          const what = `${request.method} ${request.path.replace(stage.project.id, ":id")}`
          trial.chosen("D-01", () => same(what, status, codes[kind]))
        }
      }
      await client.end()
      await stage.rejoin("saved")
      const deleted = await stage.remove("saved", "?force=true")
      trial.chosen("D-01", () => same("DELETE of a room", deleted.status, codes["read"]))
    }
  },
  {
    ids: ["open.payloads"],
    title: "an identity is a player, a token and the moment of its end",
    run: async (trial) => {
      const project = await trial.project()
      const body = trial.codecs.identityBody(project.id)
      const { json } = await trial.send({ method: "POST", path: "/v1/identity", body })
      const { identity } = rowOf("statement", "open.payloads").is ?? {}
      trial.chosen("D-27", () => {
        same("its fields", Object.keys(Object(json)).toSorted(), identity)
        matches("its player", Object(json)["playerId"], /^pl_/)
      })
    }
  },
  {
    ids: ["open.payloads"],
    needs: ["audience", "relay", "fixture"],
    title: "an audience credential is a token and the moment of its end",
    run: async (trial) => {
      const watched = await AudienceStage.of(trial)
      await watched.stage.client("watched", board)
      const { json } = await watched.asked("watched")
      const { audience } = rowOf("statement", "open.payloads").is ?? {}
      trial.chosen("D-29", () => same("its fields", Object.keys(Object(json)).toSorted(), audience))
    }
  }
]

/** Shapes and statuses that the specification does not show, asked as our choices. */
export const chosenShapeChecks: ReadonlyArray<Check> = [
  ...keyAndProjectChecks,
  ...capShapeChecks,
  ...saveShapeChecks,
  ...answerChecks
]
