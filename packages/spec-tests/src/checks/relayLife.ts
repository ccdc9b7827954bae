import { isRefusal } from "../check/Answers.ts"
import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { onHeldClock } from "../families/HeldClock.ts"
import { rowOf } from "../tables/Tables.ts"
import { board, relayStage, settled, stateBytesOf } from "../trial/RelayStage.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import type { RoomStage } from "../trial/RoomStage.ts"
import { CallRefused } from "../trial/SocketError.ts"

/** A mark in a room, which this client owns. */
const markOf = async (client: RoomSocket, n = 1): Promise<number> => {
  const [key = 0] = await client.relay.write({ op: "add", collection: "marks", fields: { n } })
  return key
}

const setMark = (client: RoomSocket, key: number) =>
  client.relay.write({ op: "set", collection: "marks", key, fields: { n: 7 } })

/** A record that nobody owns is given at once; one that is not there is not. */
const isThere = (client: RoomSocket, key: number): Promise<boolean> =>
  client.relay.own("marks", key)

/** Whether the client was sent back into its room, over another connection or another welcome. */
const isSentBack = (client: RoomSocket) => async (): Promise<true | null> =>
  !client.isOpen() || client.welcomes().length > 1 ? true : null

const roomChecks: ReadonlyArray<Check> = [
  {
    ids: ["rooms.delete.relay-ends-with-last-client"],
    timeoutMs: 60_000,
    title: "a relay room ends when its last client leaves, not before; its state is kept",
    run: async (trial) => {
      const stage = await relayStage(trial)
      const [first, last] = [await stage.client("a", board), await stage.client("a", board)]
      const key = await markOf(first)
      await first.leave()
      await last.ping()
      await setMark(last, await markOf(last))
      same("the room that one has left", last.welcomes().length, 1)
      last.drop()
      await stage.asleep("a")
      const back = await stage.client("a", board)
      holds("what it held is there", await isThere(back, key), "gone")
      await back.leave()
      await stage.asleep("a")
    }
  },
  {
    ids: ["state.room.delete-relay", "error.http.E_ROOM_IN_USE"],
    timeoutMs: 60_000,
    title: "no room of a relay project is deleted, by force or asleep: 409, and it stays",
    run: async (trial) => {
      const stage = await relayStage(trial)
      const { outcome } = rowOf("move", "state.room.delete-relay")
      const refusal = { outcome: outcome ?? {} }
      const client = await stage.client("a", board)
      const key = await markOf(client)
      for (const query of ["", "?force=true"]) {
        isRefusal(trial, await stage.remove("a", query), refusal)
      }
      await client.ping()
      holds("its client stays", client.isOpen(), "closed")
      await client.leave()
      await stage.asleep("a")
      const asleep = [await stage.remove("a"), await stage.remove("a", "?force=true")]
      const unknown = await stage.remove("nobody-was-here")
      trial.chosen("T-28", () => {
        for (const answer of asleep) isRefusal(trial, answer, refusal)
        same("an unknown room", unknown.status, 404)
      })
      const back = await stage.client("a", board)
      holds("what it held is there", await isThere(back, key), "gone")
    }
  }
]

/** Rooms with a mark each: `a` has a client, `b` sleeps. */
const playedRooms = async (stage: RoomStage) => {
  const [here, gone] = [await stage.client("a", board), await stage.client("b", board)]
  const keys = [await markOf(here), await markOf(gone)] as const
  await gone.leave()
  await stage.asleep("b")
  return { here, keys }
}

const schemaChecks: ReadonlyArray<Check> = [
  {
    ids: ["relay.schema-change-resets"],
    timeoutMs: 60_000,
    title: "another relay schema begins the rooms' state anew, and their clients come back into it",
    run: async (trial) => {
      const stage = await relayStage(trial)
      const { here, keys } = await playedRooms(stage)
      await stage.deploy("relaynext")
      await trial.until("the client is sent back", isSentBack(here))
      const [a, b] = [await stage.rejoin("a", board), await stage.rejoin("b", board)]
      holds("the room that was up is empty", !(await isThere(a, keys[0])), "its record is there")
      holds("so is the one that slept", !(await isThere(b, keys[1])), "its record is there")
      const empty = await stateBytesOf(stage, "never-played")
      await Promise.all([a.leave(), b.leave()])
      same("a state of no records", await stateBytesOf(stage, "a"), empty)
      const write = { op: "set", collection: "counter", key: 0, fields: { value: 1 } } as const
      await (await stage.rejoin("a", board)).relay.write(write)
    }
  },
  {
    ids: ["relay.same-schema-preserves"],
    timeoutMs: 60_000,
    title: "the same relay schema, deployed again, leaves the rooms' state as it is",
    run: async (trial) => {
      const stage = await relayStage(trial)
      const { here, keys } = await playedRooms(stage)
      await stage.deploy("relay")
      const b = await stage.rejoin("b", board)
      holds("what slept is there", await isThere(b, keys[1]), "gone")
      const a = here.isOpen() ? here : await stage.rejoin("a", board)
      holds("what was up is there", await isThere(a, keys[0]), "gone")
      await setMark(a, keys[0])
    }
  }
]

const ownershipChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.relay.ownership-timeout"],
    alone: true,
    title: "who has not answered after 5 seconds keeps its record; until then the answer counts",
    run: async (trial) => {
      const stage = await relayStage(trial)
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
    }
  }
]

/** What D-24 says of records and their owners beside the time that they have for an answer. */
const ownerChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.relay.ownership-timeout"],
    title: "a record is its owner's alone, until the owner gives it away or has gone",
    run: async (trial) => {
      const stage = await relayStage(trial)
      const [owner, other] = [await stage.client("a", board), await stage.client("a", board)]
      const third = await stage.client("a", board)
      const key = await markOf(owner)
      const remove = { op: "remove", collection: "marks", key } as const
      const codeOf = (write: Promise<unknown>) =>
        write.then(
          () => "taken",
          (cause: unknown) => (cause instanceof CallRefused ? cause.code : String(cause))
        )
      const codes = [await codeOf(setMark(other, key)), await codeOf(other.relay.write(remove))]
      trial.chosen("D-24", () => same("another's writes", codes, ["E_NOT_OWNER", "E_NOT_OWNER"]))
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
      // Who is not asked gives nothing away, whoever it is.
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
    }
  }
]

/** How relay rooms begin and end, and whose their records are. */
export const relayLifeChecks: ReadonlyArray<Check> = [
  ...roomChecks,
  ...schemaChecks,
  ...ownershipChecks,
  ...ownerChecks
]
