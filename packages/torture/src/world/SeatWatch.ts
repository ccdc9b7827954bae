import type { Client } from "./Client.ts"
import { Violation } from "./Violation.ts"
import type { World } from "./World.ts"

const everyMs = 1000
/** Past the signs of life that a link may miss, and the looks of the runners that have the socket. */
const unservedMsMax = 5000

/**
 * Looks every second whether each client in a room is served where its seat is, whichever runner has
 * its socket. The runners' own look for orphaned sockets asks those that may be wrong.
 */
export const watchSeats = (world: World, clients: ReadonlyArray<Client>): void => {
  const { outside, timeline } = world
  const sinceMs = new Map<Client, number>()
  const look = (): void => {
    for (const client of clients) {
      if (isServed(world, client)) {
        sinceMs.delete(client)
        continue
      }
      const unservedMs = timeline.machineMs - (sinceMs.get(client) ?? timeline.machineMs)
      sinceMs.set(client, timeline.machineMs - unservedMs)
      if (unservedMs < unservedMsMax) continue
      world.checked(() => {
        throw new Violation("orphan", `a client in ${client.room} is served by nobody`)
      })
    }
    outside.after(everyMs, look)
  }
  outside.after(everyMs, look)
}

const isServed = ({ speech }: World, { seat }: Client): boolean => {
  if (seat === null || seat.session === null) return true
  // A runner that stands still closes no socket.
  if (seat.runner.host.dead || seat.runner.host.frozen) return true
  const at = speech.seats.get(seat.session)
  return at !== undefined && !at.host.dead && !at.host.frozen && at.gate.serves(at.ref)
}
