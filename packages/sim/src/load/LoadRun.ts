import { setTimeout as sleep } from "node:timers/promises"

import type { WebSocketConstructor } from "@atrium/sdk/client"

import type { Scenario } from "../scenario/Scenario.ts"
import { addressOf } from "./LoadAddresses.ts"
import { sessionMs } from "./LoadChance.ts"
import { crowdStep, refusedBefore } from "./LoadCrowd.ts"
import { LoadLimits } from "./LoadLimits.ts"
import { type LoadMoment, type LoadPlan, momentAt } from "./LoadPlan.ts"
import { type LoadGame, LoadPlayer } from "./LoadPlayer.ts"
import type { LoadRooms } from "./LoadRooms.ts"
import { loadSocket } from "./LoadSocket.ts"

/** All that a run does. */
export interface LoadCourse {
  readonly plan: LoadPlan
  readonly game: LoadGame
  readonly session: Scenario["session"]
  readonly rooms: LoadRooms
  /** Begins the ids of players. */
  readonly name: string
}

/** Players act at their own times: messages that leave together would be cheaper for the service than a game's. */
const actEveryMs = 2
/** How often the crowd is counted. */
const lookEveryMs = 20

/** The players of a run, who come, act and go until the plan is over. */
export class LoadRun {
  readonly #course: LoadCourse
  readonly #players = new Set<LoadPlayer>()
  readonly #sockets = new Map<string | null, WebSocketConstructor>()
  readonly #startedAtMs = performance.now()
  /** When players were refused in whose place nobody has come yet. */
  #refusedAtMs: Array<number> = []
  #made = 0
  #looksAtMs = 0
  #endedAtMs: number | null = null
  #timer: NodeJS.Timeout | null = null
  #settle: { over: () => void; fail: (error: unknown) => void } | null = null

  constructor(course: LoadCourse) {
    this.#course = course
  }

  get elapsedMs(): number {
    return (this.#endedAtMs ?? performance.now()) - this.#startedAtMs
  }

  /** Players who are in their rooms. */
  get playing(): number {
    let count = 0
    for (const player of this.#players) if (player.playing) count += 1
    return count
  }

  get moment(): LoadMoment {
    return momentAt(this.#course.plan, this.elapsedMs)
  }

  /** Resolves when the plan is over, or `stop` was called. Rejects with a fault of this program. */
  async run(): Promise<void> {
    try {
      await new Promise<void>((over, fail) => {
        this.#settle = { over, fail }
        this.#timer = setInterval(() => this.#act(), actEveryMs)
      })
    } finally {
      clearInterval(this.#timer ?? undefined)
      this.#endedAtMs = performance.now()
    }
  }

  stop(): void {
    this.#settle?.over()
  }

  /** Lets everybody leave. @returns the players who had not left in time */
  async leave(): Promise<number> {
    for (const player of this.#players) void player.leave()
    const deadlineMs = performance.now() + LoadLimits.leaving.ms
    while (this.#players.size > 0 && performance.now() < deadlineMs) await sleep(lookEveryMs)
    return this.#players.size
  }

  #act(): void {
    const nowMs = performance.now()
    if (nowMs >= this.#looksAtMs) {
      this.#looksAtMs = nowMs + lookEveryMs
      this.#look(nowMs)
    }
    for (const player of this.#players) player.act(nowMs)
  }

  #look(nowMs: number): void {
    const { plan, game, rooms } = this.#course
    const { moment } = this
    if (moment.phase === null) return this.stop()
    this.#refusedAtMs = refusedBefore(this.#refusedAtMs, nowMs)
    const step = crowdStep(plan, moment, {
      present: this.#present(),
      started: this.#made,
      refused: this.#refusedAtMs.length
    })
    for (let count = 0; count < step.join; count += 1) this.#come()
    if (step.leave > 0) this.#go(step.leave)
    game.figures.playersMost = Math.max(game.figures.playersMost, this.playing)
    game.figures.roomsMost = Math.max(game.figures.roomsMost, rooms.used)
  }

  /** Players who are there or about to be. */
  #present(): number {
    let count = 0
    for (const player of this.#players) if (player.present) count += 1
    return count
  }

  #come(): void {
    const { game, session, rooms, name } = this.#course
    const from = addressOf(this.#made, game.endpoint, process.platform)
    const roomId = rooms.take(game.random() < session.persistentRooms)
    this.#made += 1
    const player = new LoadPlayer(
      game,
      {
        player: `${name}-${this.#made}`,
        roomId,
        from,
        webSocket: this.#socketFrom(from),
        lastsMs: sessionMs(session, game.random)
      },
      ({ refusal, placeIsFree }) => {
        this.#players.delete(player)
        if (refusal === "E_ROOM_FULL") rooms.close(roomId)
        rooms.leave(roomId, placeIsFree && refusal !== "E_ROOM_FULL")
        if (refusal !== null) this.#refusedAtMs.push(performance.now())
      }
    )
    this.#players.add(player)
    player.join().catch((error: unknown) => this.#settle?.fail(error))
  }

  /** Those who came first go first. */
  #go(count: number): void {
    const going = [...this.#players].filter((player) => player.present).slice(0, count)
    for (const player of going) void player.leave()
  }

  #socketFrom(from: string | null): WebSocketConstructor {
    const known = this.#sockets.get(from) ?? loadSocket(this.#course.game.figures, from)
    this.#sockets.set(from, known)
    return known
  }
}
