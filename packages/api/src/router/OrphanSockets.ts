import { Links } from "@atrium/actors/link/Links"
import { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { ConnectionLimits } from "@atrium/domain/connections/ConnectionLimits"
import { Clock, Effect, Metric, Schedule } from "effect"

/** A connection of which somebody can tell whether its room is served. */
export interface Watched {
  /** Its room has a process, or somebody sees to the next one; also before it has a seat. */
  readonly served: boolean
  /** Sends the client to where its room is now. */
  orphaned(): void
}

/**
 * Finds sockets in rooms that nobody serves: a fault of the service, whichever it is, must not leave a
 * client waiting for ever. It costs one question a second and socket, and nothing a message.
 */
export class OrphanSockets {
  readonly #sinceMs = new Map<Watched, number>()

  /** @returns how many sockets were closed */
  look(connections: Iterable<Watched>, nowMs: number): number {
    const suspects = new Set<Watched>()
    for (const connection of connections) if (!connection.served) suspects.add(connection)
    for (const known of this.#sinceMs.keys()) if (!suspects.has(known)) this.#sinceMs.delete(known)
    let closed = 0
    for (const suspect of suspects) {
      const sinceMs = this.#sinceMs.get(suspect) ?? nowMs
      this.#sinceMs.set(suspect, sinceMs)
      if (nowMs - sinceMs < ConnectionLimits.orphan.ms) continue
      this.#sinceMs.delete(suspect)
      suspect.orphaned()
      closed++
    }
    return closed
  }
}

const orphans = Metric.counter("atrium_orphan_sockets_total", {
  description: "Sockets that were closed because nobody served their room for 3 seconds; always 0",
  incremental: true
})

/** Closes sockets in rooms that nobody serves, here or over a link, and says so: that is a fault of the service. */
export const watchOrphans = Effect.fnUntraced(function* (connections: Iterable<Watched>) {
  const awake = yield* AwakeRooms
  const links = yield* Links
  const watch = new OrphanSockets()
  yield* Metric.update(orphans, 0)
  // It measures the service, not a rule: the clock that tests move is not asked.
  const look = Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
    for (const { gate } of awake.all()) gate.closeLapsed()
    const watched = [...connections, ...links.reached()]
    const closed = watch.look(watched, Number(nanos / 1_000_000n))
    if (closed === 0) return Effect.void
    return Effect.andThen(
      Effect.logError(`nobody served the rooms of ${closed} sockets: they were closed with 1012`),
      Metric.update(orphans, closed)
    )
  })
  yield* Effect.repeat(look, Schedule.spaced(ConnectionLimits.orphanLook.ms))
})
