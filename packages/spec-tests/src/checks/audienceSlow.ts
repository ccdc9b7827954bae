import type { Check } from "../check/Check.ts"
import { holds, same } from "../check/Expect.ts"
import { rowOf } from "../tables/Tables.ts"
import { kib, mib } from "../tables/Units.ts"
import { AudienceStage } from "../trial/AudienceStage.ts"
import { board } from "../trial/RelayStage.ts"
import type { RoomSocket } from "../trial/RoomSocket.ts"
import type { RoomStage } from "../trial/RoomStage.ts"

const room = "fast"
const block = 56 * kib
/** What one client may send at once is more than these. */
const blocksEach = 16
/** More than the kernels of both sides hold for a connection, and any budget. */
const mostMib = 24

/** Sends so much to a client that does not read meanwhile, then lets it read. @returns whether it stays */
const survives = async (stage: RoomStage, slow: RoomSocket, bytes: number): Promise<boolean> => {
  const to = slow.welcomes().map(({ clientId }) => clientId)
  slow.stall(true)
  for (let left = Math.ceil(bytes / block); left > 0; left -= blocksEach) {
    const sender = await stage.client(room, board)
    for (let n = Math.min(left, blocksEach); n > 0; n--) {
      sender.relay.send(to, new Uint8Array(block))
    }
    await sender.ping()
    await sender.leave()
  }
  slow.stall(false)
  const answers = slow.ping().then(
    () => true,
    () => false
  )
  return Promise.race([answers, slow.closed.then(() => false)])
}

/** The least that a viewer does not survive, in MiB. */
const fatalMib = async (audience: AudienceStage): Promise<number> => {
  let [kept, lost] = [0, mostMib]
  while (lost - kept > 1) {
    const tried = Math.floor((kept + lost) / 2)
    const viewer = await audience.viewer(room)
    if (await survives(audience.stage, viewer, tried * mib)) kept = tried
    else lost = tried
  }
  return lost
}

/** Viewers who do not read as fast as players send. */
export const audienceSlowChecks: ReadonlyArray<Check> = [
  {
    ids: ["limits.outbound.viewer"],
    timeoutMs: 120_000,
    title: "256 KB may wait for a viewer, and not as much as for a player",
    run: async (trial) => {
      const { accept, outcome } = rowOf("boundary", "limits.outbound.viewer")
      const audience = await AudienceStage.of(trial)
      const { stage } = audience
      await stage.client(room, board)
      const some = await audience.viewer(room)
      const bytes = Math.floor((accept * 7) / 8)
      holds("a viewer survives 7/8 of it", await survives(stage, some, bytes), "closed")
      same("what came to it", some.relay.sent().length, Math.ceil(bytes / block))
      const slow = await audience.viewer(room)
      holds("a viewer survives no more", !(await survives(stage, slow, mostMib * mib)), "open")
      const closed = await slow.end()
      same("the close", closed, { code: outcome.close, reason: outcome.code })
      const fatal = await fatalMib(audience)
      const player = await stage.client(room, board)
      const stays = await survives(stage, player, (fatal + 1) * mib)
      holds(`a player survives more than the ${fatal} MiB that close a viewer`, stays, "closed")
      holds("who reads stays", some.isOpen(), "closed")
    }
  }
]
