import { memoryOf } from "@atrium/actors/process/ProcessMemory"
import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import type { ProjectCount } from "@atrium/actors/rooms/RoomCensus"
import { RoomStore } from "@atrium/actors/rooms/RoomStore"
import type { ProjectMetrics } from "@atrium/domain/metrics/MetricsApi"
import { Context, Effect, Layer } from "effect"

/** The figures of a project that a runner measures at its own rooms. */
export type RunnerFigures = Omit<ProjectMetrics, "roomsByState">

/**
 * Figures of projects on this runner: connections, traffic and memory of its own rooms, and the rooms of
 * all runners by status. Source: D-37.
 */
export class RunnerMetrics extends Context.Service<
  RunnerMetrics,
  {
    ofProject(projectId: string): Effect.Effect<ProjectMetrics>
    /** The figures of the project's rooms on this runner. */
    here(projectId: string): RunnerFigures
    /** The metrics of each project that has a room awake here. */
    readonly ofAwake: Effect.Effect<ReadonlyMap<string, ProjectMetrics>>
  }
>()("@atrium/api/metrics/RunnerMetrics") {
  static readonly layer = Layer.effect(
    RunnerMetrics,
    Effect.gen(function* () {
      const awake = yield* AwakeRooms
      const store = yield* RoomStore

      const figuresOf = (projectId: string, rooms: ReadonlyArray<AwakeRoom>): RunnerFigures => {
        const here = rooms.filter(({ key }) => key.projectId === projectId)
        return {
          sockets: here.reduce((sum, { gate }) => sum + gate.connections, 0),
          ...awake.traffic.of(projectId, here),
          rss: residentBytes(here)
        }
      }

      const ofEach = Effect.fnUntraced(function* (projectIds: ReadonlyArray<string>) {
        const counts = yield* store.countByProject(projectIds)
        const rooms = awake.all()
        const measured = projectIds.map((projectId) => {
          const roomsByState = byState(counts.filter((count) => count.projectId === projectId))
          return [projectId, { ...figuresOf(projectId, rooms), roomsByState }] as const
        })
        return new Map<string, ProjectMetrics>(measured)
      })

      return {
        here: (projectId) => figuresOf(projectId, awake.all()),
        ofProject: (projectId) =>
          Effect.map(ofEach([projectId]), (all) => all.get(projectId) ?? noMetrics),
        ofAwake: Effect.suspend(() =>
          ofEach([...new Set(awake.all().map(({ key }) => key.projectId))].toSorted())
        )
      }
    })
  )
}

const byState = (counts: ReadonlyArray<ProjectCount>): ProjectMetrics["roomsByState"] => {
  const found = new Map(counts.map(({ status, rooms }) => [status, rooms]))
  const of = (status: string): number => found.get(status) ?? 0
  return {
    starting: of("starting"),
    awake: of("awake"),
    draining: of("draining"),
    hibernated: of("hibernated"),
    restarting: of("restarting"),
    closed: of("closed")
  }
}

const noMetrics: ProjectMetrics = {
  sockets: 0,
  ingressBytes: 0,
  egressBytes: 0,
  rss: 0,
  roomsByState: byState([])
}

/**
 * Private memory of the processes of rooms, or without `/proc` the memory that the rooms themselves reported. A process
 * that rooms share counts once.
 */
const residentBytes = (rooms: ReadonlyArray<AwakeRoom>): number => {
  const seen = new Set<number>()
  let bytes = 0
  for (const room of rooms) {
    const process = room.incarnation()?.process
    if (process?.usedBytes === undefined) continue
    const resident = memoryOf(process.pid)?.anonBytes
    if (resident === undefined) bytes += process.usedBytes
    else if (!seen.has(process.pid)) bytes += resident
    seen.add(process.pid)
  }
  return bytes
}
