import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"

import { RoomActor } from "./RoomActor.ts"
import { Runner } from "./Runner.ts"
import { ServerActor } from "./ServerActor.ts"
import { projectOf } from "./Store.ts"
import { Failure, failed, type Group, Later, waitFor, type Work } from "./Work.ts"
import type { World } from "./World.ts"

/** A call of an actor, as its handler sees it. */
export interface Call {
  /** The caller has given up, and what has not begun yet must not begin. */
  readonly abandoned: boolean
}

interface Sent<A> {
  /** `null` = by somebody outside, whose network is not the cluster's. */
  readonly from: Runner | null
  readonly timeoutMs: number
  /** `null` = nobody has it just now. */
  readonly actor: () => { readonly group: Group; readonly runner: Runner } | null
  handle(call: Call): Work<A>
}

const nobodyThereMs = 500

/**
 * Effect Cluster as the shells use it: one actor per key, on a runner that lives; calls that are
 * lost, come late, or are not answered. Between two runners they keep their order.
 */
export class Cluster {
  readonly #world: World
  readonly runners: Array<Runner> = []
  readonly #rooms = new Map<string, RoomActor>()
  readonly #servers = new Map<string, ServerActor>()
  readonly #lastAtMs = new Map<string, number>()
  readonly #unreachable = new Map<string, Later<void>>()
  /** Of a runner that died nobody has the actors before this moment. */
  #noticedAtMs = 0
  #nextRunner = 1

  constructor(world: World, runners: number) {
    this.#world = world
    for (let count = 0; count < runners; count++) this.addRunner()
  }

  addRunner(): Runner {
    const runner = new Runner(this.#nextRunner++)
    this.runners.push(runner)
    return runner
  }

  /** The process ends without a word; others take over a while later. */
  crash(runner: Runner, noticedAfterMs: number): void {
    const rooms = [...runner.awake.values()]
    runner.group.end()
    this.runners.splice(this.runners.indexOf(runner), 1)
    this.#noticedAtMs = this.#world.timeline.machineMs + noticedAfterMs
    for (const room of rooms) room.gate.closeAll("lost")
  }

  get servers(): ReadonlyArray<ServerActor> {
    return [...this.#servers.values()].filter(({ group }) => group.alive)
  }

  roomActor(key: string): RoomActor | null {
    const actor = this.#rooms.get(key)
    return actor?.group.alive === true ? actor : null
  }

  #runnerOf(id: string): Runner | null {
    const isAway = this.#world.timeline.machineMs < this.#noticedAtMs
    if (this.runners.length === 0 || isAway) return null
    return this.runners[hashOf(id) % this.runners.length] ?? null
  }

  #room(key: string): RoomActor | null {
    const known = this.roomActor(key)
    if (known !== null) return known
    const runner = this.#runnerOf(`room ${key}`)
    if (runner === null) return null
    const actor = new RoomActor(this.#world, runner, key)
    this.#rooms.set(key, actor)
    return actor
  }

  #server(id: string): ServerActor | null {
    const known = this.#servers.get(id)
    if (known?.group.alive === true) return known
    const runner = this.#runnerOf(`server ${id}`)
    if (runner === null) return null
    const actor = new ServerActor(this.#world, runner, id)
    this.#servers.set(id, actor)
    return actor
  }

  /** Errors: Failure Timeout, and what the handler refuses. */
  *onRoom<A>(from: Runner | null, key: string, handle: (room: RoomActor) => Work<A>): Work<A> {
    let room: RoomActor | null = null
    return yield* this.#call({
      from,
      timeoutMs: ServiceLimits.actorCall.ms,
      actor: () => (room = this.#room(key)),
      handle: () => (room === null ? noActor() : handle(room))
    })
  }

  /** As {@link onRoom}, of the server where a room is, or is to be. */
  *onServer<A>(
    { key, runner }: RoomActor,
    at: { readonly serverIndex: number; readonly timeoutMs?: number },
    handle: (server: ServerActor, call: Call) => Work<A>
  ): Work<A> {
    const id = `${projectOf(key)}/${at.serverIndex}`
    let server: ServerActor | null = null
    return yield* this.#call({
      from: runner,
      timeoutMs: at.timeoutMs ?? ServiceLimits.actorCall.ms,
      actor: () => (server = this.#server(id)),
      handle: (call) => (server === null ? noActor() : handle(server, call))
    })
  }

  *#call<A>(sent: Sent<A>): Work<A> {
    const { timeline, faults, chance } = this.#world
    const call = { abandoned: false }
    const answer = new Later<A>()
    const deliver = (): void => {
      const actor = sent.actor()
      if (actor === null) {
        if (!call.abandoned) timeline.after(nobodyThereMs, deliver)
        return
      }
      const between = sent.from !== null && sent.from !== actor.runner
      if (between && faults.messageLost()) return
      this.#world.fork(actor.group, sent.handle(call)).onEnd((outcome) => {
        if (between && faults.messageLost()) return
        timeline.after(chance.below(3), () => answer.tell(outcome))
      })
    }
    timeline.after(this.#delayMs(sent), deliver)
    timeline.after(sent.timeoutMs, () => {
      if (answer.isDone) return
      call.abandoned = true
      answer.tell(failed(new Failure("Timeout")))
    })
    return yield* answer.wait()
  }

  #delayMs({ from, actor }: Sent<unknown>): number {
    const { timeline, faults, chance } = this.#world
    const to = actor()?.runner ?? null
    if (from === null || to === null || from === to) return chance.below(2)
    const way = `${from.id}>${to.id}`
    const atMs = Math.max(
      this.#lastAtMs.get(way) ?? 0,
      timeline.machineMs + 1 + chance.below(5) + faults.messageDelayMs()
    )
    this.#lastAtMs.set(way, atMs)
    return atMs - timeline.machineMs
  }

  /** Calls wait until the server can be reached. See actors/server/ServerReach.ts. */
  *reach(serverId: string): Work<void> {
    const back = this.#unreachable.get(serverId)
    if (back !== undefined) yield* back.wait()
  }

  loseReach(serverId: string): void {
    if (!this.#unreachable.has(serverId)) this.#unreachable.set(serverId, new Later<void>())
  }

  restoreReach(): void {
    const waiting = [...this.#unreachable.values()]
    this.#unreachable.clear()
    for (const back of waiting) back.tell({ ok: true, value: undefined })
  }

  /** The actor is put away as idle, or lost in the middle of what it does; its runner lives. */
  forget(key: string): void {
    this.roomActor(key)?.group.end()
    this.#rooms.delete(key)
  }
}

/** Nobody answers. */
const noActor = (): Work<never> => waitFor<never>(() => undefined)

/** FNV-1a: which runner has an actor says nothing, but is the same each time. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}
