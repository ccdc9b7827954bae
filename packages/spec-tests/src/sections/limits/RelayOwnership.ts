import type { Probe } from "../../check/Check.ts"
import { same } from "../../check/Expect.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { board, settled, withRelayRooms } from "../../trial/RelayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import type { RoomStage } from "../../trial/RoomStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"
import { markOf, setMark } from "./Marks.ts"
import { codeOf } from "./RelayWrites.ts"

interface Asked {
  answer: boolean | null
}

/** Asks for a mark; resolves when its owner has been asked. */
const asks = async (
  trial: Trial,
  { asker, owner, key }: Readonly<Record<"asker" | "owner", RoomSocket>> & { readonly key: number }
): Promise<Asked> => {
  const before = owner.relay.asks().length
  const asked: Asked = { answer: null }
  // Where no answer comes, it is null still when it is looked at.
  void asker.relay.own("marks", key).then(
    (granted) => (asked.answer = granted),
    () => undefined
  )
  await trial.until("the owner is asked", async () =>
    owner.relay.asks().length > before ? true : null
  )
  return asked
}

/** Two ask for one record: it goes to one of them, and the other need not wait until its time is over. */
const toOneOfTwo = async (trial: Trial, clients: ReadonlyArray<RoomSocket>): Promise<void> => {
  const [owner, first, second] = clients
  if (owner === undefined || first === undefined || second === undefined) return
  const key = await markOf(owner)
  const wanted = [
    await asks(trial, { asker: first, owner, key }),
    await asks(trial, { asker: second, owner, key })
  ]
  const { request = -1 } = owner.relay.asks().at(-2) ?? {}
  owner.relay.answer(request, true)
  await settled(owner, first)
  await settled(owner, second)
  const answers = wanted.map(({ answer }) => answer)
  trial.chosen("C-102", () => same("the answers to two who asked", answers, [true, false]))
  await setMark(first, key)
  const codes = [await codeOf(setMark(owner, key)), await codeOf(setMark(second, key))]
  trial.chosen("D-24", () =>
    same("writes of who gave it, and of who did not get it", codes, ["E_NOT_OWNER", "E_NOT_OWNER"])
  )
}

/** A record that is removed is nobody's to give. */
const removedMeanwhile = async (
  trial: Trial,
  owner: RoomSocket,
  asker: RoomSocket
): Promise<void> => {
  const key = await markOf(owner)
  const wanted = await asks(trial, { asker, owner, key })
  await owner.relay.write({ op: "remove", collection: "marks", key })
  await settled(owner, asker)
  trial.chosen("C-102", () => same("the answer when it is removed", wanted.answer, false))
}

/** Three marks, each removed before the next is made; the room sleeps before the last. */
const keysOnce = async (stage: RoomStage, client: RoomSocket): Promise<ReadonlyArray<number>> => {
  const made = async (maker: RoomSocket): Promise<number> => {
    const key = await markOf(maker)
    await maker.relay.write({ op: "remove", collection: "marks", key })
    return key
  }
  const keys = [await made(client), await made(client)]
  await client.leave()
  await stage.asleep("a")
  return [...keys, await made(await stage.client("a", board))]
}

export const ownedByOne: Probe = {
  alone: true,
  title:
    "a record has one owner: who gave it, who did not get it and who has not asked write nothing",
  run: withRelayRooms(async (stage, trial) => {
    const clients = [
      await stage.client("a", board),
      await stage.client("a", board),
      await stage.client("a", board)
    ]
    const [owner, other, third] = clients
    if (owner === undefined || other === undefined || third === undefined) return
    const { accept } = rowOf("boundary", "limits.relay.ownership-timeout")
    await onHeldClock(trial, accept, async () => {
      await toOneOfTwo(trial, clients)
      await removedMeanwhile(trial, owner, third)
    })
    const key = await markOf(owner)
    await owner.leave()
    const remove = { op: "remove", collection: "marks", key } as const
    const codes = [await codeOf(setMark(other, key)), await codeOf(other.relay.write(remove))]
    trial.chosen("D-24", () =>
      same("writes of a record whose owner has gone", codes, ["E_NOT_OWNER", "E_NOT_OWNER"])
    )
    same("whether it is given to who asks", await other.relay.own("marks", key), true)
    await setMark(other, key)
    await third.leave()
    const keys = await keysOnce(stage, other)
    trial.chosen("D-24", () => same("keys that are different", new Set(keys).size, keys.length))
  })
}
