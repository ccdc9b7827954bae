import { same, holds } from "../../check/Expect.ts"
import type { RelayOp } from "../../codec/RoomCodec.ts"
import { boundaryChecks } from "../../families/Boundary.ts"
import { type BucketBench, bucketChecks, burstCheck } from "../../families/Bucket.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { taken } from "../../families/Outcome.ts"
import { board, stateBytesOf, patiently, settled, withRelayRooms } from "../../trial/RelayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { relayRow } from "../RowKinds.ts"
import { section, tierC, rowOf } from "../Section.ts"
import { kilobytes, kib, atMost, secondMs } from "../Units.ts"
import { markOf, setMark } from "./Marks.ts"
import { ownedByOne } from "./RelayOwnership.ts"
import { blobOf, codeOf, outcomeOf } from "./RelayWrites.ts"

/** Lines 406 to 409 of the specification: Connection and room limits, the state of relay rooms. */
export const relayStateSection = section(roomLimitsHeading, {
  "limits.relay.state": relayRow(406, "encoded state of a relay room at most 512 KB: E_STATE_CAP", {
    decisions: ["T-KB"],
    alsoLines: [341],
    boundary: { ...kilobytes(512), outcome: { code: "E_STATE_CAP", close: "open" } },
    check: {
      title:
        "the encoded state of a relay room has at most 512 KB; a write beyond is refused whole",
      timeoutMs: 90_000,
      run: withRelayRooms(async (stage, trial) => {
        const client = await stage.client("vast", board)
        for (let blob = 0; blob < 8; blob++) await blobOf(client, 60_000)
        await blobOf(client, 12_000)
        // From here to the largest of its field its length takes three bytes.
        const [least, most] = [16 * kib, 64 * kib]
        const key = await blobOf(client, least)
        const others = (await stateBytesOf(stage, "vast")) - least
        const row = rowOf("boundary", "limits.relay.state")
        const set = (size: number) =>
          patiently(trial, () => setBlob(client, key, new Uint8Array(size - others)))
        await boundaryChecks(trial, row, {
          attempt: ({ size }) => outcomeOf(client, () => set(size)),
          intact: async (inForce) =>
            same("the state", await stateBytesOf(stage, "vast"), inForce?.size ?? others + least),
          smallest: others + least,
          most: others + most,
          runs: 4
        })
        await set(row.accept)
        const add = () => patiently(trial, () => client.relay.write(mark(1)))
        same("an add to a full state", await codeOf(add()), row.outcome.code)
        await set(row.accept - kib)
        await add()
      })
    }
  }),
  "limits.relay.records": relayRow(407, "1024 records in a collection: E_RECORD_CAP", {
    boundary: { ...atMost(1024, "count"), outcome: { code: "E_RECORD_CAP", close: "open" } },
    check: {
      title:
        "a collection has at most 1024 records; a frame that adds one too many is refused whole",
      timeoutMs: 90_000,
      run: withRelayRooms(async (stage, trial) => {
        const client = await stage.client("many", board)
        const { accept, outcome } = rowOf("boundary", "limits.relay.records")
        const { burst } = rowOf("bucket", "limits.relay.write-ops")
        for (let left = accept - 1; left > 0; left -= burst) {
          const writer = await stage.client("many", board)
          await writer.relay.write(
            ...Array.from({ length: Math.min(left, burst) }, (_, n) => mark(n))
          )
          await writer.leave()
        }
        const write = (...ops: ReadonlyArray<RelayOp>) =>
          outcomeOf(client, () => patiently(trial, () => client.relay.write(...ops)))
        const refused = { taken: false, refused: outcome }
        same("two more than fit by one", await write(mark(1), mark(2)), refused)
        const [key = 0] = await client.relay.write(mark(3))
        same("one past all", await write(mark(4)), refused)
        const remove = { op: "remove", collection: "marks", key } as const
        same("one for one", await write(remove, mark(5)), taken)
        await blobOf(client, 1)
        same("one past all, still", await write(mark(6)), refused)
      })
    }
  }),
  "limits.relay.write-ops": relayRow(408, "35 write operations a second per client", {
    decisions: ["D-35"],
    bucket: {
      endpoint: "write operations of a client",
      key: "connection",
      rate: 35,
      perMs: secondMs,
      burst: 35,
      outcome: { code: "E_WRITE_RATE", close: "open" }
    },
    check: {
      alone: true,
      title: "35 write operations a second for each client",
      timeoutMs: 90_000,
      run: withRelayRooms(async (stage, trial) => {
        const row = rowOf("bucket", "limits.relay.write-ops")
        const bench: BucketBench<RoomSocket> = {
          fresh: () => stage.client("busy", board),
          ask: (client) => outcomeOf(client, () => client.relay.write(count(1)))
        }
        if (trial.control.has("clock")) await bucketChecks(trial, row, bench)
        else await burstCheck(trial, row, bench)
      })
    }
  }),
  "limits.relay.write-ops.per-operation": relayRow(408, "counted per operation, not per frame", {
    literalsOf: "limits.relay.write-ops",
    check: {
      title: "operations count one by one; a frame with one too many changes nothing",
      run: withRelayRooms(async (stage, trial) => {
        const { burst, outcome } = rowOf("bucket", "limits.relay.write-ops")
        const client = await stage.client("busy", board)
        const marks = (many: number) => Array.from({ length: many }, (_, n) => mark(n))
        const refused = { taken: false, refused: outcome }
        const before = await stateBytesOf(stage, "busy")
        const over = await outcomeOf(client, () => client.relay.write(...marks(burst + 1)))
        same("one more than there can be", over, refused)
        same("the state after it", await stateBytesOf(stage, "busy"), before)
        const keys = await patiently(trial, () => client.relay.write(...marks(burst)))
        same("keys of as many as there can be", new Set(keys).size, burst)
        const full = await stateBytesOf(stage, "busy")
        holds("the state has grown by them", full > before, full)
        const more = await outcomeOf(client, () => client.relay.write(...marks(burst)))
        same("as many again", more, refused)
        same("the state after those", await stateBytesOf(stage, "busy"), full)
      })
    }
  }),
  "limits.relay.write-ops.whole-frame": relayRow(408, "the frame is refused whole", {
    literalsOf: "limits.relay.write-ops",
    provedBy: "limits.relay.write-ops.per-operation"
  }),
  "limits.relay.ownership-timeout": tierC(
    409,
    "an ownership request unanswered for 5 seconds is refused",
    {
      probe: ["ws"],
      hooks: ["clock", "fixture"],
      features: ["relay"],
      decisions: ["D-24"],
      boundary: { ...atMost(5 * secondMs, "ms"), outcome: { close: "open" } },
      check: [
        {
          alone: true,
          title:
            "who has not answered after 5 seconds keeps its record; until then the answer counts",
          run: withRelayRooms(async (stage, trial) => {
            const { accept } = rowOf("boundary", "limits.relay.ownership-timeout")
            const [owner, other] = [await stage.client("a", board), await stage.client("a", board)]
            const key = await markOf(owner)
            const asked = async (times: number) => {
              const state: { answer: boolean | null } = { answer: null }
              void other.relay.own("marks", key).then((granted) => (state.answer = granted))
              await trial.until("the owner is asked", async () =>
                owner.relay.asks().length === times ? true : null
              )
              return { state, ask: owner.relay.asks()[times - 1]?.request ?? -1 }
            }
            await onHeldClock(trial, accept, async () => {
              const first = await asked(1)
              await trial.control.advance(accept - 1)
              await settled(owner, other)
              same("an answer before its time is over", first.state.answer, null)
              await trial.control.advance(2)
              await settled(owner, other)
              same("the answer when it is", first.state.answer, false)
              owner.relay.answer(first.ask, true)
              await setMark(owner, key)
              const second = await asked(2)
              await trial.control.advance(accept - 1)
              owner.relay.answer(second.ask, true)
              await settled(owner, other)
              await trial.until("the answer of who answered", async () => second.state.answer)
              same("an answer in time", second.state.answer, true)
            })
            await setMark(other, key)
            same("who was told to have lost it", owner.relay.lost(), [{ collection: "marks", key }])
            holds("both stay", owner.isOpen() && other.isOpen(), "closed")
          })
        },
        ownedByOne,
        {
          title: "a record is its owner's alone, until the owner gives it away or has gone",
          run: withRelayRooms(async (stage, trial) => {
            const [owner, other] = [await stage.client("a", board), await stage.client("a", board)]
            const third = await stage.client("a", board)
            const key = await markOf(owner)
            const remove = { op: "remove", collection: "marks", key } as const
            const codes = [
              await codeOf(setMark(other, key)),
              await codeOf(other.relay.write(remove))
            ]
            trial.chosen("D-24", () =>
              same("another's writes", codes, ["E_NOT_OWNER", "E_NOT_OWNER"])
            )
            const state: { answer: boolean | null } = { answer: null }
            const asked = other.relay.own("marks", key).then((granted) => (state.answer = granted))
            const { request } = await trial.until(
              "the owner is asked",
              async () => owner.relay.asks().at(0) ?? null
            )
            same(
              "who else is asked",
              [other, third].flatMap((client) => client.relay.asks()),
              []
            )
            // A client that is not asked gives nothing away.
            third.relay.answer(request, true)
            other.relay.answer(request, true)
            await Promise.all([settled(third, owner), settled(other, owner)])
            same("the answer while the owner says nothing", state.answer, null)
            await setMark(owner, key)
            await owner.leave()
            await asked
            trial.chosen("D-24", () => same("when its owner has gone", state.answer, true))
            await other.relay.write(remove)
            const next = await markOf(other)
            trial.chosen("D-24", () => holds("no key comes twice", next !== key, next))
            const left = await markOf(other)
            await other.leave()
            const free = await third.relay.own("marks", left)
            trial.chosen("D-24", () => same("a record whose owner has gone", free, true))
          })
        }
      ]
    }
  )
})

const setBlob = (client: RoomSocket, key: number, bytes: Uint8Array) =>
  client.relay.write({ op: "set", collection: "blobs", key, fields: { bytes } })

const count = (value: number) =>
  ({ op: "set", collection: "counter", key: 0, fields: { value } }) as const

const mark = (n: number) => ({ op: "add", collection: "marks", fields: { n } }) as const
