import type { Incarnation as Place } from "@atrium/actors/rooms/RoomState"
import type { SaveReason } from "@atrium/actors/rooms/SnapshotMachine"
import { RoomProcessLimits } from "@atrium/domain/rooms/RoomProcessLimits"
import { ServiceLimits } from "@atrium/domain/shared/ServiceLimits"
import { StoreLimits } from "@atrium/domain/store/StoreLimits"

import { LatestWrite } from "./LatestWrite.ts"
import { retried, within } from "./Pauses.ts"
import type { RoomGate } from "./RoomGate.ts"
import { RoomProcess } from "./RoomProcess.ts"
import { SnapshotKeeper } from "./SnapshotKeeper.ts"
import { projectOf } from "./Store.ts"
import { alarmKey, newestSnapshot, type PlayState } from "./StoredRoom.ts"
import { done, Failure, failed, type Group, isFailure, Later, type Work } from "./Work.ts"
import type { World } from "./World.ts"

export interface Starting {
  readonly world: World
  readonly key: string
  readonly order: Place
  readonly gate: RoomGate
  /** Ends with the incarnation. */
  readonly group: Group
  /** Ends with the runner: facts are written to their end. */
  readonly runnerGroup: Group
}

interface Lobby {
  readonly isPublic: boolean
  readonly started: boolean
}

/** One process of a room. See actors/room/Incarnations.ts. */
export interface Incarnation {
  readonly order: Place
  readonly process: RoomProcess
  readonly ended: Later<void>
  drain(): Work<boolean>
  /** @returns whether the game had started: then nothing has changed */
  publish(isPublic: boolean): boolean
}

const bootMsMax = 400
const factAttempts = 9

/** `startRefusal` in Incarnations.ts. Errors: Failure StoreAway, StartFailed. */
export function* startIncarnation(starting: Starting): Work<Incarnation> {
  try {
    return yield* started(starting)
  } catch (error) {
    if (isFailure(error, "Store")) throw new Failure("StoreAway")
    throw error
  }
}

interface Loaded {
  readonly state: PlayState
  readonly alarms: ReadonlyArray<number>
  readonly lobby: Lobby
  readonly broken: boolean
}

function* load({ world, key, order }: Starting): Work<Loaded> {
  const { store } = world
  const deployment = yield* store.deployment(projectOf(key), order.version)
  if (deployment?.types.some(({ type }) => type === order.type) !== true) {
    throw new Failure("StartFailed", "the room's stored state or code could not be read")
  }
  const objects = new Map(yield* store.list(key))
  const alarms = objects.get(alarmKey)?.alarms ?? []
  yield* store.settleAlarm(key, alarms)
  const row = yield* store.load(key)
  const state = newestSnapshot(objects.values())?.state ?? []
  world.witness.loaded(key, order, state)
  return {
    state,
    alarms,
    lobby: { isPublic: row?.isPublic ?? false, started: row?.started ?? false },
    broken: deployment.broken
  }
}

function* started(starting: Starting): Work<Incarnation> {
  const { world, key, order, gate, group } = starting
  const loaded = yield* load(starting)
  const ready = new Later<void>()
  const ended = new Later<void>()
  const facts = factsOf(starting)
  let lobby = loaded.lobby
  const changeLobby = (change: Partial<Lobby>): void => {
    lobby = { ...lobby, ...change }
    facts.lobby.write(lobby)
  }
  const keeper = new SnapshotKeeper(world, group, {
    request: (requestId, final) => process.requestSnapshot(requestId, final),
    store: storing(starting, () => process.kill()),
    factsStored: () => facts.stored(),
    answer: (saveId, stored) => process.saved(saveId, stored),
    flooded: () => process.kill()
  })
  const process = new RoomProcess(world, order, {
    ready: () => ready.tell(done(undefined)),
    joined: (ref) => gate.joined(ref),
    answered: (ref, write, stored) => gate.answered(ref, write, stored),
    changed: () => keeper.changed(),
    saveRequested: (saveId, generation) => keeper.saveRequested(saveId, generation),
    snapshot: (requestId, state) => keeper.snapshot(requestId, state),
    alarms: (alarms) => facts.alarms.write(alarms),
    lobby: changeLobby,
    exited: () => {
      keeper.gone()
      ready.tell(failed(new Failure("StartFailed", "the room's code failed at its start")))
      ended.tell(done(undefined))
    }
  })
  group.onEnd(() => process.kill())
  world.processes.add(key, process)
  bringUp(starting, process, loaded)
  yield* readyInTime(starting, process, ready)
  return {
    order,
    process,
    ended,
    drain: () => boundedDrain(starting, keeper, facts),
    publish: (isPublic) => {
      if (lobby.started) return true
      changeLobby({ isPublic })
      return false
    }
  }
}

