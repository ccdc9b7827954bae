import type { CloseReason, DrainReason, Incarnation } from "@atrium/actors/rooms/RoomState"
import type { RoomMemory, Sample } from "@atrium/actors/servers/Pressure"
import { emptyServer, type ServerAction, ServerEvent } from "@atrium/actors/servers/ServerMachine"
import { roomsMibOf, type ServerTerms } from "@atrium/domain/projects/ServerSettings"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"

import { AwakeRoom } from "./AwakeRoom.ts"
import type { Call } from "./Cluster.ts"
import { joined, within } from "./Pauses.ts"
import type { Runner } from "./Runner.ts"
import { done, Failure, failed, Group, Later, waitFor, type Work } from "./Work.ts"
import type { World } from "./World.ts"

/** A room that is started again keeps its place, whatever the plan is by now. */
const keptPlace: ServerTerms = { plan: "card", roomsMib: 0 }

export interface StartOrder extends Incarnation {
  readonly roomId: string
}

interface Named {
  readonly key: string
  readonly epoch: number
}

/** One server of a project. See ServerEntity.ts, ServerRooms.ts, ServerBoot.ts, ServerRelief.ts of actors. */
export class ServerActor {
  /** `project/index`. */
  readonly id: string
  readonly project: string
  readonly index: number
  readonly runner: Runner
  readonly group: Group
  readonly #world: World
  readonly #held = new Map<string, { readonly room: AwakeRoom; readonly group: Group }>()
  #state = emptyServer
  #booted: Later<void> = new Later<void>()

  constructor(world: World, runner: Runner, id: string) {
    this.#world = world
    this.runner = runner
    this.id = id
    this.project = id.slice(0, id.indexOf("/"))
    this.index = Number(id.slice(id.indexOf("/") + 1))
    this.group = new Group(runner.group)
    this.group.onEnd(() => runner.servers.delete(this))
    runner.servers.add(this)
  }

  get places() {
    return this.#state.places
  }

  get rooms(): ReadonlyArray<AwakeRoom> {
    return [...this.#held.values()].map(({ room }) => room)
  }

  #decide(event: ServerEvent): ReadonlyArray<ServerAction> {
    const [next, actions] = this.#world.stepServer(this, this.#state, event)
    this.#state = next
    return actions
  }

