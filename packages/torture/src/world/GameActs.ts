import { Matches, type ShownTicket } from "@atrium/actors/match/Matches"
import type { QueueKey } from "@atrium/actors/match/MatchRows"
import type { PlayedCall } from "@atrium/actors/process/testing/MemoryRoomProcess"
import type { Chance } from "@atrium/api/testing/Chance"
import { QueueLimits } from "@atrium/domain/match/QueueLimits"
import { roomKeyOf } from "@atrium/domain/shared/Ids"
import { SecondMs } from "@atrium/wire/limits/Limit"
import { Effect } from "effect"

import type { Act, Weighed } from "./Acts.ts"
import { playerNames, queues } from "./GameProjects.ts"
import type { Scene } from "./Scene.ts"

const callsAtOnce = 4

/** Clients let their rooms make calls, one after the other and at once. */
const calling =
  (says: string, callOf: (scene: Scene, room: string, chance: Chance) => PlayedCall | null): Act =>
  (scene, chance) => {
    const playing = scene.clients.filter(({ plays }) => plays)
    if (playing.length === 0) return "nobody plays"
    const count = 1 + chance.below(callsAtOnce)
    for (let at = 0; at < count; at++) {
      const client = chance.pick(playing)
      const call = callOf(scene, client.room ?? "", chance)
      if (call !== null) client.play(call)
    }
    return `${count} rooms ${says}`
  }

const purse = calling("add to a purse", ({ world }, room, chance) =>
  world.games.kv.read({
    projectId: roomKeyOf(room).projectId,
    playerId: chance.pick(playerNames.slice(0, 2))
  })
)

const score = calling("submit a score", ({ world }, room, chance) =>
  world.games.scores.submit(room, `${roomKeyOf(room).projectId}/${chance.pick(playerNames)}`)
)

const rate = calling("report a game", ({ world }, room, chance) => {
  const first = chance.below(playerNames.length)
  const second = (first + 1 + chance.below(playerNames.length - 1)) % playerNames.length
  const players = [playerNames[first] ?? "", playerNames[second] ?? ""]
  return world.games.ratings.report(room, { queue: chance.pick(Object.keys(queues)), players })
})

const again = calling("tell the service again", ({ world: { games } }, room, chance) =>
  chance.one(2)
    ? games.scores.again(room, (scores) => chance.pick(scores))
    : games.ratings.again(room, (reports) => chance.pick(reports))
)

const backfill = calling("offer seats", ({ world }, _room, chance) => ({
  does: "call",
  call: world.games.nextCall(),
  name: "match.backfill",
  payload: { seats: chance.below(3) }
}))

/** What a ticket is asked for with. */
interface Queueing {
  readonly key: QueueKey
  readonly playerId: string
  readonly party: string | null
  readonly waitMs: number
}

const enqueue = (scene: Scene, { key, ...queueing }: Queueing): void =>
  scene.asking(
    Effect.flatMap(Matches, (matches) => matches.join(key, queueing)),
    (ticket) => scene.world.games.tickets.heard(ticket)
  )

const queueIn = (scene: Scene, chance: Chance): QueueKey => ({
  projectId: chance.pick(scene.projects),
  queue: chance.pick(Object.keys(queues))
})

const waits = [5 * SecondMs, 15 * SecondMs, QueueLimits.matchWait.ms] as const

const queue: Act = (scene, chance) => {
  const key = queueIn(scene, chance)
  const count = 1 + chance.below(3)
  for (let at = 0; at < count; at++) {
    const [playerId, waitMs] = [chance.pick(playerNames), chance.pick(waits)]
    enqueue(scene, { key, playerId, party: null, waitMs })
  }
  return `${count} queue for ${key.projectId}/${key.queue}`
}

const party: Act = (scene, chance) => {
  const key = queueIn(scene, chance)
  const first = chance.below(playerNames.length - 1)
  const lateMs = chance.below(5000)
  const waitMs = chance.pick(waits)
  scene.asking(
    Effect.flatMap(Matches, (matches) => matches.mintParty(key, 2)),
    ({ code }) => {
      for (const [at, playerId] of playerNames.slice(first, first + 2).entries()) {
        scene.world.outside.after(at * lateMs, () =>
          enqueue(scene, { key, playerId, party: code, waitMs })
        )
      }
    }
  )
  return `a party queues for ${key.projectId}/${key.queue}`
}

