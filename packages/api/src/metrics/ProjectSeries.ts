import { lookEvery } from "@atrium/actors/clock/RuleTime"
import { CountedProjects, type Counts } from "@atrium/actors/metrics/ProjectCounts"
import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import type { ProjectCount } from "@atrium/actors/rooms/RoomCensus"
import { RoomStore } from "@atrium/actors/rooms/RoomStore"
import { logFailure } from "@atrium/actors/store/StoreFailure"
import { MetricsLimits } from "@atrium/domain/metrics/MetricsLimits"
import {
  type SeriesName,
  SeriesNames,
  type SeriesPart,
  SeriesRing,
  sharedNames,
  slotAt
} from "@atrium/domain/metrics/SeriesRing"
import { Clock, Context, Effect, Layer } from "effect"

/** The last hour of the projects that are active on this runner, measured every ten seconds. Source: C-768. */
export class ProjectSeries extends Context.Service<
  ProjectSeries,
  { of(projectId: string, fromSlot: number): ReadonlyArray<SeriesPart> }
>()("@atrium/api/metrics/ProjectSeries") {
  static readonly layer = Layer.effect(
    ProjectSeries,
    Effect.gen(function* () {
      const kept = new Map<string, Kept>()
      const measure = yield* makeMeasure(kept)
      const measured = (slot: number) =>
        measure(slot).pipe(logFailure("the series of projects have a gap", Effect.logWarning))
      yield* Effect.forkScoped(whenSpansEnd(measured))
      return {
        of: (projectId, fromSlot) => kept.get(projectId)?.ring.since(fromSlot) ?? []
      }
    })
  )
}

/**
 * Measures each span when it is over: a point is of the whole span. It looks whether one is, so that a clock that is
 * moved by a month does not stop at each of its spans.
 */
export const whenSpansEnd = <E, R>(measure: (slot: number) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    let slot = slotAt(yield* Clock.currentTimeMillis)
    const look = Effect.gen(function* () {
      const over = slot
      slot = slotAt(yield* Clock.currentTimeMillis)
      if (slot !== over) yield* measure(over)
    })
    return yield* lookEvery(MetricsLimits.seriesEnd.ms)(look)
  })

interface Kept {
  readonly ring: SeriesRing
  /** The counts at the last point: a point has what came since. */
  readonly before: Sums
  /** The last span in which anything happened. */
  readonly busySlot: number
}

/** Numbers that only grow. */
interface Sums extends Omit<Counts, "refused"> {
  readonly refused: ReadonlyMap<string, number>
  readonly ingressBytes: number
  readonly egressBytes: number
}

const noSums: Sums = {
  joins: 0,
  errors: 0,
  exits: 0,
  refused: new Map(),
  ingressBytes: 0,
  egressBytes: 0
}

const makeMeasure = Effect.fnUntraced(function* (kept: Map<string, Kept>) {
  const awake = yield* AwakeRooms
  const counts = yield* CountedProjects
  const store = yield* RoomStore

  return Effect.fnUntraced(function* (slot: number) {
    const rooms = Map.groupBy(awake.all(), ({ key }): string => key.projectId)
    for (const projectId of rooms.keys()) counts.touch(projectId)
    const active = [...counts.active]
    for (const projectId of kept.keys()) {
      if (!counts.active.has(projectId)) kept.delete(projectId)
    }
    const states = yield* store.countByProject(active.map(([projectId]) => projectId))
    const byProject = Map.groupBy(states, ({ projectId }) => projectId)
    for (const [projectId, count] of active) {
      const here = rooms.get(projectId) ?? []
      const sums: Sums = {
        joins: count.joins,
        errors: count.errors,
        exits: count.exits,
        refused: new Map(count.refused),
        ...awake.traffic.of(projectId, here)
      }
      const known = kept.get(projectId) ?? newSeries(awake.traffic.of(projectId, []), slot)
      const measured = { slot, here, states: byProject.get(projectId) ?? [] }
      const point = pointOf(measured, sums, known.before)
      known.ring.put(point)
      const isStill = SeriesNames.every(
        (name, place) => sharedNames.has(name) || point.values[place] === 0
      )
      const idle = here.length === 0 && isStill
      const busySlot = idle ? known.busySlot : slot
      kept.set(projectId, { ring: known.ring, before: sums, busySlot })
      if (slot - busySlot > MetricsLimits.seriesPoints.max) {
        kept.delete(projectId)
        counts.forget(projectId)
      }
    }
  })
})

/**
 * The counts that made a project active belong to its first span, and so do the bytes of its awake rooms: it had none at
 * the point before. Those of rooms that are gone may be of long before.
 */
const newSeries = (gone: Pick<Sums, "ingressBytes" | "egressBytes">, slot: number): Kept => ({
  ring: new SeriesRing(),
  before: { ...noSums, ...gone },
  busySlot: slot
})

interface Measured {
  readonly slot: number
  readonly here: ReadonlyArray<AwakeRoom>
  readonly states: ReadonlyArray<ProjectCount>
}

const pointOf = ({ slot, here, states }: Measured, now: Sums, before: Sums): SeriesPart => {
  const grown = (name: Exclude<keyof Sums, "refused">): number =>
    Math.max(0, now[name] - before[name])
  const values: Partial<Record<SeriesName, number>> = {
    ...Object.fromEntries(states.map(({ status, rooms }) => [status, rooms])),
    players: here.reduce((sum, { gate }) => sum + gate.players, 0),
    sockets: here.reduce((sum, { gate }) => sum + gate.connections, 0),
    joins: grown("joins"),
    errors: grown("errors"),
    exits: grown("exits"),
    ingressBytes: grown("ingressBytes"),
    egressBytes: grown("egressBytes"),
    memoryBytes: here.reduce((sum, room) => sum + usedBytes(room), 0)
  }
  const refused = [...now.refused].map(
    ([limit, count]) => [limit, count - (before.refused.get(limit) ?? 0)] as const
  )
  return {
    slot,
    values: SeriesNames.map((name) => values[name] ?? 0),
    refused: Object.fromEntries(refused.filter(([, count]) => count > 0))
  }
}

/** As the watch of the room's memory saw it last. */
const usedBytes = (room: AwakeRoom): number => room.incarnation()?.process.usedBytes ?? 0