const bringUp = ({ world }: Starting, process: RoomProcess, loaded: Loaded): void => {
  const hangs = world.faults.startHangs()
  const bootMs = world.chance.below(bootMsMax) + (hangs ? RoomProcessLimits.roomStart.ms : 0)
  process.start(loaded.state, loaded.alarms, bootMs)
  if (loaded.broken || world.faults.startFails()) process.kill()
}

function* readyInTime(starting: Starting, process: RoomProcess, ready: Later<void>): Work<void> {
  const { world, runnerGroup } = starting
  try {
    yield* within({
      world,
      group: runnerGroup,
      ms: RoomProcessLimits.roomStart.ms,
      work: ready.wait()
    })
  } catch (error) {
    if (!isFailure(error, "Timeout")) throw error
    process.kill()
    throw new Failure("StartFailed", "the room's code takes too long to start")
  }
}

/** `storing` in Incarnations.ts: a fence is final, everything else is tried again for a while. */
const storing = ({ world, key, order }: Starting, fenced: () => void) =>
  function* (state: PlayState, generation: SaveReason | null): Work<void> {
    const again = {
      times: generation === "hibernate" ? Number.POSITIVE_INFINITY : 5,
      while: (error: unknown) => !isFailure(error, "Fenced")
    }
    try {
      yield* retried(world, again, () =>
        world.store.storeSnapshot(key, { at: order, state, generation })
      )
    } catch (error) {
      if (isFailure(error, "Fenced")) fenced()
      throw error
    }
  }

/** See actors/room/FactWrites.ts. */
const factsOf = ({ world, key, order, runnerGroup }: Starting) => {
  const kept = (write: () => Work<void>) =>
    function* (): Work<boolean> {
      try {
        const again = {
          times: factAttempts,
          while: (error: unknown) => !isFailure(error, "Fenced")
        }
        yield* retried(world, again, write)
        return true
      } catch (error) {
        if (error instanceof Failure) return false
        throw error
      }
    }
  const alarms = new LatestWrite<ReadonlyArray<number>>(world, runnerGroup, (set) =>
    kept(() => world.store.storeAlarms(key, order, set))()
  )
  const lobby = new LatestWrite<Lobby>(world, runnerGroup, (set) =>
    kept(() => world.store.statement((rows) => rows.setLobby(key, order.epoch, set)))()
  )
  function* allStored(): Work<void> {
    const both = [yield* alarms.stored(), yield* lobby.stored()]
    if (!both.every((one) => one)) throw new Failure("FactsNotStored")
  }
  return {
    alarms,
    lobby,
    stored: () =>
      within({ world, group: runnerGroup, ms: StoreLimits.storeAnswer.ms, work: allStored() }),
    *settled(): Work<void> {
      yield* alarms.settled()
      yield* lobby.settled()
    }
  }
}

/** `boundedDrain` in Incarnations.ts. */
function* boundedDrain(
  { world, runnerGroup }: Starting,
  keeper: SnapshotKeeper,
  facts: { settled(): Work<void> }
): Work<boolean> {
  function* drain(): Work<boolean> {
    const stored = yield* keeper.drain()
    yield* facts.settled()
    return stored
  }
  try {
    return yield* within({ world, group: runnerGroup, ms: ServiceLimits.drain.ms, work: drain() })
  } catch (error) {
    if (isFailure(error, "Timeout")) return false
    throw error
  }
}