/** Every player who holds a ticket asks for it, as clients do each second. */
export const askTickets = (scene: Scene): number => {
  const { tickets } = scene.world.games
  const { held } = tickets
  for (const ticket of held) {
    scene.asking(
      Effect.flatMap(Matches, (matches) => matches.find(ticket.projectId, ticket.ticketId)),
      (found: ShownTicket | null) =>
        found === null ? tickets.missed(ticket) : tickets.heard(found)
    )
  }
  return held.length
}

const poll: Act = (scene) => `${askTickets(scene)} ask for their tickets`

const where: Act = (scene, chance) => {
  const project = chance.pick(scene.projects)
  const runner = scene.anyRunner()
  if (runner === undefined) return "no runner is there"
  scene.askPresence({ project, runner }, () => {})
  return `somebody asks ${runner.host.name} where the players of ${project} are`
}

/** Answers of the store get lost while rooms call and players queue. */
const lostAnswers: Act = (scene, chance) => {
  const { door } = scene.world
  const oneIn = 1 + chance.below(3)
  door.flicker(oneIn, 500 + chance.below(2000))
  const told = [score, rate, purse, again, queue].map((act) => act(scene, chance))
  return `the store fails once in ${oneIn}, and ${told.join(", ")}`
}

/** Answers of actors get lost while players queue: the cluster asks again. */
const lostReplies: Act = (scene, chance) => {
  const { cluster, outside } = scene.world
  cluster.rates.messageLost = 2
  outside.after(1000 + chance.below(3000), () => (cluster.rates.messageLost = 0))
  const told = [queue, party, queue, queue].map((act) => act(scene, chance))
  return `every other message is lost, and ${told.join(", ")}`
}

/** By then a runner that stands still has lost its actors. */
const pastLeaseMs = 12 * SecondMs

/** A runner stands still until others have its queues, whose tickets end there; then it goes on. */
const frozenQueues: Act = (scene, chance) => {
  const { open, outside, plain } = scene.world
  if (open.length < 2) return "no other runner is there"
  const { host } = chance.pick(open)
  for (const project of scene.projects) {
    const [first, second] = playerNames
    enqueue(scene, { key: { projectId: project, queue: "squads" }, playerId: first, ...alone })
    enqueue(scene, { key: { projectId: project, queue: "squads" }, playerId: second, ...alone })
  }
  const beforeMs = chance.below(2000)
  const ms = pastLeaseMs + chance.below(8000)
  plain.troubled(beforeMs + ms)
  outside.after(beforeMs, () => {
    if (scene.world.calm) return
    host.freeze()
    outside.after(ms, () => host.goOn())
  })
  outside.after(beforeMs + pastLeaseMs, () => {
    if (scene.world.calm) return
    for (const playerId of playerNames) {
      const key = { projectId: chance.pick(scene.projects), queue: "squads" }
      enqueue(scene, { key, playerId, ...alone })
    }
    askTickets(scene)
  })
  return `${host.name} freezes for ${ms} ms, and its queues go on elsewhere`
}

const alone = { party: null, waitMs: QueueLimits.matchWait.ms } as const

/** What goes wrong in games, each with its relative frequency among the mishaps. */
export const gameMishaps: ReadonlyArray<Weighed> = [
  { weight: 6, act: lostAnswers },
  { weight: 3, act: lostReplies },
  { weight: 3, act: frozenQueues }
]

/** What happens in games, each with its relative frequency. */
export const gameActs: ReadonlyArray<Weighed> = [
  { weight: 5, act: purse },
  { weight: 5, act: score },
  { weight: 4, act: rate },
  { weight: 4, act: again },
  { weight: 2, act: backfill },
  { weight: 6, act: queue },
  { weight: 3, act: party },
  { weight: 4, act: poll },
  { weight: 2, act: where }
]
