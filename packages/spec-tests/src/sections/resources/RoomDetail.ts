import { isSuccess, isRefusal } from "../../check/Answers.ts"
import { same, holds } from "../../check/Expect.ts"
import { fitsShape } from "../../check/FitsShape.ts"
import { withRooms } from "../../trial/RoomStage.ts"
import { shapeFault } from "../EveryExchange.ts"
import { roomDetailHeading } from "../Headings.ts"
import { textField, windowOrNull, momentOrNull, wholeField, momentField } from "../Literals.ts"
import { section, tierA, tierC, tierB, rowOf } from "../Section.ts"

/** A field of the detail that the check of all of them proves. */
const fieldRow = tierA.taking({
  literalsOf: "rooms.detail.exact-keys",
  provedBy: "rooms.detail.exact-keys"
})

/** Lines 34 to 51 of the specification: Room detail. */
export const roomDetailSection = section(roomDetailHeading, {
  "rooms.detail.exact-keys": tierA(34, "room detail has exactly the documented ten fields", {
    shape: {
      of: "GET and PATCH /v1/projects/:id/rooms/:roomId",
      fields: {
        roomId: textField,
        status: textField,
        type: textField,
        class: textField,
        retention: windowOrNull,
        retentionOverride: windowOrNull,
        deletesAt: momentOrNull,
        saves: wholeField,
        stateBytes: wholeField,
        lastSeen: momentField
      },
      exact: true
    },
    ambient: [
      {
        title: "every detail of a room has the fields that are shown",
        needs: ["fixture"],
        look: ({ request, status, json }) => {
          const isDetail = request.method === "GET" || request.method === "PATCH"
          if (!isDetail || !roomRoute.test(request.path) || status !== 200) return undefined
          return detailFault(json)
        }
      }
    ],
    check: {
      needs: ["fixture"],
      title: "one room is read with its documented fields, and PATCH answers with the same",
      run: withRooms(async (stage, trial) => {
        await stage.played("windowed", 1, { type: "windowed" })
        await stage.client("awake")
        const shape = rowOf("shape", "rooms.detail.exact-keys")
        for (const [room, type] of [
          ["windowed", "windowed"],
          ["awake", "probe"]
        ] as const) {
          const detail = await stage.detail(room)
          fitsShape(trial, shape, detail)
          same("roomId", detail["roomId"], room)
          same("type", detail["type"], type)
        }
        const { retention, retentionOverride, deletesAt } = await stage.detail("windowed")
        same(
          "retention of the type",
          { retention, retentionOverride },
          {
            retention: "10m",
            retentionOverride: null
          }
        )
        holds("a moment of deletion", typeof deletesAt === "string", deletesAt)
        same("of a room without a window", (await stage.detail("awake"))["deletesAt"], null)
        const answer = await stage.patch("windowed", { retention: "120m" })
        isSuccess(answer)
        fitsShape(trial, shape, Object(answer.json))
        same("what PATCH answers is what is read", answer.json, await stage.detail("windowed"))
        const { retention: window, retentionOverride: own, lastSeen } = Object(answer.json)
        same("the window as it was written", [window, own], ["120m", "120m"])
        // A sleeping room reports no more: the moment stands.
        same("lastSeen of the list", (await stage.row("windowed"))?.["lastSeen"], lastSeen)
        const kept = Object((await stage.patch("windowed", { retention: "forever" })).json)
        same("forever: no deletion", kept.deletesAt, null)
        trial.chosen("T-08", () => {
          const shown = { retention: kept.retention, retentionOverride: kept.retentionOverride }
          same("forever", shown, { retention: null, retentionOverride: "forever" })
        })
      })
    }
  }),
  "rooms.detail.roomId": fieldRow(38, "`roomId` is string"),
  "rooms.detail.status": tierC(
    39,
    "`status` is string; hibernated when there is state but no row",
    { hooks: ["clock"], is: { rowless: "hibernated" }, provedBy: "state.row.pruned-30d" }
  ),
  "rooms.detail.type": tierB(40, "`type` is string; room type name", {
    decisions: ["T-07"],
    literalsOf: "rooms.detail.exact-keys",
    provedBy: "rooms.detail.exact-keys"
  }),
  "rooms.detail.class": tierB(41, "`class` is string; size class of the type", {
    decisions: ["T-07"],
    literalsOf: "rooms.detail.exact-keys",
    check: {
      title: "class is the size class that the type declares",
      run: withRooms(async (stage, trial) => {
        const classes = new Set<unknown>()
        for (const type of ["probe", "large", "xlarge"]) {
          await stage.client(type, { type })
          classes.add((await stage.detail(type))["class"])
        }
        same("three classes", classes.size, 3)
        same("of a large type", (await stage.detail("large"))["class"], "large")
        trial.chosen("D-15", () => same("all", [...classes], ["standard", "large", "xlarge"]))
      })
    }
  }),
  "rooms.detail.class.values": tierB(41, "complete wire values of class are not given", {
    level: "decided",
    decisions: ["D-15"],
    is: { values: ["standard", "large", "xlarge"] },
    numbers: [64, 256, 1],
    check: {
      title: "the size classes are called standard, large and xlarge",
      timeoutMs: 60_000,
      run: withRooms(async (stage, trial) => {
        const classes: Array<unknown> = []
        for (const type of ["probe", "large", "xlarge"]) {
          await stage.client(type, { type })
          classes.push((await stage.detail(type))["class"])
        }
        const { values } = rowOf("statement", "rooms.detail.class.values").is ?? {}
        trial.chosen("D-15", () => same("the classes", classes, values))
      })
    }
  }),
  "rooms.detail.retention": fieldRow(42, "`retention` is string or null; as in the row", {
    decisions: ["D-08"]
  }),
  "rooms.detail.retentionOverride": tierA(
    43,
    "`retentionOverride` is string or null; as in the row",
    {
      literalsOf: "rooms.detail.exact-keys",
      provedBy: ["state.room.delete-awake-noforce#model", "rooms.detail.exact-keys"]
    }
  ),
  "rooms.detail.deletesAt": fieldRow(44, "`deletesAt` is string or null; exact"),
  "rooms.detail.saves": tierB(45, "`saves` is integer; number of save generations", {
    literalsOf: "rooms.detail.exact-keys",
    provedBy: ["state.room.delete-awake-noforce#model", "saves.retention-10"]
  }),
  "rooms.detail.stateBytes": tierB(46, "`stateBytes` is integer; size of stored state", {
    literalsOf: "rooms.detail.exact-keys",
    check: {
      title: "stateBytes is the size of what is stored",
      run: withRooms(async (stage, trial) => {
        const client = await stage.client("room")
        await client.call("save")
        const small = Number((await stage.detail("room"))["stateBytes"])
        holds("something", small > 0, small)
        await client.call("keep", { bytes: 100_000 })
        await client.call("save")
        const large = Number((await stage.detail("room"))["stateBytes"])
        holds("it grows with the state", large >= small + 100_000, `${small}, then ${large}`)
        const [newest = ""] = await stage.saves("room")
        const { bytes } = await stage.bytes("room", newest)
        trial.chosen("D-11", () => same("it is as long as what is read", large, bytes.byteLength))
      })
    }
  }),
  "rooms.detail.lastSeen": fieldRow(47, "`lastSeen` is string; timestamp", {
    decisions: ["D-07", "T-06"]
  }),
  "rooms.detail.one-storage-listing": tierC(
    49,
    "a single-room read costs one storage listing and derives saves, stateBytes and deletesAt from it",
    {
      hooks: ["metrics"],
      is: { listings: 1 },
      check: {
        needs: ["fixture"],
        title: "reading one room costs one listing of the storage",
        run: withRooms(async (stage, trial) => {
          await stage.played("room")
          const listings = async () =>
            Number((await trial.control.metrics(stage.project.id))["storageListings"])
          const before = await listings()
          await stage.detail("room")
          same("listings of one read", (await listings()) - before, 1)
          await stage.detail("room")
          same("of two", (await listings()) - before, 2)
          await stage.client("awake")
          await stage.counted("awake", 1)
          const atFirst = await listings()
          await stage.detail("awake")
          same("of a room that is awake", (await listings()) - atFirst, 1)
        })
      }
    }
  ),
  "rooms.class.follows-type": tierB(
    51,
    "class is not per room: it changes only by changing the declaration and deploying",
    {
      check: {
        title: "a room's class changes with its type's declaration, and by nothing else",
        run: withRooms(async (stage, trial) => {
          await stage.played("room", 1, { type: "small" })
          const before = (await stage.detail("room"))["class"]
          const refusal = { ...rowOf("error", "rooms.patch.unknown-field"), naming: "class" }
          isRefusal(trial, await stage.patch("room", { class: "large" }), refusal)
          same("after the PATCH", (await stage.detail("room"))["class"], before)
          await stage.deploy("next")
          const asleep = (await stage.detail("room"))["class"]
          trial.chosen("T-07", () =>
            same("of the sleeping room, after the deploy", asleep, "large")
          )
          await stage.client("room", { type: null })
          same("after the deploy", (await stage.detail("room"))["class"], "large")
          holds("before it was another", before !== "large", before)
        })
      }
    }
  )
})

const roomRoute = /^\/v1\/projects\/[^/?]+\/rooms\/[^/?]+(?:\?|$)/

const detailFault = (value: unknown) => shapeFault("rooms.detail.exact-keys")(value)