  /** `reached` in ServerEntity.ts: who waits too long is not served any more. */
  *#reached(call: Call): Work<void> {
    yield* this.#world.cluster.reach(this.id)
    if (call.abandoned) yield* waitFor<void>(() => undefined)
  }

  *#unbroken<A>(work: Work<A>): Work<A> {
    return yield* joined(this.#world, this.group, work)
  }

  *start(call: Call, order: StartOrder): Work<number> {
    yield* this.#reached(call)
    return yield* this.#unbroken(this.#start(order))
  }

  *drain(
    call: Call,
    { key, epoch, reason }: Named & { readonly reason: DrainReason }
  ): Work<boolean> {
    yield* this.#reached(call)
    const room = this.#find(key, epoch)
    return room === undefined ? false : yield* this.#unbroken(this.#drain(room, reason))
  }

  *close(
    call: Call,
    { key, epoch, because }: Named & { readonly because: CloseReason }
  ): Work<boolean> {
    yield* this.#reached(call)
    const room = this.#find(key, epoch)
    if (room === undefined) return true
    room.fail(because)
    this.#release(key)
    return true
  }

  *publish(
    call: Call,
    { key, epoch, isPublic }: Named & { readonly isPublic: boolean }
  ): Work<boolean | null> {
    yield* this.#reached(call)
    return this.#find(key, epoch)?.publish(isPublic) ?? null
  }

  *holds(call: Call, key: string, epoch: number): Work<boolean> {
    yield* this.#reached(call)
    return this.#find(key, epoch) !== undefined
  }

  #find(key: string, epoch: number): AwakeRoom | undefined {
    const room = this.#held.get(key)?.room
    return room?.epoch === epoch ? room : undefined
  }

  #release(key: string): void {
    const gone = this.#held.get(key)
    if (gone === undefined) return
    this.#held.delete(key)
    this.#decide(ServerEvent.RoomGone({ roomId: key, epoch: gone.room.epoch }))
    gone.group.end()
  }

  *#drain(room: AwakeRoom, reason: DrainReason): Work<boolean> {
    const clientsBack = yield* room.drain(reason)
    if (!clientsBack) this.#release(room.key)
    return clientsBack
  }

  *#admit(order: StartOrder): Work<void> {
    const { roomId } = order
    const known = this.#held.get(roomId)?.room
    if (known !== undefined) return yield* known.start(order)
    const group = new Group(this.group)
    const world = this.#world
    const room = new AwakeRoom({ world, runner: this.runner, key: roomId, group })
    this.#held.set(roomId, { room, group })
    try {
      yield* room.start(order)
    } catch (error) {
      this.#release(roomId)
      throw error
    }
  }

  *#start(order: StartOrder): Work<number> {
    const { roomId, epoch } = order
    if (this.runner.closing) this.#decide(ServerEvent.ShutdownAsked())
    const isKept = this.places.some((place) => place.roomId === roomId)
    const terms = isKept ? keptPlace : yield* this.#termsNow()
    const actions = this.#decide(
      ServerEvent.AdmitAsked({ roomId, epoch, class: order.class, terms })
    )
    if (actions[0]?._tag === "Boot") this.#boot()
    const action = actions.at(-1)
    switch (action?._tag) {
      case "Admit":
        try {
          yield* this.#booted.wait()
        } catch (error) {
          this.#decide(ServerEvent.RoomGone({ roomId, epoch }))
          throw error
        }
        yield* this.#admit(order)
        return action.place.slot
      case "RefuseFull":
        throw new Failure("ServerFull")
      case "RefuseFree":
      case "RefuseNear":
        throw new Failure("ServerWaking", action._tag)
      case "RefuseClosing":
        throw new Failure("ServerClosing")
      case "Boot":
      case "SleepRoom":
      case "RestartRoom":
      case undefined:
        throw new Error("the server machine gave no answer")
    }
  }

  /** `projectNow` in ServerBoot.ts: nobody waits for the store for ever. */
  *#projectNow<A>(answer: () => A): Work<A> {
    const world = this.#world
    const asking = world.store.statement(answer)
    try {
      return yield* within({
        world,
        group: this.group,
        ms: StoreLimits.storeAnswer.ms,
        work: asking
      })
    } catch (error) {
      if (error instanceof Failure) throw new Failure("StoreAway")
      throw error
    }
  }

  *#termsNow(): Work<ServerTerms> {
    const { store, plans } = this.#world
    return yield* this.#projectNow(() => ({
      plan: plans.get(this.project) ?? "free",
      roomsMib: roomsMibOf((store.deployed(this.project)?.types ?? []).map((type) => type.class))
    }))
  }

  /** `makeServerBoot` in ServerBoot.ts: once for all who wait for it. */
  #boot(): void {
    const booted = new Later<void>()
    this.#booted = booted
    const asking = this.#projectNow(() => undefined)
    function* boot(): Work<void> {
      try {
        booted.tell(done(yield* asking))
      } catch (error) {
        booted.tell(failed(error))
      }
    }
    this.#world.fork(this.group, boot())
  }

  /** `memoryOf` in ServerRelief.ts. */
  get memory(): ReadonlyArray<RoomMemory> {
    return this.rooms.flatMap((room) => {
      if (room.incarnation === null) return []
      const bytes = room.incarnation.process.usedBytes
      return [{ roomId: room.key, epoch: room.epoch, bytes, occupied: room.gate.clients > 0 }]
    })
  }

  /** `sampled` and `perform` in ServerRelief.ts. */
  sampled(sample: Sample): void {
    for (const action of this.#decide(ServerEvent.MemorySampled(sample))) {
      if (action._tag !== "SleepRoom" && action._tag !== "RestartRoom") continue
      const room = this.#find(action.roomId, action.epoch)
      if (room === undefined) continue
      if (action._tag === "RestartRoom") room.incarnation?.process.kill()
      else this.#world.fork(this.group, this.#putToSleep(room))
    }
  }

  *#putToSleep({ key, seat }: AwakeRoom): Work<void> {
    const { cluster } = this.#world
    yield* this.#world.orFailed(
      cluster.onRoom(this.runner, key, (room) => room.putAway(seat, "pressure"))
    )
  }
}
