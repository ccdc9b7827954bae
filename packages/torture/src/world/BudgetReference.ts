import type { ServerAction, ServerEvent, ServerState } from "@atrium/actors/servers/ServerMachine"
import type { RoomClass } from "@atrium/wire/rooms/RoomClass"

import { Violation } from "./Violation.ts"

export interface ServerStepped {
  /** The server's actor: its key, and the host that it lives on. */
  readonly server: string
  readonly before: ServerState
  readonly event: ServerEvent
  readonly after: ServerState
  readonly actions: ReadonlyArray<ServerAction>
}

// Literals of the specification, on purpose: 20, 8 and 3 rooms fill a server, 10 one of the free plan.
const roomsOf: Readonly<Record<RoomClass, number>> = { standard: 20, large: 8, xlarge: 3 }
const awakeFree = 10
/** The least common multiple of 20, 8 and 3: shares of a server are whole numbers of it. */
const whole = 120

const shareOf = (roomClass: RoomClass): number => whole / roomsOf[roomClass]

/** Rooms that each server holds, from its events and answers. Source: spec, Room budget; D-46, T-42. */
export class BudgetReference {
  readonly #held = new Map<string, Map<string, RoomClass>>()

  stepped({ server, before, event, after, actions }: ServerStepped): void {
    // An actor that is new holds nothing, whatever the one before it held.
    const held = before.places.length === 0 ? new Map<string, RoomClass>() : this.#of(server)
    this.#held.set(server, held)
    const places = new Set(after.places.map(({ roomId }) => roomId))
    for (const roomId of held.keys()) if (!places.has(roomId)) held.delete(roomId)
    if (event._tag !== "AdmitAsked") return
    const answer = actions.at(-1)?._tag
    const isNew = !held.has(event.roomId)
    const sum = [...held.values()].reduce((total, one) => total + shareOf(one), 0)
    const fits = sum + shareOf(event.class) <= whole
    const free = event.terms.plan === "free"
    const fitsPlan = !free || held.size < awakeFree
    const further = event.nth > 0
    if (answer === "Admit" && isNew) {
      if (event.intake !== "open") {
        const what = `takes ${event.roomId}, though its runner takes no rooms`
        throw new Violation("cordon", `server ${server} ${what}`)
      }
      if (free && further) over(server, "no room of the free plan to hold")
      if (!fits) over(server, `${sum} of ${whole} and a room of ${event.class}`)
      if (!fitsPlan) over(server, `${held.size} rooms on the free plan, and one more`)
      held.set(event.roomId, event.class)
    }
    const full = answer === "RefuseFull" || answer === "RefuseFree"
    if (full && (!isNew || (fits && fitsPlan && !(free && further) && event.intake === "open"))) {
      throw new Violation("budget", `server ${server} has room and refuses ${event.roomId}`)
    }
    if (free && isNew && answer === "RefuseFull") {
      throw new Violation("budget", `${server}: the free plan is sent on to a further server`)
    }
    const slots = new Set(after.places.map(({ slot }) => slot))
    if (slots.size < after.places.length) {
      throw new Violation("budget", `server ${server} gave a slot twice`)
    }
  }

  #of(server: string): Map<string, RoomClass> {
    return this.#held.get(server) ?? new Map<string, RoomClass>()
  }
}

const over = (server: string, what: string): never => {
  throw new Violation("budget", `server ${server} is over its budget: it had ${what}`)
}
